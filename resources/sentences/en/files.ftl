## What can be wrong with a file that is read
file-missing = { $path }: there is no such file.
file-missing-remedy = Check the path.
file-no-regular = { $path }: this is not a regular file.
file-no-regular-remedy = Give the path of a file.
file-unreadable = { $path }: the file cannot be read ({ $detail }).
file-unreadable-remedy = Check the path and its permissions.
file-too-large = { $path }: the file is larger than { $limit } bytes.
file-too-large-remedy = Such a file is no description by hand: shorten it or split it.
file-no-text = { $path }: byte { $place } is not UTF-8.
file-no-text-remedy = Save the file as UTF-8 text.
file-no-toml = { $path }: this is not valid TOML: { $detail }.
file-no-toml-remedy = Correct the line named.
file-no-json = { $path }: this is not valid JSON: { $detail }.
file-no-json-remedy = Correct the line named.

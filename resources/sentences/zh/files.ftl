## 读取文件时可能出现的问题
file-missing = { $path }：没有这个文件。
file-missing-remedy = 请检查路径。
file-no-regular = { $path }：这不是普通文件。
file-no-regular-remedy = 请给出文件的路径。
file-unreadable = { $path }：无法读取文件（{ $detail }）。
file-unreadable-remedy = 请检查路径和权限。
file-too-large = { $path }：文件超过 { $limit } 字节。
file-too-large-remedy = 这样的文件不是手写的描述：请缩短或拆分。
file-no-text = { $path }：第 { $place } 字节不是 UTF-8。
file-no-text-remedy = 请将文件保存为 UTF-8 文本。
file-no-toml = { $path }：不是有效的 TOML：{ $detail }。
file-no-toml-remedy = 请更正所指的那一行。
file-no-json = { $path }：不是有效的 JSON：{ $detail }。
file-no-json-remedy = 请更正所指的那一行。

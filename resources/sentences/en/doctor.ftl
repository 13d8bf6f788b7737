# What `--doctor` says of an installation.
doctor-title = Is this installation sound?
doctor-good = works:
doctor-wrong = WRONG:
doctor-unknown = unknown:
doctor-sum = { $count ->
    [0] Nothing is wrong.
    [one] One thing is wrong.
   *[other] { $count } things are wrong.
}
doctor-program = advisor { $version } runs on Python { $python }.
doctor-card = { $gpu } answers, driver { $driver }.
doctor-torch = torch is there, and the process that measures can load it.
doctor-torch-broken = The process that measures cannot run torch: { $text }
doctor-torch-hung = The process that measures did not load torch within { $limit_s }. See whether the disk or an antivirus program holds it up.
doctor-window = The window can open: Qt runs on { $platform }.
doctor-window-broken = The window cannot open: { $text }
doctor-no-display = Whether the window can open is not known: there is no display here. The command line needs none.
doctor-fonts = The bundled fonts can be read.
doctor-fonts-missing = The bundled fonts cannot be read, so that Chinese may not show: install the program anew.
doctor-folder = { $folder } can be written, { $free_bytes } are free.
doctor-folder-refused = { $folder } cannot be written: { $text } Give yourself the right to write there, or another home folder.
doctor-folder-full = { $folder } has only { $free_bytes } left. Make room.

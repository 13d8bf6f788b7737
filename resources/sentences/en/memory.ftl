# What would make a step smaller. kind: one of the savings of the memory model.
memory-saving-checkpointing = Activation checkpointing would save { $saved_bytes } a device, for { $extra_fraction } more computation.
memory-saving-accumulation = Half the batch with twice the accumulation steps would save { $saved_bytes } a device.
memory-saving-smaller-batch = Half the batch would save { $saved_bytes } a device.
memory-saving-optimizer-8bit = 8-bit optimizer states would save { $saved_bytes } a device.
memory-saving-adafactor = Adafactor instead of Adam would save { $saved_bytes } a device.
memory-saving-sgd-momentum = SGD with momentum instead of Adam would save { $saved_bytes } a device.
memory-no-room = { $device } has no room for batch size { $batch } in { $precision }: a step needs { $need_bytes }, and the card has { $capacity_bytes }. What would make it smaller:
memory-host-here = Off-loading keeps { $need_bytes } in this machine's memory, of which { $room_bytes } is free.
memory-host-here-short = Off-loading would keep { $need_bytes } in this machine's memory, of which only { $room_bytes } is free.
memory-host-given = Off-loading keeps { $need_bytes } in the memory of each machine, of the { $room_bytes } that was given.
memory-host-given-short = Off-loading would keep { $need_bytes } in the memory of each machine, which has { $room_bytes }.
memory-host-assumed = Off-loading keeps { $need_bytes } in the memory of each machine; { $room_bytes } is assumed there (96 GiB a card). Give yours with --host-memory.
memory-host-shared = Off-loading frees nothing here: the GPU's memory is the machine's own.
memory-unified = The GPU's memory is the machine's own: what the system and other programs take of it is not counted.
memory-host-assumed-short = Off-loading would keep { $need_bytes } in the memory of each machine, where { $room_bytes } is assumed (96 GiB a card). Give yours with --host-memory.

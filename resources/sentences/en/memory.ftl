# What would make a step smaller. kind: one of the savings of the memory model.
memory-saving-checkpointing = Activation checkpointing would save { $saved_bytes } a device, for { $extra_fraction } more computation.
memory-saving-accumulation = Half the batch with twice the accumulation steps would save { $saved_bytes } a device.
memory-saving-optimizer-8bit = 8-bit optimizer states would save { $saved_bytes } a device.
memory-saving-adafactor = Adafactor instead of Adam would save { $saved_bytes } a device.
memory-saving-sgd-momentum = SGD with momentum instead of Adam would save { $saved_bytes } a device.
memory-no-room = { $device } has no room for batch size { $batch } in { $precision }: a step needs { $need_bytes }, and the card has { $capacity_bytes }. What would make it smaller:

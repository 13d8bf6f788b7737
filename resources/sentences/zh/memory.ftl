# 哪些改动能减少显存。
memory-saving-checkpointing = 启用激活检查点可为每个设备节省 { $saved_bytes }，代价是计算量增加 { $extra_fraction }。
memory-saving-accumulation = 批量减半、梯度累积步数加倍，可为每个设备节省 { $saved_bytes }。
memory-saving-smaller-batch = 批量减半可为每个设备节省 { $saved_bytes }。
memory-saving-optimizer-8bit = 使用 8 位优化器状态可为每个设备节省 { $saved_bytes }。
memory-saving-adafactor = 用 Adafactor 代替 Adam 可为每个设备节省 { $saved_bytes }。
memory-saving-sgd-momentum = 用带动量的 SGD 代替 Adam 可为每个设备节省 { $saved_bytes }。
memory-no-room = { $device } 放不下批大小 { $batch }（{ $precision }）：一步需要 { $need_bytes }，而该卡只有 { $capacity_bytes }。以下改动可以减少显存：
memory-host-here = 卸载会在本机内存中占用 { $need_bytes }，可用 { $room_bytes }。
memory-host-here-short = 卸载需要本机内存 { $need_bytes }，但只有 { $room_bytes } 可用。
memory-host-given = 卸载在每台机器的内存中占用 { $need_bytes }，您给出的容量为 { $room_bytes }。
memory-host-given-short = 卸载在每台机器上需要 { $need_bytes } 内存，而其容量为 { $room_bytes }。
memory-host-assumed = 卸载在每台机器的内存中占用 { $need_bytes }；此处假定有 { $room_bytes }（每张卡 96 GiB）。请用 --host-memory 给出实际容量。
memory-host-shared = 卸载在此腾不出内存：GPU 使用的就是整机内存。
memory-unified = GPU 使用的就是整机内存：系统和其他程序占用的部分未计入。
memory-host-assumed-short = 卸载在每台机器上需要 { $need_bytes } 内存，此处假定只有 { $room_bytes }（每张卡 96 GiB）。请用 --host-memory 给出实际容量。

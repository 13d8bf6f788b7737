# 哪些改动能减少显存。
memory-saving-checkpointing = 启用激活检查点可为每个设备节省 { $saved_bytes }，代价是计算量增加 { $extra_fraction }。
memory-saving-accumulation = 批量减半、梯度累积步数加倍，可为每个设备节省 { $saved_bytes }。
memory-saving-optimizer-8bit = 使用 8 位优化器状态可为每个设备节省 { $saved_bytes }。
memory-saving-adafactor = 用 Adafactor 代替 Adam 可为每个设备节省 { $saved_bytes }。
memory-saving-sgd-momentum = 用带动量的 SGD 代替 Adam 可为每个设备节省 { $saved_bytes }。
memory-no-room = { $device } 放不下批大小 { $batch }（{ $precision }）：一步需要 { $need_bytes }，而该卡只有 { $capacity_bytes }。以下改动可以减少显存：

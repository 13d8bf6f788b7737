# 多张卡的价值
scaling-all-counts-pay = 使用 { $device } 时，直到 { $count } 张，每增加一张卡都仍然划算。
scaling-stops-paying = 使用 { $device } 时，超过 { $count } 张就不再划算：增加到 { $more } 张时，新增的卡只能发挥其能力的 { $marginal_fraction }。
scaling-dp-copies = 使用 { $count } 张卡时，DataParallel 每步都要经由第一张卡拷贝权重和梯度（{ $weights_bytes }），且无法与计算重叠：耗时 { $communication_s }，而 DistributedDataParallel 为 { $ddp_communication_s }；每步总共多花 { $lost_s }。
scaling-dp-one-process = DataParallel 由单个进程为全部 { $count } 张卡下发计算，每步因此多等待主机 { $host_s }。
scaling-missing-nvlink = { $count } × { $device } 每步以 { $bus_bytes_per_s } 的速率交换 { $gradient_bytes } 梯度，需要 { $here_s }。若使用 NVLink（{ $nvlink_bytes_per_s }），只需 { $nvlink_s }，且大部分可隐藏在反向传播之后。
scaling-uneven-cards = { $count } 张卡中最慢的一张决定节奏：最快的卡每步要等待 { $waiting_s }。只用最快的 { $best_count } 张，每秒训练的样本数是全部使用时的 { $gain_ratio } 倍。
scaling-learning-rate = 全局批大小由 { $own_global_batch } 变为 { $global_batch }：学习率可尝试原来的 { $low_ratio } 倍（平方根缩放，适合自适应优化器）到 { $high_ratio } 倍（线性缩放，适合带预热的 SGD）。
scaling-critical-batch = 全局批大小为 { $global_batch } 时需要多处理多少样本，取决于临界批大小；这里按 { $low } 到 { $high } 个样本计算：训练需要 { $train_low_s } 到 { $train_high_s }。

# 多个进程共同测量
ranks-phase-join = 各进程加入通信组
ranks-phase-exchange = 各进程核对版本并交换报告
ranks-phase-load = 各进程构建模型
ranks-phase-peers = 测量进程之间的链路
ranks-phase-all-reduce = 按消息大小测量 all-reduce
ranks-phase-steps = 交替测量单卡步与 DDP 步
ranks-phase-dp = 测量 DataParallel 步
ranks-wrong-values = { $rank_count } 个进程之间传输的数据发生了改变：此处的点对点传输已损坏。请设置 NCCL_P2P_DISABLE=1 后重新测量。
ranks-contended = 这 { $rank_count } 个进程彼此之间或与其他程序争用了处理器核心：测得的时间只是上限。
ranks-lost = { $rank_count } 个进程中，第 { $rank_list } 号在途中丢失：此前测得的结果已保留。
ranks-lost-early = { $rank_count } 个进程中，第 { $rank_list } 号在测量开始前就已丢失：多卡结果为预测值，而非实测值。
ranks-failed = 各进程无法完成测量：{ $text }
ranks-deadline = 某个进程或链路未在规定时间内响应。
ranks-partial-report = 本机各进程的部分报告已保存在 { $path }。

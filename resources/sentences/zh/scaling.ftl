# 多张卡的价值
scaling-efficiency = 在每卡批大小相同时，{ $count } × { $device } 的速度是单卡的 { $speed_up_ratio } 倍（区间 { $low_ratio } 至 { $high_ratio }），即效率为 { $efficiency_fraction }。
scaling-efficiency-sharded = 在每卡批大小相同时，{ $count } × { $device } 的速度是一块假设能放下整个模型的卡的 { $speed_up_ratio } 倍（区间 { $low_ratio } 至 { $high_ratio }），即效率为 { $efficiency_fraction }。
scaling-optimizer-shared = 在每卡批大小相同时，{ $count } × { $device } 的速度是一块假设能放下整个模型的卡的 { $speed_up_ratio } 倍（区间 { $low_ratio } 至 { $high_ratio }）。这超过 { $count } 倍，因为每块卡只更新自己那一份参数：优化器在一步中用时 { $optimizer_s }，而单卡为 { $alone_optimizer_s }。
scaling-fewer-quicker = 按所述的互连，{ $count } 张这样的卡还不如一张：同一台机器里的较少几张很可能更快。请把较少的卡数也列入比较，或写明更快的互连。
scaling-batch-bound = 限制 { $more } 张卡的是批大小：每步不超过 { $global_limit } 个样本时，每卡只能分到 { $smaller_batch } 个，而不是 { $batch } 个。若每卡仍为 { $batch } 个，新增的卡可发挥其能力的 { $marginal_fraction }，因此更大的全局批会使它们划算。
scaling-dp-copies = DataParallel 每次前向和反向都要经由第一张卡传输权重、输入和输出，并在其上汇总全部梯度，期间没有任何计算：{ $count } 张卡每步耗时 { $communication_s }，而 DistributedDataParallel 未能隐藏在反向传播之后的通信为 { $ddp_communication_s }。
scaling-dp-one-process = DataParallel 由单个进程为全部 { $count } 张卡下发计算，各线程争用同一把解释器锁，每步因此多等待主机 { $host_s }。
scaling-dp-tied = 在 { $count } 张卡上，DataParallel 与 DistributedDataParallel 在这里同样快（相差不到 2 %）；仍建议使用 DistributedDataParallel，因为卡越多、主机越慢，它的优势越大。
scaling-dp-untold = 仅凭数字无法得知一步要启动多少个内核，因此没有计入 DataParallel 的单个进程为 { $count } 张卡下发计算所需的时间：它很可能比这里给出的更慢，而 DistributedDataParallel 不会。
scaling-dp-memory = DataParallel 在第一张卡上汇总全部输出和梯度：每卡批大小为 { $batch } 时，第一张卡需要 { $need_bytes }，其余各卡需要 { $other_bytes }。
scaling-dp-memory-full = 每卡批大小为 { $batch } 时 DataParallel 装不下：第一张卡要汇总全部输出和梯度，需要 { $need_bytes }，其余各卡需要 { $other_bytes }。
scaling-missing-nvlink = 没有 NVLink，{ $count } × { $device } 每步以 { $bus_bytes_per_s } 的速率交换 { $gradient_bytes } 梯度；若有 A100 那样的 NVLink（{ $nvlink_bytes_per_s }），每步只需 { $nvlink_step_s }，而不是 { $step_s }。
scaling-missing-bridge = 没有 NVLink 桥，{ $count } × { $device } 每步以 { $bus_bytes_per_s } 的速率交换 { $gradient_bytes } 梯度；装上桥之后（{ $nvlink_bytes_per_s }），每步只需 { $nvlink_step_s }，而不是 { $step_s }。如果已经装有桥，请用 --interconnect "NVLink bridge" 说明。
scaling-uneven-cards = 这里的 { $count } 张卡一起训练并不划算：在 DistributedDataParallel 中，所有卡都要等待最慢的一张（{ $slowest }），最快的卡每步等待 { $waiting_s }。只用 { $devices }，每秒训练的样本数是全部使用时的 { $gain_ratio } 倍。
scaling-uneven-pays = { $devices } 一起用 DistributedDataParallel 训练（{ $precision }，每卡批大小 { $batch }），每秒可训练 { $rate } 个样本，是同型号显卡最佳组合的 { $gain_ratio } 倍，尽管所有卡都要等待最慢的一张（{ $slowest }）。
scaling-uneven-memory = 这里的卡无法一起用 DistributedDataParallel 训练：{ $devices } 连所尝试的最小批也装不下。
scaling-host-cores = { $count } 个进程共用本机的 { $cores } 个处理器核心，只能轮流下发各自的计算；这里已将其计入。
scaling-network-unstated = 未说明机器之间的网络：这里按每台机器 { $rate_bytes_per_s } 计算。可用 --interconnect 说明，例如 "NVSwitch + InfiniBand HDR x8"。
scaling-learning-rate = 全局批大小由 { $own_global_batch } 变为 { $global_batch }：学习率可尝试原来的 { $low_ratio } 倍（平方根缩放，适合 Adam 一类优化器）到 { $high_ratio } 倍（线性缩放，适合 SGD），并配合预热。
scaling-held-batch = 若全局批大小保持为 { $own_global_batch }（每卡 { $batch }），{ $count } 张卡需要 { $held_s } 完成，是单卡速度的 { $speed_up_ratio } 倍；训练步数与原来相同。
scaling-critical-batch = 作业时间按相同的轮数计算。要达到相同的损失，全局批大小 { $global_batch } 所需的样本数可能是 { $own_global_batch } 的 { $low_ratio } 至 { $high_ratio } 倍，即 { $train_low_s } 至 { $train_high_s }：这取决于临界批大小，这里按 { $low } 至 { $high } 个样本计算。可用 --critical-batch 给出您的数值。
scaling-critical-batch-given = 作业时间按相同的轮数计算。要达到相同的损失，在临界批大小为 { $low } 至 { $high } 个样本时，全局批大小 { $global_batch } 所需的样本数是 { $own_global_batch } 的 { $low_ratio } 至 { $high_ratio } 倍：{ $train_low_s } 至 { $train_high_s }。
scaling-counts-left-out = 全局批大小 { $global_batch } 无法平均分配给 { $counts } 张卡：这些数量已略去。
scaling-samples-in-lists = 一个批次以列表存放样本：DataParallel 会沿第一维切开其中的每个张量，因此不予考虑。
scaling-lone-card = 配有 { $devices } 的机器只有一块 GPU，因此只按一块评估。
scaling-lone-card-not-kept = 配有 { $devices } 的机器只有一块 GPU：按一张卡评估，而不是所要求的 { $counts } 张。

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
ranks-lost-elsewhere = 运行在其他主机上的第 { $rank_list } 号进程中有一个丢失或不再响应：具体是哪一个，见其所在主机的报告。本机各进程此前测得的结果已保留。
ranks-other-hosts = 第 { $rank_list } 号进程运行在其他主机上：它们测得的结果以及如何结束，见各自主机的报告。
ranks-failed = 各进程无法完成测量：{ $text }
ranks-deadline = 阶段 { $phase } 未按时结束：某个进程或链路停滞。GPU 上可试 NCCL_P2P_DISABLE=1；主机之间请检查网络接口和防火墙。
ranks-peer-unreadable = 进程 { $rank } 发来的报告无法读取：{ $error }。
ranks-peer-version = 进程 { $rank } 运行的是 advisor '{ $version }'（报告格式 { $format }），本进程为 '{ $own }'（格式 { $own_format }）。
ranks-peer-misfit = 进程 { $rank } 发来的报告不合格式：{ $error }。
ranks-peer-other = { $count } 个进程中的第 { $rank } 个自称为 { $said_count } 个中的第 { $said } 个。
ranks-peer-announced = 进程 { $rank } 宣布了 { $message_bytes } 的消息，最多接受 { $limit_bytes }。
ranks-peer-remedy = 请在每台主机上启动同一版本的 advisor，且不要让其他程序使用该组的端口。
ranks-partial-report = 本机各进程的部分报告已保存在 { $path }。

# 旧版本保存的建议仍会用到
why-learning-rate = 全局批大小由 { $own_global_batch } 变为 { $global_batch }：学习率可在原值的 1 到 { $factor_ratio } 倍之间尝试，并配合预热。
ranks-folder-not-ours = { $folder } 属于其他用户。
ranks-folder-not-ours-remedy = 请将 TMPDIR 设为您自己的文件夹。
ranks-environment-no-number = 环境变量 { $name } 为 { $given }，不是数字。
ranks-environment-no-number-remedy = 请用 torchrun 启动各进程，或取消设置 RANK 和 WORLD_SIZE。
ranks-environment-contradict = 环境变量：没有一组进程包含 { $given }。
ranks-environment-contradict-remedy = 请用 torchrun 启动各进程。

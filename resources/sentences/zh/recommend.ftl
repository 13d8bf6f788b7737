## 建议的理由
why-short-job = 整个任务只需 { $job_s }，比启动一次训练还短：仅导入 torch 就需约 { $start_s }。{ $tied ->
        [some] 在并列者之中，用手边的即可。
       *[none] { "" }
    }{ $cpu ->
        [unknown] CPU 要用多久，可用 --measure 实测。
       *[compared] { "" }
    }
why-tied = { $device } 与 { $others } 之间没有明显差别：它们的时间区间相互重叠。
why-tied-short = { $device } 与 { $others } 之间看不出差别：无论用哪一种，任务本身都不比启动训练更长。
why-tied-hours = { $device } 与 { $others } 之间没有明显差别：它们的 GPU 小时区间相互重叠。
why-tied-cost = { $device } 与 { $others } 之间没有明显差别：它们的费用区间相互重叠。
why-tied-energy = { $device } 与 { $others } 之间没有明显差别：它们的能耗区间相互重叠。
why-tie-plain = 在无明显差别的方案中，{ $device } 优先于 { $others }：前者仅凭自身显存即可完成一步，无需主机内存，也不必拆分模型。
why-count-room = { $device } 放得下一步；而在 { $fewer } 上，一步最多需要 { $high_bytes }，可用的只有 { $capacity_bytes }，约 { $odds_fraction } 的此类方案会显存不足。
why-tie-memory = 在无明显差别的方案中，{ $device } 优先于 { $others }：后者显存需求的区间超出了设备所能提供的。
why-room-first = 采用 { $strategy } 而不是 { $other_strategy }：后者的速度是前者的 { $speed_ratio } 倍，但每张卡最多可能需要 { $high_bytes }，而可用的只有 { $capacity_bytes }。
why-tie-borne-out = 在无明显差别的方案中，{ $device } 优先于 { $others }：后者的厂商没有公开运行可以印证这里的预测。
why-tie-here = 在无明显差别的方案中，选用本机已有的设备：{ $device }。
why-tie-cost = 在无明显差别的方案中，由预期费用最低者决定：{ $cost }，而 { $other } 为 { $other_cost }。
why-tie-energy = 在无明显差别的方案中，由预期能耗最低者决定：{ $energy_j }，而 { $other } 为 { $other_energy_j }。
why-tie-alike = 在无明显差别的方案中，预期时间相同（{ $job_s }，{ $other } 亦然）：用手边的即可。
why-tie-against-data-sheets = 按规格表，{ $others } 不会更慢：{ $device } 领先所依据的，是它的 { $runs } 次公开运行和{ $count ->
        [1] 对方
       *[other] 其余显卡
    }的 { $other_runs } 次。
why-tie-time = 在无明显差别的方案中，由预期时间较短者决定：{ $job_s }，而 { $other } 为 { $other_job_s }。
why-disturbed = { $other } 在测量时受到干扰：不受干扰时可能同样快，但在重新测量之前不作建议。
why-only-here = 在本机的设备中，只有 { $device } 可以评估。
why-only-asked = 没有其他类型的设备可与 { $device } 比较。
why-only-candidate = 只剩下 { $device } 可供比较：其他设备放不下、超出限制或无法评估。
why-fastest = { $device } 的完成速度是 { $other } 的 { $advantage_ratio } 倍。
why-fewest-hours = { $other } 的 GPU 小时是 { $device } 的 { $advantage_ratio } 倍。
why-cheapest = { $other } 的费用是 { $device } 的 { $advantage_ratio } 倍。
why-least-energy = { $other } 的能耗是 { $device } 的 { $advantage_ratio } 倍。
against-time = { $device } 的完成速度是 { $other } 的 { $advantage_ratio } 倍，区间为 { $low_ratio } 到 { $high_ratio }{ $clear ->
    [yes] 。
   *[no] ：没有明显差别。
}
against-hours = { $other } 的 GPU 小时是 { $device } 的 { $advantage_ratio } 倍，区间为 { $low_ratio } 到 { $high_ratio }{ $clear ->
    [yes] 。
   *[no] ：没有明显差别。
}
against-cost = { $other } 的费用是 { $device } 的 { $advantage_ratio } 倍，区间为 { $low_ratio } 到 { $high_ratio }{ $clear ->
    [yes] 。
   *[no] ：没有明显差别。
}
against-energy = { $other } 的能耗是 { $device } 的 { $advantage_ratio } 倍，区间为 { $low_ratio } 到 { $high_ratio }{ $clear ->
    [yes] 。
   *[no] ：没有明显差别。
}
against-no-room = { $other } 容不下一步：每张卡需要 { $need_bytes }，可用的只有 { $capacity_bytes }。
why-launch-bound = 计算量太小，GPU 发挥不了作用：批大小为 { $batch } 时，{ $device } 每步需要 { $gpu_step_s }，其中内核启动开销占 { $launch_s }，同步与拷贝占 { $synchronisation_s }；CPU 只需 { $cpu_step_s }。
why-launch-bound-tied = 计算量太小，GPU 发挥不了作用：批大小为 { $batch } 时，{ $device } 每步需要 { $gpu_step_s }，其中内核启动开销占 { $launch_s }，同步与拷贝占 { $synchronisation_s }，换更快的卡也没有用；CPU 需要 { $cpu_step_s }，差别不明显。
why-host-bound = { $device } 在等待主机：每步 { $step_s } 中有 { $launch_s }（{ $share_fraction }）花在内核启动与同步上，因此增大批大小几乎不增加时间。
why-hosts-assumed = { $host ->
        [desktop] 处理器未经测量：假定 { $device } 配台式机处理器、{ $other } 配服务器处理器，后者下发同样的工作需要 { $times_ratio } 倍的时间。
       *[server] 处理器未经测量：假定 { $device } 配服务器处理器、{ $other } 配台式机处理器，后者下发同样工作的速度是前者的 { $times_ratio } 倍。
    }若装在同一台机器中，两者等待的时间相同。
why-strict-fp32 = 在严格的 { $precision } 下，{ $device } 的算力为 { $rate_flop_per_s }，而 { $other } 只有 { $other_rate_flop_per_s }，其张量核心（TF32 下 { $tensor_flop_per_s }）处于闲置状态。
why-fp32-is-strict = 此处的 FP32 是严格的：每步 { $step_s }，全部使用 TF32 时为 { $tf32_step_s }。torch 默认允许 cuDNN 的卷积和循环层使用 TF32：precision = "default" 即此含义。
why-compute-rate = 在 { $precision } 下，{ $device } 的算力为 { $rate_flop_per_s }，{ $other } 为 { $other_rate_flop_per_s }。
why-bandwidth = { $device } 的显存带宽为 { $bandwidth_bytes_per_s }，{ $other } 为 { $other_bandwidth_bytes_per_s }。
why-count-knee = { $device } 用 { $count } 张以上不划算：增加到 { $more } 张时，新增显卡只能发挥其全速的 { $marginal_fraction }，低于值得投入的 { $needed_fraction }。
why-count-no-gain = { $device } 从 { $count } 张增加到 { $more } 张没有收益。
why-count-short = { $device } 从 { $count } 张增加到 { $more } 张，整个任务只会缩短 { $saved_s }，比启动一次训练还短：仅导入 torch 就需约 { $start_s }。
why-count-pays = { $count } × { $device } 的速度是 { $fewer } 张的 { $speed_up_ratio } 倍。
why-count-pays-at-batch = { $count } × { $device }（每卡每步 { $batch } 个样本）的速度是 { $fewer } 张（{ $other_batch } 个样本）的 { $speed_up_ratio } 倍。
why-count-pays-otherwise = { $count } × { $device }（{ $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP（CPU 卸载）
         [tp] 张量并行
         [pp] 流水线并行
        *[ddp] DistributedDataParallel
    }）的速度是 { $fewer } 张（{ $other_strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP（CPU 卸载）
         [tp] 张量并行
         [pp] 流水线并行
        *[ddp] DistributedDataParallel
    }）的 { $speed_up_ratio } 倍。
why-ddp-over-dp = DistributedDataParallel 每秒训练 { $ddp_rate } 个样本，DataParallel 为 { $dp_rate } 个（相差 { $advantage_ratio } 倍）：后者由单个进程复制模型，并在第一张卡上汇总结果。
why-sharded = 单张这样的卡放不下整个模型，因此{ $count ->
        [1] 暂时用不到的部分存放在主机内存中
       *[other] 将其分布到 { $count } 张卡上
    }（{ $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP（CPU 卸载）
         [tp] 张量并行
         [pp] 流水线并行
        *[ddp] DistributedDataParallel
    }）。
why-fused-optimizer-added = 优化器若按 torch 默认方式（foreach）更新，求平方根时会暂时复制全部权重，{ $device } 放不下同样快的一步，因此改用融合优化器：同样的更新在一个内核中完成。
why-checkpointing-added = 不启用激活检查点，{ $device } 放不下一步，或只能借助主机内存、拆分模型，或每次样本太少而明显变慢，因此已将其启用：反向传播时重新计算激活。若要排除，可用 --checkpointing 将其固定为 none。
why-chunked-loss-added = 若一次保存所有词元的 logits，{ $device } 放不下一步，或只能借助主机内存、拆分模型，或每次样本太少而明显变慢，因此分块计算损失。
why-fused-optimizer-room = torch 默认的优化器（foreach）会暂时复制全部权重，一步最多可能需要 { $high_bytes }，而 { $device } 只有 { $capacity_bytes } 可用；改用融合优化器（同样的更新在一个内核中完成）后最多需要 { $most_bytes }，速度为 { $speed_ratio } 倍。
why-checkpointing-room = 不启用激活检查点时，一步最多可能需要 { $high_bytes }，而 { $device } 只有 { $capacity_bytes } 可用；启用后（反向传播时重新计算激活）最多需要 { $most_bytes }，速度为 { $speed_ratio } 倍。若要排除，可用 --checkpointing 将其固定为 none。
why-chunked-loss-room = 若一次保存所有 logits，一步最多可能需要 { $high_bytes }，而 { $device } 只有 { $capacity_bytes } 可用；分块计算损失（损失值不变）后最多需要 { $most_bytes }，速度为 { $speed_ratio } 倍。
added-elsewhere = { $devices } 按启用{ $added ->
       *[checkpointing] 激活检查点
        [fused_optimizer] 融合优化器
        [chunked_loss] 分块计算损失
    }来比较：否则放不下一步、有可能显存不足，或只能借助主机内存、拆分模型，或每次样本太少而明显变慢。
why-rival-leans = { $device } 需要主机内存或拆分模型才能放下一步，其中 { $share_fraction } 的时间用于通信、拷贝和优化器。
why-sharded-batch = 单张这样的卡放不下批次大小 { $batch } 的一步，因此{ $count ->
        [1] 暂时用不到的部分存放在主机内存中
       *[other] 将其分布到 { $count } 张卡上
    }（{ $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP（CPU 卸载）
         [tp] 张量并行
         [pp] 流水线并行
        *[ddp] DistributedDataParallel
    }）。
why-tensor-groups = 张量并行只在一台机器内的 { $cards } 张卡之间进行，那里的互连快；共 { $groups } 个这样的组，组与组之间像 FSDP 那样切分权重、梯度和优化器状态。
why-precision-instead = { $device } 不支持 { $precision } 计算，改用 { $used }。
why-precision-quicker = 改用 { $used } 而不用 { $precision }：精度不低于它，在此设置下速度是它的 { $advantage_ratio } 倍。要保留 { $precision }，请用 --precision 固定。
why-precision-room = 采用 { $precision } 时每步至少需要 { $need_bytes }，而 { $device } 只能提供 { $capacity_bytes }：改用需要较少的 { $used }。
why-communication = 在 { $device } 上，卡间通信占每步时间的 { $share_fraction }。
why-communication-no-nvlink = 卡间通信占每步时间的 { $share_fraction }，因为 { $device } 没有 NVLink。
why-communication-network = 通信占每步时间的 { $share_fraction }：梯度要经过机器之间的网络，每台机器 { $rate_bytes_per_s }{ $origin ->
        [assumed] （假定值）
       *[stated] { "" }
    }。
why-communication-machines = 通信占每步时间的 { $share_fraction }：{ $strategy ->
        [tp] 权重和梯度
        [pp] 各段的结果
        [fsdp] 权重和梯度
        [fsdp_offload] 权重和梯度
       *[other] 梯度
    }要经过机器之间的网络，每台机器 { $rate_bytes_per_s }{ $origin ->
        [assumed] （假定值）
       *[stated] { "" }
    }。
why-memory-elsewhere = 此方案每步需要 { $need_bytes } 显存，以下设备放不下：{ $devices }。
why-memory-tight = 每步需要 { $need_bytes }（{ $capacity_bytes } 的 { $share_fraction }），余量很小。
why-batch-room = 工作负载的批大小（{ $own_batch }）最多可能需要 { $high_bytes }，而 { $device } 能提供 { $capacity_bytes }；批大小 { $batch } 在整个区间内都放得下{ $steps ->
        [1] { "" }
       *[other] ，每台设备累积 { $steps } 个这样的微批
    }。
why-batch-own-does-not-fit = 工作负载的批大小（{ $own_batch }）在 { $precision } 下超出 { $device } 的显存；{ $batch } 可以。
why-batch-own-unknown = 工作负载的批大小（{ $own_batch }）在 { $device } 上以 { $precision } 运行的情况未知；已知的批大小中 { $batch } 最好。
why-batch-beyond = 每台设备的批大小为 { $batch }{ $steps ->
        [1] { "" }
       *[other] { "，累积 " }{ $steps }{ " 次" }
    }，{ $count } 台设备一步共 { $global_batch } 个样本，超过了{ $bound ->
        [data] 数据集的 { $global_limit } 个
       *[growth] 未经训练试验时一步不宜超过的 { $global_limit } 个
    }；在试过的方案中，{ $lacking ->
        [time] 同样简单而样本更少的都不符合限制
       *[room] 这么多设备上没有更小且放得下的
    }。
why-batch-fixed = 批大小 { $batch } 由您固定，予以保持。
why-batch-kept = 保持批大小 { $batch }：其吞吐量（每秒 { $rate } 个样本）与更大批的差距不超过 10 %。
why-batch-kept-largest = 保持批大小 { $batch }：它是试过且放得下的最大批量（每秒 { $rate } 个样本）。
why-batch-kept-global = 保持批大小 { $batch }：更大的批虽然更快，但所有卡合计每步不宜超过 { $global_limit } 个样本。
why-batch-kept-within = 保持批大小 { $batch }：在所有卡合计每步不超过 { $global_limit } 个样本的前提下，增大到 { $allowed_batch } 也只快不到 10 %。
why-batch-whole-set = 批大小 { $batch } 已在一步中包含整个数据集（{ $samples } 个样本）。
why-batch-knee = 批大小 { $batch } 是吞吐量的拐点：为批大小 { $own_batch } 的 { $gain_ratio } 倍；继续增大的收益不到 10 %。
why-batch-knee-largest = 批大小 { $batch } 的吞吐量是 { $own_batch } 的 { $gain_ratio } 倍；它是试过且放得下的最大批量。
why-batch-knee-within = 批大小 { $batch } 的吞吐量是 { $own_batch } 的 { $gain_ratio } 倍；在每步不超过 { $global_limit } 个样本的前提下，增大到 { $allowed_batch } 再快不到 10 %。
why-batch-limited = 批大小 { $batch } 的吞吐量是 { $own_batch } 的 { $gain_ratio } 倍；更大的批还会更快，但未经训练试验，每步不宜超过 { $global_limit } 个样本。
why-accumulation = 每步累积 { $steps } 个微批可提速 5 % 以上，因为各卡交换梯度和更新参数的次数更少。
why-accumulation-own = { $device } 一次放不下负载原有的 { $own_batch } 个样本：每台设备累积 { $steps } 个大小为 { $batch } 的微批，即每步 { $samples } 个样本。
why-accumulation-held = 累积 { $steps } 个微批，凑成所要求的全局批大小 { $global_batch }。
why-batch-divides = 每设备批大小 { $batch } 能以整数个微批凑成全局批大小 { $global_batch }；工作负载原来的批大小（{ $own_batch }）在 { $count } 个设备上做不到。
why-batch-held = 在放得下、且能于 { $count } 个设备上以整数个微批凑成全局批大小 { $global_batch } 的批大小中，每设备 { $batch } 最快（误差 5 % 以内），且微批最少。
why-loader-bound = 瓶颈是数据加载：在 { $workers } 个加载进程下，每步 { $step_s } 中有 { $waits_s }（{ $share_fraction }）在等待数据。增加加载进程，或让整批数据预先备在内存中，可省去大部分等待；更快的设备则无济于事。
why-loader-workers = 瓶颈是数据加载：在 { $workers } 个加载进程下，每步 { $step_s } 中有 { $waits_s }（{ $share_fraction }）在等待数据，而本机由训练进程自己加载一批只需 { $made_s }。减少加载进程或不用加载进程，或让整批数据预先备在内存中，可省去大部分等待。
why-loader-alone = 瓶颈是数据加载：每步 { $step_s } 中有 { $waits_s }（{ $share_fraction }）用于加载，而加载由训练进程自己完成。使用加载进程，或让整批数据预先备在内存中，可省去大部分时间；更快的设备则无济于事。
why-decoding-bound = 如果图片是在加载时才解码的 JPEG 文件，瓶颈就是数据加载：{ $workers } 个加载进程每秒最多产生 { $most } 张，而每个设备每秒需要 { $rate } 张。任务至少需要 { $least_job_s }。每个设备 { $wanted } 个加载进程有望跟上；预先解码图片也可以。
why-tokenising-bound = 如果文本是在加载时才分词的，瓶颈就是数据加载：{ $workers } 个加载进程每秒最多产生 { $most } 个样本，而每个设备每秒需要 { $rate } 个。任务至少需要 { $least_job_s }。每个设备 { $wanted } 个加载进程有望跟上；预先分词也可以。
why-rows-bound = 如果数据行是从内存中逐行取出的（如 DataLoader 配 TensorDataset），瓶颈就是数据加载：{ $workers } 个加载进程每秒最多取 { $most } 行，而每个设备每秒需要 { $rate } 行。任务至少需要 { $least_job_s }。一次取出整批（以 BatchSampler 作为 sampler，关闭自动分批）或把数据放在显卡上，可省去大部分开销。
why-decoding-cores = 如果图片是加载时才解码的 JPEG 文件，每秒 { $rate } 张需占用主机 { $cores } 个核心，每个核心每秒解码 { $each } 张。请确认主机有这么多核心，或事先解码图片。
why-tokenising-cores = 如果文本在加载时才分词，每秒 { $rate } 个样本需占用主机 { $cores } 个核心，每个核心每秒处理 { $each } 个。请确认主机有这么多核心，或事先分词。
why-rows-cores = 如果数据行是从内存中逐行取出的（如 DataLoader 配 TensorDataset），每秒 { $rate } 行需占用主机 { $cores } 个核心，每个核心每秒最多取 { $each } 行。一次取出整批（以 BatchSampler 作为 sampler，关闭自动分批）可省去大部分开销。
why-validation-share = 每 { $every_steps } 步验证一次，占总时间的 { $share_fraction }；所给的任务时间只含训练步。
why-validation-each-epoch = 每轮验证一次，占总时间的 { $share_fraction }；所给的任务时间只含训练步。
strategies-compared = 两张 { $device }（{ $precision }）：DistributedDataParallel（每卡批大小 { $ddp_batch }）的速度是单卡（批大小 { $single_batch }）的 { $ddp_ratio } 倍，区间为 { $low_ratio } 至 { $high_ratio }；DataParallel 为 { $dp_ratio } 倍。
strategies-compared-each = 两张 { $device }（{ $precision }），每个批都交换梯度：DistributedDataParallel（每卡批大小 { $ddp_batch }）的速度是单卡（批大小 { $single_batch }）的 { $ddp_ratio } 倍，区间为 { $low_ratio } 至 { $high_ratio }；DataParallel 为 { $dp_ratio } 倍。

## 精度如何改变显卡的排序
precision-turns = 精度决定排序：在 { $asked } 下，{ $device } 的速度是 { $other } 的 { $ahead_ratio } 倍（{ $device_asked_flop_per_s } 对 { $other_asked_flop_per_s }）；在 { $precision } 下，{ $other } 的速度是 { $device } 的 { $behind_ratio } 倍（{ $other_flop_per_s } 对 { $device_flop_per_s }）。
precision-closes = 精度决定排序：在 { $asked } 下，{ $device } 的速度是 { $other } 的 { $ahead_ratio } 倍（{ $device_asked_flop_per_s } 对 { $other_asked_flop_per_s }）；在 { $precision } 下这一优势消失，{ $other } 为 { $behind_ratio } 倍，差别不明显（{ $other_flop_per_s } 对 { $device_flop_per_s }）。

## 哪些情况会改变建议
change-precision-same = 若用 { $precision } 代替 { $asked }，同一方案的速度将是原来的 { $gain_ratio } 倍。
change-precision-other = 若用 { $precision } 代替 { $asked }，{ $device } 的速度将是本建议的 { $gain_ratio } 倍。
change-strategy = 与 { $device } 采用{ $strategy ->
         [zero2] { " ZeRO-2 " }
         [fsdp] { " FSDP " }
         [fsdp_offload] { " FSDP" }（CPU 卸载）
         [tp] 张量并行
         [pp] 流水线并行
         [single] 单卡完整模型
        *[ddp] { " DistributedDataParallel " }
    }相比，本建议的{ $goal ->
         [cost] 费用
         [hours] { " GPU 小时" }
         [energy] 能耗
        *[time] 时间
    }是其 { $advantage_ratio } 倍。但前者比{ $instead ->
         [zero2] { " ZeRO-2 " }
         [fsdp] { " FSDP " }
         [fsdp_offload] { " FSDP" }（CPU 卸载）
         [tp] 张量并行
         [pp] 流水线并行
         [single] 单卡完整模型
        *[ddp] { " DistributedDataParallel " }
    }需要更多地改动训练代码，因此建议采用更简单的后者。
change-batch-to-cpu = 批大小低于约 { $batch } 时，CPU 比 { $device } 更快。
change-global-batch = 若每步 { $samples } 个样本的训练效果不逊于本建议的 { $advised_samples } 个，则 { $device } 采用{ $strategy ->
         [zero2] { " ZeRO-2" }
         [fsdp] { " FSDP" }
         [fsdp_offload] { " FSDP" }（CPU 卸载）
         [tp] 张量并行
         [pp] 流水线并行
        *[ddp] { " DistributedDataParallel" }
    }、每卡批大小 { $batch }{ $steps ->
         [1] { " " }
        *[other] （累积 { $steps } 次）
    }时，速度将是 { $gain_ratio } 倍。
change-count-batch = 若只看时间：{ $count } × { $device }（每卡批大小 { $batch }）的速度是 { $gain_ratio } 倍，但消耗更多 GPU 小时。
change-count-batch-at = 若只看时间：{ $count } × { $device }（每卡批大小 { $batch }，每步 { $samples } 个样本）的速度是 { $gain_ratio } 倍，但消耗更多 GPU 小时。
change-link = 若互连比 { $device } 的更快，每步最多可省去 { $share_fraction }。
change-limits-batch = 若没有这些限制，{ $count } × { $device }（每卡批大小 { $batch }）的速度将是 { $gain_ratio } 倍。
change-limits-batch-at = 若没有这些限制，{ $count } × { $device }（每卡批大小 { $batch }，每步 { $samples } 个样本）的速度将是 { $gain_ratio } 倍。
change-price = 若用 --prices 给出价格，建议将同时考虑费用；不同显卡的一小时并不等价。
change-measure = 在 { $devices } 上实测即可确定区间未能区分的结果。

## CPU 与 GPU 的交叉点
crossover-cpu-wins = 批大小直到 { $batch }，{ $cpu } 都比 { $gpu } 快（该处每步 { $cpu_step_s } 对 { $gpu_step_s }）。
crossover-gpu-wins = 批大小从 { $batch } 起，{ $gpu } 始终比 { $cpu } 快（该处每步 { $gpu_step_s } 对 { $cpu_step_s }）。
crossover-cpu-likely = 批大小直到 { $batch }，{ $cpu } 很可能都比 { $gpu } 快（该处每步 { $cpu_step_s } 对 { $gpu_step_s }）；但区间允许 GPU 从 { $low } 起更快。
crossover-gpu-likely = 批大小为 { $batch } 时 { $gpu } 很可能已快于 { $cpu }（该处每步 { $gpu_step_s } 对 { $cpu_step_s }）；区间直到 { $high } 仍不能确定。
crossover-at = 批大小约从 { $batch } 起，{ $gpu } 快于 { $cpu }（介于 { $low } 与 { $high } 之间）。
crossover-at-open = 批大小约从 { $batch } 起，{ $gpu } 快于 { $cpu }；最早可能从 { $low } 开始，而区间无法确定到 { $high } 时是否已经超过。

## 其他方案
alternative-pareto = 没有其他方案比 { $count } × { $device } 既更快又更省 GPU 小时。
alternative-pareto-cost = 没有其他方案比 { $count } × { $device } 既更快又更便宜。
alternative-tied = 与建议没有明显差别：{ $count } × { $device }。
alternative-freed = 如果不固定您指定的设置，{ $count } × { $device } 在批大小 { $batch }{ $steps ->
         [1] { "" }
        *[other] （累积 { $steps } 次）
    }、{ $precision } 下的速度将是现在的 { $gain_ratio } 倍。
alternative-unfixed = 除您固定的之外也曾尝试且放得下的是：{ $count } × { $device }{ $strategy ->
         [dp] { " DataParallel" }
         [ddp] { " DistributedDataParallel" }
         [zero2] { " ZeRO-2" }
         [fsdp] { " FSDP" }
         [fsdp_offload] { " FSDP（CPU 卸载）" }
         [tp] { " 张量并行" }
         [pp] { " 流水线并行" }
        *[single] { "" }
    }，批大小 { $batch }{ $steps ->
         [1] { "" }
        *[other] （累积 { $steps } 次）
    }，{ $precision }，每步 { $step_s }。

## What advice that was saved by an earlier version says
change-count = 若只看时间：{ $count } × { $device } 的速度是 { $gain_ratio } 倍，但消耗更多 GPU 小时。
change-count-at = 若只看时间：{ $count } × { $device }（每步 { $samples } 个样本）的速度是 { $gain_ratio } 倍，但消耗更多 GPU 小时。
change-limits = 若没有这些限制，{ $count } × { $device } 的速度将是 { $gain_ratio } 倍。
change-limits-at = 若没有这些限制，{ $count } × { $device }（每步 { $samples } 个样本）的速度将是 { $gain_ratio } 倍。

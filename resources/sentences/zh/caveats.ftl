## 比较结果的局限
caveat-nothing-in-limits = 没有候选方案满足所给的限制（{ $limits }）。请放宽{ $count ->
    [1] 限制
   *[other] 其中一项
}，或用 --gpus、--counts 增加候选显卡。
caveat-nothing-so-frugal = 没有候选方案满足所给的限制（{ $limits }）。请放宽{ $count ->
    [1] 限制
   *[other] 其中一项
}，或用 --gpus 尝试其他显卡，或用 --counts 减少数量。
caveat-nothing-fits = 在不低于所要求精度的条件下，没有候选设备能容纳该模型的一步。请尝试更小的批、激活检查点，或分片到更多的卡。
caveat-nothing-fits-at-one = 在不低于所要求精度的条件下，没有候选设备能容纳该模型的一步，每设备一个样本也放不下。请尝试激活检查点、更短或更小的样本，或分片到更多的卡。
caveat-nothing-fits-checkpointed = 在不低于所要求精度的条件下，没有候选设备能容纳该模型的一步，启用激活检查点也放不下。请尝试更小的批、更短或更小的样本，或者更多、显存更大的卡。
caveat-nothing-fits-at-one-checkpointed = 在不低于所要求精度的条件下，没有候选设备能容纳该模型的一步，启用激活检查点后每设备一个样本也放不下。请尝试更短或更小的样本，或者更多、显存更大的卡。
caveat-nothing-fits-host = 在不低于所要求精度的条件下，没有候选设备能容纳该模型的一步。卸载后显卡放得下，但机器内存不够存放被卸载的部分。请增加机器内存，或者用更多、显存更大的卡。
caveat-nothing-fits-here = 在不低于所要求精度的条件下，本机没有设备能容纳该模型的一步。请尝试更小的批或激活检查点。
caveat-here-over-limits = 本机没有设备满足所给的限制（{ $limits }）。
caveat-limit-cost = 费用
caveat-limit-power = 功耗
caveat-limit-hours = 时间
caveat-nearest-hours = 最接近限制的是 { $device }（{ $precision }，批大小 { $batch }）：任务需要 { $job_s }，是所允许的 { $limit_s } 的 { $times_ratio } 倍。
caveat-nearest-cost = 最接近限制的是 { $device }（{ $precision }，批大小 { $batch }）：任务费用为 { $cost }，是所允许的 { $limit } 的 { $times_ratio } 倍。
caveat-nearest-power = 最接近限制的是 { $device }（{ $precision }，批大小 { $batch }）：其板卡功耗上限为 { $power_w }，是所允许的 { $limit_w } 的 { $times_ratio } 倍。
caveat-hours-range = 任务最多可能需要 { $high_s }：其范围的中值符合所允许的 { $limit_s }，而上限不符合。所试过的同样简单的方案中，没有一个必定符合。
caveat-hours-range-instead = 任务最多可能需要 { $high_s }：其范围的中值符合所允许的 { $limit_s }，而上限不符合。{ $device }（每卡批大小 { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
}）最多需要 { $most_s }。
caveat-hours-range-larger = 任务最多可能需要 { $high_s }：其范围的中值符合所允许的 { $limit_s }，而上限不符合。若每步 { $samples } 个样本的训练效果不逊于本建议的 { $advised_samples } 个，则 { $device }（每卡批大小 { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
}）最多需要 { $most_s }。
caveat-hours-range-nearest = 任务最多可能需要 { $high_s }：其范围的中值符合所允许的 { $limit_s }，而上限不符合；所试过的同样简单的方案中，没有一个必定符合。最接近的是 { $device }（每卡批大小 { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
}），最多需要 { $most_s }。
caveat-hours-loading = 如果数据是在加载时才处理的（见上文），任务至少需要 { $least_s }，超过允许的 { $limit_s }。
caveat-cost-loading = 如果数据是在加载时才处理的（见上文），任务至少花费 { $least }，超过允许的 { $limit }。
caveat-cost-range = 任务费用最多可能为 { $high }：其范围的中值符合所允许的 { $limit }，而上限不符合。所试过的同样简单的方案中，没有一个必定符合。
caveat-cost-range-instead = 任务费用最多可能为 { $high }：其范围的中值符合所允许的 { $limit }，而上限不符合。{ $device }（每卡批大小 { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
}）最多花费 { $most }。
caveat-cost-range-larger = 任务费用最多可能为 { $high }：其范围的中值符合所允许的 { $limit }，而上限不符合。若每步 { $samples } 个样本的训练效果不逊于本建议的 { $advised_samples } 个，则 { $device }（每卡批大小 { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
}）最多花费 { $most }。
caveat-cost-range-nearest = 任务费用最多可能为 { $high }：其范围的中值符合所允许的 { $limit }，而上限不符合；所试过的同样简单的方案中，没有一个必定符合。最接近的是 { $device }（每卡批大小 { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
}），最多花费 { $most }。
caveat-measurement-unstable = { $device } 的测量不稳定，因此以更宽的区间参与排序。请关闭其他程序后重新测量。
caveat-measurement-throttled = { $device } 在测量时发生降频，因此以更宽的区间参与排序。请待其冷却后重新测量。
caveat-measurement-contended = 测量时有其他程序占用 { $device }，因此以更宽的区间参与排序。请停止它们后重新测量。
caveat-some-prices-missing = 价格文件中没有 { $devices } 的价格：其费用未知，按费用给出建议时不予考虑。
caveat-prices-of-others = 价格文件中没有 { $devices } 的价格，而可供建议的只剩这些：此处费用以 GPU 小时计，不同显卡的一小时并不等价。请在文件中补上它们的价格。
caveat-no-prices = 没有价格时，费用以 GPU 小时计，而不同显卡的一小时并不等价。请用 --prices 给出价格。
caveat-power-unknown = { $devices } 的功耗未知，无法比较能耗。
caveat-memory-unknown = 无法预测显存需求，因此不知道一步能否放入 { $device }。请先试跑一步。
caveat-memory-range = 每步最多可能需要 { $high_bytes }，而 { $device } 只能提供 { $capacity_bytes }：约 { $odds_fraction } 的此类方案会显存不足。在它上面试过的策略和批大小没有一个肯定放得下；开始长任务前请先试跑几步。
caveat-memory-range-instead = 每步最多可能需要 { $high_bytes }，而 { $device } 只能提供 { $capacity_bytes }：约 { $odds_fraction } 的此类方案会显存不足。若真的不足，请改用{ $more ->
        [0] { $strategy ->
             [same] { "" }
             [single] { "" }
             [ddp] { " DDP、" }
             [dp] { " DataParallel、" }
             [zero2] { " ZeRO-2、" }
             [fsdp] { " FSDP、" }
             [fsdp_offload] { " FSDP（CPU 卸载）、" }
             [tp] { "张量并行、" }
            *[pp] { "流水线并行、" }
        }
       *[other] { " " }{ $more }{ " 张卡、" }{ $strategy ->
             [same] { "" }
             [single] { "" }
             [ddp] { "DDP、" }
             [dp] { "DataParallel、" }
             [zero2] { "ZeRO-2、" }
             [fsdp] { "FSDP、" }
             [fsdp_offload] { "FSDP（CPU 卸载）、" }
             [tp] { "张量并行、" }
            *[pp] { "流水线并行、" }
        }
    }批大小 { $batch }{ $steps ->
        [1] { "" }
       *[other] { " × " }{ $steps }
    }：最多 { $most_bytes }，速度为现在的 { $speed_ratio } 倍。
caveat-memory-range-one-pass = 每步最多可能需要 { $high_bytes }，而 { $device } 只能提供 { $capacity_bytes }：约 { $odds_fraction } 的此类方案会显存不足。若真的不足，请不要累积梯度：每步只处理一个大小为 { $batch } 的批次，最多需要 { $most_bytes }，速度为现在的 { $speed_ratio } 倍。
caveat-memory-range-switch = 每步最多可能需要 { $high_bytes }，而 { $device } 只能提供 { $capacity_bytes }：约 { $odds_fraction } 的此类方案会显存不足。若真的不足，请加上{ $switch ->
        [checkpointing] 激活检查点
        [sharding] 分片（FSDP）
       *[chunked_loss] 分块计算损失
    }：最多需要 { $most_bytes }，速度为现在的 { $speed_ratio } 倍。
caveat-precision-left-out = { $device } 不支持 { $precision }，未参与该精度下的比较。
caveat-fp16-range = 这个模型以 BF16 发布，而 { $device } 用的是 { $precision }：BF16 装得下、但超过 65,504 的数值会在其中变成无穷大，损失也随之如此。请留意最初几步的损失；如果出现，请在能以 BF16 计算的显卡上改用 BF16，或改用 FP32。
caveat-fp16-states = 纯 FP16 中，优化器状态和被更新的权重也都是 FP16：较小梯度的平方和 Adam 的 1e-8 在其中会变成 0，细小的更新会丢失，训练常以 NaN 告终。除非确知你的训练可行，请改用 FP16 AMP 或 BF16 AMP。
caveat-precision-replaced = { $device } 不支持 { $precision }，改以 { $used } 评估，并以所用精度列入表中。
inference-counts-not-kept = 推理按单设备给出：{ $count } × { $device } 会各自运行一份模型，互不通信，总吞吐是单设备的 { $count } 倍。
caveat-inference-from-spec-sheet = { $device } 的单步时间由规格表和公开运行结果预测，并非实测。推理只用图像模型、扩散模型和 BERT 检验过：对其他模型，实际时间有多大可能介于 { $low_s } 与 { $high_s } 之间尚不清楚。
caveat-from-spec-sheet = { $device } 的单步时间由规格表和公开运行结果预测，并非实测：五次中有四次介于 { $low_s } 与 { $high_s } 之间。
caveat-wide-offload = 每步 { $low_s } 到 { $high_s }，几乎不能作为计划：与主机内存之间的拷贝可能被计算掩盖，也可能拖住全部计算。请把卸载当作权宜之计，先计时几步再作依靠。
caveat-wide-link = 每步 { $low_s } 到 { $high_s }，区间很宽，因为 { $device } 之间的互连未知：路由不佳的主机对应慢的一端。请用 --interconnect 说明互连，或进行测量。
caveat-wide-known-link = 每步 { $low_s } 到 { $high_s }，区间很宽：大部分时间是 { $device } 之间的通信，同名的互连在不同主机上快慢不一。依靠它之前请在您的机器上测量。
caveat-wide-host = 每步 { $low_s } 到 { $high_s }，区间很宽：大部分时间在等待未经测量的处理器，而各处理器的快慢正有这么大的差别。请先计时几步再作依靠。
caveat-wide = 每步 { $low_s } 到 { $high_s }，区间很宽：这与拟合所用的运行不同。请先计时几步再作依靠。
caveat-no-script-pipeline = 本程序不为流水线并行生成脚本：torch 要么按导出的计算图、要么按该架构专用的代码把模型切成各级，两者都不能保证对任意模型有效。torchtitan 和 Megatron-LM 备有这样的各级：请把本建议的数值交给它们。
caveat-no-script-groups = 机器内张量并行、机器间分片的训练，本程序不生成脚本：可用 torchtitan 或 Megatron-LM。
caveat-no-script-quantised-split = 本程序不为量化权重上的张量并行生成脚本：bitsandbytes 把一层的权重压成一行，torch 无法把它拆分到多张卡上。请让冻结的权重保持 16 位（weights_bits = 16）：这样能生成脚本。
caveat-batch-not-kept = 在不低于所要求精度的条件下，您固定的批大小 { $batch } 在所有尝试过的设备上都放不下，不以其他批大小给出建议。
caveat-precision-not-kept = 放得下的方案中没有以您固定的 { $precision } 计算的，不以其他精度给出建议。
caveat-fixed-not-kept = 所尝试的方案都放不下您固定的批大小 { $batch } 与 { $precision }，不以其他取值给出建议。

## What advice that was saved by an earlier version says
caveat-no-candidate-in-limits = 没有候选方案满足费用、功耗和时间限制。请放宽其中一项，或用 --gpus、--counts 增加候选显卡。
caveat-local-over-limits = 本机没有设备满足费用、功耗和时间限制。

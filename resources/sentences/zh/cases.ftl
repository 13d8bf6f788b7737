## 对公开案例的回答
case-order-at-precision = 在 { $precision } 下，{ $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）：{ $rate_flop_per_s } 对 { $other_rate_flop_per_s }。
case-large-models-decide = 大模型同样会改变排序：{ $device } 有 { $memory_bytes } 显存且没有 NVLink，{ $other } 有 { $other_memory_bytes }，NVLink 单向带宽为 { $nvlink_bytes_per_s }。
case-contradicts = 这与案例“{ $case }”矛盾：两种关于 4090 的说法不可能针对同一精度和正常的主机。
case-launch-bound = 可信：{ $device } 在批大小 { $batch } 下每步需要 { $step_s }，其中 { $fixed_s }（{ $fixed_fraction }）与批大小无关，是内核启动与同步的开销，而 CPU 几乎没有这种开销。
case-all-launch = 可信：{ $device } 在批大小 { $batch } 下每步需要 { $step_s }，几乎全部是内核启动与同步的开销；它与批大小无关，而 CPU 几乎没有这种开销。
case-all-gpus-alike = 换 GPU 也没有用：在可以预测的 { $count } 种卡上，这样一步都需要 { $step_s }；更快的卡并不能更快地启动内核。
case-no-gpu-helps = 换 GPU 也没有用：在 { $count } 种卡中，最快的（{ $fastest }）需要 { $fastest_step_s }，最慢的需要 { $slowest_step_s }；更快的卡并不能更快地启动内核。
case-read-less = 每 { $every_steps } 步而不是每步读取损失，每步可省 { $saved_s }（{ $saved_fraction }）：说法属实，但内核启动开销仍在。
case-gpu-pays-from = 批达到约 { $batch } 行时（每步 { $step_s }），计算时间超过启动时间，{ $device } 才开始划算。
case-job-fits-amp = { $device }：{ $claimed_s } 在自动混合精度下可信（预期 { $amp_s }）；FP32 下预期为 { $fp32_s }。
case-job-fits-fp32 = { $device }：{ $claimed_s } 仅在严格的 FP32 下可信（预期 { $fp32_s }）；自动混合精度下预期为 { $amp_s }。
case-job-between = { $device }：{ $claimed_s } 介于自动混合精度的预期（{ $amp_s }）与 FP32 的预期（{ $fp32_s }）之间。
case-job-slower = { $device }：{ $claimed_s } 是严格 FP32 预期（{ $fp32_s }）的 { $slower_ratio } 倍；该卡受到其他因素拖累：数据加载、磁盘、主机或功耗。
case-cards-below = { $count } 个所报时间中有 { $below_count } 个比本程序在任何精度下的预期都长，因此这份列表比较的不只是显卡，也是主机。
case-order-disagrees = 这里 A100 的速度是 4090 的 { $claimed_ratio } 倍；而 FP32 下预期为 { $fp32_ratio } 倍，自动混合精度下预期为 { $amp_ratio } 倍。
case-unet-plausible = 可信：DP 的速度是单卡的 { $dp_ratio } 倍，DDP 是 { $ddp_ratio } 倍；在 { $count } 种显卡与精度的假设下，预期分别为 { $low_dp_ratio } 至 { $high_dp_ratio } 和 { $low_ddp_ratio } 至 { $high_ddp_ratio }。
case-unet-outside = 仅在所考察的 { $count } 种假设以外的显卡或尺寸下可信：DP 的速度是单卡的 { $dp_ratio } 倍，DDP 是 { $ddp_ratio } 倍；预期分别为 { $low_dp_ratio } 至 { $high_dp_ratio } 和 { $low_ddp_ratio } 至 { $high_ddp_ratio }。
case-nearest-assumption = 显卡、精度和尺寸没有全部公布；最吻合的假设是 { $device }、{ $precision }、每卡批大小 { $batch }、长度或图像尺寸 { $length }：DP { $dp_ratio } 倍，DDP { $ddp_ratio } 倍。
case-ddp-ahead = 在 { $count } 种假设中，DDP 有 { $ahead_count } 种快于 DP：DP 每步都要复制模型，并由单个进程在第一张卡上汇总输出和损失。
case-roberta-near = 可信：两张卡的速度是一张的 { $reported_ratio } 倍；在可能的批大小和精度下，预期为 { $low_ratio } 至 { $high_ratio }。
case-roberta-outside = 仅在其他假设下可信：两张卡的速度是一张的 { $reported_ratio } 倍；在所考察的批大小和精度下，预期为 { $low_ratio } 至 { $high_ratio }。
case-accumulation-gain = 累积使两张卡达到不累积时的 { $reported_gain_ratio } 倍；预期 { $fewer } 步为 { $fewer_gain_ratio } 倍，{ $steps } 步最多为 { $predicted_gain_ratio } 倍。
case-accumulation-why = 收益来自更少的梯度同步和更少的参数更新（每 { $steps } 步一次）；它对训练的影响与增大批相同，单卡上只省去参数更新。
case-accumulation-noise = 5、10、20 步之间的差别（{ $between_fraction }）在重复运行的噪声（{ $noise_fraction }）之内：无法从中读出最佳值。
case-accumulation-differs = 5、10、20 步之间的差别（{ $between_fraction }）超出重复运行的噪声（{ $noise_fraction }）。
case-crossover = 可信：所报时间可用直线表示，交点在批大小 { $batch } 附近。低于它时，GPU 每步有 { $gpu_fixed_s } 的固定开销（CPU 为 { $cpu_fixed_s }）而落后；高于它时 GPU 更快，因为每增加一个样本，CPU 的代价是 GPU 的 { $gain_ratio } 倍。
case-crossover-why = 批大小为 100 时，GPU 每步的 { $gpu_step_s } 几乎全是内核启动、同步和 Python 循环，不会随计算量减少而缩短。
case-gpu-expected-alike = 此类显卡在批大小 100 时的预期为每步 { $fast_step_s }，其中 { $fixed_fraction } 是固定开销；所报的 { $reported_step_s } 是其 { $slower_ratio } 倍：主机较慢，或循环比描述的更长。
case-gpu-expected = 此类显卡在批大小 100 时的预期为每步 { $fast_step_s } 至 { $slow_step_s }，其中 { $fixed_fraction } 是固定开销；所报的 { $reported_step_s } 是其 { $slower_ratio } 倍，说明主机较慢，或循环比描述的更长。
case-at-best = { $count } 张卡最多只能把一轮缩短到 { $best_s }；其余的 { $remaining_ratio } 倍来自其他因素。
case-validation-rows = 对 { $rows } 行做一次验证，代价约为训练同样多行的三分之一；在各轮之间用固定的抽样即可。

## 训练日志
log-validation-share = 验证占时间的 { $share_fraction }：每 { $interval_s } 中有 { $validation_s }，因为每 { $every_steps } 步就验证一次。
log-validate-less = 首先改这一项：改为每 { $better_steps } 步验证一次，可把 { $total_s } 缩短到 { $better_total_s }，节省 { $gain_s }，无需新增 GPU。
log-validation-passes = { $passes } 次验证共用 { $validation_s }，占时间的 { $share_fraction }。首先改这一项：减到十分之一可节省 { $gain_s }，总时间降到 { $better_total_s }。
log-pauses = 步与步之间的停顿共 { $validation_s }，占时间的 { $share_fraction }：验证、保存检查点或数据加载重新启动。首先改这一项：减到十分之一可节省 { $gain_s }，总时间降到 { $better_total_s }。
log-loader = 数据加载占每步的 { $share_fraction }。首先改这一项：增加加载进程、使用锁页内存或更快的磁盘，每步最多可节省 { $gain_s }。
log-step-slow = 除此之外每步需要 { $step_s }，是 { $device } 预期（{ $expected_s }，{ $low_s } 至 { $high_s }）的 { $slower_ratio } 倍：请检查数据加载、主机和精度。
log-step-normal = 除此之外每步需要 { $step_s }；{ $device } 的预期为 { $expected_s }（{ $low_s } 至 { $high_s }）。
log-steps-projected = 按日志的中位数，每步需要 { $step_s }；照此速度，全部 { $steps } 步需要 { $total_s }。
log-steps-validated = 按日志的中位数，每步需要 { $step_s }；照此速度，全部 { $steps } 步和 { $passes } 次验证需要 { $total_s }。
log-step-alone = 按日志的中位数，每步需要 { $step_s }。
log-sample-alone = 按日志的中位数，每个样本需要 { $sample_s }{ $samples ->
        [0] {""}
       *[other] ，即每秒 { $samples } 个
    }。进度条数的是样本：每步的时间取决于日志没有说明的批大小。
log-whole-samples = 日志只包含一部分训练：照此速度，连同其间的停顿，全部 { $samples } 个样本需要 { $total_s }。
log-validation-epoch = 每轮 { $total_s } 中验证占 { $validation_s }，即 { $share_fraction } 的时间。首先改这一项：改为每十轮验证一次，平均每轮可节省 { $gain_s }。
log-epochs-projected = 按日志的中位数，每步需要 { $step_s }；照此速度，共 { $epochs } 轮、每轮 { $steps } 步{ $passes ->
        [0] {""}
       *[other] ，连同 { $passes } 次验证，
    }需要 { $total_s }。
log-epoch-projected = 按日志的中位数，每步需要 { $step_s }；照此速度，一轮 { $steps } 步{ $passes ->
        [0] {""}
       *[other] ，连同 { $passes } 次验证，
    }需要 { $total_s }。日志没有说明一共有多少轮。
log-steps-resumed = 按日志的中位数，每步需要 { $step_s }。日志从第 { $first_step } 步开始：照此速度，此后的 { $steps } 步{ $passes ->
        [0] {""}
       *[other] ，连同 { $passes } 次验证，
    }需要 { $total_s }。
log-whole-projected = 日志只包含一部分训练：照此速度，连同其间的停顿，全部 { $steps } 步需要 { $total_s }。
log-runs = 日志中有 { $runs } 次训练，这里说的是最后一次。
log-folds = 这是交叉验证的日志，显示了{ $folds ->
        [0] {" "}
       *[other] {" "}{ $folds } 折中的{" "}
    }{ $shown } 折，各折合在一起计算。
log-step-mean = 平均每步需要 { $step_s }：整个运行的 { $total_s } 除以 { $steps } 步，其中包括中断训练的时间。
log-nothing-told = 日志只说明了每步的时间，没有说明验证和停顿：它们不在这些数字之内。
log-run-alone = 日志说明整个运行用了 { $total_s }，但没有说明其中每步或验证的时间。
log-epochs-alone = 日志说明 { $epochs } 轮共用 { $total_s }，但没有说明其中每步或验证的时间。
log-whole-epochs = 日志包含 { $epochs } 轮中的 { $shown } 轮：照此速度，全部需要 { $total_s }。
log-own-times = 这份日志中的时间不随步数增长：每个时间视为单步的时间。如果它是距上一行的 { $steps } 步的时间，则每步需要的时间是它的 { $steps } 分之一。
log-nothing-loud = { $part ->
    [none] 在 { $total_s } 中，除训练外没有占比明显的部分。
   *[other] 在 { $total_s } 中，训练占 { $training_fraction }，其次是{ $part ->
        [validation] 验证
        [loader] 等待数据
        [loss_reads] 读取损失值
       *[other] 步骤与验证之外的部分
    }，占 { $share_fraction }。
  }

## 总时间
wall-validate-less = 每 { $better_steps } 步而不是每 { $every_steps } 步验证一次，可节省 { $gain_s }（验证占时间的 { $share_fraction }）。
wall-read-less = 每 { $better_steps } 步而不是每步读取损失，可省去 { $gain_s } 的等待。
wall-load-faster = 在 { $workers } 个加载进程下，数据加载使训练停顿 { $gain_s }：增加进程或使用更快的磁盘可以省去。
wall-launch-less = 主机使训练停顿 { $gain_s }：增大批、使用融合优化器或 torch.compile 可省去大部分。
wall-synchronise-less = 通信占时间的 { $share_fraction }：每步 { $steps } 个微批（全局批大小 { $batch }）时梯度的发送次数减半，约可节省 { $gain_s }。
case-unpredictable = 无法预测 { $workload }，因此该案例没有答案。
case-unpredictable-remedy = 请检查是否已安装 torch，以便追踪模型。
case-unknown = 没有案例 { $given }。
case-unknown-remedy = 请选择以下之一：{ $names }。

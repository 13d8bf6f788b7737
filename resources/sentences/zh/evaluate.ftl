# 某条公开数据无法预测的原因。
evaluate-wrong-cell = 列 { $column } 的内容是“{ $given }”，允许的内容：{ $allowed }。
evaluate-surplus-cells = 这一行比列数多出 { $count } 个单元格：单元格内有逗号时要加引号。
evaluate-allowed-name = 名称
evaluate-allowed-answer = 在 { $names } 之一中填写一个数
evaluate-allowed-number = 大于 0 的数，不带千位分隔符
evaluate-allowed-count = 不小于 { $least } 的整数
evaluate-allowed-degrees = 与旁边各列一致的并行度（{ $given }）
evaluate-allowed-product = 乘积能整除 n_gpus（{ $count }）的并行度
evaluate-allowed-version = 如 2.4 或 2.4.1 的版本号，或构建日期
evaluate-unknown-gpu = 显卡参数表中没有“{ $gpu }”。{ $hint }
evaluate-trace-failed = 无法追踪 { $workload }：{ $text }
evaluate-trace-died = 追踪 { $workload } 的工作进程意外终止。
evaluate-trace-too-long = 追踪 { $workload } 超过了 { $limit_s }（不计等待处理器核心的时间）。

# 误差表。
evaluate-column-group = 分组
evaluate-column-runs = 条数
evaluate-column-mean = 平均误差
evaluate-column-median = 误差中位数
evaluate-column-bias = 偏差
evaluate-column-covered = 落在 80 % 区间内
evaluate-column-pairs = 显卡对数
evaluate-column-ranked = 排序正确的显卡对
evaluate-column-ratio = 加速比误差
evaluate-group-all = 全部
evaluate-heading-family = 按模型类别
evaluate-heading-gpu = 按显卡
evaluate-heading-precision = 按精度
evaluate-batches = 最大批量，共 { $rows } 行：{ $right_fraction } 正确，{ $high_fraction } 偏高。
evaluate-efficiencies = 多卡效率，共 { $rows } 行：平均相差 { $points } 个百分点，{ $covered_fraction } 落在区间内。
evaluate-peak = 峰值显存，共 { $rows } 行：平均相差 { $mean }，中位数 { $median }，偏差 { $bias }，{ $covered_fraction } 落在区间内。
evaluate-refused = { $rows } 行中有 { $count } 行无法预测：
evaluate-none = { $rows ->
    [1] 唯一的一行无法预测
   *[other] { $rows } 行全都无法预测
  }，原因见结果。
evaluate-refused-rows = { $count ->
   *[other] 第 { $lines } 行
  }，{ $gpus } 上的 { $workloads }：{ $why }
evaluate-variants = { $count } 行只写了显卡名称，没有写规格和显存：按 { $names } 之间的数值预测，区间涵盖所有可能的显卡。
evaluate-fused-with-its-loss = 按融合的归一化和旋转位置编码预测：分块计算损失的库（Liger Kernel、Unsloth）同时带有这些内核。若这些层是模型自身的，请写 fused_layers = false；若门控也已融合，请写 fused_layers = true。
evaluate-perhaps-fused = 描述没有说明归一化、旋转位置编码和损失是否由某个库融合：时间和峰值的范围都向下延伸到融合后的情形。写明 fused_layers = true 或 false 即可确定。
evaluate-perhaps-prepared = 描述没有说明归一化、嵌入和输出层是否像 PEFT 的 prepare_model_for_kbit_training 那样保留为 FP32：时间和峰值的范围都向上延伸到这种情形。写明 unpacked_bits = 32 或 16 即可确定。
evaluate-lengths-may-differ = 只给出了最长样本的长度，没有说明各样本的长度如何不同。若长度不一，分配器会在最长样本的内存段之外保留较短样本的内存段：这里的峰值取长度全部相同与长度均匀分布两者的中间值，区间包含这两种情形。若样本经过打包或长度都相同，请在数字后注明：2048 (packed)。
evaluate-lengths-taken-alike = 只给出了最长样本的长度，没有说明各样本的长度如何不同；由于给出了每步用时，这里按所有样本都是该长度来预测峰值。若长度不一，请注明：<=2048 (varies)。
evaluate-first-stage = 流水线的峰值是第一段的峰值，驱动和第一个进程报告的正是它；区间也涵盖最满的一段，能否放下由那一段决定。
evaluate-activation-taken = 配置是 transformers 的 GPT-2，没有说明激活函数，但词表经过填充或各层被切分，这是其他库的做法：按它们的单个 GELU 算子预测，区间也涵盖 transformers 自己的八个算子（gelu_new）。若要明确，请写 activation_function。
evaluate-read-as = 按其他表格的列名读取：{ $names }。
evaluate-unread-settings = { $names } 列的设置与所预测的不同：只有 docs/formats.md 中列出的列会覆盖工作负载文件。请把它写进单独的工作负载文件。
evaluate-unread-remark = { $column } 列为“{ $given }”，其中的附注未被读取：若要按它预测，请在单独的工作负载文件中写 { $setting }。
evaluate-no-room-for-update = 它的峰值小于所述权重、梯度和优化器状态所占的内存：其中不可能有参数更新，用时里多半也没有。若要明确，请写 optimizer_in_step = no，mode 写 forward_backward。
evaluate-not-updated = 它的峰值小于所述权重、梯度和优化器状态所占的内存：其中不可能有参数更新，因此只按前向和反向两遍预测。若要写明，请写 optimizer_in_step = no，mode 写 forward_backward。
evaluate-not-updated-beside = 同一来源、模型、卡和精度的另一行，其峰值放不下参数更新：它们由同一脚本计时，因此这里同样只按前向和反向两遍预测。如果这一行确有更新，请为它写另一个 source。
evaluate-attention-of-its-time = 没有说明注意力如何计算，而当时的 PyTorch 或 transformers 还没有融合算子可用：按 attention = eager 预测。若使用了其他库的实现，请在 attention 列中写明：flash、xformers。
evaluate-ran-in-tf32 = 它的用时比该卡以 FP32 峰值速率完成全部矩阵乘所需的还短：按 TF32 预测，发布者和 NVIDIA 的容器也常把它称为 FP32。若要明确，请写 tf32；若只有卷积用 TF32，请写 default。
evaluate-peak-beyond-card = 它的峰值超过了该卡的显存：运行用的是同名的另一种卡，其频率和带宽也可能不同。请在 --gpu-file 中描述它。
evaluate-faster-than-possible = 它的用时比该卡峰值速率完成所述计算所需的还短。ms 以毫秒计，指包含全部微批次的一次完整更新：请检查单位、batch_per_gpu 和 gradient_accumulation。
evaluate-held-in-half = 该卡放不下 FP32 的权重、梯度和优化器状态，而这次运行确实完成了：按它们全部为 BF16 预测，即以 16 位加载的模型在 autocast 下训练时的样子。
evaluate-caveat = 关于 { $count } 行：{ $why }
evaluate-unscored = { $count } 行标为 use = no，已预测但不计分。

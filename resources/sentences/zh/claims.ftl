## 对说法的判断
verdict-plausible = 可信
verdict-plausible_only_with = 仅在特定条件下可信
verdict-below_expected = 不及本程序的预期
verdict-impossible = 不可能
claim-plausible = 可信：在 { $device } 上以 { $precision }、批大小 { $batch } 训练，所称每步 { $claimed_s }，预期为 { $expected_s }（{ $low_s } 至 { $high_s }）。
claim-only-with-precision = 仅在使用 { $precisions } 时可信：{ $device } 在批大小 { $batch } 下每步需要 { $low_s } 至 { $high_s }，所称为 { $claimed_s }。
claim-fp32-by-default = “FP32”也可能指 torch 的默认设置，其中 cuDNN 的卷积以 TF32 计算；所给范围同时包含它和严格的 FP32。
claim-usual-layout = 说法中没有提到 channels last（NHWC），因此按 torch 的默认布局判断；采用 channels last 时每步预期为 { $expected_s }（{ $low_s } 至 { $high_s }）。
claim-only-with-channels-last = 仅在使用 channels-last 内存布局时可信：{ $device } 以 { $precision }、批大小 { $batch } 每步需要 { $low_s } 至 { $high_s }，所称为 { $claimed_s }。
claim-only-with-compile = 仅在使用 torch.compile 时可信：{ $device } 以 { $precision }、批大小 { $batch } 每步需要 { $low_s } 至 { $high_s }，所称为 { $claimed_s }。
claim-only-with-inference = 仅对推理可信：{ $device } 以 { $precision }、批大小 { $batch } 做一次前向需要 { $low_s } 至 { $high_s }，所称为 { $claimed_s }；训练需要更长时间。
claim-only-with-better-kernels = 仅在内核优于本程序拟合所用的内核时可信：所称在 { $device } 上以 { $precision }、批大小 { $batch } 每步 { $claimed_s }，预期为 { $expected_s }（{ $low_s } 至 { $high_s }），但该卡的峰值速率允许这一数值。
claim-beyond-every-run = 未超出该卡的峰值速率，但与实测相差甚远：所称在 { $device } 上以 { $precision }、批大小 { $batch } 每步 { $claimed_s }，是预期 { $expected_s }（{ $low_s } 至 { $high_s }）的 { $faster_ratio } 倍速，而 { $run_count } 次实测中没有一次超过预期的 { $most_ratio } 倍速。仅当该数值另有所指时可信：多张卡的合计、推理、更小的输入或另一个模型。
claim-only-with-less-memory = 仅在通过激活检查点或梯度累积减少显存时可信：批大小 { $batch } 需要 { $need_bytes }，而 { $device } 只有 { $capacity_bytes }。
claim-below = 低于本程序的预期：所称在 { $device } 上以 { $precision }、批大小 { $batch } 每步 { $claimed_s }，是预期 { $expected_s }（{ $low_s } 至 { $high_s }）的 { $slower_ratio } 倍。
claim-only-with-small-batch = 仅在批大小小到 { $batch } 时可信：在 { $device } 上以 { $precision } 训练，此时所称每步 { $claimed_s }，预期为 { $expected_s }（{ $low_s } 至 { $high_s }）。批大小为 { $usual_batch } 时，它将是预期的 { $slower_ratio } 倍。
claim-too-fast-in = 若采用 { $precisions }，所称时间则比预期更短。
claim-impossible-step = 不可能：{ $model } 在批大小 { $batch } 下每步至少需要 { $work_flop } 的计算量。若在 { $claimed_s } 内完成，需要 { $needed_flop_per_s }，而 { $device } 在 { $precision } 下的峰值为 { $peak_flop_per_s }。每步不可能少于 { $bound_s }，预期为 { $expected_s }。
claim-impossible-rate = 不可能：{ $model } 每秒 { $claimed_rate } 个样本需要 { $needed_flop_per_s }，而 { $device } 在 { $precision } 下的峰值为 { $peak_flop_per_s }。每秒不可能超过 { $most_rate } 个样本。
claim-limit-host = 很可能受限于主机：预期步时中已有 { $share_fraction } 在等待内核启动与同步，CPU 稍慢就会立刻显现。
claim-limit-communication = 很可能受限于 { $count } 张卡之间的通信，或其中某张卡较慢。
claim-limit-validation = 很可能受限于验证：对验证集完整计算一次需要 { $pass_s }，若每 { $every_steps } 步验证一次，即可解释所称时间中不属于训练的 { $lost_fraction }。
claim-limit-precision-off = 也可能是低精度并未生效：同样一步在 FP32 下的时间可以解释其中一部分。
claim-limit-loader = 很可能受限于数据加载或磁盘：每步有 { $lost_s } 与显卡无关。

## 倍数
claim-more-than-linear = 仅靠 GPU 不可能：{ $count } 张 GPU 最多达到 { $fewer } 张的 { $most_ratio } 倍，而所称为 { $claimed_ratio } 倍，是上限的 { $beyond_ratio } 倍。
claim-something-else-changed = 一定还有别的变化：批大小、精度、数据加载、验证，或者原来的卡曾被降频或被他人占用。
claim-more-cards-slower = 低于本程序的预期：所称 { $count } 张 GPU 的速度只有 { $fewer } 张的 { $claimed_ratio } 倍，即增加的卡反而拖慢了训练。很可能受限于通信、批太小、各卡共用的数据加载，或 DataParallel 的单进程。
claim-scaling-plausible = 可信：{ $count } 张 GPU 预期提速 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-scaling-above = 仅在互连更快、累积步数更多或批更大时可信：所称为 { $claimed_ratio } 倍，{ $count } 张 GPU 预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），上限为 { $most_ratio } 倍。
claim-scaling-below = 低于本程序的预期：所称 { $count } 张 GPU 提速 { $claimed_ratio } 倍，预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。很可能受限于通信、各卡共用的数据加载，或 DataParallel 的单进程。
claim-efficiency-plausible = 可信：{ $count } 张 GPU 提速 { $claimed_ratio } 倍，效率为 { $efficiency_fraction }；上限为 { $most_ratio } 倍。
claim-efficiency-one-process = 仅当模型的单步远长于 DataParallel 的额外开销时可信：{ $count } 张 GPU 提速 { $claimed_ratio } 倍，即效率为 { $efficiency_fraction }，而每一步都由一个进程复制模型并汇集到第一张卡。请给出模型和显卡以便预测。
claim-efficiency-low = 低于本程序的预期：{ $count } 张 GPU 提速 { $claimed_ratio } 倍，效率只有 { $efficiency_fraction }，很可能受限于通信、批太小、数据加载，或 DataParallel 的单进程。
claim-change-plausible = 可信：在 { $device } 上，{ $change ->
    [batch] 批大小 { $after } 相对 { $before }
    [growth] 批放大到 { $after }
    [length] 文本长度 { $after } 相对 { $before } 个 token
    [stretch] 文本加长到 { $after }
    *[other] { $after } 相对 { $before }
} 预期使{ $of ->
    [tokens] 每秒 token 数
    *[samples] 每秒样本数
}达到 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-change-above = 仅当{ $change ->
    [attention] 序列更长或算子内核优于假设
    [checkpointing] 只对部分层使用检查点，或用省下的显存放更大的批
    *[other] 算子内核更好或主机状态优于假设
}时可信：在 { $device } 上，{ $change ->
    [batch] 批大小 { $after } 相对 { $before }
    [growth] 批放大到 { $after }
    [length] 文本长度 { $after } 相对 { $before } 个 token
    [stretch] 文本加长到 { $after }
    *[other] { $after } 相对 { $before }
} 预期使{ $of ->
    [tokens] 每秒 token 数
    *[samples] 每秒样本数
}达到 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-change-below = 低于本程序的预期：在 { $device } 上，{ $change ->
    [batch] 批大小 { $after } 相对 { $before }
    [growth] 批放大到 { $after }
    [length] 文本长度 { $after } 相对 { $before } 个 token
    [stretch] 文本加长到 { $after }
    *[other] { $after } 相对 { $before }
} 预期使{ $of ->
    [tokens] 每秒 token 数
    *[samples] 每秒样本数
}达到 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-change-impossible = 不可能：所称在 { $device } 上{ $change ->
    [batch] 批大小 { $after } 相对 { $before }
    [growth] 批放大到 { $after }
    [length] 文本长度 { $after } 相对 { $before } 个 token
    [stretch] 文本加长到 { $after }
    *[other] { $after } 相对 { $before }
} 提速 { $claimed_ratio } 倍，而{ $change ->
    [batch] 样本更多时单步不会更短，最多为 { $bound_ratio } 倍
    [growth] 样本更多时单步不会更短，最多为 { $bound_ratio } 倍
    [length] 文本更长时单步不会更短，增加也不超过长度之比的平方，最多为 { $bound_ratio } 倍
    [stretch] 文本更长时单步不会更短，最多为 { $bound_ratio } 倍
    *[other] 其规格表中没有任何一项超过另一项的 { $bound_ratio } 倍
}；预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-growth-by-size = 两个批大小都没有说明，而结果取决于它：从一个样本增大时，预期为 { $small_ratio } 倍（{ $small_low_ratio } 至 { $small_high_ratio }）；从 { $spread ->
        [one] { $most } 个样本
       *[several] { $least } 至 { $most } 个样本（因模型而异）
    }增大时，预期为 { $large_ratio } 倍（{ $large_low_ratio } 至 { $large_high_ratio }）。
claim-why-tuning = 每步词元少时会更慢：解包冻结权重对一个样本和十六个样本所需的时间相同。已发表的 14B 模型以 GPTQ 权重（当时还没有解包内核）训练，在 256 个词元时用了 3.3 倍的时间，在 8,192 个词元时为 1.06 倍。
claim-why-sharded = 混合精度下的分片把整层转换为 16 位，而自动混合精度把归一化、损失和求和保留在 FP32：仅此一项就会使每步更快。区间也涵盖两侧采用同一类型、算子相同的情形。
claim-prepared = QLoRA 按调用和不调用 PEFT 的 prepare_model_for_kbit_training（归一化层和层间数据保持 FP32）两种情形判断：公开的单卡训练中，调用它使单步时间变为 1.25 至 1.3 倍；区间涵盖两者。
claim-why-weights = 仅就线性层的权重而言，4 位是 16 位的四分之一；嵌入层、输出层、适配器和激活保持不变。
claim-why-attention = 序列越长，融合注意力的收益越大：它省去的工作随长度的平方增长。
claim-why-autocast-memory = 自动混合精度下，权重、梯度和优化器状态仍为 32 位，只有激活变小；权重本身也用 16 位（纯 BF16）时才会全部变小。
claim-why-channels_last = 该布局主要影响 16 位的卷积：卷积很少的模型（如视觉 Transformer）不会因此变快。
claim-why-states = 8 位状态省去的是 Adam 两个状态每八个字节中的六个：权重为 FP32 时每个受训参数 6 字节，权重为纯 BF16 时 2 字节，不随批大小增长。
claim-why-shared-states = 若 n 张卡分摊状态（ZeRO、FSDP），每张卡只省其 n 分之一；使用适配器时，变小的只有适配器自身的少量状态。
claim-any-card = 说法没有写明显卡，按上述每一张卡分别判断，区间涵盖全部。
claim-change-open = 不知道模型和显卡，就无法判断 { $after } 是否比 { $before } 快到 { $claimed_ratio } 倍：对 { $device } 上的 { $like }，预期为 { $low_ratio } 至 { $high_ratio } 倍，几乎任何说法都落在其中。
claim-change-open-remedy = 请写明模型和显卡：“8B 在 H100 上 FP8 比 BF16 快 35%”。
claim-panel-like = 说法没有写明本程序认识的模型，由 { $like } 来判断，区间涵盖全部：写明模型可使区间变窄。
claim-samples-of-model = 说法没有写明样本数，按 { $model } 的 { $samples } 个计算：样本更少则用时更短。
claim-only-with-fewer-samples = 仅当样本少于 { $model } 的 { $samples } 个时可信，而说法没有写明样本数：样本有这么多时，没有显卡能这么快。
claim-samples-of-model-below = 说法没有写明每轮有多少样本；这里取 { $model } 的 { $samples } 个：若有 { $least } 到 { $most } 个，则符合预期。
claim-only-with-more-samples = 仅当样本总数多于 { $model } 全部轮次的 { $samples } 个时可信，而说法没有写明样本数：这段时间预计能处理 { $least } 到 { $most } 个。只有 { $samples } 个时，慢于本程序的预期。
claim-length-of-model = 说法没有写明序列长度，按该模型自带工作负载的每样本 { $length } 个词元计算：文本更长则更慢。
claim-any-batch = 说法没有写明批大小，按每台设备 { $least } 至 { $most } 个样本判断，区间涵盖全部：写明批大小可使区间变窄。
claim-side-tuning-full = 全参微调
claim-side-tuning-lora = LoRA
claim-side-tuning-qlora = QLoRA
claim-side-attention-eager = 普通注意力（eager）
claim-side-attention-sdpa = 融合注意力（torch 的 SDPA）
claim-side-attention-flash = 融合注意力（flash）
claim-side-checkpointing-none = 不用检查点
claim-side-checkpointing-selective = 选择性检查点
claim-side-checkpointing-full = 完整的激活检查点
claim-side-switched-channels_last-on = channels_last 布局
claim-side-switched-channels_last-off = torch 默认布局
claim-side-switched-fused_optimizer-on = 融合优化器
claim-side-switched-fused_optimizer-off = torch 默认的优化器实现（foreach）
claim-side-switched-optimizer_8bit-on = 8 位优化器状态
claim-side-switched-optimizer_8bit-off = 32 位状态
claim-side-batch-grown = 放大到 { $ratio } 倍的批
claim-side-batch-before = 原来的批
claim-side-batch-of = 批大小 { $batch }
claim-side-length-grown = 加长到 { $ratio } 倍的文本
claim-side-length-before = 原来的文本
claim-side-length-of = { $length } 个 token 的文本
claim-side-named = { $name }
claim-length-ratio-of = 没有说明倍数指每秒样本数还是每秒 token 数。这里按{ $of ->
    [tokens] 每秒 token 数判断；按每秒样本数则为“{ $verdict }”
    *[samples] 每秒样本数判断；按每秒 token 数则为“{ $verdict }”
}。
claim-memory-plausible = 可信：在 { $device } 上采用 { $after } 时，一步所占显存预期为采用 { $before } 时的 { $low_fraction } 至 { $high_fraction }；说法为 { $claimed_fraction }。
claim-memory-above = 仅在激活所占比例与假定不同（批更大、序列更长）或只指一部分显存时可信：在 { $device } 上采用 { $after } 时，一步所占显存预期为采用 { $before } 时的 { $low_fraction } 至 { $high_fraction }；说法为 { $claimed_fraction }。
claim-memory-below = 低于本程序的预期：在 { $device } 上采用 { $after } 时，一步所占显存预期为采用 { $before } 时的 { $low_fraction } 至 { $high_fraction }；说法为 { $claimed_fraction }。
claim-memory-impossible = 不可能：采用 { $after } 时，一步所占显存不会低于采用 { $before } 时的 { $bound_fraction }，因为缩小的只有权重，最多缩小到这个比例，其余不变；说法为 { $claimed_fraction }，在 { $device } 上预期为 { $low_fraction } 至 { $high_fraction }。
claim-saved-plausible = 可信：在 { $device } 上采用 { $after } 时，一步所占显存预期比采用 { $before } 时少 { $low_bytes } 至 { $high_bytes }；说法为 { $claimed }。
claim-saved-above = 高于本程序的预期，仅在批更大、序列更长或模型与假定不同时可信：在 { $device } 上采用 { $after } 时，一步所占显存预期比采用 { $before } 时少 { $low_bytes } 至 { $high_bytes }；说法为 { $claimed }。
claim-saved-below = 低于本程序的预期：在 { $device } 上采用 { $after } 时，一步所占显存预期比采用 { $before } 时少 { $low_bytes } 至 { $high_bytes }；说法为 { $claimed }。
claim-saved-impossible = 不可能：采用 { $before } 时，在 { $device } 上一步最多占 { $most_bytes }，而说法是省下 { $claimed }；采用 { $after } 时预期节省 { $low_bytes } 至 { $high_bytes }。
claim-with-sharding = 按 { $strategy } 判断：单张这样的卡放不下整个模型及其梯度和优化器状态。
claim-fits = { $device } 放得下 { $model }：批大小 { $batch }、{ $precision } 下每步需要 { $need_bytes }（{ $low_bytes } 至 { $high_bytes }），该卡可提供 { $capacity_bytes }。
claim-fits-not = { $device } 放不下 { $model }：批大小 { $batch }、{ $precision } 下每步需要 { $need_bytes }（{ $low_bytes } 至 { $high_bytes }），该卡可提供 { $capacity_bytes }。
claim-fits-close = { $model } 能否放进 { $device } 难以断定：批大小 { $batch }、{ $precision } 下每步需要 { $need_bytes }（{ $low_bytes } 至 { $high_bytes }），该卡可提供 { $capacity_bytes }。
claim-ratio-plausible = 可信：在 { $precision } 下，{ $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-ratio-only-with-precision = 仅在 { $precisions } 下可信：所称 { $device } 的速度是 { $other } 的 { $claimed_ratio } 倍。
claim-ratio-only-elsewhere = 仅在 { $precisions } 下可信，在所称的 { $precision } 下则不可信：此时 { $device } 相对 { $other } 预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），而所称为 { $claimed_ratio } 倍。
claim-ratio-impossible = 不可能：所称 { $device } 的速度是 { $other } 的 { $claimed_ratio } 倍，而两者规格表中没有任何一项相差超过 { $bound_ratio } 倍；预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-ratio-above = 仅当某张卡另有优势（显存可容纳更大的批、软件或主机更好）时可信：所称为 { $claimed_ratio } 倍，在 { $precision } 下 { $device } 相对 { $other } 预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-ratio-below = 低于本程序的预期：所称 { $device } 的速度仅为 { $other } 的 { $claimed_ratio } 倍，在 { $precision } 下预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。很可能受限于数据加载、主机，或内核尚未针对新卡优化。
claim-ratio-each-plausible = 可信：{ $precision } 下的 { $device } 预期为 { $other_precision } 下 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-ratio-each-above = 仅当算子内核更好或批大于假设时可信：{ $precision } 下的 { $device } 预期为 { $other_precision } 下 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-ratio-each-below = 低于本程序的预期：{ $precision } 下的 { $device } 预期为 { $other_precision } 下 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }），所称为 { $claimed_ratio } 倍。
claim-ratio-each-impossible = 不可能：所称 { $precision } 下的 { $device } 是 { $other_precision } 下 { $other } 的 { $claimed_ratio } 倍，而规格表中没有一项超过 { $bound_ratio } 倍；预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-order-ahead = 可信：在 { $precisions } 下，{ $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-order-ahead-in = 仅在 { $precisions } 下可信：此时 { $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-order-otherwise = 在 { $precisions } 下则不然：{ $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-order-either-in = 在 { $precisions } 下两者都可能领先：{ $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-order-open = 可信，但谁快都有可能：在 { $precisions } 下，{ $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-order-behind = 多半正相反：在 { $precisions } 下，{ $device } 的速度预期为 { $other } 的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。仅当前者在速度之外另有优势（显存可容纳更大的批、软件或主机更好）时才可信。
claim-order-impossible = 不可能：{ $device } 的规格表中没有一项达到 { $other }。在 { $precisions } 下，其速度预期为后者的 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-need-more = 可信：{ $model } 参数{ $way }占用 { $need_bytes }，所称需要超过 { $claimed }（{ $claimed_bytes }）。
claim-peak-plausible = 可信：{ $model } 在 { $device } 上一步预期同时占用 { $low_bytes } 至 { $high_bytes }，说法为 { $claimed }。
claim-peak-less = 低于本程序的预期，仅在使用检查点、位数更少、批更小或文本更短时可信：{ $model } 在 { $device } 上一步预期同时占用 { $low_bytes } 至 { $high_bytes }，说法为 { $claimed }。
claim-peak-more = 高于本程序的预期：{ $model } 在 { $device } 上一步预期同时占用 { $low_bytes } 至 { $high_bytes }，说法为 { $claimed }。驱动显示的数值还包括其自身上下文和分配器保留的空闲块。
claim-need-plausible = 可信：{ $model } 参数{ $way }占 { $need_bytes }，所称为 { $claimed }（{ $claimed_bytes }）。激活另计，取决于批大小与长度，其中还剩 { $left_bytes } 可用。
claim-need-bare = 就参数部分而言可信：{ $model } 参数{ $way }占 { $need_bytes }，所称为 { $claimed }（{ $claimed_bytes }）。激活另计，取决于批大小与长度。
claim-need-only-with = 按通常做法不成立：{ $model } 参数{ $way }占 { $need_bytes }，所称为 { $claimed }（{ $claimed_bytes }）。仅{ $least_way }才够：{ $least_bytes }，激活另计。
claim-need-impossible = 不可能：{ $model } 参数即使{ $least_way }也占 { $least_bytes }，激活尚未计入，而所称为 { $claimed }（{ $claimed_bytes }）。除非把权重卸载到主机内存。
claim-need-activations = 仅当文本很长或批很大时可信：{ $model } 参数{ $way }占 { $need_bytes }，所称的 { $claimed }（{ $claimed_bytes }）中有 { $left_bytes } 得是激活。
claim-need-offloaded = 使用卸载时由主机内存决定：{ $model } 参数{ $way }共占 { $need_bytes }，所称为 { $claimed }（{ $claimed_bytes }）。
claim-rates = 在 { $precision } 下，规格表给出 { $device } 为 { $rate_flop_per_s }，{ $other } 为 { $other_rate_flop_per_s }。

## 仅以规模命名的模型
claim-way-mixed = 采用 AdamW 混合精度（每个参数 16 字节：FP32 的权重、梯度和两个状态）
claim-way-pure = 全部采用 16 位、不保留 FP32 副本（每个参数 8 字节）
claim-way-eight-bit = 采用 16 位权重和 8 位 AdamW 状态（每个参数 6 字节）
claim-way-in-backward = 采用 16 位权重、8 位 AdamW 状态，并在更新每个参数后立即释放其梯度（每个参数 4 字节）
claim-way-stateless = 卡上只保留 16 位权重：在反向传播中更新的无状态优化器，或状态放在主机内存（每个参数 2 字节）
claim-way-lora-16 = 在 16 位冻结权重旁训练适配器（每个参数 2 字节）
claim-way-lora-8 = 在 8 位冻结权重旁训练适配器（每个参数 1 字节）
claim-way-lora-4 = 像 QLoRA 那样在 4 位冻结权重旁训练适配器（每个参数半个字节）
claim-way-inference-32 = 以 32 位权重推理（每个参数 4 字节）
claim-way-inference-16 = 以 16 位权重推理（每个参数 2 字节）
claim-way-inference-8 = 以 8 位权重推理（每个参数 1 字节）
claim-way-inference-4 = 以 4 位权重推理（每个参数半个字节）
claim-size-fits = 仅就参数而言放得下：{ $model } 参数{ $way }需要 { $need_bytes }，{ $device } 可提供 { $capacity_bytes }。激活另计，取决于批大小和长度，还剩 { $left_bytes } 可用。
claim-size-hardly = 几乎放不下：{ $model } 参数{ $way }需要 { $need_bytes }，{ $device } 可提供 { $capacity_bytes }；激活和 logits 另计，只剩 { $left_bytes } 可用。
claim-size-only-with = 按通常方式放不下：{ $model } 参数{ $way }需要 { $need_bytes }，{ $device } 可提供 { $capacity_bytes }。只有{ $least_way }才放得下：{ $least_bytes }，激活另计。
claim-size-beyond = 放不下：{ $model } 参数即使{ $least_way }，不计激活也需要 { $least_bytes }，而 { $device } 只可提供 { $capacity_bytes }。只有把权重卸载到主机内存或增加显卡才行。
claim-size-offloaded = 使用卸载时由主机内存决定：{ $model } 参数{ $way }需要 { $need_bytes }，其中 { $device } 最多能放 { $capacity_bytes }；每步都要等待拷贝。
claim-size-shared = 这是把参数分散到全部 { $count } 张卡上的情形（FSDP 或 ZeRO-3）；DataParallel 和 DDP 则每张卡都需要这么多。
claim-size-of-several = 单独一张卡按通常方式放不下它；“每卡”的速率多半来自共同分担权重、梯度和状态的多张卡，因此不判断其显存。
claim-size-zero2 = ZeRO-2 在 { $count } 张卡上各保留一份完整的权重（每参数 2 字节），只把梯度和优化器状态分摊。
claim-size-whole = DataParallel 和 DDP 在 { $count } 张卡的每一张上都保留全部参数。
claim-size-adapters = 适配器本身及其梯度和状态没有计入：它们取决于秩和层，通常不到权重的百分之一。
claim-size-impossible = 不可能：{ $model } 参数的模型每秒 { $claimed_rate } 个词元至少需要 { $needed_flop_per_s }（每个参数每个词元 { $flop_count } FLOP），而 { $device } 在 { $precision } 下的峰值为 { $peak_flop_per_s }。每秒不可能超过 { $most_rate } 个词元。
claim-generated-one = 若是逐个 token 生成文本，则可信：每个 token 都要读取全部权重{ $tokens ->
        [0] { "" }
       *[other] 以及 { $tokens } 个 token 的键和值（{ $cache_bytes }）
    }，{ $device } 对一段文本每秒最多约生成 { $most_rate } 个 token；所称 { $claimed_rate } 个是其 { $share_fraction }。{ $tokens ->
        [0] 长文本的键和值还要另外读取，未计入其中。
       *[other] { "" }
    }
claim-generated-no-room = 仅在权重少于 { $bits } 位，或一部分放在主机内存（每个 token 都要重新传输）时可信：{ $bits } 位的权重占 { $need_bytes }，而 { $device } 可用 { $capacity_bytes }。所称为每秒 { $claimed_rate } 个 token。
claim-generated-several = 仅在权重位数更少、同时生成多段文本，或指读入的 token 时可信：逐个生成时每个 token 都要读取全部权重{ $tokens ->
        [0] { "" }
       *[other] 以及 { $tokens } 个 token 的键和值（{ $cache_bytes }）
    }，{ $device } 对一段文本每秒最多约 { $most_rate } 个，而所称为 { $claimed_rate } 个。
claim-generated-below = 低于 { $device } 所允许的：逐个生成时每个 token 都要读取全部权重{ $tokens ->
        [0] { "" }
       *[other] 以及 { $tokens } 个 token 的键和值（{ $cache_bytes }）
    }，对一段文本每秒最多约 { $most_rate } 个 token；所称 { $claimed_rate } 个是其 { $share_fraction }。权重放在主机内存中，或内核等待主机，都可能是原因。
claim-size-possible = 按规格表是可能的：{ $model } 参数的模型每秒 { $claimed_rate } 个词元占 { $device } 在 { $precision } 下峰值（{ $peak_flop_per_s }）的 { $share_fraction }；仅以规模命名的模型无法知道更多。
claim-size-expected = 可信：{ $model } 参数的模型每秒 { $claimed_rate } 个词元占 { $device } 在 { $precision } 下峰值的 { $share_fraction }。由 { $like } 按规模换算，预期为 { $low_rate } 至 { $high_rate }。
claim-size-above = 仅在内核更好、检查点更少或模型形状不同时可信：{ $model } 参数的模型每秒 { $claimed_rate } 个词元占 { $device } 在 { $precision } 下峰值的 { $share_fraction }。由 { $like } 按规模换算，预期为 { $low_rate } 至 { $high_rate }。
claim-size-only-fp8 = 仅在 FP8 下可信：{ $model } 参数的模型每秒 { $claimed_rate } 个词元至少需要 { $needed_flop_per_s }（每个参数每个词元 { $flop_count } FLOP），超过 { $device } 在 { $precision } 下的峰值（{ $peak_flop_per_s }）。
claim-size-shorter = 仅当样本比所说的 { $length } 个词元短时可信，那可能只是截断长度：{ $model } 参数的模型每秒 { $claimed_rate } 个词元需要 { $needed_flop_per_s }（每个参数每个词元 { $flop_count } FLOP），而 { $device } 在 { $precision } 下的峰值为 { $peak_flop_per_s }。平均每个样本不可能超过 { $most_length } 个词元。
claim-size-below = 低于本程序的预期：{ $model } 参数的模型每秒 { $claimed_rate } 个词元只占 { $device } 在 { $precision } 下峰值的 { $share_fraction }。由 { $like } 按规模换算，预期为 { $low_rate } 至 { $high_rate }。很可能受限于序列过短或填充、批太小、卡间互连，或卸载。
claim-size-without-tokens = 说法没有说训练了多少词元，而 { $model } 参数的模型只知道规模。{ $time_s } 内 { $device } 最多能处理 { $most_tokens } 个词元（{ $precision } 峰值 { $peak_flop_per_s }，每个参数每个词元 { $flop_count } FLOP）。
claim-size-without-tokens-remedy = 请加上词元数（“…… 3 亿词元”），或用 config.json 描述模型并用 --predict 询问。
claim-size-step-without-tokens = 说法没有说每步有多少词元，而 { $model } 参数的模型只知道规模。{ $time_s } 内 { $device } 最多能处理 { $most_tokens } 个词元（{ $precision } 峰值 { $peak_flop_per_s }，每个参数每个词元 { $flop_count } FLOP）。
claim-size-step-without-tokens-remedy = 请加上批大小和长度：“…… 批大小 4，长度 2048”。
claim-size-without-length = 说法以每秒样本数表示，没有说每个样本有多少词元。
claim-size-without-length-remedy = 请补上，例如“序列长度 1024”。
claim-mfu-expected = 可信：声称模型算力利用率（MFU）为 { $claimed_fraction }，{ $model } 在 { $device } 上预期为 { $low_fraction } 至 { $high_fraction }。
claim-mfu-above = 仅在内核更好、批更大或模型形状不同时可信：声称模型算力利用率（MFU）为 { $claimed_fraction }，{ $model } 在 { $device } 上预期为 { $low_fraction } 至 { $high_fraction }。
claim-mfu-below = 低于本程序的预期：声称模型算力利用率（MFU）为 { $claimed_fraction }，{ $model } 在 { $device } 上预期为 { $low_fraction } 至 { $high_fraction }。很可能受限于批太小或序列过短、填充、卡间互连、数据加载、卸载，或没有融合内核的注意力。
claim-mfu-impossible = 不可能：{ $claimed_fraction } 的模型算力利用率（MFU）超过了任何显卡的峰值，没有哪一步能以更快的速度计算其模型。
claim-mfu-counted-otherwise = 这样的数字来自把重算的工作也计算在内（那是 HFU），或者用 16 位的峰值去除 FP8 完成的计算。
claim-sized-like = 仅以规模命名的模型由与之相近的已追踪模型来判断：{ $like }。
claim-mfu-tokens = 按每个参数每个词元 { $flop_count } FLOP 计算，这个比例相当于每张 { $device }（峰值 { $peak_flop_per_s }）每秒 { $claimed_rate } 个词元。
claim-mfu-of-rate = 每张卡 { $claimed_flop_per_s } 相当于 { $device } 在 { $precision } 下峰值（{ $peak_flop_per_s }）的 { $share_fraction }。如果把重算的工作也算在内（即 HFU），模型自身所占的比例更小。
claim-read-otherwise = 没有说明提速来自什么。{ $taken ->
    [change] 这里按 { $count } 张卡上采用{ $after }与同样张数不采用相比来判断；若理解为 { $count } 张卡与一张卡相比，则为：{ $verdict }。
   *[cards] 这里按 { $count } 张卡与一张卡相比来判断；若理解为同样张数上采用{ $after }，则同样为：{ $verdict }。
}
claim-read-other-order = 没有说明两者中哪一个更快。这里按 { $device } 相对于 { $other } 来判断；若反过来理解，则为：{ $verdict }。
claim-of-two-ratios = 该说法给出两个倍数，分别判断：{ $each }。
claim-of-one-ratio = “{ $words }”：{ $verdict }
claim-not-judged = 未作判断
claim-price-unjudged = 同时说到的价格（“{ $price }”）不作判断。
claim-left-out = 说到但没有考虑的：{ $words }。如果起决定作用的正是它，此判断并不涉及。
claim-other-quantity = 这条说法讲的不是训练的速度或显存，而是“{ $quantity }”。
claim-other-quantity-remedy = 可以判断的是时间、速率、加速比、显存和利用率。训练要花多少钱或多少电，可在针对您的工作负载的建议中查看。
claim-figure-unread = 没有读懂说法中的数“{ $figure }”，也不会拿别的内容代替它来判断。
claim-figure-unread-remedy = 请写明它指的是什么，例如“每秒 800 张图”“每步 120 ms”“3 个 epoch 用了 2 小时”“快 30%”或“MFU 40%”。
claim-only-over-tf32 = 仅当“FP32”实际是 TF32 时可信：torch 1.12 之前默认如此计算矩阵乘法，如今由 torch.backends.cuda.matmul.allow_tf32 或 set_float32_matmul_precision("high") 开启。
claim-range-end = 这条说法给出的是一个范围“{ $range }”；按其中最接近预期的一端“{ $taken }”来判断。
claim-range-middle = 这条说法给出的是一个范围“{ $range }”，预期值落在两端之间；按其中间值“{ $taken }”来判断。
claim-corrected = “{ $denied }”在说法中被否认，或只是原本的期望；按“{ $figure }”来判断。
claim-bound-most = 可信：所称不到 { $claimed_ratio } 倍，预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-bound-least = 可信：所称超过 { $claimed_ratio } 倍，预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-bound-not = 低于本程序的预期：所称不到 { $claimed_ratio } 倍，预期为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-bound-slower = 可信：所称是变慢，预期速度为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-bound-faster = 可信：所称是变快，预期速度为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-bound-not-slower = 低于本程序的预期：所称是变慢，预期速度为 { $expected_ratio } 倍（{ $low_ratio } 至 { $high_ratio }）。
claim-bound-possible = 可信：所称不到 { $claimed_ratio } 倍，而上限就是 { $most_ratio } 倍。
claim-order-denied = 这条说法否认 { $other } 更快；按 { $device } 至少同样快来判断。
claim-figure-denied = 这条说法否认了“{ $figure }”，却没有给出别的数字。
claim-figure-denied-remedy = 请写明实际是多少，例如“不是 2 倍，而是 1.7 倍”。
claim-told-round = 所称数字超出区间的部分小于这类数字的取整误差。
claim-utilisation-hardware = 这条说法是关于硬件算力利用率（HFU）的，它把重算的工作也计算在内：没有说明重算了多少，因此不能说明速度。
claim-utilisation-hardware-remedy = 请给出模型算力利用率（“MFU 55%”）或每秒词元数。
claim-utilisation-time = 这条说法是关于驱动程序显示的利用率的：那只是有内核在运行的时间所占的比例，不管它在计算什么，不能说明速度。
claim-utilisation-time-remedy = 请给出模型算力利用率（“MFU 55%”）或每秒样本数。
claim-mixture = 说法是关于混合专家模型的：决定因素是每个词元经过多少参数，而名称没有说明。
claim-mixture-remedy = 请用 config.json 描述模型并用 --predict 询问。
claim-fits-only-with = 按原样放不下：{ $model } 在 { $device } 上以批大小 { $batch }、{ $precision } 训练，每卡需要 { $usual_bytes }。只有{ $way }才放得下：{ $need_bytes }（{ $low_bytes } 至 { $high_bytes }），可提供 { $capacity_bytes }。

## 说法中缺少的内容
claim-understood = 已读懂的部分：{ $understood }。
claim-number-form = “{ $figure }”不是一个完整的数，不会只取其中一部分。
claim-number-form-remedy = 请写成一个带小数点的数：12.5 ms、1400 images/s、0.5 小时。
claim-number-negative = 说法中有一个数为零或小于零，时间、速率和倍数都不可能如此。
claim-number-negative-remedy = 请写出实际测得的数，不带负号。
claim-card-hours = 说法给出的是卡时，合单卡 { $total_s }，但没有说明训练了多少词元。
claim-card-hours-remedy = 请写成“Llama 2 7B 训练 2T 词元用了 184,320 A100 卡时”这样的句子，或写明卡数和时间。
claim-number-beyond = 说法中有一个数超出了任何可以计时的范围。
claim-number-beyond-remedy = 请用更少的位数来写。
claim-too-long = 这条说法有 { $length } 个字符，最多读取 { $most } 个。
claim-too-long-remedy = 请缩短为包含显卡、模型和数值的一句话。
claim-without-figure = 这条说法没有给出可以核对的时间、速率或倍数。
claim-without-figure-remedy = 可以这样写：“一张 V100 上 ResNet-50 每秒 800 张图”“2 张卡快了 1.8 倍”或“用 2 张卡后，3 小时变成 52 分钟”。
claim-without-degree = 这条说法只说快了或慢了，没有说快慢多少：没有可以核对的时间、速率或倍数。
claim-without-degree-remedy = 请补上数值：“1.5 倍”“慢 30%”，或前后两个时间。
claim-cards-not-compared = 这条说法提到两种显卡，却没有比较它们。
claim-cards-not-compared-remedy = 请写成“RTX 4090 的速度是 A100 的 2 倍”，或者一次只核对一种卡。
claim-cards-not-predicted = 这条说法比较两种显卡，但没有一个模型能同时在两者上预测。
claim-cards-not-predicted-remedy = 请在说法中写明一个内置工作负载，或确认已安装 torch，以便追踪模型。
claim-change-not-predicted = 无法在 { $device } 上同时预测{ $after }和{ $before }：用来判断的模型都没有同时包含二者的追踪。
claim-change-not-predicted-remedy = 请写明一个内置工作负载和两者都支持的显卡，或确认已安装 torch，以便追踪模型。
claim-saves-all-memory = 这条说法节省了全部显存，甚至比原有的还多。
claim-saves-all-memory-remedy = 请写出还剩多少（“四分之一的显存”）或少了多少（“显存减少 60%”）。
claim-memory-without-change = 这条说法是关于显存的，但没有说明可以核对的改变（精度、适配器、注意力、检查点、8 位状态、分片、批大小）。
claim-memory-without-change-remedy = 可以这样写：“QLoRA 的显存只需 LoRA 的四分之一”或“梯度检查点使显存减半”。
claim-saved-without-model = 一项改变能省多少字节取决于模型（和批大小），而这条说法没有写明本程序认识的模型。
claim-saved-without-model-remedy = 请写明模型（“8 位 Adam 在 Llama 8B 上省了 40 GB”），或改说比例（“显存减少 30%”）。
claim-changes-joined = 这条说法把一个数字归于两项改变（“{ $first }”和“{ $other }”），而两者带来的效果并不相同。
claim-changes-joined-remedy = 请一次只说一项改变；多项改变合起来的效果，可在针对您的工作负载的建议中查看。
claim-memory-of-a-part = 这条说法只涉及一部分显存（优化器、梯度或权重的），而本程序预测的是一张卡同时占用的全部显存。
claim-memory-of-a-part-remedy = 请说明总显存的变化（“8 位 Adam 使显存减少 30%”），或说明哪个模型省了多少字节。
claim-strategies-without-count = 这条说法比较的是两种并行方式，却没有说明用了几张卡。
claim-strategies-without-count-remedy = 请补上卡数，例如“4 张 A100 上 DDP 的速度是 DataParallel 的 1.3 倍”。
claim-strategy-unpredicted = 无法判断使用 { $strategy } 的说法：本程序不预测它，也不会把它当作另一种并行方式。
claim-strategy-unpredicted-remedy = 如果实际用的是 DataParallel、DDP、ZeRO-2 或 FSDP（ZeRO-3），请写明。
claim-without-length = 这条说法以每秒词元数计，却没有给出序列长度。
claim-without-length-remedy = 请补上，例如“序列长度 1024”。
claim-other-model-like = { $model } 不在内置模型之列；这里按 { $like } 判断，范围包括它们全部。
claim-model-not-bundled = 该说法针对 { $model }，它不在内置模型之列，也不会用别的模型的时间来代替。
claim-model-not-bundled-remedy = 在说法文件中用 `workload` 给出它的任务文件（来自其 config.json、hub id 或 Python 文件），用 advisor --predict 预测它，或改用内置模型（BERT-base、ResNet-50、GPT-2、ViT-B、Llama 8B …）。
claim-without-model = 这条说法没有提到本程序认识的模型。
claim-without-model-remedy = 请写明模型（BERT-base、ResNet-50、GPT-2、ViT-B 等）或其规模（7B），或在说法文件中给出 `workload`。
claim-without-card = 这条说法没有提到 GPU。
claim-without-card-remedy = 请写明在哪种卡上计时，例如“一张 RTX 3090”。
claim-without-batches = 这条说法讲的是更大的批，却没有说从多少样本增加到多少：批小时收益大，批大时没有收益。
claim-without-batches-remedy = 请说明模型、显卡和两个批大小：“一张 RTX 4090 训练 ResNet-50，batch 64 比 batch 32 快 1.3 倍”。
claim-change-unjudged = 这条说法讲的是“{ $change }”带来的提速，本程序不预测它。
claim-change-unjudged-remedy = 可以核对的是：显卡及其数量、精度、批大小、torch.compile、并行策略、适配器、注意力、检查点、channels_last、融合优化器和 8 位优化器、NVLink。数据加载的开销可用 --measure 测量。
claim-same-cards = 这条说法两边是同样数量的同一种卡，却没有说明可以核对的不同之处。
claim-same-cards-remedy = 请说明改变了什么：精度、批大小、torch.compile、并行策略、适配器、注意力、检查点、channels_last 或优化器。
claim-card-without-nvlink = { $device } 没有 NVLink，既非内置，也不能加桥。
claim-card-without-nvlink-remedy = 请换成带 NVLink 的卡来说，例如 2 张 RTX 3090 或 8 张 A100。
claim-nodes-uncounted = 这条说法把多台机器（“{ $nodes }”）与一台相比，但没有说每台有几张卡。
claim-nodes-uncounted-remedy = 请这样写：“2 台各 8 卡 H100 的机器是一台的 1.8 倍”。
claim-against-cpu = 这条说法把 GPU 与 CPU 相比，而 CPU 的速度无法仅凭名称预测：它取决于核心数、内存和所用的库。
claim-against-cpu-remedy = --measure 会在本机的 CPU 和 GPU 上实测您的工作负载，并给出从多大的批大小起用 GPU 才划算。
claim-layout-without-pictures = channels_last 布局只影响图像的卷积，而说法中的模型没有卷积：采用后既不变快也不变慢。
claim-layout-without-pictures-remedy = 请对处理图像的模型（如 ResNet-50 或 U-Net）提出这一说法。
claim-without-count = 这条说法谈到提速，却没有说用了几张 GPU，也没有说与哪种卡相比。
claim-without-count-remedy = 可以这样写：“4 张 GPU 快了 3.2 倍”或“RTX 4090 的速度是 A100 的 2 倍”。
claim-card-lacks-precision = { $device } 没有 { $precision } 的计算单元：torch 至多借其他精度来算，规格表不说有多快，因此不判断其时间。
claim-card-lacks-precision-remedy = 请写明该卡支持的精度，例如 FP16 AMP 或 FP32。
claim-double-precision = 该说法涉及 FP64（双精度），本程序不对其作预测。
claim-double-precision-remedy = 请比较规格表中的 FP64 速率：游戏卡的 FP64 速率大多只有 FP32 的 1/32 或 1/64。
claim-without-trace = 本机没有也无法生成与这条说法相符的 { $model } 追踪，因此无法预测它在 { $device } 上的表现。
claim-without-trace-remedy = 请确认已安装 torch 以便追踪模型，并检查说法中的长度或图像尺寸。
claim-without-memory = 无法预测 { $model } 的一步在 { $device } 上占用多少显存：重放分配器时缺少这张卡或这个模型的数据。
claim-without-memory-remedy = 请改为给出时间或速率，或用 --measure 实测这一步。
claim-all-variants = 没有说明是哪一种 { $card }，因此全部考虑在内：{ $names }。
claim-unknown-card = 说法中的显卡 { $card } 不在规格表中。表中名称最接近的是 { $nearest }；不会用其中任何一种代替它。
claim-unknown-card-alone = 说法中的显卡 { $card } 不在规格表中，表中也没有相近的名称。
claim-unknown-card-remedy = 可用 `advisor --list` 查看；或用 --gpu-file 描述这张卡，并在 --claim-file 中写出它的键。
claim-no-figure = 该说法不含时间，也不含速率。
claim-no-figure-remedy = 请给出 step_s、samples_per_s、epoch_s 或 job_s。
claim-nothing-to-check = { $path }：{ $place }：没有可核对的内容。
claim-nothing-to-check-remedy = 请给出 text，或 step_s、samples_per_s、epoch_s、job_s、speed_up_ratio、fits 之一。
claim-card-unlisted = 参数表中没有该说法所指的 GPU { $gpu }。
claim-card-unlisted-remedy = 请使用 `advisor --list` 所列的键，或以 --gpu-file 加入该卡。

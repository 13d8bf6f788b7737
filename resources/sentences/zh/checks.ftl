## 工作负载中互相矛盾的字段及其补救办法
check-in-file = { $path }：{ $problem }。
check-is = `{ $field }` 为 { $value }
check-but = `{ $field }` 为 { $value }，但 `{ $other }` 为 { $found }
check-keeps = `{ $field }` 为 { $value }，但 `{ $other }` 为 { $found }，需要保留梯度
check-waits = `{ $field }` 为 { $value }，但 `{ $other }` 为 { $found }，需要等待所有梯度
check-scaler = `{ $field }` 为 { $value }，但 `{ $other }` 为 { $found }，其缩放器要先查看所有梯度
check-keeps-none = `{ $field }` 为 { $value }，但 `{ $other }` 为 { $found }，不保留任何激活
check-missing = 缺少 `{ $field }`，但 `{ $other }` 为 { $found }
check-takes = 缺少 `{ $field }`，但模型的输入是{ $kind ->
    [images] 图像
    [image] 图像
    [text] 文本
    [speech] 语音
    [series] 时间序列
   *[other] { $kind }
 }
check-both = 同时给出了 `{ $field }` 和 `{ $other }`
check-product = `{ $field }` 乘以 `{ $other }` 为 { $value }
check-no-layers = `{ $field }`：由数值给出的模型没有可选的层
check-no-logits = `{ $field }` 为 true，但 { $task } 模型没有词表上的输出
check-task-kind = `{ $field }` 为 { $value }，但配置是{ $kind ->
    [image] 图像
    [text] 文本
    [speech] 语音
    [series] 时间序列
   *[other] { $kind }
 }类的 { $type }
check-one-size = mlp 的 `{ $field }` 只有一个尺寸
check-different-sizes = { $template } 的 `{ $field }` 尺寸不一致
check-too-many-parameters = `{ $field }` 合计超过 10^12 个参数
check-quantized-trained = `{ $field }` 为 { $value }，但量化的权重不能训练
check-no-fused = `{ $field }` 为 { $value }，但 torch 没有 { $found } 的融合内核
check-nothing-optimised = `{ $field }` 为 { $value }，但没有任何参数被优化
check-own-loss = `{ $field }` 为 { $value }，但损失由模型自己计算
check-own-layers = `{ $field }` 为 { $value }，但各层由模型自己定义
check-own-loss-remedy = 它只用于来源为 huggingface 的语言模型：请设为 false。
check-set = 请将 { $field } 设为 { $value }。
check-set-it = 请设为 { $value }。
check-set-or-leave = 请将 { $field } 设为 { $value }，或去掉 { $other }。
check-leave-or-set = 请去掉 { $field }，或将 { $other } 设为 { $value }。
check-choose-or-set = 请选择 { $choice }，或将 { $other } 设为 { $value }。
check-quantise-or-leave = 请将 quantization 设为 nf4、gptq 或 int8，或去掉 { $other }。
check-lora-or-leave = 请将 trainable 设为 lora 或 head，或去掉 { $other }。
check-set-one-back = 请改回其中之一。
check-choose-one = 请选择其中之一。
check-give-one = 请只给出模型需要的那一个。
check-validation = 请给出验证样本数。
check-bits = { $quantization } 以 { $allowed } 位存放权重：请给出该值，或去掉 weights_bits。
check-one-way = 冻结的层只能以一种方式存放：请选择 bf16_amp 或 bf16_true，或去掉量化。
check-flash = Flash attention 以半精度计算：请选择 fp16_amp、bf16_amp、fp16 或 bf16，或改用 sdpa。
check-eight-bit = 已知有 8 位状态的优化器：{ $names }。
check-fused = 有融合内核的优化器：{ $names }。
check-range = 允许：{ $low } 到 { $high } 的整数。
check-side-range = 允许：1 到 { $high } 像素的整数。
check-most = 任何设备最多容纳 { $limit }：请减小其中之一。
check-task-of-kind = 请选择该类的任务。
check-give-side = 请给出边长（像素）。
check-give-tokens = 请以词元数给出。
check-give-tokens-or-wave = 请以词元数给出；语音以波形的采样数给出。
check-positions = 该模型的位置为 1 到 { $high } 个词元。
check-patch = 该模型的一个图块已有 { $patch } 像素宽。
check-give-sizes = 请给出输入、隐藏和输出的尺寸。
check-same-size = 请为每层给出相同的尺寸。
check-divide = 它必须整除宽度 { $width }。
check-real-sizes = 请给出真实模型的尺寸。
check-python-file = 请给出以 .py 结尾的 Python 文件。

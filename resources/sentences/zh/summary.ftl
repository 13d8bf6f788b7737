## 终端、Markdown 与剪贴板共用的摘要
summary-title = “{ $workload }”的建议
summary-nothing = 无法给出建议，原因见下方注意事项。
summary-set-up-one = { $mode ->
        [inference] 建议用于推理：
        [forward_backward] 建议用于前向与反向：
       *[training] 建议使用 { "" }
    }{ $device }{ $kind ->
       *[single] { "" }
        [fsdp_offload] ，策略 { $strategy }
    }，批大小 { $batch }，精度 { $precision }，单设备{ $accumulation ->
        [1] { "" }
       *[other] ，梯度累积 { $accumulation } 步
    }{ $added ->
       *[nothing] { "" }
        [fused_optimizer] ，使用融合优化器
        [checkpointing] ，启用激活检查点
        [chunked_loss] ，分块计算损失
        [fused_optimizer_checkpointing] ，使用融合优化器并启用激活检查点
        [fused_optimizer_chunked_loss] ，使用融合优化器并分块计算损失
        [checkpointing_chunked_loss] ，启用激活检查点并分块计算损失
        [fused_optimizer_checkpointing_chunked_loss] ，使用融合优化器、启用激活检查点并分块计算损失
    }。
summary-set-up-many = { $mode ->
        [inference] 建议用于推理：
        [forward_backward] 建议用于前向与反向：
       *[training] 建议使用 { "" }
    }{ $devices } × { $device }{ $machines ->
        [1] { "" }
       *[other] （分布在 { $machines } 台机器上）
    }，策略 { $strategy }，每卡批大小 { $batch }，精度 { $precision }{ $accumulation ->
        [1] { "" }
       *[other] ，梯度累积 { $accumulation } 步
    }{ $added ->
       *[nothing] { "" }
        [fused_optimizer] ，使用融合优化器
        [checkpointing] ，启用激活检查点
        [chunked_loss] ，分块计算损失
        [fused_optimizer_checkpointing] ，使用融合优化器并启用激活检查点
        [fused_optimizer_chunked_loss] ，使用融合优化器并分块计算损失
        [checkpointing_chunked_loss] ，启用激活检查点并分块计算损失
        [fused_optimizer_checkpointing_chunked_loss] ，使用融合优化器、启用激活检查点并分块计算损失
    }。
summary-why = 理由
summary-also = 其他值得了解的信息
summary-here = 在本机现有条件下
summary-change = 哪些情况会改变此建议
summary-caveats = 注意事项
summary-step = 单步时间
summary-job = 整个任务
summary-job-inference = 全部样本推理一遍的时间
summary-rate = 样本吞吐量
summary-memory = 单设备峰值显存
summary-cost = 任务费用
summary-asked = 要求
asked-cost = 费用最低
asked-energy = 能耗最低
asked-hours = { $hours } 小时以内
asked-most-cost = 费用不超过 { $limit }
asked-power = 所有显卡的总功率不超过 { $limit_w }
asked-prices = 采用 { $date } 的价格（{ $currency }）
asked-host = 每台主机的内存为 { $memory_bytes }
asked-link = 显卡间的互联为 { $link }
summary-switched-on = 已启用
summary-tied = 与其无明显差别
summary-tied-more = 另外 { $count } 个
summary-parameters = 参数量
summary-flop = 单样本前向与反向计算量
summary-flop-inference = 单样本前向计算量
summary-devices = 各设备在 { $precision } 下的最佳方案（80 % 区间）
summary-devices-own = 各设备在 { $precision } 下的最佳方案；不支持该精度或显存不足的设备按其替代精度列出（80 % 区间）
summary-measured = 本机实测（中位数的 95 % 区间）
column-device = 设备
column-count = 数量
column-strategy = 策略
column-precision = 精度
column-batch = 批大小
column-step = 单步
column-range = 80 % 区间
column-epoch = 每轮
column-job = 总时间
column-memory = 内存/显存
column-fits = 可容纳
column-basis = 依据
column-median = 中位数
column-interval = 区间
column-samples = 样本数
column-verdict = 结论
unknown = 未知
yes = 是
no = 否
basis-measured = 实测
basis-calibrated = 校准
basis-specified = 规格表
strategy-single = 单设备
strategy-dp = DataParallel
strategy-ddp = DistributedDataParallel
strategy-zero2 = ZeRO-2
strategy-fsdp = FSDP
strategy-fsdp-offload = FSDP（CPU 卸载）
strategy-tp = 张量并行
table-rewritten = { $name }（需改写）
strategy-pp = 流水线并行
column-key = 键
column-name = 名称
column-optimizer = 优化器
column-fp32 = FP32
column-tf32 = TF32
column-fp16 = FP16 张量核
column-bandwidth = 带宽
list-workloads = 内置训练任务
list-gpus = 规格表中的 GPU（稠密算力，FP32 累加）
claim-verdict = 结论
summary-log = 日志中的时间去向
summary-more = 还有 { $both ->
        [1] { $sentences } 条说明和 { $rows } 行
       *[other] { $sentences ->
            [0] { $rows } 行
           *[other] { $sentences } 条说明
        }
    }：--details
summary-not-here = 本机未参与比较：没有 NVIDIA 驱动；CPU 速度需实测（--measure）。
summary-best-rows = 最佳方案，所建议的在前
summary-own-precisions = { $title }；{ $marks }
summary-own-mark = { $mark } { $parts }
summary-in-precision = 为 { $precision }
summary-with-added = 启用{ $added }
summary-without-added = 不启用{ $added }
summary-nearest-rows = 都放不下；各设备最接近的方案
summary-over-limits = { $title }；{ $mark }：超出所给的限制，或无法判断是否超出
memory-of = { $need } / { $room }
memory-of-too-much = { $need } > { $room }
memory-of-host-short = { $need }，主机内存不足
switch-compile = torch.compile
switch-flash = flash 注意力（内核需另行安装）
switch-sdpa = 融合注意力（SDPA）
switch-half = 16 位自动混合精度（显卡支持时用 BF16）
switch-fp8 = FP8 矩阵乘
switch-channels-last = channels last
switch-fused-optimizer = 融合优化器
switch-optimizer-8bit = 8 位优化器状态
switch-checkpointing = 激活检查点
switch-chunked-loss = 分块损失
switch-fused-layers = 融合层（Liger 内核）
switch-unpacked-half = 量化权重之外的部分用 16 位
switch-lora = LoRA
switch-qlora = QLoRA（4 位权重）
switch-optimizer-8bit-on-cards = 8 位优化器状态
switch-optimizer-8bit-checkpointing = 8 位优化器状态加激活检查点
switch-half-weights = 16 位权重
switch-quantised-weights = 4 位权重（nf4）
switch-lora-checkpointing = LoRA 加激活检查点
switch-qlora-checkpointing = QLoRA（4 位权重）加激活检查点
switch-checkpointing-on-cards = 激活检查点且不卸载
switch-nothing-off-loaded = 不卸载
switch-larger-cards = 更大或更多的卡
switch-accumulation = 累积 4 个微批
switch-sharding-cast = 分片（FSDP，各层使用 16 位权重）
switch-sharding = 分片（FSDP）
switch-pure-half = 权重也用 BF16（--precision bf16_true；微小的更新可能被舍去）
switch-padded-vocabulary = 词表补齐到 64 的倍数
summary-switches = 每个开关在此处的作用
column-switch = 开关
column-on = 设备
column-times = 速度倍数
column-gain-range = 80 % 区间
column-saved = 节省内存/显存
column-need = 内存/显存
column-published = 公开对照
published-card = { $ratio }（{ $low } – { $high }，{ $count } 对，本卡）
published-others = { $ratio }（{ $low } – { $high }，{ $count } 对，其他卡）
published-against = ：不支持此预测
published-none = 无
summary-help = 什么会有帮助
help-adapter = 采用“{ $name }”后，一块 { $device } 就放得下一步（批大小 { $batch }{ $steps ->
        [1] { "" }
       *[other] { " × " }{ $steps }
    }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }）：{ $step_s }，{ $need_bytes }{ $trained ->
        [added] ；只训练所有线性层上秩为 { $rank } 的适配器。
        [adapters] ；只训练适配器。
       *[nothing] 。
    }
help-adapter-cards = 采用“{ $name }”后，{ $count } × { $device } 放得下一步（{ $strategy }，每卡批大小 { $batch }{ $steps ->
        [1] { "" }
       *[other] { " × " }{ $steps }
    }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }）：{ $step_s }，每卡 { $need_bytes }{ $trained ->
        [added] ；只训练所有线性层上秩为 { $rank } 的适配器。
        [adapters] ；只训练适配器。
       *[nothing] 。
    }
help-checkpointing-card = 启用激活检查点（full）后，一块 { $device } 就放得下全部（批大小 { $batch }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] ，梯度累积 { $steps } 步
    }）：每步 { $step_s }，占用 { $need_bytes }。
help-checkpointing-cards = 启用激活检查点（full）后，{ $count } × { $device } 放得下全部（{ $strategy }，每卡批大小 { $batch }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] ，梯度累积 { $steps } 步
    }）：每步 { $step_s }，每卡占用 { $need_bytes }。
help-states-card = 采用“{ $name }”后，一块 { $device } 就放得下全部（批大小 { $batch }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] ，梯度累积 { $steps } 步
    }）：每步 { $step_s }，占用 { $need_bytes }。
help-states-cards = 采用“{ $name }”后，{ $count } × { $device } 放得下全部（{ $strategy }，每卡批大小 { $batch }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] ，梯度累积 { $steps } 步
    }）：每步 { $step_s }，每卡占用 { $need_bytes }。
help-larger-card = 一块 { $device } 就放得下全部（批大小 { $batch }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] ，梯度累积 { $steps } 步
    }）：每步 { $step_s }，占用 { $need_bytes }。
help-larger-cards = 至少 { $count } × { $device } 才放得下全部（{ $strategy } 分片，每卡批大小 { $batch }{ $precision ->
        [unknown] { "" }
       *[other] ，{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] ，梯度累积 { $steps } 步
    }）：每步 { $step_s }，每卡占用 { $need_bytes }。
help-split-code = { $name }，并将权重按层拆分到各卡（需要改写模型代码）
help-job = 任务：{ $job_s }。
help-room = 采用“{ $name }”后，每步需要 { $need_bytes }（最多 { $high_bytes }），速度为现在的 { $gain_ratio } 倍。
help-switch-open = 采用“{ $name }”后，速度很可能是现在的 { $gain_ratio } 倍，但也可能不会更快（介于 { $low_ratio } 与 { $high_ratio } 之间）。
help-switch = 采用“{ $name }”后，速度将是现在的 { $gain_ratio } 倍（介于 { $low_ratio } 与 { $high_ratio } 之间）。
summary-other-rows = 没有给出建议；各设备最接近的方案
switched-qlora = QLoRA
switched-head = 只训练输出头
switched-checkpointing-selective = 选择性激活检查点
switched-attention-eager = eager 注意力
switched-attention-flash = flash 注意力
switched-optimizer-in-backward = 反向传播中更新优化器
switched-quantised = 权重以 { $stored } 存储
switched-offload = { $what ->
        [activations] 激活
        [optimizer] 优化器状态
       *[parameters] 参数
    }保存在主机内存中
claim-read = 理解为
claim-read-against = { $one } 对比 { $other }
claim-read-step-s = 每步 { $step_s }
claim-read-samples-per-s = { $each ->
        [each] 每卡
       *[all] { "" }
    }每秒 { $samples_rate } 个样本
claim-read-tokens-per-s = { $each ->
        [each] 每卡
       *[all] { "" }
    }每秒 { $tokens_rate } 个 token
claim-read-epoch-s = 一轮 { $epoch_s }
claim-read-job-s = 整个训练 { $job_s }
claim-read-speed-up-ratio = { $told ->
        [slower] 变慢
        [faster] 变快
        [most] 速度为至多 { $speed_ratio } 倍
        [least] 速度为至少 { $speed_ratio } 倍
       *[exact] 速度为 { $speed_ratio } 倍
    }
claim-read-ratio-of-tokens = 按每秒 token 数
claim-read-memory-ratio = 显存为 { $memory_fraction }
claim-read-saved-bytes = 节省显存 { $saved_bytes }
claim-read-memory-bytes = 需要显存 { $memory_bytes }
claim-read-mfu-fraction = 峰值的 { $mfu_fraction }
claim-read-flop-per-s = { $each ->
        [each] 每卡{" "}
       *[all] { "" }
    }{ $tflop } TFLOP/s
claim-read-fits = 放得下
claim-read-fits-not = 放不下
claim-read-faster = 更快
claim-read-faster-not = 不更快
claim-read-parameters = { $parameters } 参数
claim-read-batch-size = 批大小 { $count }
claim-read-length-ratio = 文本长度为 { $length_ratio } 倍
claim-read-compiled-now = 使用 torch.compile 与不使用相比
claim-read-batch-ratio = 批大小为 { $batch_ratio } 倍
claim-read-sequence-length = 每段文本 { $count } 个 token
claim-read-image-size = 图像边长 { $count } 像素
claim-read-weights-bits = 权重 { $count } 位
claim-read-switched = 启用 { $name } 与不启用相比
claim-read-tuning = { $what ->
        [lora] LoRA
        [qlora] QLoRA
       *[full] 全量微调
    }
claim-read-attention = { $what ->
        [flash] flash 注意力
        [eager] eager 注意力
       *[sdpa] 融合注意力（SDPA）
    }
claim-read-activation-checkpointing = { $what ->
        [full] 激活检查点
        [selective] 选择性激活检查点
       *[none] 不用激活检查点
    }
claim-read-trainable = { $what ->
        [lora] LoRA
        [head] 只训练输出头
       *[all] 训练全部权重
    }
claim-read-trained-tokens = 共 { $passed } 个 token
claim-read-trained-samples = 共 { $passed } 个样本
claim-read-interconnect = 互联：{ $words }
claim-read-offload = { $on ->
        [yes] 使用卸载
       *[no] 不卸载
    }
claim-read-channels-last = { $on ->
        [yes] channels last
       *[no] 不用 channels last
    }
claim-read-compile = { $on ->
        [yes] torch.compile
       *[no] 不用 torch.compile
    }

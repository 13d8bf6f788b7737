# 测量的阶段、结论和注意事项（封闭列表），每条注意事项都说明应对办法。

## 阶段
measure-phase-load = 正在构建模型
measure-phase-calibrate = 正在校准设备
measure-phase-steps = 正在实际训练模型
measure-phase-loader = 正在测量数据加载
measure-loader-failed = 未能测量数据加载，因此所给时间不含加载。请排除以下问题后重新测量：{ $text }
measure-phase-keeping = 正在保留内存的情况下训练

## 结论
measure-verdict-stable = 稳定
measure-verdict-usable = 可用
measure-verdict-unstable = 不稳定
measure-verdict-throttled = 降频
measure-verdict-contended = 被占用
measure-verdict-not-measured = 未测量

## 序列未测量或未完整测量的原因
measure-no-samples = 在给定时间内没有得到样本。请增大预算（--budget）。
measure-only-warm-up = 预算只够完成预热步，结果可能偏高。请增大预算（--budget）。
measure-few-samples = 预算只够取得 { $count } 个样本，区间可能过窄。请增大预算（--budget）。
measure-interval-too-wide = 样本离散：中位数的区间为 ± { $half_width_fraction }。请关闭其他程序后重新测量。
measure-drifted = 测量期间每步用时漂移了 { $drift_fraction }。请待机器平稳后重新测量；预算不低于 60 秒（--budget 60）时序列更长。
measure-ended-too-long = 略过批大小 { $batch_size }：一步所需时间超过其预算份额。请增大预算（--budget）。
measure-ended-no-budget = 略过批大小 { $batch_size }：预算已用完。请增大预算（--budget）。
measure-ended-memory-limit = 略过批大小 { $batch_size }：所需内存超过可用内存。请释放其他程序占用的内存，或减小批大小。
measure-ended-out-of-memory = 批大小 { $batch_size } 内存不足。请减小批大小，或释放其他程序占用的内存。
measure-ended-not-supported = 略过批大小 { $batch_size }：设备没有相应的内核。请改用其他精度。
measure-ended-cap = 批大小 { $batch_size } 在取得第一个样本前结束。请增大预算（--budget）。
measure-ended-settled = 批大小 { $batch_size } 在取得第一个样本前结束。请重新测量。
measure-ended-noise-settled = 批大小 { $batch_size } 在取得第一个样本前结束。请重新测量。
measure-size-left-out = 批大小为 { $samples } 时模型无法运行，因此只测量了更大的批大小：`{ $text }`。
measure-does-not-fit = 未测量 { $device }：{ $samples ->
    [1] 一个样本就需要
   *[other] 该模型训练至少要 { $samples } 个样本，需要
    } { $need_bytes }，而可用的只有 { $limit_bytes }。请选择更小的模型、激活检查点或半精度。
measure-memory-handed-back = 批大小为 { $batch_size } 时，{ $device } 每步有 { $system_fraction } 的处理器时间花在系统里；若进程保留每步释放的内存，而不是交还系统再重新申请，这一比例为 { $kept_fraction }：一步用时从 { $step_s } 变为 { $kept_step_s }，两者均为本机实测。如需如此，请在启动 Python 之前设置 MALLOC_MMAP_MAX_=0 和 MALLOC_TRIM_THRESHOLD_=-1；进程会因此占用更多内存。
measure-memory-handed-back-unclear = 批大小为 { $batch_size } 时，{ $device } 每步有 { $system_fraction } 的处理器时间花在系统里；若进程保留每步释放的内存，而不是交还系统再重新申请，这一比例为 { $kept_fraction }。测量受到干扰，无法判断一步能快多少。如需尝试，请在启动 Python 之前设置 MALLOC_MMAP_MAX_=0 和 MALLOC_TRIM_THRESHOLD_=-1；进程会因此占用更多内存。
measure-sizes-left-out = 在 { $device } 上以 { $precision } 测量时，从 { $batch_size } 起的 { $count } 个批大小因时间或内存不足而未测量，由较小的批大小预测得出。增大预算（--budget）或可测量它们。
measure-part-of-layers = 完整模型超出预算，只运行了 { $all } 个模块中的 { $layers } 个，其余按直线外推。增大预算（--budget）可测量完整模型。
measure-numbers-cannot-run = 以数字描述的模型无法在此运行，其用时为预测值。要实测请给出模型本身。
measure-cancelled = 测量已取消，已测得的结果予以保留。其余部分请重新测量。
measure-no-time = 未测量 { $device }：预算中没有它的时间。请增大预算（--budget）或指定设备（--device）。
measure-like-another = 未测量 { $device }：由相同的 GPU（{ $twin }）代表。增大预算（--budget）可逐一测量。
measure-gpu-unusable = { $gpu } 目前无法使用。原因见 --detect。
measure-gpu-hidden = { $gpu } 被 CUDA_VISIBLE_DEVICES 隐藏。要测量请修改该变量。

## 设备被他人使用
measure-others-hold-memory = 测量前其他程序占用了此 GPU 的 { $used_bytes } 显存。请结束它们后重新测量。
measure-others-use-gpu = 测量前其他程序正在使用此 GPU（{ $busy_fraction }）。请结束它们后重新测量。
measure-cpu-pressure = 其他程序也在争用处理器：{ $pressure_fraction } 的时间里有任务在等待核心。请结束它们后重新测量。
measure-cpu-stolen = 虚拟机的宿主占用了 { $steal_fraction } 的处理器时间。请在其空闲时重新测量。
measure-cpu-waited = 测量线程只有 { $share_fraction } 的时间占有核心。请结束其他程序后重新测量。
measure-cpu-shared = 测量期间其他程序使用了 { $foreign_cores } 个核心。请结束它们后重新测量。

## 设备受限
measure-throttled-bits = { $gpu } 因过热或硬件原因降速（原因 { $bits }）。请改善散热后重新测量。
measure-throttled-low-clock = { $gpu } 只运行在默认频率的 { $clock_fraction }。请检查散热、供电和功率限制。
measure-throttled-hot = { $gpu } 升温后频率下降了 { $fall_fraction }。请改善散热后重新测量。
measure-throttled-dropped = 因 GPU 降速，{ $all } 个样本中舍弃了 { $dropped } 个。请改善散热后重新测量。
measure-power-capped = { $gpu } 运行在功率上限，满载时属正常；提高上限可能更快。
measure-launch-bound = 一步中 GPU 有 { $waiting_fraction } 的时间在等待主机。增大批大小或使用 torch.compile 可更好地利用它。

## 实际运行与要求不同之处
measure-lamb-as-adamw = torch 没有 LAMB：各步以 AdamW 测量。预测按 LAMB 计算。
measure-compile-not-applied = 编译耗时超过预算，测量时未使用 torch.compile。可与 --predict 对照。
measure-optimizer-bits-not-applied = 8 位优化器状态按 32 位测量。预测的内存按 8 位计算。
measure-cpu-tf32-is-fp32 = TF32 只存在于 GPU：处理器以 FP32 测量。要同等比较请指定 fp32。
measure-cpu-fp16-as-bf16 = 处理器没有 { $asked }：已测量 FP32；此处理器支持 bfloat16 运算，因此也测量了 { $measured }。要同等比较请指定 { $measured }。
measure-cpu-half-as-fp32 = 此处理器没有 { $asked } 指令：以 FP32 测量，在其上反而更快。要同等比较请指定 fp32。

## 工作进程
measure-worker-failed = 测量 { $device } 失败：{ $text } 请附日志报告此问题。
measure-worker-died = 测量 { $device } 的工作进程自行结束（代码 { $code }），已测得的结果予以保留。请查看日志后重新测量。
measure-worker-died-early = 测量 { $device } 的工作进程自行结束（代码 { $code }），此前还没有测得任何一步。请查看日志后重新测量。
measure-worker-killed = 测量 { $device } 的工作进程被杀死，很可能因为内存不足；已测得的结果予以保留。请释放内存或减小批大小。
measure-worker-killed-early = 测量 { $device } 的工作进程被杀死，很可能因为内存不足；此前还没有测得任何一步。请释放内存或减小批大小。
measure-worker-hung = 测量 { $device } 的工作进程未按时应答，已被终止；已测得的结果予以保留。请增大预算（--budget）或查看日志。
measure-worker-hung-early = 测量 { $device } 的工作进程未按时应答，已被终止；此前还没有测得任何一步。请增大预算（--budget）或查看日志。
measure-worker-too-large = 测量 { $device } 的工作进程占用内存超限，已被终止；已测得的结果予以保留。请减小批大小。
measure-worker-too-large-early = 测量 { $device } 的工作进程占用内存超限，已被终止；此前还没有测得任何一步。请减小批大小。
measure-trace-failed = 无法追踪该模型：{ $text } 请以数字描述模型，或查看日志。
input-refused = { $said }
worker-said = { $text }
worker-torch-missing = 未安装 { $package }。请执行 pip install "training-advisor[measure]"。
worker-torch-broken = 无法导入 torch：{ $text } 请重新安装 torch（pip install --force-reinstall torch）。
worker-out-of-memory = 内存耗尽：{ $text } 请减小批大小，或释放其他程序占用的内存。
worker-model-failed = model.config：{ $model } 在此失败：{ $error }。请以 Python 文件给出模型及其批次。
worker-unknown-type = model.config：`model_type` 为 { $given }，已安装的 transformers 无法构建。
worker-unknown-type-remedy = 请改用含 build_model 的 Python 文件给出模型。
worker-config-key-ignored = model.config：{ $model } 在各部分之外不接受 `{ $key }`，建出的将是另一个模型。
worker-config-key-ignored-remedy = 请把 `{ $key }` 及相关各项写入 `text_config`。
worker-config-key-unknown = model.config：{ $model } 没有 `{ $key }` 这一项。
worker-config-refused = model.config：transformers 无法构建此 { $model }：{ $error }。请更正配置。
worker-config-needs-library = model.config：缺少此处未安装的库，transformers 无法构建此 { $model }：{ $error }。请在 Advisor 所用的环境中安装它，或选择不需要它的配置（DETR 及同类模型用 `use_timm_backbone: false`）。
worker-no-task-model = model.task：transformers 没有 { $model } 类型的 { $task } 模型。请选择其他任务，或不填该项。
worker-part-of-model = model.config：{ $model } 描述的是另一模型的一部分，transformers 没有单独的此类模型。请给出整个模型的配置。
worker-mixes-types = model.config：{ $model } 把 16 位权重与自身产生的 FP32 数混合运算（{ $error }），torch 在设备上同样会拒绝。请在自动混合精度下训练：bf16_amp 或 fp16_amp。
worker-not-running = model.config：{ $model } 已构建，但无法在此处为它生成的数据（{ $given }）上运行：{ $error }。请以 Python 文件给出模型及其批次。
worker-no-forward = model.config：transformers 只能逐部分运行 { $model }：它的类 { $class } 没有可构成训练步的前向计算。请以 Python 文件给出要训练的部分及其批次。
worker-no-class = model.config：已安装的 transformers 没有 `architectures` 所指的类 { $named }（类型 { $model }）。请以 `task` 给出任务头，或去掉 `architectures` 以使用裸模型，或给出 Python 文件。
worker-users-code-failed = 模型自身的文件抛出 { $error }。请修正该文件，日志中有调用栈。
worker-file-is-code = { $file }：此文件是代码（SHA-256 { $digest }），会以您的权限运行。请阅读后允许其运行（--allow-code）。
worker-file-changed = { $file }：该文件在获准运行之后已被改动。请重新阅读并再次允许。
worker-file-not-python = { $file }：这不是 Python 文件。请给出以 .py 结尾的文件。
worker-file-lacks-module = { $file }：它导入 { $module }，而本程序所在的环境中没有安装。请将其安装到同一环境中；日志中有调用栈。
worker-file-lacks-distribution = { $file }：它导入 { $module }，而本程序所在的环境中没有安装。请将提供它的 { $distribution } 安装到同一环境中；日志中有调用栈。
worker-file-module-elsewhere = { $file }：它导入的 { $module } 位于 { $folder }，而 Python 默认不在那里查找。请设置 PYTHONPATH={ $folder }。
worker-file-ends-itself = { $file }：它在被导入时就结束了程序，例如立即读取命令行参数的脚本。请把训练部分放到 `if __name__ == "__main__":` 之下，位于 build_model 和 make_batch 之后。
worker-file-own-optimizer = { $file }：training_step 自行执行了优化器的一步（{ $optimizer }）。请只返回损失：反向传播与优化器更新由本程序按任务的 `optimizer` 执行并计时。
worker-file-own-lbfgs = { $file }：training_step 执行 { $optimizer } 的一步，它每步要多次计算损失和梯度（最多 `max_eval` 次，不设置时为 25 次），此处没有它的模型。请只返回损失并设 `optimizer = "sgd"`：这样一步就是一次计算，而实际的一步需要若干次。
worker-file-own-backward = { $file }：training_step 自行调用了 backward。请只返回损失：其后的反向传播与优化器更新由本程序执行并计时。
worker-file-run-failed = { $file }：运行时抛出 { $error }。请修正该文件，日志中有调用栈。
worker-file-same-batch = { $file }：make_batch 忽略了批大小：{ $first } 与 { $second } 得到相同的张量。请按要求的数目生成样本；样本是整张图时，请生成相应数目的图。
worker-file-no-samples = { $file }：make_dataset 返回了 { $given }，其样本无法计数和索引。请返回带有 __len__ 和 __getitem__ 的 torch.utils.data.Dataset。
worker-file-lacks = { $file }：其中没有定义 { $name }。模型文件须定义 build_model(**arguments) 和 make_batch(batch_size, length, **arguments)。
worker-file-call-failed = { $file }：{ $function } 抛出 { $error }。请修正该文件，日志中有调用栈。
worker-file-arguments = model.arguments：{ $file } 中的 build_model 不接受 { $unknown }。它{ $count ->
        [0] 不接受任何参数
       *[other] 接受 { $names }
    }。
worker-file-no-module = { $file }：build_model 返回了 { $given }，而这里需要 nn.Module。请返回模型本身。
worker-file-no-batch = { $file }：make_batch 返回了 { $given }，而这里需要张量的元组（最后一个为目标）或张量的字典；张量的位置也可以是列表（每个样本占一项），或由张量组成的字典、元组。请返回 (inputs, targets)，或以模型 forward 的参数名为键的字典；若 training_step(model, batch) 只需一个张量，或模型自己返回损失，可直接返回该张量。
worker-file-batch-names = { $file }：make_batch 返回的字典的键为 { $given }，而 { $model } 的 forward { $count ->
        [0] 没有参数
       *[other] 的参数为 { $wanted }
    }。请按 forward 的参数命名张量，或返回元组 (inputs, targets)，或定义 training_step(model, batch)。
worker-file-call = { $file }：按 { $wanted } 调用，但定义为 { $given }。请接受这些参数，或（对 build_model、make_batch 和 make_dataset）在 model.arguments 中给出所缺的参数。
worker-file-opens-missing = { $file }：它要打开 { $opened }，而该文件不存在；相对路径先在本命令所在的文件夹中查找，再从 { $folder } 起在该文件周围查找。请写出从根目录开始的路径，或去掉这一读取：给出建议只需要模型的各种尺寸，不需要训练好的权重和真实样本。日志中有调用栈。
worker-file-downloads = { $file }：它要从网络获取内容，但没有得到（{ $error }）。请不带预训练权重构建模型（torchvision 中用 `weights=None`，timm 中用 `pretrained=False`），任何数字都与权重无关；并用模型自己的类代替 torch.hub。或者在有网络的机器上单独运行一次 build_model()：这些库下载的内容之后会在其缓存中找到。
worker-file-asks-hub = { $file }：它要从 Hugging Face Hub 加载内容，而文件运行期间不会下载任何东西（{ $error }）。请用文件中写明的配置构建模型（`AutoModel.from_config` 或模型自己的类），或用模型的 Hub ID 代替该文件，或事先下载（`hf download`）：缓存中已有的内容能够找到。
worker-file-step-failed = { $file }：{ $function } 处理 { $given } 时抛出 { $error }。请修正模型、make_batch 或 training_step；日志中有调用栈。
worker-file-step-failed-half = { $file }：{ $function } 处理 { $given } 时抛出 { $error }。所有 16 位精度（包括 BF16）都以 float16 追踪。请转换不接受 16 位的运算（如 torch.fft 和 torch.linalg）的输入（`x.float()`），或把两种类型的张量统一；也可以用 fp32 或 tf32 训练。日志中有调用栈。
worker-file-step-unread = { $file }：其中定义了 `{ $name }`，但这里不会调用它：文件自己的损失应由 `training_step(model, batch)` 返回。请改名。没有它时使用了通常的损失。
worker-file-no-loss = { $file }：training_step 返回了 { $given }，而这里需要损失，即只含一个数的张量。请返回损失。
worker-file-no-own-loss = { $file }：{ $model } 的 forward 返回了 { $given }，其中没有损失。请让它返回损失（一个数）、带有 loss 属性的对象或带有该键的字典，或让 make_batch 返回元组 (inputs, targets)，或定义 training_step(model, batch)。
worker-file-no-losses = { $file }：{ $model } 在得到整个批次后返回了 { $given }，而这里需要损失，或由各项损失组成的字典。请定义返回损失的 training_step(model, batch)。
worker-file-no-output = { $file }：{ $model } 的 forward 返回了 { $given }，而这里需要张量，或以张量开头的元组。请定义返回损失的 training_step(model, batch)。
worker-not-built = { $workload }：以数字给出的模型无法构建，改为由其总量预测。
worker-no-blocks = `training.activation_checkpointing`：该模型没有重复的块。请设为 none。
worker-no-linear-layer = `training.trainable` 为 `lora`，但该模型除输出头外没有线性层。请训练全部参数或只训练头部。
worker-no-such-layer = `training.lora_targets` 指定了 { $given }，没有这样命名的线性层。
worker-no-such-module = `training.modules_to_save` 指定了 { $given }，没有这样命名的带权重模块。
worker-no-linear-head = `training.chunked_loss` 为 true，但该模型没有线性输出头。请设为 false。
worker-no-such-optimizer = { $workload }：`training.optimizer` 为 `{ $optimizer }`，torch 没有该优化器：只作预测，不运行。请用 adamw 测量，或使用 --predict。
worker-mlp-layers = mlp 的 `model.layers` 至少需要两个大小。请给出输入、隐藏和输出的大小。
worker-recurrent-layers = 循环模板的 `model.layers` 列出了不同的大小。请为每层给出相同的隐藏大小。
worker-transformer-layers = transformer 的 `model.layers`：各宽度须相等并能被其 { $heads } 个头整除。请为每个块给出宽度。
worker-no-kernels-for-gpu = 已安装的 torch 没有适用于 { $device } 的内核。请安装架构列表包含其计算能力的版本。
worker-driver-too-old = { $device } 的驱动对已安装 torch 的 CUDA 版本来说过旧。请更新驱动，或安装面向较旧 CUDA 的 torch。
worker-cpu-only-torch = 已安装的 torch 是仅 CPU 版本，因此未测量 { $device }。请安装带 CUDA 的 torch；对它的预测仍会给出。
worker-gpu-hidden = 驱动报告了 { $device }，但 torch 看不到它。请检查 CUDA_VISIBLE_DEVICES、容器的 GPU 设置和 /dev/nvidia* 的权限。
worker-fabric-manager = { $device } 尚未就绪（CUDA 错误 802）。请启动 NVIDIA fabric manager 服务后重新测量。
worker-gpu-busy = { $device } 被其他进程独占（独占计算模式）。请等待其空闲，或将计算模式改为默认。

## 由本机测量得出的预测
local-other-precision = 此设备未测量 { $asked }，其用时由 { $measured } 推算，范围更宽。以 --precision { $asked } 测量可得确值。
local-disproved = 批大小 { $sizes } 的实测用时比更大的批还长，说明受到了其他程序的干扰；这些用时不予采用，改由其余批大小推算。请关闭其他程序后重新测量。
local-extended-layers = 用时由模型的部分模块按直线外推得出。增大预算（--budget）可测量完整模型。
local-rates-only = 此设备未测量过该模型的步，用时仅由校准得出。请增大预算（--budget）。

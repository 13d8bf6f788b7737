# 工作负载描述中未说明之处，以及构建出的模型与描述不同之处。

workload-totals-only = 只知道模型的总量：各层按普通矩阵乘计算，不含小算子和输入数据的大小，区间因此更宽。
workload-weights-bits-predicted-only = { $bits } 位权重只做预测：实测时权重按该步自身的精度存放。
workload-weights-not-prepared = 预测未计入 PEFT 的 prepare_model_for_kbit_training（归一化层和层间数据保持 FP32）：公开的单卡训练中，它使单步时间变为 1.25 至 1.3 倍。若会调用它，请将 unpacked_bits 设为 32。
workload-experts-whole = 专家层按压缩后计算，即每个专家都是单独一层时的情形。bitsandbytes 只压缩线性层：专家以堆叠权重存放时（如 transformers 5），它们保持 16 位，所有设备合计多占 { $more_bytes }。GPTQ 的库会压缩它们（`quantization = "gptq"`）。
workload-fused-layers-predicted-only = 融合层只做预测：实测时运行模型自身的层。
workload-fp8-predicted-only = FP8 乘法只做预测：实测时用 BF16 自动混合精度。
workload-offload-predicted-only = 卸载到主机内存（{ $what }）只做预测：实测时全部保存在设备上。
workload-optimizer-bits-predicted-only = 8 位优化器状态只做预测：实测时以 FP32 存放。
workload-attention-eager-only = transformers 没有为 `{ $model }` 提供融合注意力，因此以 eager 方式运行。
workload-attention-eager-unless-flash = transformers 没有为 `{ $model }` 提供 SDPA：默认以 eager 方式运行，预测也按此进行。设 attention = "flash" 则按 transformers 可为其调用的 flash 内核预测，这些内核需另行安装。
workload-attention-flash-alone = transformers 没有为 `{ $model }` 提供 SDPA：按 transformers 可为其改用的 flash 内核预测，这些内核需另行安装；在本机实测的步骤以 eager 方式运行。
workload-attention-fused-elsewhere = transformers 没有为 `{ $model }` 提供融合注意力：按其作者自己的库所调用的 flash 内核预测。
workload-activation-in-parts = transformers 中的激活函数 `gelu_new` 要运行八个内核；换成 `gelu_pytorch_tanh` 只需一个内核，结果相同，其他库也是如此。
workload-positions-lengthened = 按配置，`{ $model }` 只有 { $limit } 个 token 的位置；长度为 { $length } 的样本按同样长的位置表预测。
workload-head-tied = 输出头与 `{ $weight }` 共享权重：两者都会训练，反向传播要经过整个模型，因此冻结其余部分能省显存，但几乎不省时间。
workload-frozen-parts = { $parameters } 个参数中有 { $trained } 个参加训练：其余的在构建模型时被{ $source ->
    [file] 文件
   *[library] 模型所属的库
  }冻结。单步时间和显存均照此预测，脚本也只训练这些。
workload-half-batch-norm = 在 { $precision } 下批归一化也使用半精度，与 `model.half()` 的做法相同：追踪、实测和预测均按此进行。若将其保留为 FP32，训练更稳定，时间和显存略有增加。
workload-last-batch-single = 每轮的最后一个批次只有一个样本：{ $samples } 个样本不能被批大小 { $batch } 整除（{ $devices } 个设备）。此时该模型的某个批归一化层在每个通道上只有一个值，torch 会报错 "Expected more than 1 value per channel when training" 并终止训练。请像启动脚本那样给 DataLoader 传入 `drop_last=True`，或改用其他批大小。
workload-batches-single = 每个批次只有一个样本：此时该模型的某个批归一化层在每个通道上只有一个值，torch 会报错 "Expected more than 1 value per channel when training" 并终止训练。请使用 2 或更大的批大小；梯度累积无济于事。
workload-own-batch-single = 工作负载给出的批大小为 1，无法训练：此时该模型的某个批归一化层在每个通道上只有一个值，torch 会报错 "Expected more than 1 value per channel when training" 并终止训练。每个设备只有一个样本的方案已被排除；梯度累积无济于事。
workload-no-head = 配置中没有 "architectures"：所预测的是其基类 { $built }，不带任务头部。若训练其他类，请在其中写明（例如 { $other }）。
workload-other-class = 已安装的 transformers 没有配置所指的类 { $named }：改为预测 { $built }。若新版本提供该类，请更新 transformers。
workload-keeps-cache = { $file } 中的模型保留了 transformers 默认的 use_cache：除非其训练步传入 use_cache=False，每次前向都会保留只有生成才用得到的键和值，其显存已计入。设置 model.config.use_cache = False 即可省去。
workload-step-unread = { $file } 中的 `{ $name }` 没有被调用：损失取输出的 cross-entropy、均方误差或输出自带的损失。若要使用它，请命名为 `training_step(model, batch)` 并让它返回损失。
workload-reads-elsewhere = { $file } 在运行时的文件夹中查找 { $name }，它在 { $folder } 中找到；模型按在那里运行的方式构建。训练时也请在那里运行。
workload-optimizer-unread = { $file } 中的 `{ $name }` 没有被调用：优化器取任务中所写的那个。若文件使用其他优化器，请在任务中用 `optimizer` 说明。
workload-compiles-itself = { $file } 自行编译其模型，而预测按未编译的代码进行。任务中的 `compile = true` 会计入 torch.compile 的作用。
workload-wraps-itself = { $file } 把模型包在 { $wrapper } 中，所有预测都不含这一层：各种显卡与策略均以原模型比较。请让 build_model 返回原模型。
workload-own-side = 图像为 { $height } × { $width } 像素，即该模型类的默认尺寸，而不是所假设的 { $side } × { $side }。请在配置或 `data.image_size` 中给出边长。
workload-text-only = `{ $model }` 的训练步不含图像：只运行其文本部分。
workload-stored-packed = 该配置的权重以量化形式发布（{ $method }），而此处按未量化预测。{ $packing ->
    [known] 设置 `trainable = "lora"` 和 `quantization = "{ $method }"` 即按原样预测。
   *[unknown] 这类权重上的训练步没有预测。
  }
workload-assumed-values = 未给出、因而采用默认假设的项：{ $fields }。
assumed-samples = { $value } 个训练样本
assumed-loader-workers = { $value } 个数据加载进程
assumed-image-size = { $value } 像素的图像
assumed-sequence-length = 每个序列 { $value } 个词元
assumed-batch-length = 传给 make_batch 的 length 为 { $value }（词元数或图像边长）
assumed-speech-length = 每段录音 { $value } 个采样点（16 kHz 下 10 秒）
assumed-precision = 精度 { $value }
assumed-optimizer = 优化器{ $value ->
        [adamw] { " AdamW" }
        [adam] { " Adam" }
        [sgd] { " SGD" }
        [sgd_momentum] 带动量的 SGD
        [adafactor] { " Adafactor" }
        [lamb] { " LAMB" }
       *[none] 无
    }
assumed-epochs = { $value } 轮
assumed-batch-size = 每个设备批大小 { $value }
assumed-frozen-bits = 冻结权重 { $value } 位
assumed-other = { $value }

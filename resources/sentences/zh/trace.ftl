# 追踪模型时的说明。
trace-phase = 正在追踪模型
trace-memory-streams-differ = 无法预测显存：模型在一种批量下分配 { $first } 次，在另一种批量下分配 { $second } 次。
trace-not-affine = 单步的计算量与批量不成线性关系：批量为 { $batch } 时，算子表的误差达 { $error_fraction }。
trace-long-loop = 该模型用 Python 逐轮执行一个 { $count } 轮的循环，例如沿词元的扫描或逐个执行专家；相同的各轮只追踪其中一轮。若有软件包把整个循环作为一个内核提供（如 Mamba 的 mamba_ssm），则一步所需的时间和内存远少于此处所示。torch.compile 会把每一轮单独展开，编译耗时很长。
trace-loops-over-samples = 该模型逐个处理批次中的样本。这里按一起处理来计算，如同处理打包样本的内核那样：真正逐个处理的步骤会更慢。
trace-own-half = 无论选择哪种精度，模型自身都让 { $share_fraction } 的矩阵乘法和卷积以 16 位运行，这里照此计算。
trace-own-single = 虽然选择了 16 位，模型自身仍让 { $share_fraction } 的矩阵乘法和卷积以 32 位运行，这里照此计算。
trace-even-routing = 该模型按运行时的数值作选择（例如哪些专家处理哪些词元）：这里按每种选择出现得同样多来计算。若偏向其中一部分，单步用时会不同，多半更慢。
trace-at-two-sizes = 仅在两种批大小下追踪，没有用第三种批大小核对：该模型按数值所作的选择在更大的批大小下过大，无法保留。
trace-sizes-by-values = { $values ->
    [lengths] CTC 损失保留多少取决于一批中最长的目标序列：此处采用 make_batch 样本的长度。目标更长，显存和用时更多；更短则更少。
   *[boxes] 该模型保留多少取决于数值（例如非极大值抑制后的框）：它以 build_model 的权重与 make_batch 的样本在本机处理器上运行过，此表采用由此得到的大小。换成其他图像或训练好的权重，保留的数目会增减，单步用时也随之变化。
}
trace-depends-on-data = 该模型依张量的值作判断（{ $detail }），不运行就无法追踪。能运行它的设备改为实测；其他 GPU 请以数字描述。
trace-shape-depends-on-data = 该模型生成大小取决于数值的张量（{ $detail }），不运行就无法追踪。能运行它的设备改为实测；其他 GPU 请以数字描述。
trace-depends-on-batch = 该模型在其他批大小下运行不同的算子（{ $detail }），一次追踪无法回答所有批大小。能运行它的设备改为实测；其他 GPU 请以数字描述。
trace-runs-too-long = 该模型保留什么取决于数值，需先在本机处理器上实际运行，而这将超过 { $limit_s }。请让 `make_batch` 给出更小的样本；能运行它的设备改为实测。
trace-torchvision-unfit = 该模型调用 torchvision 的编译算子（如非极大值抑制），而已安装的 torchvision 并非为 PyTorch { $detail } 构建。请从同一来源安装两者，例如 `pip install --force-reinstall torch torchvision`。
trace-packed-lengths = 该模型打包的序列长度在每个批次中重新抽取，因此没有对所有批大小都成立的行数（{ $detail }）。请让 `make_batch` 给出不随批大小变化的长度（例如每个序列都取数据的平均长度），或以数字描述该模型。
trace-unknown-operators = 部分算子的计算量未知（{ $operators }，占全部调用的 { $share_fraction }）：只计入其访存，因此实际单步时间可能大于所给数值；为此已放宽范围的上端。请实测一步以确认。
trace-compiled-twice = `training.compile`：该模型的损失中含有梯度（`create_graph=True`），torch 会报错 "torch.compile with aot_autograd does not currently support double backward" 并终止训练。请去掉 compile。
trace-compiled-breaks = `training.compile`：该模型会根据数值作选择，编译出的计算图在每个选择处都会断开。这里的数字按不断开的单步计算：编译带来的收益可能所剩无几，请分别在启用与不启用编译时计时几步。
trace-no-parameters = 模型没有要训练的参数：全部被冻结，或只是缓冲区。请把要学习的量设为 nn.Parameter，或选择 `inference` 模式。
trace-nothing-to-train = 损失不依赖任何可训练参数。请检查 `training.trainable`：权重共享时，头部可能没有自己的参数。
trace-unrated-type = 无论旁边写的是什么精度，该模型都以此处不知其速度的类型计算（{ $detail }），绝不当作 FP32。能运行它的设备可用 --measure 按其原样实测；除非改用 float32 计算，否则无法给出其他 GPU 的结果。
trace-sparse = 该模型生成稀疏张量（{ $detail }），此处不知处理它们的一步要多久。能运行它的设备可用 --measure 和 `optimizer = "sgd"` 实测，因为 torch 的 Adam 和 AdamW 不接受稀疏梯度；其他 GPU 请改用稠密张量，例如嵌入层取 `sparse=False`。
trace-worker-hung = 追踪模型超过 { $limit_s }（不计等待处理器核心的时间），已被终止。
trace-worker-too-large = 追踪模型占用的内存超过 { $limit_bytes }，已被终止。
trace-worker-killed = 追踪模型的进程被外部终止，多半是内存耗尽。
trace-worker-died = 追踪模型的进程自行结束（代码 { $code }）。

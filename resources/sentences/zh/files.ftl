## 读取文件时可能出现的问题
file-missing = { $path }：没有这个文件。
file-missing-remedy = 请检查路径。
file-no-regular = { $path }：这不是普通文件。
file-no-regular-remedy = 请给出文件的路径。
file-is-advice = { $path }：这是一份已保存的建议。
file-is-advice-remedy = 请用 --open 打开。
file-is-config = { $path }：这是模型的配置文件。
file-is-config-remedy = 它描述一个训练任务：请交给 --predict 或 --measure。
file-is-adapter = { $path }：这是适配器的配置文件，其中不含它所训练的模型。
file-is-adapter-remedy = 请提供该模型的 config.json，并加上 --trainable lora。
file-is-workload = { $path }：这个文件描述一个训练任务。
file-is-workload-remedy = 请交给 --predict 或 --measure。
file-is-prices = { $path }：这是价格文件。
file-is-prices-remedy = 请用 --prices 给出。
file-is-gpus = { $path }：这个文件描述您自己的 GPU。
file-is-gpus-remedy = 请用 --gpu-file 给出。
file-is-claims = { $path }：这是说法文件。
file-is-claims-remedy = 请交给 --claim-file。
file-is-runs = { $path }：这是训练记录表。
file-is-runs-remedy = 请交给 --evaluate。
file-is-python = { $path }：这是 Python 代码。
file-is-python-remedy = 定义了 build_model() 和 make_batch() 的文件请交给 --predict 或 --measure。
file-unreadable = { $path }：无法读取文件（{ $detail }）。
file-unreadable-remedy = 请检查路径和权限。
file-too-large = { $path }：文件超过 { $limit } 字节。
file-too-large-remedy = 这样的文件不是手写的描述：请缩短或拆分。
file-no-text = { $path }：第 { $place } 字节不是 UTF-8。
file-no-text-remedy = 请将文件保存为 UTF-8 文本。
file-no-toml = { $path }：从第 { $line } 行第 { $column } 列起不是有效的 TOML，{ $found ->
    [line-end] 该行在此结束
   *[other] 此处为 { $found }
}。
file-no-toml-remedy = 请更正所指的那一行。
file-no-toml-cut = { $path }：不是有效的 TOML：第 { $line } 行或之前开始的内容没有结束。
file-no-toml-cut-remedy = 请检查是否缺少值，或有引号、括号没有闭合。
file-toml-backslash = { $path }：第 { $line } 行的双引号内有单个反斜杠，TOML 会把它当作转义符。
file-toml-backslash-remedy = 请把路径写在单引号内：'C:\models'。
file-toml-again = { $path }：第 { $line } 行重复设置了前面已经设置过的名称。
file-toml-again-remedy = 请只保留其中一个。
file-no-json = { $path }：从第 { $line } 行第 { $column } 列起不是有效的 JSON，{ $found ->
    [line-end] 该行在此结束
   *[other] 此处为 { $found }
}。
file-no-json-remedy = 请更正所指的那一行。
file-no-json-cut = { $path }：不是有效的 JSON：内容在第 { $line } 行中断。
file-no-json-cut-remedy = 请确认文件已完整保存或下载。
file-no-number = { $path }：{ $given } 不是 JSON 中的数字。
file-dots = { $path }：第 { $line } 行的点超过 { $limit } 个。
file-dots-remedy = 请改用嵌套的表，不要用带点的键。
file-told = { $path }：{ $detail }。
file-correct = 请更正文件。
file-too-deep = { $path }：嵌套超过 { $limit } 层。
file-too-deep-remedy = 请减少嵌套。
file-text-too-long = { $path }：文本超过 { $limit } 字节。
file-text-too-long-remedy = 请缩短文本。
file-digits = { $path }：有一个数超过 { $limit } 位。
file-real-figure = 请给出真实模型的数值。
file-not-finite = { $path }：`{ $field }` 为 { $given }。
file-not-finite-remedy = 只允许有限的数。
file-beyond-64-bits = { $path }：`{ $field }` 是超过 64 位的整数。
file-half-character = { $path }：`{ $field }` 含有半个字符（单独的代理码）。
file-half-character-remedy = 请更正文本。
file-no-plain = { $path }：`{ $field }` 的类型是 { $given }。
file-no-plain-remedy = 只读取数、文本、列表和表；日期或时间请加引号。
## 字段的问题及其允许的值
file-unknown-field = { $path }：没有名为 `{ $field }` 的字段。
file-did-you-mean-one = 是否指 { $names }？
file-did-you-mean = 是否指 `{ $word }`？
file-known-fields = 已知字段：{ $names }。
file-known-layers = 这个模型的线性层：{ $names }。
file-known-modules = 这个模型中带权重的模块：{ $names }。
file-missing-field = { $path }：缺少 `{ $field }`。
file-add-it = 请补上。
file-wrong-field = { $path }：`{ $field }` 为 { $given }。
file-wrong-whole = { $path }：整个内容为 { $given }。
file-allowed = 允许：{ $kind }。
file-say-in-fields = 请这样写：{ $fields }。
file-allowed-or-meant = 允许：{ $kind }。是否指 `{ $word }`？
file-kind-integer = 整数
file-kind-number = 数
file-kind-boolean = true 或 false
file-kind-text = 文本
file-kind-table = 表
file-kind-list = 列表
file-kind-text-of = { $low } 到 { $high } 个字符的文本
file-kind-text-like = 形如 { $pattern } 的文本
file-kind-text-such-as = { $examples } 这样的文本
file-kind-list-of = { $low } 到 { $high } 项的列表
file-kind-in-unit = { $kind }（单位 { $unit }）
file-kind-either = { $kind }或{ $other }
file-range-from = 不小于 { $from } 的{ $kind }
file-range-over = 大于 { $over } 的{ $kind }
file-range-to = 不大于 { $to } 的{ $kind }
file-range-below = 小于 { $below } 的{ $kind }
file-range-from-to = { $from } 到 { $to } 的{ $kind }
file-range-from-below = 不小于 { $from }、小于 { $below } 的{ $kind }
file-range-over-to = 大于 { $over }、不大于 { $to } 的{ $kind }
file-range-over-below = 大于 { $over }、小于 { $below } 的{ $kind }
## 已保存的建议可能出现的问题
file-no-advice-json = { $path }：从第 { $line } 行第 { $column } 列起不是 JSON，{ $found ->
    [line-end] 该行在此结束
   *[other] 此处为 { $found }
}。
file-no-advice-json-remedy = 文件已损坏，或不是由本程序保存的。工作负载文件请用 --predict，训练日志请用 --log。
file-no-advice-json-cut = { $path }：文件不完整：内容在第 { $line } 行中断。
file-no-advice-json-cut-remedy = 请复制完整的文件，或从其来源重新生成。可以打开的是已保存的建议或模型的配置。
file-advice-remedy = 请给出由本程序保存的 JSON 文件的路径。
file-advice-large = { $path }：比任何建议都大（超过 { $limit } 字节）。
file-no-version = { $path }：缺少 schema_version：这不是已保存的建议。
file-no-version-remedy = 请打开用 --json 或在窗口中保存的文件。
file-odd-version = { $path }：从未有过 schema_version { $version }。
file-newer-version = { $path }：schema_version { $version } 比本程序的 { $known } 更新。
file-newer-version-remedy = 请用更新版本的 advisor 打开；文件保持原样。
file-changed = 文件被改动或已损坏；不显示其中任何内容。
file-not-shown = { $path }：其内容无法显示（{ $detail }）。
file-not-shown-remedy = 文件被改动或已损坏，或由本程序的另一版本写成：请用该版本打开，或重新求取建议。
## 工作负载、配置或模型文件可能出现的问题
file-code-missing = { $path }：`model.file` 为 { $given }，没有这个文件。
file-code-missing-remedy = 路径相对于工作负载文件所在的文件夹。
file-code-no-file = { $path }：model.file 所指的文件不存在。
file-code-large = { $path }：不运行超过 1 MiB 的模型文件。
file-code-large-remedy = 请将数据移出该文件。
file-no-workload-in = { $given } 不是自带的工作负载，{ $path } 中也没有这样的 TOML 文件。
file-bundled = 自带的有：{ $names }。
file-no-kind = { $path }：{ $given } 类型的文件不能描述工作负载。
file-no-kind-remedy = 请给出 .toml 文件、config.json、其所在文件夹或 .py 文件。
file-unknown-workload = { $given } 不是自带的工作负载，也不是文件或文件夹。
file-of-the-hub = 如果它是模型库中的模型，请用 --allow-hub 允许获取其 config.json。
file-by-the-program = { $path }：`{ $field }` 由程序设置。
file-by-the-program-remedy = 请去掉它。
file-no-config-in = { $path }：文件夹中没有 config.json。
file-no-config-in-remedy = 请给出模型所在的文件夹。
file-unknown-config = { $path }：`model.config` 为 { $given }，它不是自带的配置，也不是文件。
file-no-bundled-config = { $path }：{ $given } 不是自带的配置。
file-config-double = { $path }：字段 `dtype`：权重为 float64，本程序不对其作预测，也未指明其他精度。
file-config-double-remedy = 若以其他精度训练，请指明（--precision bf16_amp，或 [training] 下的 `precision`），或在该处写 `float32` 或 `bfloat16`。
file-config-no-table = { $path }：配置应是由键组成的表。
file-config-no-table-remedy = 请给出模型的 config.json。
file-no-model-type = { $path }：缺少 `model_type`。
file-no-model-type-remedy = 请给出 transformers 能够构建的模型的 config.json。
file-config-of-library = { $path }：这是 { $library } 的配置（{ $model }），而这里只能由 transformers 的配置构建模型。
file-config-of-library-remedy = 请在带有 `build_model` 和 `make_batch` 的 Python 文件中构建该模型，并加上 --allow-code 给出它。
file-config-product = { $path }：其层数、宽度、专家数和词数合计约 { $weights } 个参数。
file-config-product-remedy = 最多接受 { $limit } 个：最大的真实模型只有其十分之一。
file-entries = { $path }：`{ $field }` 有 { $given } 项。
file-entries-remedy = 最多允许 { $limit } 项。
file-beyond-real = 这超出了任何真实模型的规模。
file-no-setting = { $path }：没有 `{ $given }` 这个设置。
file-known-settings = 可用的设置：{ $names }。
file-global-batch = { $path }：全局批大小为 { $given }。
file-global-batch-remedy = 允许：从 1 开始的整数。
file-no-multiple = { $path }：全局批大小 { $given } 不是 `training.batch_size` = { $batch } 的倍数。
file-divisible = 请给出 { $below } 或 { $above }，或给出能整除 { $given } 的批大小。
file-divisible-above = 请给出 { $above }，或给出能整除 { $given } 的批大小。
## 价格文件或日志中可能出现的问题
file-no-date = { $path }：date：{ $given } 不是日期。
file-no-date-remedy = 请将价格的日期写成 2026-01-31 的形式。
file-no-device = { $path }：devices.{ $given }：规格表中没有这个设备。
file-write-key = 请写 { $cards }。
file-key-of-card = `{ $key }`（{ $device }）
file-no-device-remedy = 请使用 `advisor --list` 列出的键、`cpu`，或本机 GPU 的 UUID。
file-no-step-times = 日志中没有单步时间。
file-no-step-times-remedy = 可识别的写法：`step 100 … elapsed 310 s`、`Iter: 100 … Time: 0:05:10`、`time: 0.35 data_time: 0.12`、tqdm 进度条或 `train_runtime`。
file-table-no-times = 指标表中没有时间列：它的列是 { $columns }。
file-table-no-times-remedy = 可识别步数列旁的时间列：`_runtime` 或 `_timestamp`（wandb API 给出的完整历史）、`Wall time`（TensorBoard）、`time`、`step_time`。
## 模型库的回应
file-hub-no-commit = { $path }：模型库没有给出它的提交。
file-hub-no-commit-remedy = 请检查模型的名称。
file-hub-address = 环境变量 HF_ENDPOINT 不是 https 地址。
file-hub-address-remedy = 请改正或取消设置。
file-hub-large = { $path }：模型库的回应超过 1 MiB。
file-hub-large-remedy = 那不是 config.json。
file-hub-answered = { $path }：模型库回应 { $status }。
file-hub-answered-remedy = 请检查名称；私有或受限的模型需要本地的 config.json。
file-hub-away = { $path }：{ $limit } 秒内无法连接模型库。
file-hub-away-remedy = 请检查网络，或给出本地的 config.json。
## GPU 表可能出现的问题
file-no-gpu = { $path }：文件中没有 GPU。
file-no-gpu-remedy = 请至少添加一个 [[gpu]] 表；参见 resources/gpus.toml。
file-gpu-taken = { $path }：key = "{ $key }" 是规格表中已有的卡。
file-gpu-taken-remedy = 请给您的卡另取一个键，例如 "my-{ $key }"。
file-gpu-speed = { $path }：GPU { $key }：缺少 { $field }。
file-gpu-speed-remedy = 没有它就无法预测：请从数据手册中取得，使用国际单位制基本单位。
file-gpus-many = { $path }：有 { $given } 个 GPU。
file-gpu-twice = { $path }：key = "{ $key }" 出现了两次。
file-gpu-twice-remedy = 请给每个 GPU 不同的键。
## 运行记录表可能出现的问题
file-columns-missing = { $path }：缺少 { $count } 列：{ $names }。
file-columns-unread = { $path }：有 { $count } 列用了无法识别的名称，不会被读取：{ $names }。
file-columns-missing-remedy = 评估需要 { $names }。
file-columns-meant = 有 { $count } 列可能用了别的名称；请改名：{ $names }。
file-no-answer = { $path }：没有可比较的列。
file-no-answer-remedy = 请给出 { $names }。
file-column-twice = { $path }：列 { $column } 出现了两次。
file-column-twice-remedy = 请只保留一个。
file-no-rows = { $path }：表头之下没有任何一行。
file-no-rows-remedy = 请每行写一次运行。
file-other-separator = { $path }：单元格以 { $mark } 分隔，而不是逗号。
file-other-separator-remedy = 请以逗号分隔单元格、以小数点书写数字后重新保存。
file-no-csv = { $path }：第 { $line } 行不是有效的 CSV：{ $detail }。
file-no-csv-remedy = 请给这样的单元格加上引号。

## 系统拒绝文件时给出的原因
system-said-no-permission = 没有权限
system-said-not-permitted = 不允许此操作
system-said-no-file = 没有这个文件或文件夹
system-said-is-folder = 这是文件夹
system-said-no-folder = 这不是文件夹
system-said-no-space = 磁盘空间不足
system-said-read-only = 文件系统只读
system-said-long-name = 文件名过长
system-said-links = 符号链接层数过多
system-said-failed = 读写出错
system-said-quota = 超出磁盘配额
system-said-busy = 设备正被占用
system-said-open-files = 打开的文件过多
system-said-invalid = 参数无效

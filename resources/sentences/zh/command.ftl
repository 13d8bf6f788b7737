## 命令行可能出的错
command-told = 命令行：{ $detail }。
command-unknown = 命令行：无法识别的参数：{ $given }。
command-choice = 命令行：参数 { $option }：{ $given } 不在可选之列：{ $names }。
command-whole-number = 命令行：参数 { $option }：{ $given } 不是从 1 到 { $most } 的整数。
command-number = 命令行：参数 { $option }：{ $given } 不是从 { $least } 到 { $most } 的数。
command-range-reversed = 命令行：参数 { $option }：{ $given } 的终点小于起点。
command-too-many-devices = 命令行：参数 { $option }：{ $devices } 个设备超过本程序可预测的 { $most } 个。
command-call-counts = counts：{ $given } 不是由 1 到 { $most } 的整数组成的列表。
command-call-whole = { $argument }：{ $given } 不是不小于 1 的整数。
command-call-number = { $argument }：{ $given } 不是大于零的数。
command-call-goal = goal：{ $given } 不在 { $names } 之中。
command-call-no-prices = max_cost：没有给出价格。
command-call-no-prices-remedy = 请用 prices="prices.toml" 给出价格文件。
command-optimizer-of-fields = 命令行：参数 { $option }：{ $given } 是训练器的写法。在工作负载文件中写作：{ $fields }。
command-no-precision = 命令行：参数 { $option }：{ $given } 不是精度；已知：{ $names }。
command-double-precision = 命令行：参数 { $option }：{ $given }：本程序不预测 FP64（双精度）。请比较规格表中的 FP64 速率：游戏卡的 FP64 速率大多只有 FP32 的 1/32 或 1/64。
command-no-layer = 命令行：参数 { $option }：没有写出任何层。
command-no-card = 命令行：参数 { $option }：没有写出任何显卡。
command-not-with = 命令行：参数 { $option }：不能与参数 { $other } 同用。
command-expected = 命令行：参数 { $option }：缺少值。
command-see-help = 见 advisor --help。
command-did-you-mean = 是否指 { $names }？见 advisor --help。
command-workload-behind = 任务应写在 --predict 或 --measure 之后：advisor --predict { $given }。
command-untraced = { $workload }：无法追踪该模型。
command-unfinished-remedy = 若有不会结束的循环，请修正；否则较短的序列（--sequence-length）所需更少，或以数字描述该模型（source = "numbers"）。
command-untraced-remedy = 请修正模型，或以数字描述它（source = "numbers"）。
command-untraced-log = 完整日志：{ $path }
command-two-on-stdout = 命令行：有多个输出写到标准输出。
command-two-on-stdout-remedy = 请为其余的给出文件名。
command-pdf-on-terminal = --pdf -：PDF 不是终端可显示的文本。
command-pdf-on-terminal-remedy = 请给出文件名。
command-not-written = { $given }：无法写入：{ $detail }
command-not-written-remedy = 请换一个文件或文件夹，或使其可写。
command-is-folder = { $given }：这是一个文件夹。
command-is-folder-remedy = 请给出其中的文件名。
command-folder-missing = { $given }：所在文件夹不存在。
command-folder-missing-remedy = 请先建立该文件夹。
command-folder-not-writable = { $given }：所在文件夹不可写。
command-folder-not-writable-remedy = 请换一个文件夹。
command-not-ours = { $given }：文件已存在，且不是由 advisor 写的，或之后被改动过。
command-not-ours-remedy = 请换一个名字，或用 --force 覆盖它。
command-also-read = { $given }：该文件是同一命令的输入或另一个输出。
command-also-read-remedy = 请给这个输出单独的名字。
command-writes-only = { $command }：只能写 { $given }。
command-writes-only-remedy = 需要报告时请用 --measure 或 --predict。
command-writes-not = { $given }：此命令只写 { $names }。
command-writes-not-remedy = 请去掉该选项。
command-no-prices = --max-cost：没有给出价格。
command-no-prices-remedy = 请用 --prices 给出价格文件。
command-device-unmeasured = --device { $given }：它指定实测的设备，而 --predict 不做实测。
command-device-unmeasured-remedy = 请用 --measure 实测，或用 --gpus 指定规格表中的显卡。
command-runs-code = { $path }：此工作负载会运行 Python 代码（SHA-256 { $digest }）。
command-no-language = language：{ $given } 不是 { $names } 之一。
command-no-language-remedy = 请使用其中之一。
command-runs-code-remedy = 请先阅读该文件；信任它时{ $asked_by ->
        [call] 传入 allow_code=True
       *[command] 加上 --allow-code
    }。它在子进程中运行，子进程不是沙箱。
command-unknown-card = { $asked_by ->
        [call] gpus
       *[command] --gpus
    }：规格表中没有 { $given }。
command-card-count = { $asked_by ->
        [call] gpus
        [window] 搜索
       *[command] --gpus
    }：{ $given }：显卡名称前的张数应为 1 到 { $most }。
command-card-count-remedy = 请写明有几张，例如 `2x { $card }`。
command-count-alone = { $asked_by ->
        [call] gpus
        [window] 搜索
       *[command] --gpus
    }：{ $given } 只有张数，没有显卡名称。
command-count-alone-remedy = 请把两者写在一起，例如 `2x rtx3090`。
command-card-meant = 是否指 { $names }？见 advisor --list{ $asked_by ->
        [call] { "" }
       *[command] ，或用 --gpu-file 描述该卡
    }。
command-in-commas = 请用逗号连接各项，不加空格：{ $option } { $given }
command-cards-together = 每个任务只按一种显卡推算：用逗号分开即可相互比较（{ $names }）。放在同一个任务里，所有卡都要等最慢的一块。
command-card-processor = 处理器只靠实测，不由规格表推算：--measure --device cpu。
command-card-list = 见 advisor --list{ $asked_by ->
        [call] { "" }
       *[command] ，或用 --gpu-file 描述该卡
    }。
command-all-variants = --gpus { $given }：将尝试它的所有型号：{ $names }。
command-uneven-batch = --global-batch：{ $given } 个样本无法平均分给 { $counts } 个设备。
command-uneven-batch-remedy = 请给出 { $least } 的倍数，例如 { $choices }，或改用其他 --counts。
command-batch-over-data = --global-batch：每步 { $given } 个样本，多于数据的 { $samples } 个。
command-batch-over-data-remedy = 请最多给出 { $samples }。
command-uneven-nodes = --nodes { $nodes }：{ $counts } 个设备无法平均分布到 { $nodes } 台机器上。
command-uneven-nodes-remedy = 请让 --counts 为 { $nodes } 的倍数，例如 --counts { $nearest }，或改用其他 --nodes。
command-no-link = --interconnect：{ $given } 不是已知的连接。
command-no-link-remedy = 请使用以下之一：{ $names }，或 0.001 至 100,000 之间带 GB/s 的数；其后可加网络：+ InfiniBand HDR x8。
command-budget-short = --budget 为 { $budget_s }。
command-budget-short-remedy = 请至少给出 { $least_s }。
command-no-such-device = --device { $given }：这里没有这个设备。
command-no-such-device-remedy = 请从 { $names } 中选择。
command-init-name = --init { $path }：工作负载文件以 .toml 结尾。
command-init-name-remedy = 请命名为 { $name }。
command-init-exists = --init { $path }：文件已存在。
command-init-exists-remedy = 请换一个名称，或用 --force 覆盖。
command-init-written = { $path } 已写入。请编辑它，然后运行：advisor --measure { $path }
command-init-read = 已按该命令填写：{ $fields }。
command-init-files = 与命令一起读取了：{ $files }。
command-init-steps = 该命令启动的所有设备合计每步 { $batch } 个样本，共 { $steps } 步，{ $each ->
    [yes] 为每个轮次的长度：samples = { $samples }。
   *[no] 为整个训练的长度，写为一个轮次：samples = { $samples }。
  }
command-init-steps-unread = { $steps } 步没有填入：命令没有说明所有设备合计每步使用多少样本。请用 { $steps } 乘以该数，填入 [data] 的 samples{ $each ->
    [yes] 。
   *[no] ，并设 epochs = 1。
  }
command-init-unread = 以下参数在工作负载文件中没有对应的字段，或其取值无法表示，未采用：{ $flags }。
command-init-global-batch = 所有设备合计的批大小 { $batch } 在工作负载文件中没有对应的字段，命令也没有说明设备如何分担它：提问时请加上 --global-batch { $plain }。
command-init-unknown-model = 文件中的模型仍是模板自带的 bert-base-uncased，而不是此处不认识的 { $model }：请先在 [model] 中填入你的模型。
command-init-no-model = 命令没有指明模型：文件中仍是模板自带的 bert-base-uncased。请先在 [model] 中填入你的模型。
command-from-command = --from-command：{ $given } 不是完整的命令：引号没有闭合。
command-from-command-remedy = 请把整条命令放在一对引号里：--from-command "python train.py --bf16"。
command-from-command-alone = --from-command 只能与 --init 一起使用。
command-from-command-alone-remedy = 请先写出文件：advisor --init train.toml --from-command "…"。
command-prune-unasked = --prune-history：没有人可以确认。
command-prune-unasked-remedy = 加上 --yes 即删除这些运行记录。
command-interrupted = 已中断。
script-no-advice = --script：没有可遵循的建议。
script-no-advice-remedy = 请查看建议中的注意事项。
script-no-strategy = --script：不为 { $strategy } 生成脚本。
script-no-sharded-inference = --script：不为采用 { $strategy } 的推理生成脚本。
script-no-sharded-inference-remedy = 请用能把模型分布到多块卡上的推理服务（如 vLLM），并采用建议中的数值。
script-no-strategy-remedy = 请用支持它的框架（如 torchtitan 或 DeepSpeed），并采用建议中的数值。
script-no-training = --script { $framework }：此处不进行训练。
script-no-training-remedy = 请直接生成脚本：--script FILE。
script-no-field = --script { $framework }：本程序不为 { $strategy } 生成 { $framework } 的配置。
script-no-field-remedy = 请直接生成脚本：--script FILE。
script-no-field-nor-script = --script { $framework }：本程序不为此模型的 { $strategy } 生成配置，也不生成脚本。
script-no-field-nor-script-remedy = torchtitan 和 Megatron-LM 支持这种训练：请采用建议中的数值。
command-no-temporary = 无法创建临时文件夹：{ $detail }。
command-no-temporary-remedy = 请将 TMPDIR 设为可写且有空间的文件夹。

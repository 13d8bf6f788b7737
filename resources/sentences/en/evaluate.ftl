# Why a published run could not be predicted.
evaluate-wrong-cell = Column { $column } holds "{ $given }"; allowed: { $allowed }.
evaluate-surplus-cells = The row has { $count ->
        [one] a cell
       *[other] { $count } cells
    } more than there are columns: a comma within a cell needs quotes around it.
evaluate-allowed-name = a name
evaluate-allowed-answer = a number in one of { $names }
evaluate-allowed-number = a number above 0, without a separator of thousands
evaluate-allowed-count = a whole number from { $least } on
evaluate-allowed-degrees = the degrees of the columns beside it ({ $given })
evaluate-allowed-product = degrees whose product divides n_gpus ({ $count })
evaluate-allowed-version = a version such as 2.4 or 2.4.1, or the date of a build
evaluate-unknown-gpu = "{ $gpu }" is in no row of the table of cards. { $hint }
evaluate-trace-failed = { $workload } cannot be traced: { $text }
evaluate-trace-died = The worker that traced { $workload } died.
evaluate-trace-too-long = Tracing { $workload } took longer than { $limit_s }, without what it waited for a processor core.

# The error table.
evaluate-column-group = Group
evaluate-column-runs = Runs
evaluate-column-mean = Mean error
evaluate-column-median = Median error
evaluate-column-bias = Bias
evaluate-column-covered = Inside 80 % range
evaluate-column-pairs = Pairs
evaluate-column-ranked = Pairs ranked rightly
evaluate-column-ratio = Error of the speed-up
evaluate-group-all = all
evaluate-heading-family = By family
evaluate-heading-gpu = By GPU
evaluate-heading-precision = By precision
evaluate-batches = Largest batch, { $rows ->
    [one] one row
   *[other] { $rows } rows
  }: { $right_fraction } right, { $high_fraction } too high.
evaluate-efficiencies = Efficiency of several GPUs, { $rows ->
    [one] one row
   *[other] { $rows } rows
  }: { $points } points off on average, { $covered_fraction } inside the range.
evaluate-peak = Peak memory, { $rows ->
    [one] one row
   *[other] { $rows } rows
  }: { $mean } off on average, { $median } in the median, bias { $bias }, { $covered_fraction } inside the range.
evaluate-refused = { $count } of { $rows } { $rows ->
    [one] row
   *[other] rows
  } could not be predicted:
evaluate-none = { $rows ->
    [one] The file's only row could not be predicted.
   *[other] Not one of the { $rows } rows could be predicted.
  } The reasons stand in the result.
evaluate-refused-rows = { $count ->
    [one] line
   *[other] lines
  } { $lines }, { $workloads } on { $gpus }: { $why }
evaluate-variants = { $count ->
    [one] One row names a card without its form or memory
   *[other] { $count } rows name a card without its form or memory
  }: predicted between { $names }, with ranges that hold them all.
evaluate-fused-with-its-loss = Its norms and rotary embedding are predicted fused, since libraries that compute the loss in chunks (Liger Kernel, Unsloth) bring those too. If they were the model's own, write fused_layers = false; if its gates were fused as well, fused_layers = true.
evaluate-perhaps-fused = Its description does not say whether a library fused norms, rotary embedding and loss: the ranges of its time and its peak reach down to those of such a step. To settle it, write fused_layers = true or false.
evaluate-perhaps-prepared = Its description does not say whether norms, embeddings and output layer were left in FP32, as PEFT's prepare_model_for_kbit_training leaves them: the ranges of its time and its peak reach up to those of such a step. To settle it, write unpacked_bits = 32 or 16.
evaluate-lengths-may-differ = How its samples differ in length is not told, only the longest. Where they do, the allocator keeps segments of shorter ones beside those of the longest: the peak is the middle between lengths all alike and lengths spread evenly, and its range holds both. If samples are packed or all of one length, write it behind the number: 2048 (packed).
evaluate-lengths-taken-alike = How its samples differ in length is not told, only the longest; since the time of its step is told, they are taken to be all of that length, and so is the peak. If they differ, write it in front of the number or behind it: <=2048 (varies).
evaluate-first-stage = The peak of a pipeline is that of its first stage, as drivers and first ranks tell it; its range holds the fullest stage's, which decides what fits.
evaluate-activation-taken = Its configuration is that of transformers' GPT-2, silent of the activation, but its vocabulary is padded or its layers are split, as other libraries do: predicted with GELU in one kernel, as theirs is, and the range reaches to transformers' own eight (gelu_new). To settle it, write activation_function.
evaluate-read-as = Columns under the names of other tables: { $names }.
evaluate-unread-settings = Told in columns that are not read, and otherwise than was predicted: { $names }. A row overrides its workload file in the columns of docs/formats.md alone; write the others into a workload file of its own.
evaluate-unread-remark = Column { $column } holds "{ $given }", of which the remark is not read: to predict it so, write { $setting } into a workload file of its own.
evaluate-no-room-for-update = Its peak is less than the weights, gradients and optimizer states that are described take: no update can have been in it, and hardly in its time. To settle it, write optimizer_in_step = no with mode forward_backward.
evaluate-not-updated = Its peak is less than the weights, gradients and optimizer states that are described take: no update can have been in it, so both passes are predicted alone. To say so, write optimizer_in_step = no with mode forward_backward.
evaluate-not-updated-beside = The peak of another row of this source, model, card and precision has no room for an update: one script timed all of them, so both passes are predicted alone here as well. If this one was updated, give it a source of its own.
evaluate-attention-of-its-time = How attention ran is not told, and PyTorch or transformers of its time had no fused kernels to call: predicted with attention = eager. If the run had a library's own, say so in the column attention: flash, xformers.
evaluate-ran-in-tf32 = Its time is less than the card's peak rate in FP32 takes for the products alone: predicted in TF32, which publishers and NVIDIA's containers call FP32, too. To settle it, write tf32, or default where convolutions alone ran in it.
evaluate-peak-beyond-card = Its peak is more than this card holds: it was another of that name, whose clock and bandwidth may differ, too. Describe it in a --gpu-file.
evaluate-faster-than-possible = Its time is less than the card's peak rates allow for what is described. ms is in milliseconds, of a whole update with all its micro-batches: check unit, batch_per_gpu and gradient_accumulation.
evaluate-held-in-half = The card cannot hold weights, gradients and optimizer states in FP32, and the run took place: predicted with all of them in BF16, as a model that is loaded in 16 bits trains under autocast.
evaluate-caveat = { $count ->
    [one] Of one row
   *[other] Of { $count } rows
  }: { $why }
evaluate-unscored = { $count ->
    [one] One row with use = no is predicted but not counted.
   *[other] { $count } rows with use = no are predicted but not counted.
  }

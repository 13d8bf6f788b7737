# Tracing a model, and what it could not say.
trace-phase = Tracing the model
trace-memory-streams-differ = Memory could not be predicted: the model allocates { $first } times at one batch size and { $second } times at another.
trace-not-affine = The work of a step does not grow in proportion to the batch: at batch { $batch } the table is off by { $error_fraction }.
trace-long-loop = This model runs a loop of { $count } rounds in Python one after the other, such as a scan over the tokens or a walk over the experts; one round was traced for all that are alike. Where a package offers the whole loop as one kernel (mamba_ssm for Mamba), a step with it takes far less time and memory than told here. torch.compile would take each round for itself and take very long for it.
trace-loops-over-samples = The model goes through the samples of a batch one by one. They are counted as worked on together, as kernels for packed samples do it: a step that really takes them one by one is slower.
trace-own-half = The model itself runs { $share_fraction } of its products in 16 bits, whatever precision is chosen: they are counted so.
trace-own-single = The model itself keeps { $share_fraction } of its products in 32 bits where 16 bits were asked for: they are counted so.
trace-even-routing = What this model chooses by its values, such as which experts work on which tokens, is decided while it runs: here every choice comes equally often. A step that prefers some of them takes another time, most often a longer one.
trace-at-two-sizes = Traced at two batch sizes and held against no third: what this model chooses by its values is too large to be kept there.
trace-sizes-by-values = { $values ->
    [lengths] What the CTC loss keeps follows the longest target of a batch: that of make_batch's samples was taken. Longer targets take more memory and time, shorter ones less.
   *[boxes] What this model keeps depends on its values, such as boxes after non-maximum suppression: it ran on this machine's processor with the weights of build_model and the samples of make_batch, and the sizes that came out are those of this table. Other images and trained weights keep more or fewer, and a step takes longer or shorter.
}
trace-depends-on-data = The model decides by the values of its tensors ({ $detail }), so it cannot be traced without running it. It is measured instead where a device can run it; for other GPUs describe it by numbers.
trace-shape-depends-on-data = The model makes a tensor whose size depends on values ({ $detail }), so it cannot be traced without running it. It is measured instead where a device can run it; for other GPUs describe it by numbers.
trace-depends-on-batch = The model runs other operators at another batch size ({ $detail }), so one trace cannot answer every batch. It is measured instead where a device can run it; for other GPUs describe it by numbers.
trace-runs-too-long = What the model keeps depends on its values, so it has to run on this machine's processor first, and that would take longer than { $limit_s }. Let `make_batch` give smaller samples; it is measured instead where a device can run it.
trace-torchvision-unfit = The model calls compiled operators of torchvision (such as non-maximum suppression), and the installed torchvision was built for another PyTorch than { $detail }. Install both from one index, such as `pip install --force-reinstall torch torchvision`.
trace-packed-lengths = The model packs sequences whose lengths each batch draws anew, so that no number of rows holds for every batch size ({ $detail }). Let `make_batch` give lengths that are the same at every batch size, such as your data's mean length for every sequence, or describe the model by numbers.
trace-unknown-operators = What some operators compute is unknown ({ $operators }; { $share_fraction } of all calls): only their memory traffic is counted, so that a step may take longer than its value, up to the high end of a range that was widened for it. Measure a step to be sure.
trace-compiled-twice = `training.compile`: the loss of this model holds gradients (`create_graph=True`), and torch ends such a step with "torch.compile with aot_autograd does not currently support double backward". Leave compile out.
trace-compiled-breaks = `training.compile`: this model chooses by its values, and a compiled graph breaks at each choice. The figures are those of a step without breaks: what is left of the compiler's gain may be nothing, so time a few steps with and without it.
trace-no-parameters = The model has no parameter that is trained: all it has is frozen, or are buffers. Make a nn.Parameter of what is to be learned, or choose the mode `inference`.
trace-nothing-to-train = The loss does not depend on any trainable parameter. Check `training.trainable`: with tied weights a head may have no parameters of its own.
trace-unrated-type = The model computes in a type of which no speed is known here ({ $detail }), whatever precision stands beside it: it is never taken for FP32. --measure times it as it is where a device can run it; of other GPUs nothing is told unless it computes in float32.
trace-sparse = The model makes sparse tensors ({ $detail }), and what a step on them takes is not known here. Where a device can run it, it is measured instead with --measure and `optimizer = "sgd"`, since torch's Adam and AdamW take no sparse gradients; for other GPUs ask for dense ones, such as an embedding with `sparse=False`.
trace-worker-hung = Tracing the model took longer than { $limit_s }, without what it waited for a processor core, and was ended.
trace-worker-too-large = Tracing the model took more memory than { $limit_bytes } and was ended.
trace-worker-killed = Tracing the model was ended from outside, most likely because memory ran out.
trace-worker-died = The process that traces the model ended by itself (code { $code }).

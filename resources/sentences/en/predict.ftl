# Why a step time is unknown, and what to know about one that is predicted.
predict-missing-figures = { $gpu }: no step time can be predicted without these figures of it: { $fields }. Give them with --gpu-file, or measure on the card.
predict-untimed-memory = { $gpu }: what a step needs is known without its time: at batch size { $batch } in { $precision } one card takes { $need_bytes } ({ $low_bytes } to { $high_bytes }) of the { $capacity_bytes } that it can give{ $fits ->
        [yes] .
       *[no] , which does not fit.
    }
predict-no-bf16 = { $gpu } has no BF16 units; PyTorch would emulate it far more slowly, so nothing is predicted. Take fp16_amp or fp32.
predict-no-fp8 = { $gpu } has no FP8 units, so nothing is predicted. Take bf16_amp.
predict-no-fp16 = { $gpu }: its 16-bit rate is unknown, so nothing is predicted for 16-bit precisions. Take fp32.
predict-step-endless = { $device }: a step would take longer than any number says, so nothing is predicted. Look for a figure in another unit, of the card (--gpu-file) or of the model.
predict-tf32-runs-as-fp32 = { $gpu } has no TF32; the step runs in FP32 and is predicted so.
predict-power-unknown = { $gpu }: its power limit is unknown; a clock lowered by it is not counted.
predict-cache-unknown = { $gpu }: its L2 cache is unknown; its help is not counted.
predict-memory-replaced = { $gpu }: its memory was replaced by a workshop; its speed, power and links are taken to be those of the card as it was sold. What drivers and cooling make of it is not known.
predict-run-slower-than-described = Your step took { $times_ratio } times as long here as its description lets expect. Such a factor is rarely the card's: look for another precision, a larger input, a slow loader, validation or logging inside the step. It is not carried over to other cards.
predict-run-faster-than-described = Your step was { $times_ratio } times as fast here as its description lets expect. Look for another precision, a smaller input, or parts of the model that do not run. It is not carried over to other cards.
predict-outside-precision = No published run { $precision ->
        [HALF] with adapters of 16 bits
       *[other] in { $precision }
    } was fitted: its products and casts are reckoned from the data sheet, and the range is wider for it.
predict-outside-compiled = No published training step under torch.compile was fitted: what the compiler fuses is worked out from the operators, and the range is wider for it.
predict-outside-recurrent = No published run with recurrent layers on these cards was fitted; the range is wider for it.
predict-outside-size = The model has { $billions } billion parameters, more than any that was fitted ({ $largest_billions } billion); the range is wider for it.
predict-outside-maker = { $gpu }: no run of a card of this maker was fitted. Its products are taken to be as far from the data sheet as the best that was published of one of them{ $link ->
    [fabric] { "" }
   *[pcie] , several to be joined by PCIe
}, and the range is much wider.
predict-outside-generation = { $gpu }: no published run of a card of this generation was fitted; the range is wider for it.
predict-outside-split = No published run that splits its work so ({ $kind } parallel over { $count } cards) was fitted; the range is wider for it.

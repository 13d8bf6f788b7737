# 单步时间未知的原因，以及预测值需要说明的事项。
predict-missing-figures = { $gpu }：缺少参数 { $fields }，无法预测单步时间。请在 --gpu-file 的文件中给出，或在该卡上实测。
predict-untimed-memory = { $gpu }：虽无法预测时间，所需显存仍是已知的：批大小 { $batch }、精度 { $precision } 时单卡需要 { $need_bytes }（{ $low_bytes } 至 { $high_bytes }），可用 { $capacity_bytes }{ $fits ->
        [yes] 。
       *[no] ，放不下。
    }
predict-no-bf16 = { $gpu } 没有 BF16 运算单元，PyTorch 只能以慢得多的方式模拟，因此不作预测。请改用 fp16_amp 或 fp32。
predict-no-fp8 = { $gpu } 没有 FP8 运算单元，因此不作预测。请改用 bf16_amp。
predict-no-fp16 = { $gpu } 的 16 位运算速率未知，因此不预测 16 位精度。请改用 fp32。
predict-step-endless = { $device }：一步的时间超出可表示的范围，因此没有预测。请检查显卡（--gpu-file）或模型的数值单位。
predict-tf32-runs-as-fp32 = { $gpu } 不支持 TF32，该步按 FP32 运行和预测。
predict-power-unknown = { $gpu } 的功耗上限未知，未计入由此造成的降频。
predict-cache-unknown = { $gpu } 的 L2 缓存大小未知，未计入其加速作用。
predict-memory-replaced = { $gpu } 的显存由改装店更换过；速度、功耗和互联按原厂显卡计算，驱动和散热的影响未知。
predict-run-slower-than-described = 在本机上，你的一步耗时是按描述预期的 { $times_ratio } 倍。这样的差距很少是显卡造成的：请检查精度是否不同、输入是否更大、数据加载是否过慢，或步内是否包含验证、日志。该系数不用于其他显卡。
predict-run-faster-than-described = 在本机上，你的一步比按描述预期的快 { $times_ratio } 倍。请检查精度是否不同、输入是否更小，或模型是否有部分未运行。该系数不用于其他显卡。
predict-outside-precision = 拟合所用的公开结果中没有{ $precision ->
        [HALF] 适配器也用 16 位
       *[other] { " " }{ $precision } { "" }
    }的：其矩阵乘与转换按参数表推算，范围因此更宽。
predict-outside-compiled = 拟合所用的公开结果中没有 torch.compile 下的训练步：编译器融合哪些算子由算子表推算，范围因此更宽。
predict-outside-recurrent = 拟合所用的公开结果中没有这些显卡上的循环层，范围因此更宽。
predict-outside-size = 该模型有 { $billions }B 参数，超过所有拟合过的模型（最大 { $largest_billions }B），范围因此更宽。
predict-outside-maker = { $gpu }：拟合所用的公开结果中没有该厂商的显卡。其矩阵乘法与规格表的差距按该厂商显卡已公开的最佳结果估算，{ $link ->
    [fabric] { "" }
   *[pcie] 多卡按 PCIe 互联计算，
}范围因此宽得多。
predict-outside-generation = { $gpu }：拟合所用的公开结果中没有这一代显卡，范围因此更宽。
predict-outside-split = 拟合所用的公开结果中没有这样的切分（{ $kind } 并行，{ $count } 张卡），范围因此更宽。

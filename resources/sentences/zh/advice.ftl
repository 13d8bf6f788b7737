## 主流程：各阶段，以及任何建议的读者都应知道的事项
advice-phase-detect = 正在检测本机
advice-phase-trace = 正在追踪模型
advice-phase-predict = 正在预测所有候选方案
advice-phase-done = 完成
advice-interrupted = 运行被中断：中断前的测量结果已保留，其余部分由预测给出。
advice-not-traced = 模型未能追踪，因此无法预测其他设备上的表现。
advice-not-traced-at = 在 { $precisions } 下无法追踪该模型，因此没有这些精度的预测。{ $reason }
predict-timed-alone = 模型无法以 { $precision } 精度追踪：只有本机实测过的方案有用时，其他 GPU 没有。
predict-no-trace = 模型无法以 { $precision } 精度追踪，因此该精度没有预测结果。
predict-cpu-not-measured = 未给出本机 CPU 的时间：CPU 速度只靠实测，不由规格表推算。请使用 --measure 运行。
predict-unknown-card = { $device } 不在 GPU 规格表中，因此没有预测结果。请在该卡上实测，或用 --gpu-file 提供其参数。
advice-phase-verify = 正在运行所建议的方案
verify-inside = 验证结果：单步实际耗时 { $actual_s }，预测为 { $predicted_s }（{ $low_s } – { $high_s }），误差 { $error } %，在区间之内。
verify-outside = 验证结果：单步实际耗时 { $actual_s }，预测为 { $predicted_s }（{ $low_s } – { $high_s }），误差 { $error } %，超出区间。
verify-disturbed = 不计入本机累计：{ $why }
verify-cpu-shared = 验证前后其他程序使用了 { $foreign_cores } 个核心。请结束它们后重新验证。
verify-record = 本机累计：已验证 { $runs } 次，{ $inside_fraction } 落在区间内，误差中位数 { $error_fraction }。

## 历史记录文件的状态
history-entry-damaged = 历史记录第 { $entry } 条已损坏，不予显示。请删除该条目，或重新测量。
history-in-memory = 历史记录无法写入磁盘（{ $detail }），本次结果仅在程序运行期间保留。请使数据文件夹可写，或另选一个文件夹。
history-newer = 历史记录由更新版本的程序写入（格式 { $version }，本程序支持 { $known }），已保持原样。请升级程序后查看。
history-damaged = 历史记录文件已损坏，原文件保留为 { $aside }；{ $saved } 条完整记录已转入新文件。
history-calibration-reused = { $device } 的微基准沿用 { $date } 的结果，因为驱动、torch 与功率上限均未改变。使用 --no-history 可重新测试。

# --prune-history 的说明与提问
history-prune-none = 历史记录中没有早于 { $days } 天的运行。
history-prune-found = 有 { $count } 次运行更早：{ $first } 至 { $last }。校准与已验证的预测会保留。
history-prune-question = 永久删除？[y/N]
history-prune-kept = 未删除任何内容。
history-pruned = 已删除 { $count } 次运行。
history-entry-gone = 历史记录第 { $number } 条已损坏或不存在。
history-entry-gone-remedy = 请选择其他运行。
history-not-written = 无法写入历史记录{ $path ->
        [memory] { "" }
       *[other] { " " }{ $path }
    }：{ $error }。
history-not-written-remedy = 请释放磁盘空间，结束使用它的其他程序，或选择其他数据文件夹。

## Sentences of a record that an earlier version saved
saved-value-lost = （未记录）
saved-statement = 此处是本程序另一版本所说的内容，本版本没有相应的文字：{ $told }。

# `--doctor` 对安装情况的说明。
doctor-title = 此安装是否完好？
doctor-good = 正常：
doctor-wrong = 有误：
doctor-unknown = 未知：
doctor-sum = { $count ->
    [0] 没有发现问题。
   *[other] 发现 { $count } 个问题。
}
doctor-program = advisor { $version } 运行于 Python { $python }。
doctor-card = { $gpu } 有应答，驱动 { $driver }。
doctor-torch = torch 已安装，测量进程可以加载它。
doctor-torch-broken = 测量进程无法运行 torch：{ $text }
doctor-torch-hung = 测量进程在 { $limit_s } 内未能加载 torch。请检查磁盘或杀毒软件是否阻碍了它。
doctor-window = 窗口可以打开：Qt 运行于 { $platform }。
doctor-window-broken = 窗口无法打开：{ $text }
doctor-no-display = 无法判断窗口能否打开：这里没有显示器。命令行不需要显示器。
doctor-fonts = 内置字体可以读取。
doctor-fonts-missing = 内置字体无法读取，中文可能无法显示：请重新安装本程序。
doctor-folder = { $folder } 可以写入，剩余 { $free_bytes }。
doctor-folder-refused = { $folder } 无法写入：{ $text } 请授予写入权限，或改用其他主目录。
doctor-folder-full = { $folder } 只剩 { $free_bytes }。请腾出空间。

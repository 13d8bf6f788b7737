## The process that computes for the window
job-child-killed = 负责计算的进程被终止了。
job-child-too-large = 负责计算的进程所需内存超过可用内存，已被终止。
job-child-remedy = 请关闭其他程序或减少要求，然后重新开始。

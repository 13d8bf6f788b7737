## The process that computes for the window
job-child-killed = The process that computes was killed.
job-child-too-large = The process that computes needed more memory than there is and was ended.
job-child-remedy = Close other programs or ask for less, and start again.

## The main job: its phases, and what a reader of any advice must know
advice-phase-detect = Looking at this machine
advice-phase-trace = Tracing the model
advice-phase-predict = Predicting every candidate
advice-phase-done = Done
advice-interrupted = The run was interrupted: what had been measured until then is kept, the rest is predicted.
advice-not-traced = The model was not traced, so nothing could be predicted for other devices.
advice-not-traced-at = At { $precisions } the model could not be traced, so nothing is predicted there. { $reason }
predict-timed-alone = At { $precision } the model could not be traced: only what was timed on this machine has a time, and other GPUs have none.
predict-no-trace = Nothing is predicted at { $precision }: the model could not be traced at it.
predict-cpu-not-measured = No time is given for this machine's CPU: a CPU's speed is measured, never read from a table. Run with --measure.
predict-unknown-card = { $device } is not in the table of GPUs, so nothing is predicted for it. Measure on it, or give its figures with --gpu-file.
advice-phase-verify = Running the advised set-up
verify-inside = Verified: a step takes { $actual_s }; predicted was { $predicted_s } ({ $low_s } – { $high_s }), off by { $error } % and inside its range.
verify-outside = Verified: a step takes { $actual_s }; predicted was { $predicted_s } ({ $low_s } – { $high_s }), off by { $error } % and outside its range.
verify-disturbed = Left out of this machine's record: { $why }
verify-cpu-shared = Other programs used { $foreign_cores } cores just before or after it. End them, then verify again.
verify-record = On this machine so far: { $runs } verified, { $inside_fraction } inside the range, median error { $error_fraction }.

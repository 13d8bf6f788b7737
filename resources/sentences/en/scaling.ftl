# What several cards are worth.
scaling-all-counts-pay = With { $device } every card up to { $count } still pays.
scaling-stops-paying = With { $device } adding cards stops paying at { $count }: going on to { $more } gives only { $marginal_fraction } of what the added cards could.
scaling-dp-copies = With { $count } cards DataParallel copies weights and gradients ({ $weights_bytes }) through the first card in every step, beside no computing: { $communication_s } against { $ddp_communication_s } with DistributedDataParallel, which loses { $lost_s } a step in all.
scaling-dp-one-process = One process issues the work of all { $count } cards in DataParallel, which adds { $host_s } of waiting for the host to every step.
scaling-missing-nvlink = { $count } × { $device } exchange { $gradient_bytes } of gradients a step at { $bus_bytes_per_s }: { $here_s }. Over NVLink at { $nvlink_bytes_per_s } it would be { $nvlink_s }, most of it hidden behind the backward pass.
scaling-uneven-cards = The slowest of { $count } cards sets the pace: the fastest one waits { $waiting_s } in every step. The { $best_count } fastest alone train { $gain_ratio } times as many samples a second.
scaling-learning-rate = The global batch is { $global_batch } instead of { $own_global_batch }: try learning rates from { $low_ratio } (square root, adaptive optimizers) to { $high_ratio } (linear, SGD with warm-up) times the old one.
scaling-critical-batch = How many more samples a global batch of { $global_batch } needs depends on the critical batch size, taken as { $low } to { $high } samples: training would take { $train_low_s } to { $train_high_s }.

# Measuring with several ranks.
ranks-phase-join = Ranks join
ranks-phase-exchange = Ranks compare versions and exchange reports
ranks-phase-load = Ranks build the model
ranks-phase-peers = Link between the ranks
ranks-phase-all-reduce = All-reduce by size
ranks-phase-steps = Single steps and DDP steps in turn
ranks-phase-dp = DataParallel step
ranks-wrong-values = Data that { $rank_count } ranks sent each other came out changed: peer-to-peer is broken here. Set NCCL_P2P_DISABLE=1 and measure again.
ranks-contended = The { $rank_count } ranks shared processor cores with each other or with other programs: their times are an upper bound.
ranks-lost = Of { $rank_count } ranks number { $rank_list } was lost on the way: what the ranks had measured until then is kept.
ranks-lost-early = Of { $rank_count } ranks number { $rank_list } was lost before anything was measured: several cards are predicted, not measured.
ranks-failed = The ranks could not measure: { $text }
ranks-deadline = A rank or a link did not answer in time.
ranks-partial-report = A partial report of the ranks of this host was kept in { $path }.

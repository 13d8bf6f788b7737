# What several cards are worth.
scaling-efficiency = At the same batch size on every card { $count } × { $device } do { $speed_up_ratio } times as much as one (range { $low_ratio } to { $high_ratio }): an efficiency of { $efficiency_fraction }.
scaling-efficiency-sharded = { $count } × { $device } do { $speed_up_ratio } times as much as one card would that held the whole model, at the same batch size on every card (range { $low_ratio } to { $high_ratio }): an efficiency of { $efficiency_fraction }.
scaling-optimizer-shared = { $count } × { $device } do { $speed_up_ratio } times as much as one card would that held the whole model, at the same batch size on every card (range { $low_ratio } to { $high_ratio }): more than { $count } times, because each steps only its share of the parameters, which takes { $optimizer_s } of a step instead of { $alone_optimizer_s }.
scaling-fewer-quicker = { $count } such cards, linked as told, do less than one: fewer of them, in one machine, are likely quicker. Have fewer compared too, or name a faster link.
scaling-batch-bound = It is the batch that holds { $more } cards back: within { $global_limit } samples a step each would get { $smaller_batch } instead of { $batch }. At { $batch } a card the added ones would give { $marginal_fraction } of what they could, so a larger global batch would make them pay.
scaling-dp-copies = DataParallel sends weights, inputs and outputs through the first card and gathers all gradients on it in every pass, while nothing computes: on { $count } cards that takes { $communication_s } a step, against { $ddp_communication_s } that DistributedDataParallel does not hide behind the backward pass.
scaling-dp-one-process = One process issues the work of all { $count } cards in DataParallel, its threads contending for one interpreter lock, which adds { $host_s } of waiting for the host to every step.
scaling-dp-tied = On { $count } cards DataParallel and DistributedDataParallel are equally fast here (within 2 %); DistributedDataParallel is advised all the same, since its lead grows with every further card and with a slower host.
scaling-dp-untold = Numbers alone do not tell how many kernels a step launches, so the time that DataParallel's one process needs to issue the work of { $count } cards is not counted: it may well be slower than given here, DistributedDataParallel is not.
scaling-dp-memory = DataParallel gathers all outputs and gradients on the first card: at batch size { $batch } a card it needs { $need_bytes }, the other cards { $other_bytes }.
scaling-dp-memory-full = DataParallel does not fit at batch size { $batch } a card: its first card gathers all outputs and gradients and needs { $need_bytes }, the other cards { $other_bytes }.
scaling-missing-nvlink = Without NVLink { $count } × { $device } exchange { $gradient_bytes } of gradients a step at { $bus_bytes_per_s }; over NVLink as on an A100 ({ $nvlink_bytes_per_s }) a step would take { $nvlink_step_s } instead of { $step_s }.
scaling-missing-bridge = Without their NVLink bridge { $count } × { $device } exchange { $gradient_bytes } of gradients a step at { $bus_bytes_per_s }; with it ({ $nvlink_bytes_per_s }) a step would take { $nvlink_step_s } instead of { $step_s }. If the bridge is there, say so with --interconnect "NVLink bridge".
scaling-uneven-cards = All { $count } cards here together would not pay: in DistributedDataParallel all wait for the slowest ({ $slowest }), the fastest { $waiting_s } in every step. { $devices } alone trains { $gain_ratio } times as many samples a second.
scaling-uneven-pays = Together { $devices } would train { $rate } samples a second with DistributedDataParallel at batch size { $batch } a card in { $precision }, { $gain_ratio } times as many as the best cards of one kind, although all wait for the slowest ({ $slowest }).
scaling-uneven-memory = The cards here cannot train together in DistributedDataParallel: { $devices } cannot hold even the smallest batch that was tried.
scaling-host-cores = { $count } ranks share the { $cores } processor cores of this machine, so they take turns at issuing their steps; that is counted here.
scaling-network-unstated = The network between the machines is not stated: { $rate_bytes_per_s } a machine is assumed. Name it with --interconnect, such as "NVSwitch + InfiniBand HDR x8".
scaling-learning-rate = The global batch is { $global_batch } instead of { $own_global_batch }: try learning rates from { $low_ratio } (square root, for Adam and its kin) to { $high_ratio } times the old one (linear, for SGD), with a warm-up.
scaling-held-batch = With the global batch held at { $own_global_batch } ({ $batch } a card) { $count } cards finish in { $held_s }, { $speed_up_ratio } times as fast as one; training then takes the same steps as before.
scaling-critical-batch = The job's time is that of the same epochs. To the same loss a global batch of { $global_batch } may need { $low_ratio } to { $high_ratio } times the samples that { $own_global_batch } needs, thus { $train_low_s } to { $train_high_s }: it depends on the critical batch size, taken as { $low } to { $high } samples. Give yours with --critical-batch.
scaling-critical-batch-given = The job's time is that of the same epochs. To the same loss a global batch of { $global_batch } needs { $low_ratio } to { $high_ratio } times the samples that { $own_global_batch } needs, with a critical batch size of { $low } to { $high } samples: { $train_low_s } to { $train_high_s }.
scaling-counts-left-out = A global batch of { $global_batch } cannot be dealt out evenly to { $counts } cards: those counts are left out.
scaling-samples-in-lists = A batch holds its samples in lists: DataParallel, which cuts each tensor of them along its first side, is left out.
scaling-lone-card = A machine with { $devices } has one GPU, so no more than one is judged.
scaling-lone-card-not-kept = A machine with { $devices } has one GPU: it is judged as one card, not as the { $counts } that were asked for.

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
ranks-lost-elsewhere = One of the ranks { $rank_list }, which run on other hosts, was lost or stopped answering: the report of its own host says which. What the ranks of this host had measured until then is kept.
ranks-other-hosts = Ranks { $rank_list } run on other hosts: what they measured, and how they ended, stands in the reports of their own hosts.
ranks-failed = The ranks could not measure: { $text }
ranks-deadline = The phase { $phase } did not end in time: a rank or a link hangs. On GPUs try NCCL_P2P_DISABLE=1; between hosts check the network interface and the firewall.
ranks-peer-unreadable = Rank { $rank } sent no readable report: { $error }.
ranks-peer-version = Rank { $rank } runs advisor '{ $version }' (report format { $format }), this rank '{ $own }' (format { $own_format }).
ranks-peer-misfit = Rank { $rank } sent a report that does not fit: { $error }.
ranks-peer-other = Rank { $rank } of { $count } calls itself rank { $said } of { $said_count }.
ranks-peer-announced = Rank { $rank } announced a message of { $message_bytes }; at most { $limit_bytes } is accepted.
ranks-peer-remedy = Start the same version of advisor on every host, and nothing else on the group's port.
ranks-partial-report = A partial report of the ranks of this host was kept in { $path }.

# Said by advice that was saved before scaling-learning-rate took its place.
why-learning-rate = The global batch is { $global_batch } instead of { $own_global_batch }: try a learning rate between 1 and { $factor_ratio } times the old one, with a warm-up.
ranks-folder-not-ours = { $folder } belongs to someone else.
ranks-folder-not-ours-remedy = Set TMPDIR to a folder of your own.
ranks-environment-no-number = Environment: { $name } is { $given }, no number.
ranks-environment-no-number-remedy = Start the ranks with torchrun, or unset RANK and WORLD_SIZE.
ranks-environment-contradict = Environment: no group has a rank of { $given }.
ranks-environment-contradict-remedy = Start the ranks with torchrun.

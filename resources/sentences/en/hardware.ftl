# Why the whole driver cannot be used, each with its remedy.
driver-absent = No NVIDIA driver is installed here: only the processor can be timed, and GPUs are predicted from their data sheets. If there is an NVIDIA card, install its driver.
driver-absent-for-card = { $gpu_count ->
    [one] An NVIDIA card is built in, but its driver's library is missing: install the NVIDIA driver.
   *[other] { $gpu_count } NVIDIA cards are built in, but the driver's library is missing: install the NVIDIA driver.
}
driver-not-loaded = The NVIDIA driver is installed but not loaded: load it (on Linux: modprobe nvidia) or reboot.
driver-mismatch = The NVIDIA driver was updated while the old one is still running: reboot.
driver-no-permission = The NVIDIA driver refuses access to this user: ask for access to the devices /dev/nvidia*.
driver-container-lost-gpu = This container has lost its GPU: restart the container.
driver-gpu-lost-at-start = A GPU has fallen off the bus, and the NVIDIA driver will not start: reboot, and check power and seating if it happens again.
driver-reset-required = A GPU must be reset before the NVIDIA driver can be used: reboot.
driver-blocked-by-system = The operating system blocks the NVIDIA driver: look at its security settings or at the container's device rules.
driver-out-of-resources = The NVIDIA driver has run out of memory or resources: end programs that use the GPU, or reboot.
driver-fabric-not-ready = The NVSwitch fabric is not up, and CUDA would fail with error 802: start the NVIDIA fabric manager of the driver's version.
driver-too-old-for-card = The NVIDIA driver is too old for this combination of card and CUDA: install a newer driver.
driver-error = The NVIDIA driver failed with error { $nvml_code }: reboot; if it stays, reinstall the driver.
driver-not-responding = The NVIDIA driver is not responding: it is left alone and tried again later; if it stays so, reboot.
driver-crashed = The NVIDIA driver's library crashed: it is left alone and tried again later; if it stays so, reinstall the driver.
driver-call-hung = The NVIDIA driver did not answer { $function } in time: that call is left out; if other figures are missing too, reboot.
driver-call-crashed = The NVIDIA driver's library crashed in { $function }: that call is left out; a newer driver may mend it.
driver-not-asked = The look at this machine ended before the NVIDIA driver was asked, so that no NVIDIA GPU is known here: look again when the machine is less busy.
readings-stopped = The readings of this machine stopped and are taken up again: it may be too busy to read in time.
driver-no-gpus = The NVIDIA driver runs but shows no GPU: check that the card is passed through to this machine or container.
driver-gpu-asleep = The NVIDIA GPU is asleep to save power and is not woken for plots: they begin when a program uses it.
driver-gpu-was-asleep = { $gpu_count ->
    [one] The NVIDIA GPU was asleep to save power and was woken to be looked at: its clocks and power may still be low.
   *[other] { $gpu_count } NVIDIA GPUs were asleep to save power and were woken to be looked at: clocks and power may still be low.
}
driver-binding-missing = The Python package nvidia-ml-py is missing: install it with pip install nvidia-ml-py.
driver-binding-wrong = Another package took the name pynvml: run pip uninstall pynvml nvidia-ml-py, then pip install nvidia-ml-py.

# Why one field is unknown.
refused-not-supported = not supported by this device
refused-not-applicable = does not apply to this device
refused-no-permission = this user may not read it
refused-not-found = the driver does not find it
refused-driver-gone = the driver is no longer available
refused-timeout = the driver did not answer in time
refused-driver-too-old = the installed driver does not know this question
refused-deprecated = newer drivers no longer answer this
refused-gpu-lost = the GPU has fallen off the bus
refused-reset-required = the GPU must be reset
refused-blocked-by-system = blocked by the operating system
refused-error = the driver answered with error { $nvml_code }
refused-driver-crashed = asking for it made the driver fail
refused-undecodable = the driver's answer is not readable text
refused-binding-mismatch = the installed nvidia-ml-py does not fit this driver
refused-nonsense = the answer made no sense
refused-system-silent = the operating system does not tell

# What is to be known about one GPU.
gpu-lost = GPU { $gpu_index } ({ $gpu_name }) has fallen off the bus: reboot, and check power and seating if it happens again; the other devices are used meanwhile.
gpu-unusable = GPU { $gpu_index } ({ $gpu_name }) cannot be used: see the reasons beside its fields.
gpu-compute-prohibited = its compute mode forbids programs: an administrator can allow them with nvidia-smi -c 0
gpu-hidden = GPU { $gpu_index } ({ $gpu_name }) is hidden from CUDA by CUDA_VISIBLE_DEVICES: unset the variable to use it.
gpu-in-use-exclusive = GPU { $gpu_index } ({ $gpu_name }) is in exclusive mode and in use by process { $pid }: end that process or choose another GPU.
gpu-mig = GPU { $gpu_index } ({ $gpu_name }) is split into { $instance_count ->
    [one] one MIG instance, a device of its own.
   *[other] { $instance_count } MIG instances, each a device of its own: DDP between them is not possible.
}
gpu-shared-by-others = GPU { $gpu_index } ({ $gpu_name }) is a share of a card (vGPU): others may slow it down, so measure at different times.
gpu-unified-memory = GPU { $gpu_index } ({ $gpu_name }) shares the memory of the processor: what programs use of it is missing for training.
gpu-unknown-card = GPU { $gpu_index } ({ $gpu_name }) is not in the specification table: measure on it, or describe it with --gpu-file.

# What is to be known about the machine.
machine-torch-missing = torch is not installed: nothing can be measured; install it with pip install "training-advisor[measure]".
machine-torch-without-cuda = The installed torch { $torch } has no CUDA, so it cannot use the NVIDIA GPU: install a build for CUDA { $cuda_driver } or older.
machine-driver-too-old = torch was built for CUDA { $torch_cuda }, but the driver runs CUDA { $cuda_driver } at most: update the driver or install a torch build for that CUDA.
machine-visible-devices-ambiguous = CUDA_VISIBLE_DEVICES numbers cards of different kinds, whose order in CUDA is not published: name them by UUID, or set CUDA_DEVICE_ORDER=PCI_BUS_ID.
machine-wsl = This is Windows' subsystem for Linux: the driver hides many figures, and batch sizes are never tried until memory runs out.
machine-core-limit = A control group limits this program to { $core_count } of { $logical_core_count } cores: raise the limit for more speed.
machine-memory-limit = A control group limits the memory of this program to { $limit_bytes }: raise the limit if that is too little.

# The text of --detect and of a problem report.
detect-cpu = Processor: { $name }
detect-cores = Cores: { $physical } physical, { $logical } logical, { $usable } usable
detect-cpu-limit = Control group's limit: { $cores } cores
detect-clock = Highest clock: { $clock_hz }
detect-instruction-sets = Instruction sets: { $names }
detect-memory = Memory: { $total_bytes }, of which { $available_bytes } available
detect-memory-limit = Control group's limit: { $limit_bytes }
detect-no-gpu = GPU: none found
detect-gpu = GPU { $gpu_index }: { $gpu_name }
detect-gpu-unusable = not usable: { $reason }
detect-field = { $label }: { $value }
detect-refused = { $label }: unknown: { $reason }
detect-link = GPU { $first } and GPU { $second }: { $kind }
detect-software = Software: { $os }, Python { $python }
detect-versions = Driver { $driver }, CUDA of the driver { $cuda_driver }, torch { $torch }, transformers { $transformers }
detect-torch-with-cuda = { $torch } (built for CUDA { $torch_cuda })
detect-torch-without-cuda = { $torch } (built without CUDA)
detect-mig-instance = MIG instance { $instance }
detect-surroundings = Surroundings: { $names }
detect-notices = To know:
detect-unknown = unknown
detect-none = none
detect-yes = yes
detect-no = no
detect-spec-row = row of the specification table
detect-container = container
detect-wsl = Windows subsystem for Linux
detect-process = process { $pid } ({ $name })
detect-link-nvlink = NVLink
detect-link-nvswitch = NVLink through NVSwitch
detect-link-pcie_p2p = PCIe, peer to peer
detect-link-pcie_host = PCIe through the host's memory
detect-link-unknown = unknown
label-name = name
label-logical_core_count = logical cores
label-physical_core_count = physical cores
label-max_clock_hz = highest clock
label-instruction_sets = instruction sets
label-uuid = UUID
label-compute_capability = compute capability
label-memory_total_bytes = memory, total
label-memory_free_bytes = memory, free
label-memory_reserved_bytes = memory, reserved by the driver
label-sm_clock_hz = clock now
label-sm_clock_max_hz = clock, highest
label-sm_clock_default_hz = clock, default
label-memory_clock_hz = memory clock
label-power_w = power now
label-power_limit_w = power limit
label-temperature_celsius = temperature
label-pcie_generation = PCIe generation
label-pcie_width = PCIe lanes
label-pcie_bus = PCIe address
label-nvlink_count = active NVLink links
label-compute_mode = compute mode
label-driver_model = driver model
label-virtualisation = virtualisation
label-unified_memory = memory shared with the processor
label-mig_enabled = MIG
label-mig_instances = MIG instances
label-processes = programs on it

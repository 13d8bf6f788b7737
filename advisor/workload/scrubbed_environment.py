"""What of the environment a child that runs a model gets to see: what torch and the system need, and no secret."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_NEEDED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TERM|TMPDIR|TEMP|TMP|VIRTUAL_ENV|CONDA_PREFIX|LD_LIBRARY_PATH|LD_PRELOAD"
    r"|DYLD_\w+|LC_\w+|XDG_\w+|PYTHON\w*"
    # Windows starts no process without some of these.
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAM\w*"
    r"|NUMBER_OF_PROCESSORS|PROCESSOR_\w+"
    # Devices and their libraries.
    r"|(?:CUDA|CUBLAS|CUDNN|NVIDIA|NCCL|GLOO|NVML|HIP|ROCR|ROCM|HSA|MIOPEN|PYTORCH|TORCH|TORCHINDUCTOR|TRITON)(?:_\w*)?"
    r"|(?:OMP|GOMP|KMP|MKL|OPENBLAS|BLIS|VECLIB|NUMEXPR|DNNL|ONEDNN|MALLOC|GLIBC|TBB)_\w+"
    # Where models lie, and whether the network may be asked.
    r"|HF_\w+|HUGGINGFACE_\w+|TRANSFORMERS_\w+|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE"
    # Who this rank is.
    r"|RANK|WORLD_SIZE|LOCAL_RANK|LOCAL_WORLD_SIZE|GROUP_\w+|ROLE_\w+|MASTER_ADDR|MASTER_PORT|TORCHELASTIC_\w+"
    # This program's own, and its tests'.
    r"|ADVISOR_\w+|FAKE_NVML\w*|COVERAGE_\w+|COV_CORE_\w+",
    re.IGNORECASE,
)
_SECRET_NAME = re.compile(r"TOKEN|KEY|SECRET|PASSW|CREDENTIAL|COOKIE|(?:^|_)(?:PAT|AUTH|PWD)(?:_|$)", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"://[^/\s@]*:[^/\s@]*@")
"""An address with a password in it, whatever the variable is called."""


def scrubbed_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment (this process's by default) without what a model has no use for.

    Not by what secrets are usually called: everything is left out (DATABASE_URL, SSH_AUTH_SOCK, GH_PAT, …) that is
    not known to be needed.
    """
    source = os.environ if environment is None else environment
    return {name: value for name, value in source.items() if _may_be_seen(name, value)}


def _may_be_seen(name: str, value: str) -> bool:
    return bool(_NEEDED.fullmatch(name)) and not _SECRET_NAME.search(name) and not _SECRET_VALUE.search(value)

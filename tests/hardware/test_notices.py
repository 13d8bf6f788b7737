"""What is concluded from a machine, and that every reason of this room has a sentence in both languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from advisor.core.sentences import message_exists, say
from advisor.hardware.driver_problems import FUNCTION_NOT_FOUND, driver_problem, field_problem
from advisor.hardware.machine import Cpu, Gpu, HostMemory, Machine, Software
from advisor.hardware.notices import machine_notices

if TYPE_CHECKING:
    from pathlib import Path

CARD = Gpu(uuid="GPU-1", index=0, vendor="nvidia", name="NVIDIA A40", spec_key="a40")
PLAIN = Machine(
    cpu=Cpu(
        name="CPU",
        architecture="x86_64",
        physical_core_count=8,
        logical_core_count=16,
        usable_core_count=16,
        cgroup_core_limit_count=None,
        max_clock_hz=None,
        instruction_sets=("avx2",),
    ),
    memory=HostMemory(total_bytes=2**34, available_bytes=2**33, cgroup_limit_bytes=None),
    gpus=(CARD,),
    software=Software(os="Linux", python="3.11.7", torch="2.9.0", torch_cuda="12.8", cuda_driver="12.4"),
)


def machine(**changes: Any) -> Machine:
    return msgspec.structs.replace(PLAIN, **changes)


def codes(found: Machine) -> list[str]:
    notices = machine_notices(found)
    assert all(say(notice, language) for notice in notices for language in ("en", "zh"))
    return [notice.code for notice in notices]


def software(**changes: Any) -> Software:
    return msgspec.structs.replace(PLAIN.software, **changes)


def card(**changes: Any) -> tuple[Gpu, ...]:
    return (msgspec.structs.replace(CARD, **changes),)


def test_a_sound_machine_has_nothing_to_be_known() -> None:
    assert codes(PLAIN) == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"software": software(torch=None, torch_cuda=None)}, "machine-torch-missing"),
        ({"software": software(torch="2.9.0+cpu", torch_cuda=None)}, "machine-torch-without-cuda"),
        ({"software": software(torch_cuda="13.0")}, "machine-driver-too-old"),
        ({"software": software(wsl=True)}, "machine-wsl"),
        ({"cpu": msgspec.structs.replace(PLAIN.cpu, cgroup_core_limit_count=1.5)}, "machine-core-limit"),
        ({"memory": msgspec.structs.replace(PLAIN.memory, cgroup_limit_bytes=2**32)}, "machine-memory-limit"),
        ({"gpus": card(spec_key=None)}, "gpu-unknown-card"),
        ({"gpus": card(hidden_from_cuda=True)}, "gpu-hidden"),
        ({"gpus": card(unified_memory=True)}, "gpu-unified-memory"),
        ({"gpus": card(virtualisation="vgpu")}, "gpu-shared-by-others"),
        ({"gpus": card(mig_enabled=True)}, "gpu-mig"),
        ({"gpus": card(usable=False, unusable_reason=field_problem(15))}, "gpu-lost"),
        ({"gpus": card(usable=False, unusable_reason=field_problem(16))}, "gpu-unusable"),
    ],
)
def test_each_trouble_has_its_notice(changes: dict[str, Any], code: str) -> None:
    assert codes(machine(**changes)) == [code]


def test_a_newer_minor_version_of_cuda_is_no_trouble() -> None:
    assert codes(machine(software=software(torch_cuda="12.9", cuda_driver="12.2"))) == []


def test_a_build_without_cuda_is_no_trouble_without_a_gpu() -> None:
    assert codes(machine(gpus=(), software=software(torch="2.9.0+cpu", torch_cuda=None))) == []


@pytest.mark.parametrize("code", [*range(1, 31), 802, 803, 804, 999])
def test_every_error_code_has_a_sentence_with_a_remedy_in_both_languages(code: int) -> None:
    assert re.search(r"[:：]", say(driver_problem(code), "en"))
    assert re.search(r"[:：]", say(driver_problem(code), "zh"))
    assert say(field_problem(code), "en") != say(field_problem(code), "zh")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (9, "driver-not-loaded"),
        (20, "driver-out-of-resources"),
        (23, "driver-out-of-resources"),
        (27, "driver-fabric-not-ready"),
        (18, "driver-mismatch"),
        (4, "driver-no-permission"),
        (12, "driver-absent"),
        (802, "driver-fabric-not-ready"),
        (999, "driver-error"),
    ],
)
def test_the_well_known_failures_are_named(code: int, name: str) -> None:
    assert driver_problem(code).code == name


def test_error_999_in_a_container_means_that_it_lost_its_gpu() -> None:
    assert driver_problem(999, container=True).code == "driver-container-lost-gpu"


def test_every_code_written_in_this_room_has_its_message(request: pytest.FixtureRequest) -> None:
    import advisor.hardware

    folder = type(request.path)(advisor.hardware.__file__).parent
    files: list[Path] = sorted(folder.rglob("*.py"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    found = set(re.findall(r'"((?:driver|refused|gpu|machine|detect)-[a-z0-9-]+)"', text))
    assert len(found) > 60
    missing = [code for code in sorted(found) for language in ("en", "zh") if not message_exists(code, language)]
    assert missing == []


def test_a_function_or_a_form_of_it_that_a_driver_lacks_is_told_as_its_age() -> None:
    codes = {code: field_problem(code).code for code in (FUNCTION_NOT_FOUND, 25, 26)}
    assert codes == {
        FUNCTION_NOT_FOUND: "refused-driver-too-old",
        25: "refused-driver-too-old",
        26: "refused-deprecated",
    }

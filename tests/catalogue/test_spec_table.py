"""The table of GPU specifications: true to its source, in base units, matched by exact name and memory alone."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import jsonschema
import msgspec
import pytest

from advisor.catalogue.gpu_words import cards_meant
from advisor.catalogue.spec_table import GpuFile, read_gpu_file, spec_for, spec_table
from advisor.core.bundled import resource
from advisor.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

GIB = 2**30

MINE = """\
[[gpu]]
key = "my-card"
name = "My card"
nvml_names = ["NVIDIA My Card"]
fp32_flop_per_s = 10_000_000_000_000
memory_bytes = 17_179_869_184
memory_bandwidth_bytes_per_s = 500_000_000_000
source = "data sheet"
checked = "2026-01-31"
"""


def test_a_card_is_added_by_one_table_alone(tmp_path: Path) -> None:
    text = resource("gpus.toml").read_text(encoding="utf-8")
    assert len(spec_table()) == text.count("\n[[gpu]]\n")
    first = text[text.index("\n[[gpu]]") + 1 :].split("\n\n")[0]
    added = tmp_path / "gpus.toml"
    assert "v100-pcie-16" in first
    added.write_text(first.replace(f'key = "{next(iter(spec_table()))}"', 'key = "new-card"'), encoding="utf-8")
    assert list(read_gpu_file(added)) == ["new-card"]


def test_figures_are_in_base_units() -> None:
    card = spec_table()["a100-sxm4-80"]
    assert card.sm_count == 108
    assert card.boost_clock_hz == 1.41e9
    assert (card.fp32_flop_per_s, card.tf32_flop_per_s) == (19.49e12, 156e12)
    assert (card.fp16_flop_per_s, card.bf16_flop_per_s) == (312e12, 312e12)
    assert (card.memory_bytes, card.l2_bytes) == (80 * GIB, 40 * 2**20)
    assert card.memory_bandwidth_bytes_per_s == 2039e9
    assert (card.nvlink_bytes_per_s, card.nvswitch, card.nvlink_pairs_only) == (300e9, True, False)
    assert (card.power_w, card.pcie_generation, card.pcie_lane_count) == (400, 4, 16)


@pytest.mark.parametrize(
    ("figure", "in_another_unit"),
    [
        ("fp32_flop_per_s = 10_000_000_000_000", "fp32_flop_per_s = 10.0"),
        ("memory_bytes = 17_179_869_184", "memory_bytes = 16"),
        ("memory_bytes = 17_179_869_184", "memory_bytes = 16384"),
        ("memory_bandwidth_bytes_per_s = 500_000_000_000", "memory_bandwidth_bytes_per_s = 500"),
        ("memory_bandwidth_bytes_per_s = 500_000_000_000", "memory_bandwidth_bytes_per_s = 1e-300"),
        ('source = "data sheet"', 'source = "data sheet"\nboost_clock_hz = 2520'),
        ('source = "data sheet"', 'source = "data sheet"\nl2_bytes = 72'),
        ('source = "data sheet"', 'source = "data sheet"\nl2_bytes = 73728'),
        ('source = "data sheet"', 'source = "data sheet"\npower_w = 450000'),
        ('source = "data sheet"', 'source = "data sheet"\nfp16_flop_per_s = 1e300'),
    ],
)
def test_a_figure_in_another_unit_is_refused(figure: str, in_another_unit: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert figure in MINE
    path.write_text(MINE.replace(figure, in_another_unit))
    with pytest.raises(InputError, match=r"Allowed: a number from [12]\S* to \S+ in (B|B/s|FLOP/s|Hz|W)\.$") as raised:
        read_gpu_file(path)
    assert str(raised.value).count("Allowed") == 1


def test_what_a_card_does_not_have_is_absent() -> None:
    volta, ada, instinct = (spec_table()[key] for key in ("v100-sxm2-16", "rtx4090", "mi300x"))
    assert (volta.tf32_flop_per_s, volta.bf16_flop_per_s) == (None, None)
    assert (ada.nvlink_bytes_per_s, ada.peer_to_peer) == (None, False)
    assert (instinct.compute_capability, instinct.nvlink_bytes_per_s) == (None, None)
    assert not ada.is_linked
    assert instinct.is_linked
    assert spec_table()["p100-pcie-16"].fp16_flop_per_s is None


def test_a_bridge_joins_pairs_only_and_half_of_its_figure_goes_one_way() -> None:
    card = spec_table()["rtx3090"]
    assert (card.nvlink_bytes_per_s, card.nvlink_pairs_only, card.nvswitch) == (56.25e9, True, False)


def test_every_row_names_its_source_and_date() -> None:
    for spec in spec_table().values():
        assert re.search(r"https://[\w.-]+\.[a-z]+/", spec.source), spec.key
        assert re.fullmatch(r"20\d\d-[01]\d(-[0-3]\d)?", spec.checked), spec.key


def test_tensor_rates_agree_with_the_arithmetic_that_their_source_claims() -> None:
    """SM × FMA per clock × 2 × boost, for the rows whose source says that this agrees within 1.5 %."""
    per_clock = {"7.0": 512, "7.5": 512, "8.0": 1024, "8.6": 512, "8.9": 512}
    checked = 0
    for spec in spec_table().values():
        if "agrees <1.5%" in spec.source and spec.compute_capability in per_clock and spec.fp16_flop_per_s:
            assert spec.sm_count is not None
            assert spec.boost_clock_hz is not None
            rate = spec.sm_count * per_clock[spec.compute_capability] * 2 * spec.boost_clock_hz
            halves = 2 if spec.name.startswith("GeForce") else 1
            assert spec.fp16_flop_per_s * halves == pytest.approx(rate, rel=0.015), spec.key
            checked += 1
    assert checked >= 20


@pytest.mark.parametrize(
    ("name", "mib", "key"),
    [
        ("NVIDIA A100-SXM4-80GB", 81920, "a100-sxm4-80"),
        ("NVIDIA A100-SXM4-40GB", 40960, "a100-sxm4-40"),
        ("NVIDIA A100 80GB PCIe", 81920, "a100-pcie-80"),
        ("NVIDIA GeForce RTX 3090", 24576, "rtx3090"),
        ("GeForce RTX 3090", 24268, "rtx3090"),
        ("NVIDIA GeForce RTX 4090", 24564, "rtx4090"),
        ("Tesla V100-SXM2-16GB", 16160, "v100-sxm2-16"),
        ("Tesla T4", 15109, "t4"),
        ("NVIDIA L40S", 46068, "l40s"),
        ("NVIDIA H100 80GB HBM3", 81559, "h100-sxm"),
        ("NVIDIA H200", 143771, "h200-sxm"),
        ("NVIDIA B200", 183359, "b200-sxm"),
        ("NVIDIA GeForce RTX 3080", 10240, "rtx3080-10"),
        ("NVIDIA GeForce RTX 3060", 12288, "rtx3060-12"),
        ("NVIDIA GeForce RTX 4090", 49140, "rtx4090-48"),
        ("NVIDIA GeForce RTX 2080 Ti", 22528, "rtx2080ti-22"),
        ("NVIDIA GeForce RTX 3080", 20480, "rtx3080-20"),
        ("NVIDIA B300 SXM6 AC", 275040, "b300-sxm"),
    ],
)
def test_a_card_takes_the_row_of_its_exact_name_and_memory(name: str, mib: int, key: str) -> None:
    spec = spec_for(name, mib * 2**20, spec_table())
    assert spec is not None
    assert spec.key == key


@pytest.mark.parametrize(
    ("name", "mib"),
    [
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 24564),
        ("NVIDIA GeForce RTX 4050 Laptop GPU", 8188),
        ("NVIDIA GeForce RTX 4080 D", 16376),
        ("NVIDIA GeForce RTX 2080 Ti with Max-Q Design", 11264),
        ("NVIDIA GeForce RTX 3080 Laptop GPU", 16384),
        ("NVIDIA GeForce RTX 3080", 16384),
        ("NVIDIA GeForce RTX 3060", 8192),
        ("NVIDIA H800 NVL", 96256),
        ("NVIDIA A10M", 20480),
        ("GRID A100X-10C", 10240),
        ("nvidia geforce rtx 4090", 24564),
        ("NVIDIA A100-SXM4-80GB", 40960),
        ("", 24564),
    ],
)
def test_a_variant_is_a_card_of_its_own(name: str, mib: int) -> None:
    assert spec_for(name, mib * 2**20, spec_table()) is None


@pytest.mark.parametrize(
    ("name", "mib", "key"),
    [
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 16376, "rtx4090-laptop"),
        ("NVIDIA GeForce RTX 4080 SUPER", 16376, "rtx4080super"),
        ("NVIDIA GeForce RTX 4090 D", 24564, "rtx4090d"),
        ("NVIDIA GeForce RTX 3080", 12288, "rtx3080-12"),  # more SMs than the 10 GB card of the same name
        ("NVIDIA A10G", 23028, "a10g"),
        ("NVIDIA L40", 46068, "l40"),
        ("NVIDIA L20", 46068, "l20"),
        ("NVIDIA H20", 97871, "h20-sxm"),
        ("NVIDIA GeForce RTX 4060 Ti", 16380, "rtx4060ti-16"),
        ("NVIDIA GeForce RTX 4060 Ti", 8188, "rtx4060ti-8"),
        ("NVIDIA GeForce RTX 4060", 8188, "rtx4060"),  # desktops have a bus of their own beside laptops
        ("NVIDIA GeForce RTX 5060 Ti", 16311, "rtx5060ti-16"),
        ("NVIDIA RTX A2000 12GB", 12282, "a2000-12"),
        ("Tesla P40", 23040, "p40"),
        ("NVIDIA RTX 4000 Ada Generation", 20475, "rtx4000ada"),
    ],
)
def test_a_variant_takes_its_own_row(name: str, mib: int, key: str) -> None:
    found = spec_for(name, mib * 2**20, spec_table())
    assert found is not None
    assert found.key == key


def test_a_card_that_hides_its_memory_takes_no_row() -> None:
    assert spec_for("NVIDIA A100-SXM4-80GB", None, spec_table()) is None


def test_no_name_and_size_fits_two_rows() -> None:
    seen = [(name, spec.memory_bytes) for spec in spec_table().values() for name in spec.nvml_names]
    assert len(seen) == len(set(seen))


def test_a_users_file_adds_a_card(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE, encoding="utf-8")
    specs = read_gpu_file(path)
    assert list(specs) == ["my-card"]
    found = spec_for("NVIDIA My Card", 16 * GIB, {**spec_table(), **specs})
    assert found is not None
    assert found.tf32_flop_per_s is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("fp32_flop_per_s = 10_000_000_000_000", "fp32_flop_per_s = -1"), ("fp32_flop_per_s",)),
        (("fp32_flop_per_s = 10_000_000_000_000", "fp32_flop_per_s = nan"), ("fp32_flop_per_s", "nan")),
        (("fp32_flop_per_s = 10_000_000_000_000", ""), ("fp32_flop_per_s", "missing")),
        (("memory_bytes = 17_179_869_184", ""), ("memory_bytes", "missing")),
        (("memory_bytes", "memory_gb"), ("memory_gb",)),
        (('key = "my-card"', 'key = "rtx4090"'), ("rtx4090", "another key")),
        (('key = "my-card"', 'key = "My Card!"'), ("key",)),
        (('source = "data sheet"', ""), ("source",)),
        (("[[gpu]]", "[[card]]"), ("card",)),
        (('name = "My card"', "name = 3"), ("name",)),
        (("[[gpu]]", "[[gpu"), ("TOML",)),
    ],
)
def test_a_wrong_file_is_refused_with_file_field_and_remedy(
    tmp_path: Path, change: tuple[str, str], words: tuple[str, ...]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE.replace(*change, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_gpu_file(path)
    message = str(caught.value)
    assert all(word in message for word in ("mine.toml", *words)), message
    assert caught.value.remedy


def test_a_card_given_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE + MINE, encoding="utf-8")
    with pytest.raises(InputError, match="given twice"):
        read_gpu_file(path)


def test_the_published_schema_fits_the_table() -> None:
    schema = msgspec.json.schema(GpuFile)
    table = tomllib.loads(resource("gpus.toml").read_text(encoding="utf-8"))
    jsonschema.validate(table, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"gpu": [{"key": "x"}]}, schema)


def test_a_row_comes_back_from_json_unchanged() -> None:
    for spec in spec_table().values():
        assert msgspec.json.decode(msgspec.json.encode(spec), type=type(spec)) == spec


@pytest.mark.parametrize(("text", "words"), [("gpu = []\n", ("gpu",)), (MINE * 501, ("501", "500"))])
def test_a_file_without_cards_or_with_too_many_is_refused(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_gpu_file(path)
    assert all(word in str(caught.value) for word in ("mine.toml", *words)), caught.value


@pytest.mark.parametrize(
    ("sold_in_china", "elsewhere"),
    [
        ("h800-sxm", "h100-sxm"),
        ("h800-pcie", "h100-pcie"),
        ("a800-sxm4-80", "a100-sxm4-80"),
        ("a800-pcie-80", "a100-pcie-80"),
    ],
)
def test_what_is_sold_in_china_differs_in_its_links_alone_and_is_no_other_cards_namesake(
    sold_in_china: str, elsewhere: str
) -> None:
    own, other = spec_table()[sold_in_china], spec_table()[elsewhere]
    changed = {name for name in own.__struct_fields__ if getattr(own, name) != getattr(other, name)}
    assert changed <= {
        "key", "name", "nvml_names", "nvlink_bytes_per_s", "nvlink_pairs_only", "released", "source", "checked", "note",
        "same_chip_as",
    }  # fmt: skip
    assert own.published_as == elsewhere
    assert (own.nvlink_bytes_per_s or 0.0) < (other.nvlink_bytes_per_s or 0.0)
    assert sold_in_china not in cards_meant(elsewhere.split("-", maxsplit=1)[0], spec_table())
    assert sold_in_china in cards_meant(own.name, spec_table())


def test_a_card_is_the_same_but_for_its_links_as_a_row_that_stands_for_itself() -> None:
    table = spec_table()
    named = [spec.same_chip_as for spec in table.values() if spec.same_chip_as is not None]
    assert named
    assert all(table[key].published_as == key for key in named)


def test_every_card_is_found_by_its_key_and_by_its_name_alone() -> None:
    table = spec_table()
    for key, spec in table.items():
        assert cards_meant(key, table) == (key,)
        assert key in cards_meant(spec.name, table)


def test_a_card_whose_memory_was_replaced_is_the_card_that_it_was_but_for_its_memory() -> None:
    replaced = [spec for spec in spec_table().values() if spec.memory_replaced]
    assert len(replaced) >= 5
    for own in replaced:
        sold = spec_table()[own.published_as]
        changed = {name for name in own.__struct_fields__ if getattr(own, name) != getattr(sold, name)}
        assert changed == {
            "key", "name", "memory_bytes", "same_chip_as", "memory_replaced", "released", "source", "checked", "note",
        }, own.key  # fmt: skip
        assert own.memory_bytes == 2 * (sold.memory_bytes or 0)
        assert own.key not in cards_meant(sold.name, spec_table())
        assert own.name.startswith(sold.name)


def test_what_a_file_leaves_out_of_a_card_since_ampere_follows_from_its_16_bit_rate(tmp_path: Path) -> None:
    newer = [spec for spec in spec_table().values() if float(spec.compute_capability or 0) >= 8.0]
    for spec in newer:  # the ratios hold for every card of the table
        if spec.lacks_tensor_rates:
            assert spec.bf16_flop_per_s is spec.tf32_flop_per_s is None
            continue
        assert spec.fp16_flop_per_s is not None
        assert spec.bf16_flop_per_s == spec.fp16_flop_per_s, spec.key
        assert spec.tf32_flop_per_s == pytest.approx(spec.fp16_flop_per_s / 2, rel=0.02), spec.key
    path = tmp_path / "mine.toml"
    told = 'source = "data sheet"\nfp16_flop_per_s = 40e12\ncompute_capability = '
    path.write_text(MINE.replace('source = "data sheet"', told + '"12.1"'))
    own = read_gpu_file(path)["my-card"]
    assert (own.bf16_flop_per_s, own.tf32_flop_per_s) == (40e12, 20e12)
    path.write_text(MINE.replace('source = "data sheet"', told + '"7.5"'))
    older = read_gpu_file(path)["my-card"]
    assert (older.bf16_flop_per_s, older.tf32_flop_per_s) == (None, None)

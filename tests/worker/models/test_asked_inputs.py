"""What a model asks for beside its usual inputs is made as it documents it, in the sizes that it names."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from advisor.core.errors import InputError
from advisor.worker.models.huggingface.documented import documented_inputs
from advisor.worker.models.huggingface.kinds import further_batches, main_input_name, name_picture_words
from advisor.worker.models.huggingface.loss import own_loss
from advisor.worker.models.huggingface.search import Search
from advisor.worker.models.huggingface.sets import known_sets
from advisor.worker.models.huggingface.sizes import resized_batches
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.worker.trace.values.kept_values import Values
from advisor.worker.trace.values.known import Fakes
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload

TEXT = load_workload(
    {
        "name": "asked",
        "model": {"source": "huggingface", "config": {"model_type": "bert"}},
        "data": {"samples": 10, "sequence_length": 12, "loader_workers": 0},
        "training": {"precision": "fp32", "optimizer": "sgd", "epochs": 1, "batch_size": 2},
    }
)


class Asking(nn.Module):
    """A module of the library's kind: a configuration, a documented forward."""

    def __init__(self, **config: int) -> None:
        super().__init__()
        self.config = SimpleNamespace(**config)
        self.layer = nn.Linear(4, 4)


class Boxed(Asking):
    def forward(self, words: Tensor, bbox: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """Places of words.

        bbox (`torch.LongTensor` of shape `(batch_size, sequence_length, 4)`, *optional*):
            Where each word stands.
        """
        if bbox is None:
            raise ValueError("You have to specify bbox")
        assert mask is None
        out: Tensor = self.layer(bbox.float()) + words.unsqueeze(-1)
        return out


class Exact(Asking):
    def forward(self, sound: Tensor) -> Tensor:
        if sound.shape[-1] != 300:
            raise ValueError(f"sound of length 300 is expected, but found {sound.shape[-1]}")
        return sound.reshape(len(sound), -1, 4) @ self.layer.weight


class Reduced(Asking):
    def forward(self, sound: Tensor) -> Tensor:
        """Four rows become one before they are projected."""
        return self.layer(sound.reshape(len(sound), -1, sound.shape[-1] // 4))  # type: ignore[no-any-return]


class Writing(Asking):
    """Writes word after word, each of many operators."""

    written = 0

    def forward(self, sound: Tensor) -> Tensor:
        for _ in range(20_000):
            sound = sound + 1
            self.written += 1
        return sound


def test_what_ran_for_many_operators_is_said_to_run() -> None:
    module = Writing()
    assert Search(module, TEXT).complaint(lambda batch_size: {"sound": torch.zeros(batch_size, 4)}) is None
    assert module.written == 10_000


class Windowed(Asking):
    def forward(self, pixel_values: Tensor) -> Tensor:
        patches = pixel_values[:, :, ::16, ::16]
        if patches.shape[-1] % 4:
            raise RuntimeError(f"shape '[2, 4, 3]' is invalid for input of size {patches.numel()}")
        return patches.sum() * self.layer.weight


class Read(Asking):
    def forward(self, sound: Tensor) -> Tensor:
        count = int((sound > -1e9).sum().item())
        if count % 300:
            raise ValueError(f"sound of length 300 is expected, but found {sound.shape[-1]}")
        return sound.reshape(len(sound), -1, 4) @ self.layer.weight


class Moved(Asking):
    def forward(self, words: Tensor, first: Tensor | None = None, second: Tensor | None = None) -> Tensor:
        """Two inputs that go through one kind of layer, which complains of either in the same words.

        first (`torch.FloatTensor` of shape `(batch_size, sequence_length, 4)`, *optional*): One.
        second (`torch.FloatTensor` of shape `(batch_size, sequence_length, 4)`, *optional*): Another.
        """
        moved: Tensor = self.layer(first)
        also: Tensor = self.layer(second)
        return moved + also + words.unsqueeze(-1)


class Cut(Asking):
    def forward(self, pixel_values: Tensor, grid_thw: Tensor) -> Tensor:
        """Pictures as patches one after the other.

        grid_thw (`torch.LongTensor` of shape `(num_images, 3)`): Patches of each picture by time, height and width.
        """
        if int(grid_thw.prod(dim=1).sum()) != len(pixel_values):
            raise ValueError("the patches are not those of the grids")
        return pixel_values.mean()


class Endless(Asking):
    def forward(self, words: Tensor) -> Tensor:
        raise ValueError(f"never {int(words.shape[-1]) + 1}")


def words(batch_size: int) -> dict[str, Tensor]:
    return {"words": torch.ones(batch_size, 12)}


def sound(batch_size: int) -> dict[str, Tensor]:
    return {"sound": torch.randn(batch_size, 8, 20)}


def sizes(found: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in found(3).items()}


class Deep(Asking):
    """Runs many operators before it complains of something that no input mends."""

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        for _ in range(1000):
            input_ids = input_ids + 1
        raise ValueError("1 is not 2 of 3, 5, 7, 11 and 13")


def many(size: int, length: int) -> dict[str, Tensor]:
    return {"input_ids": torch.zeros(size, length, dtype=torch.long)}


def test_a_model_of_many_operators_is_tried_less_often() -> None:
    search = Search(Deep(), TEXT)
    assert search.batch([partial(many, length=length) for length in range(1, 100)]) is None
    assert search._operators == 25_000  # what its passes cost is not to be seen from outside


def test_an_input_that_a_complaint_names_is_made_in_its_documented_shape() -> None:
    found = Search(Boxed(), TEXT).batch([words])
    assert found is not None
    assert sizes(found) == {"words": (3, 12), "bbox": (3, 12, 4)}
    assert found(1)["bbox"].dtype == torch.int64


def test_a_size_that_a_complaint_names_is_taken_whatever_the_batch() -> None:
    found = Search(Exact(), TEXT).batch([sound])
    assert found is not None
    assert sizes(found) == {"sound": (3, 8, 300)}


def test_two_shapes_that_do_not_go_together_are_told_apart_by_where_they_differ() -> None:
    rule = "index 1 had torch.Size([21, 8]); but expected shape should be broadcastable to [20, 8]"
    of_a_rule, of_an_operator = (
        [sizes(made) for made in resized_batches(sound, RuntimeError(said))]
        for said in (rule, "The size of tensor a (20) must match the size of tensor b (21)")
    )
    assert of_a_rule == of_an_operator
    assert {"sound": (3, 8, 21)} in of_a_rule


def test_a_picture_that_cannot_be_cut_into_windows_gets_rounder_sides() -> None:
    made = Search(Windowed(), TEXT).batch([lambda size: {"pixel_values": torch.zeros(size, 3, 224, 224)}])
    assert made is not None
    assert made(2)["pixel_values"].shape == (2, 3, 256, 256)


def test_a_model_that_reads_its_inputs_is_tried_on_their_values_where_a_trace_keeps_them() -> None:
    kinds: tuple[tuple[Values, int], ...] = (("none", 301), ("whole", 300))
    for values, length in kinds:
        with Fakes(values=values):
            made = Search(Read(), TEXT).batch([lambda size: {"sound": torch.zeros(size, 301)}])
        assert made is not None
        assert made(2)["sound"].shape == (2, length)


def test_a_size_whose_part_does_not_fit_changes_in_proportion() -> None:
    found = Search(Reduced(), TEXT).batch([sound])
    assert found is not None
    assert sizes(found) == {"sound": (3, 8, 16)}


def test_inputs_that_fail_in_one_layer_are_told_apart_by_the_line_that_calls_it() -> None:
    found = Search(Moved(), TEXT).batch([words])
    assert found is not None
    assert sizes(found) == {"words": (3, 12), "first": (3, 12, 4), "second": (3, 12, 4)}


@pytest.mark.parametrize(("name", "values"), [("grid_thw", [1, 14, 14]), ("spatial_shapes", [1, 14, 14])])
def test_a_grid_is_of_a_picture_before_it_is_of_nothing(name: str, values: list[int]) -> None:
    first = next(documented_inputs(Cut(patch_size=16), name, TEXT))
    assert first(2).tolist() == [values] * 2


def test_pictures_cut_into_patches_come_with_grids_of_as_many() -> None:
    made = next(further_batches(Cut(patch_size=16, spatial_merge_size=2), "base", TEXT))
    batch = made(3)
    assert batch["grid_thw"].tolist() == [[1, 14, 14]] * 3
    assert tuple(batch["pixel_values"].shape) == (3 * 14 * 14, 3 * 16 * 16)
    assert Cut()(**batch).dim() == 0


def test_a_word_stands_for_pictures_where_the_configuration_leaves_it_open() -> None:
    config = SimpleNamespace(image_token_index=None, video_token_id=7, vocab_size=50)
    name_picture_words(config)
    assert vars(config) == {"image_token_index": 49, "video_token_id": 7, "vocab_size": 50}


def test_a_model_that_runs_on_nothing_is_given_up_after_a_bounded_search() -> None:
    assert Search(Endless(), TEXT).batch([words] * 1000) is None


@pytest.mark.parametrize(
    "kind", [lambda first, second: (first, second), lambda first, second: {"a": first, "b": second}]
)
def test_the_own_loss_is_of_what_weights_can_be_trained_by(kind: Any) -> None:
    codes, trained = torch.randn(3), torch.full((2, 2), 3.0, requires_grad=True)
    loss = own_loss(kind(codes, [trained, trained]))
    assert (loss.item(), loss.requires_grad) == (18.0, True)
    assert own_loss(kind(trained, codes)).item() == 9.0


SMALL = {
    "vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "classes"),
    [
        ({"model_type": "bros", **SMALL, "hidden_size": 64}, 8),
        ({"model_type": "yolos", **SMALL, "patch_size": 16}, 8),
    ],
)
def test_a_type_that_asks_for_more_than_its_main_input_is_traced(config: dict[str, Any], classes: int) -> None:
    workload = load_workload({"name": "asked", "model": {"source": "huggingface", "config": config}})
    table = trace(subject_of(workload, "fp32"), "fp32", checked=False)
    assert len([op for op in table.ops if op.kind == "matmul"]) >= classes
    assert table.parameter_count > 1000


def test_boxes_that_are_documented_as_any_tensor_are_numbers_in_the_weights_type() -> None:
    config = {"model_type": "bros", **SMALL, "hidden_size": 64}
    workload = load_workload({"name": "boxes", "model": {"source": "huggingface", "config": config}})
    halved = with_training(workload, precision="bf16_true")
    table = trace(subject_of(halved, "half"), "half", checked=False)
    assert len([op for op in table.ops if op.kind == "matmul"]) >= 8


def test_a_type_that_mixes_types_by_itself_is_told_to_train_under_autocast() -> None:
    config = {"model_type": "xlstm", "hidden_size": 128, "num_hidden_layers": 1, "num_heads": 2, "vocab_size": 64}
    workload = load_workload({"name": "mixing", "model": {"source": "huggingface", "config": config}})
    halved = with_training(workload, precision="bf16_true")
    with pytest.raises(InputError, match="which torch refuses on a device as well"):
        trace(subject_of(halved, "half"), "half", checked=False)
    assert trace(subject_of(workload, "amp"), "amp", checked=False).parameter_count > 1000


@pytest.mark.parametrize("named", ["pixel_values", ["pixel_values", "task_inputs"]])
def test_the_main_input_is_the_first_that_a_class_names(named: object) -> None:
    class Named(nn.Module):
        main_input_name = named

    assert main_input_name(Named()) == "pixel_values"
    assert main_input_name(nn.Identity()) == "input_ids"


def traced_type(model_type: str, **config: Any) -> Any:
    workload = load_workload(
        {"name": "asked", "model": {"source": "huggingface", "config": {"model_type": model_type, **config}}}
    )
    return trace(subject_of(workload, "fp32"), "fp32", checked=False)


@pytest.mark.parametrize(
    ("model_type", "config"),
    [
        ("patchtst", {"d_model": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "ffn_dim": 32}),
        ("timesfm", {**SMALL, "head_dim": 8, "context_length": 64, "patch_length": 8}),
        ("pix2struct_vision_model", {**SMALL, "patch_embed_hidden_size": 48, "d_ff": 32, "d_kv": 8, "seq_len": 64}),
        ("gemma4_vision", {**SMALL, "head_dim": 8, "num_key_value_heads": 2, "image_size": 96}),
        ("xmod", {**SMALL, "languages": ["en_XX"]}),
        ("perceiver", {"num_latents": 8, "d_latents": 16, "d_model": 16, "num_self_attends_per_block": 1}),
    ],
)
def test_inputs_that_go_together_are_made_together(model_type: str, config: dict[str, Any]) -> None:
    table = traced_type(model_type, **config)
    assert any(op.kind == "matmul" and op.phase == "backward" for op in table.ops)
    assert not table.caveats


def test_a_series_is_as_long_as_the_model_looks_back_and_has_its_channels() -> None:
    config = SimpleNamespace(context_length=20, num_input_channels=3, prediction_length=5)
    (made,) = known_sets({"past_values", "future_values"}, config, TEXT)
    assert sizes(made) == {"past_values": (3, 20, 3), "future_values": (3, 5, 3)}


def test_sounds_in_a_row_are_as_long_together_as_they_are_each() -> None:
    (made,) = known_sets({"input_features", "feature_lens"}, SimpleNamespace(num_mel_bins=8), TEXT)
    batch = made(3)
    assert batch["input_features"].shape == (8, int(batch["feature_lens"].sum()))


def test_patches_in_a_row_are_as_many_as_their_grids_say() -> None:
    (made,) = known_sets({"pixel_values", "target_sizes"}, SimpleNamespace(patch_size=4, image_size=32), TEXT)
    batch = made(3)
    pixels = batch["pixel_values"].shape[-2] * batch["pixel_values"].shape[-1]
    assert pixels == int(batch["target_sizes"].prod(dim=1).sum()) * 4 * 4


def test_a_picture_and_its_prompt_have_the_configured_height_together() -> None:
    names = {"pixel_values", "prompt_pixel_values", "prompt_masks"}
    (made,) = known_sets(names, SimpleNamespace(image_size=(896, 448), num_channels=3), TEXT)
    assert sizes(made) == dict.fromkeys(names, (3, 3, 448, 448))


def test_a_sound_and_its_rows_for_its_meaning_last_as_long() -> None:
    config = SimpleNamespace(semantic_model_config=SimpleNamespace(feature_projection_input_dim=160))
    (made,) = known_sets({"input_values", "input_features", "padding_mask"}, config, TEXT)
    rows = made(2)["input_features"].shape[1]
    assert sizes(made) == {"input_values": (3, 1, 320 * rows), "input_features": (3, rows, 160)}  # 50 rows a second


class Indexed(Asking):
    def forward(self, words: Tensor, places: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """What it looks up and leaves out.

        places (`torch.Tensor` of shape `(batch_size, sequence_length)`, *optional*): Which.
        """
        is_told = places is not None
        if places is None:
            raise ValueError("Which of them?")
        picked = self.layer.weight[places].sum(dim=(1, 2)) + words.sum(dim=1)
        return picked.masked_fill(mask[:, 0], float(is_told))  # type: ignore[index]


def test_what_a_condition_finds_missing_is_asked_for_and_types_follow_the_complaint() -> None:
    found = Search(Indexed(), TEXT).batch([words])
    assert found is not None
    batch = found(2)
    assert (batch["places"].dtype, batch["mask"].dtype) == (torch.int64, torch.bool)


class Squared(Asking):
    def forward(self, pixel_values: Tensor) -> Tensor:
        count = (pixel_values.shape[-1] // 16) * (pixel_values.shape[-2] // 16)
        if count != 1024:
            raise ValueError(f"Expected tokens to have shape `(batch_size, 1024)`, but got shape ({count})")
        return pixel_values.sum() * self.layer.weight


def test_a_picture_gets_the_sides_that_as_many_patches_need() -> None:
    found = Search(Squared(), TEXT).batch([lambda size: {"pixel_values": torch.zeros(size, 3, 224, 224)}])
    assert found is not None
    assert sizes(found) == {"pixel_values": (3, 3, 512, 512)}


def test_what_reads_the_memory_of_its_tensors_is_said_to_decide_by_values() -> None:
    config = {
        "model_type": "udop", "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_heads": 4,
        "num_decoder_layers": 1, "vocab_size": 100, "image_size": 32,
    }  # fmt: skip
    workload = load_workload({"name": "udop", "model": {"source": "huggingface", "config": config}})
    with pytest.raises(TraceFailed, match="decides by the values of its tensors"):
        trace(subject_of(workload, "fp32"), "fp32", checked=False)

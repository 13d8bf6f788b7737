"""What is said of hosts that nobody measured, where steps wait for them."""

from __future__ import annotations

import pytest

from advisor.core.sentences import say
from advisor.cost.efficiencies import efficiencies
from tests.recommend.test_fixed_and_ties import advised


@pytest.mark.parametrize(("first", "second"), [("rtx4090", "l40s"), ("rtx4060ti-16", "a100-sxm4-80")])
def test_a_desktop_beside_one_card_and_a_server_beside_the_other_are_told_apart(first: str, second: str) -> None:
    advice = advised("iris_mlp", first, second, counts=(1,))
    chosen, assumed = advice.recommendation, efficiencies().assumed
    assert chosen is not None
    said = next(reason for reason in chosen.why if reason.code == "why-hosts-assumed")
    assert said.numbers["times_ratio"] == assumed.host_s_per_dispatch / assumed.desktop_host_s_per_dispatch
    assert "a desktop's is assumed beside RTX 40" in say(said, "en")
    assert "配台式机处理器" in say(said, "zh")
    codes = {reason.code for reason in advice.caveats}
    assert "caveat-wide-host" in codes
    assert "caveat-wide" not in codes


@pytest.mark.parametrize(
    ("workload", "cards"), [("iris_mlp", ("rtx4090", "rtx3090")), ("bert_large_squad", ("rtx4090", "l40s"))]
)
def test_hosts_are_not_spoken_of_where_they_are_alike_or_nothing_waits_for_them(
    workload: str, cards: tuple[str, ...]
) -> None:
    chosen = advised(workload, *cards, counts=(1,)).recommendation
    assert chosen is not None
    assert "why-hosts-assumed" not in {reason.code for reason in chosen.why}

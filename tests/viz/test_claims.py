"""The bars of verdicts on claims."""

from __future__ import annotations

from collections import Counter

from attention_lab.diagonal.claims.catalogue import ALWAYS, CLAIMS
from attention_viz.diagonal.claims import verdict_bars
from tests.viz.reading_figures import as_sent


def test_verdicts_add_up() -> None:
    figure = verdict_bars(CLAIMS)
    as_sent(figure)
    assert sum(sum(bar["x"]) for bar in figure["data"]) == len(CLAIMS)
    always = next(bar for bar in figure["data"] if bar["name"] == "always true")
    expected = Counter(claim.text for claim in CLAIMS if claim.status == ALWAYS)
    drawn = {spot.split()[0]: n for spot, n in zip(always["customdata"], always["x"], strict=True)}
    assert drawn == {text: expected[text] for text in drawn}

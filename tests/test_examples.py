"""The example notebooks show what they say: their cells run and give what is saved in them.

Cells that import PyTorch are not run here: what they left behind is read from a file that
scripts/run_examples.py made when it ran them.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest

from scripts.run_examples import (
    DIGEST,
    FOLDER,
    code_cells,
    digest,
    left_by_torch,
    needs_torch,
    run_cells,
    source_of,
    thawed,
)

NOTEBOOKS = {
    file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FOLDER.glob("*.ipynb")
}
NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e[-−+]\d+)?")
MAX_BYTES = 300_000


def facts(output: dict[str, Any]) -> tuple[list[str], list[float]]:
    """The words and the numbers of an output; of a picture its title alone."""
    html = output.get("data", {}).get("text/html", "")
    if "<iframe" in html:
        html = "".join(re.findall(r'title="[^"]*"', html))
    data = output.get("data", {}).get("text/plain", "")
    text = "".join(output.get("text", "")) + "".join(data) + unescape(re.sub("<[^>]*>", " ", html))
    numbers = [float(one.replace("−", "-")) for one in NUMBER.findall(text)]
    return NUMBER.sub("#", text).split(), numbers


def assert_same(made: list[dict[str, Any]], saved: list[dict[str, Any]]) -> None:
    """Equal words, and numbers that agree up to their last printed digit."""
    assert [one["output_type"] for one in made] == [one["output_type"] for one in saved]
    for one, other in zip(made, saved, strict=True):
        assert facts(one)[0] == facts(other)[0]
        assert facts(one)[1] == pytest.approx(facts(other)[1], rel=0.01, abs=0.01)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_cells_with_numpy_alone_give_what_is_saved(name: str) -> None:
    cells = code_cells(NOTEBOOKS[name])
    given = thawed(name)
    assert given.pop(DIGEST) == digest(cells)
    assert given.keys() == left_by_torch(cells)
    for cell, outputs in zip(cells, run_cells(NOTEBOOKS[name], given), strict=True):
        assert_same(outputs, cell["outputs"])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_saved_as_it_ran_from_top_to_bottom(name: str) -> None:
    cells = code_cells(NOTEBOOKS[name])
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert (FOLDER / f"{name}.ipynb").stat().st_size < MAX_BYTES
    with_torch = [source_of(cell) for cell in cells if needs_torch(cell)]
    assert len(with_torch) == ("torch" in json.dumps(with_torch))
    assert any("<iframe" in json.dumps(cell["outputs"]) for cell in cells)


def test_another_number_word_or_kind_of_output_is_seen() -> None:
    saved = [{"output_type": "stream", "text": ["shares 0.25\n"]}]
    assert_same([{"output_type": "stream", "text": "shares 0.251\n"}], saved)
    for text, kind in (("shares 0.3", "stream"), ("parts 0.25", "stream"), ("0.25", "error")):
        with pytest.raises(AssertionError):
            assert_same([{"output_type": kind, "text": text}], saved)

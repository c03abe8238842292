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
TRUTH = re.compile(r"\b(?:True|False|None)\b")
MAX_BYTES = 300_000


def structure(output: dict[str, Any]) -> list[str]:
    """The kinds of an output, the tags of its HTML, and its truth values: all but wording."""
    data = output.get("data", {})
    tags = re.findall(r"<(\w+)", "".join(data.get("text/html", "")))
    return [output["output_type"], *sorted(data), *tags, *TRUTH.findall(text_of(output))]


def text_of(output: dict[str, Any]) -> str:
    """What an output says; of a picture its title alone."""
    data = output.get("data", {})
    html = "".join(data.get("text/html", ""))
    if "<iframe" in html:
        html = "".join(re.findall(r'title="[^"]*"', html))
    plain = "".join(output.get("text", "")) + "".join(data.get("text/plain", ""))
    return plain + unescape(re.sub("<[^>]*>", " ", html))


def numbers(output: dict[str, Any]) -> list[float]:
    """The numbers of an output."""
    return [float(one.replace("−", "-")) for one in NUMBER.findall(text_of(output))]


def assert_same(made: list[dict[str, Any]], saved: list[dict[str, Any]]) -> None:
    """The same kinds and parts, and numbers that agree up to their last printed digit."""
    assert list(map(structure, made)) == list(map(structure, saved))
    for one, other in zip(made, saved, strict=True):
        assert numbers(one) == pytest.approx(numbers(other), rel=0.01, abs=0.01)


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


def test_another_number_truth_part_or_kind_of_output_is_seen() -> None:
    saved = [{"output_type": "stream", "text": ["shares 0.25: True\n"]}]
    for text in ("shares 0.251: True\n", "parts 0.25, which is True"):
        assert_same([{"output_type": "stream", "text": text}], saved)
    for text, kind in (
        ("shares 0.3: True", "stream"),
        ("shares 0.25: False", "stream"),
        ("shares 0.25, 1: True", "stream"),
        ("shares 0.25: True", "error"),
    ):
        with pytest.raises(AssertionError):
            assert_same([{"output_type": kind, "text": text}], saved)
    tables = [
        {"output_type": "execute_result", "data": {"text/html": f"<table>{rows}</table>"}}
        for rows in ("<tr>1</tr>", "<p>1</p>")
    ]
    with pytest.raises(AssertionError):
        assert_same(tables[:1], tables[1:])

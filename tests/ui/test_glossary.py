"""The glossary: the symbols of all texts, their names elsewhere, and the arrays that have them."""

from __future__ import annotations

import io

import numpy as np
import pytest

from attention_core import STEPS
from attention_lab import notation
from attention_lab.export.trace_files import array_to_npy
from attention_lab.notation.notation import OURS
from attention_lab.notation.quantities import NAMES_ELSEWHERE
from attention_lab.notation.texts import NOTATIONS
from attention_ui.reference.arrays import array_table
from attention_ui.reference.glossary import (
    elsewhere_table,
    glossary_rows,
    notation_table,
)
from tests.ui.app import facts, opened, page_context, texts


@pytest.mark.parametrize(
    "typed", ["output projection", "embedding dimension", "GQA", "causal mask", "raw scores"]
)
def test_the_glossary_knows_the_names_of_everyday_talk(typed: str) -> None:
    assert glossary_rows(typed, NOTATIONS["ours"])


@pytest.mark.parametrize("key", NOTATIONS)
def test_every_array_is_listed_in_every_notation(key: str) -> None:
    """Symbol, size and sentence of each field, in order, as the notation has them; one cell
    more would be seen.
    """
    trace, text = page_context(opened("arrays", mask="causal")).trace, NOTATIONS[key]
    rows = array_table(trace, text).splitlines()[2:]
    for name, row in zip(STEPS, rows, strict=True):
        cells = row.strip("| ").split(" | ")
        sizes = [int(part) for part in cells[3].split("×")]
        assert len(cells) == 6
        assert cells[0] == f"${notation.symbol(name, text).latex}$"
        assert sorted(sizes) == sorted(getattr(trace, name).shape)
        assert cells[5] == trace.sentence(name)


def test_one_array_as_table_and_files() -> None:
    app = opened("arrays", ar_field="masked_scores", head=1, mask="causal")
    scores = page_context(app).trace.masked_scores
    assert np.array_equal(app.dataframe[0].value.to_numpy(), scores[0, 1].round(4))
    assert [button.label for button in app.get("download_button")] == ["CSV", "NPY"]
    assert np.array_equal(np.load(io.BytesIO(array_to_npy(scores)), allow_pickle=False), scores)


@pytest.mark.parametrize(
    ("residual", "parts"), [("false", ["merged"]), ("true", ["merged", "inputs"])]
)
def test_what_the_output_is_made_from(residual: str, parts: list[str]) -> None:
    app = opened("arrays", ar_field="output", residual=residual)
    assert facts(app)["made_from"] == parts


def test_glossary_and_notations() -> None:
    everything = glossary_rows("", OURS)
    table = notation_table(everything).splitlines()
    assert len(table) == len(everything) + 2
    merged = next(line for line in table if "`merged`" in line)
    assert merged.strip("| ").split(" | ")[1:] == ["$O$", "–", "–", "–", "–", "$H$"]
    assert table[0].count("|") == 8  # the quantity, ours and five texts: not ours transposed
    assert [row.name for row in glossary_rows("correlation", NOTATIONS["gml"])] == ["scores"]
    app = opened("glossary", notation="gml", glossary_words="correlation")
    assert facts(app)["quantities_found"] == ["scores"]
    assert "`n_tokens`" not in texts(app)


def test_names_elsewhere_lead_to_ours() -> None:
    for words, names in (
        ("c_proj", ["w_o"]),
        ("destination", ["query_heads"]),
        ("num_heads", ["n_heads"]),
        ("pattern", ["probabilities"]),
        ("in_proj_weight", ["w_q", "w_k", "w_v"]),
    ):
        rows = glossary_rows(words, OURS)
        assert [row.name for row in rows] == names
        assert len(elsewhere_table(rows).splitlines()) == len(names) + 2
    assert NAMES_ELSEWHERE.keys() <= {row.name for row in glossary_rows("", OURS)}
    assert elsewhere_table(glossary_rows("key bias", OURS)) == ""
    assert facts(opened("glossary"))["names_elsewhere"] == elsewhere_table(glossary_rows("", OURS))
    assert facts(opened("glossary", glossary_words="b_k"))["names_elsewhere"] == ""

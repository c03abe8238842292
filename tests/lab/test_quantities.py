"""The glossary: every quantity in our words and in those of a text; what is silent or wrong."""

from __future__ import annotations

import pytest

from attention_lab.notation.notation import OURS, Notation
from attention_lab.notation.quantities import glossary, remark
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTE, SLIDES
from tests.lab.notation_cases import TEXTS
from tests.lab.refusal import missing


@pytest.mark.parametrize("notation", TEXTS, ids=lambda notation: notation.key)
def test_where_a_text_is_silent_it_is_said(notation: Notation) -> None:
    silent = [row for row in glossary(notation) if row.name not in notation.symbols]
    assert silent
    for row in silent:
        assert missing(row.remark, OURS.title.lower()) == [], row.name
        base = notation.base(row.name)
        assert base == OURS.base(row.name)
        assert row.their_symbol.latex == (
            notation.of_head(base) if "_h" in row.our_symbol.latex else base
        )


CORRECTED = [
    (GML, "w_q", ("N × (N ÷ n_heads)", "Pᵀ")),
    (GML, "keys", ("keys",)),
    (GML, "scores", (1,)),
    (GML, "scaled_scores", ("√N", "N ÷ n_heads")),
    (GML, "probabilities", ("T",)),
    (MQL5, "scaled_scores", ("nK",)),
    (MQL5, "probabilities", ("i", "j")),
    (MQL5, "merged", ("h·d_v", "nI")),
    (DOSHI, "inputs", ("embedding", "Q", "K", "V")),
    (DOSHI, "scores", ("K", "transposed")),
    (DOSHI, "head_outputs", ("values",)),
    (DOSHI, "masked_scores", ("decoder's",)),
    (SLIDES, "probabilities", ("α_ij", "α_ii", "α_jj")),
    (SLIDES, "merged", ("W_O", "h·d_v")),
    (SLIDES, "head_outputs", ("channels",)),
    (NOTE, "values", ("w_ij", "x_j", "x_i")),
    (NOTE, "scaled_scores", ("d", "√d")),
    (NOTE, "head_outputs", ("H^(i)", "V^(i)", "n × n")),
    (NOTE, "w_o", ("d·d_h", "d_h·d_v")),
    (NOTE, "w_v", ("n", "s")),
]


def test_mistakes_are_corrected_where_they_stand() -> None:
    for notation, name, facts in CORRECTED:
        correction = notation.corrections[name]
        assert missing(correction, *facts) == []
        assert correction in remark(name, notation)

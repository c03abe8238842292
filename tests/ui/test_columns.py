"""Where tokens are columns, what a page says of rows and columns is what its boards show."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from attention_core.notation import turned
from attention_core.notation.texts import GML
from tests.ui.app import here, opened, scenes, texts


def titles(app: AppTest) -> dict[str, str]:
    """What stands above each matrix of the first board."""
    return {panel["array"]: panel["title"] for panel in scenes(app)[0]["panels"]}


@pytest.mark.parametrize("notation", ["ours", "gml"])
def test_a_projected_number_names_the_lines_it_is_made_of(notation: str) -> None:
    """The sentence names both matrices as the board does, and the lines whose numbers follow."""
    app = opened("projections", notation=notation, which="keys", head=1, key=3, feature=2)
    trace, named = here(app).trace, titles(app)
    text = GML if notation == "gml" else here(app).notation
    lines = turned(f"row 3 of {named['memory'].split()[0]} times column 6 of {named['w_k']}", text)
    first = f"{trace.memory[0, 3, 0]:.2f} × {trace.projections.w_k[0, 6]:.2f} "
    assert f"{lines}: {first}" in texts(app).replace("\\", "")
    assert (named["w_k"] == "(P^K)ᵀ") == (notation == "gml")


def test_an_output_is_made_of_rows_of_the_transposed_matrix() -> None:
    """With tokens as columns an output number takes a row of W_Oᵀ, and a head has a block of its columns."""
    app = opened("output", notation="gml", head=1, query=2, feature=3)
    said = texts(app).replace("\\", "")
    assert titles(app)["w_o"] == "W_Oᵀ"
    assert "the whole column of a token, times one row of W_Oᵀ." in said
    assert "head 1 is multiplied by columns 4 to 7 of W_Oᵀ." in said
    assert not re.search(r" of W_O(?!ᵀ)", said)

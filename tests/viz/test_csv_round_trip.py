"""A table of the inputs that the app gave, changed in a spreadsheet or not, comes back as X."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_core import FileError, ShapeError
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_lab.user_data.user_matrices import read_matrices
from attention_viz.tables import field_table
from tests.viz.reading_words import missing

TRACE = trace_of(Scenario(d_model=4, n_heads=2, text='we, "like" 3,5 tea; שלום token'))


@pytest.mark.parametrize("kind", [{}, {"sep": ";", "decimal": ","}, {"sep": "\t"}])
@pytest.mark.parametrize("name", ["inputs.csv", "x.csv", "W_Q.csv"])
def test_the_inputs_come_back(kind: dict[str, Any], name: str) -> None:
    own = read_matrices(field_table(TRACE, "inputs").to_csv(**kind).encode(), name)
    assert own.x is not None
    np.testing.assert_array_equal(own.x, TRACE.inputs[0])
    assert own.arrays.keys() == {"x"}


@pytest.mark.parametrize("field", ["queries", "scores", "probabilities"])
def test_other_tables_are_no_matrix_of_a_layer(field: str) -> None:
    with pytest.raises(FileError) as error:
        read_matrices(field_table(TRACE, field).to_csv().encode(), f"{field}.csv")
    assert missing(str(error.value), *ALL_SYMBOLS.values()) == []


@pytest.mark.parametrize(
    ("data", "error", "facts"),
    [
        (b"token,0,1\n", FileError, ["no numbers"]),
        (b"token,0\na,x\n", FileError, ["X", "'x'", "row 0", "column 0", "line 2"]),
        (b"token,0,1\na,1,2\nb,3\n", ShapeError, ["X", "row 0", "2 cells", "row 1", "line 3"]),
        (b'token,0\n"a,1\n', FileError, ["line 2", "quote"]),
        (b"token,0,2\na,1,2\n", FileError, ["X", "'token'", "line 1"]),
    ],
)
def test_a_damaged_table_is_refused(data: bytes, error: type[Exception], facts: list[str]) -> None:
    with pytest.raises(error) as refused:
        read_matrices(data, "x.csv")
    said = str(refused.value).replace("Line", "line")
    assert missing(said, *facts) == []

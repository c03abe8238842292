"""Files of own matrices: names, templates, dialects of CSV, and cells that are refused; and texts
of matrices from a link that somebody made up.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from attention_core import AttentionError, FileError, HeadNorm, Projections, ShapeError, attend
from attention_lab.export.trace_files import trace_to_npz
from attention_lab.files.packed_text import packed
from attention_lab.user_data.matrix_names import ALL_SYMBOLS, OPTION_SYMBOLS
from attention_lab.user_data.user_matrices import (
    UserMatrices,
    layer_matrices,
    read_matrices,
    template,
)
from tests.lab.made_files import npz
from tests.lab.refusal import Facts, missing, refused
from tests.lab.user_matrix_cases import (
    BIASES,
    MATRICES,
    D,
    H,
    K,
    a_trace,
    any_matrices,
    assert_identical,
)


@given(any_matrices(1))
def test_matrices_come_back_from_csv(own: UserMatrices) -> None:
    plain = european = UserMatrices()
    for name, matrix in own.arrays.items():
        rows = [",".join(map(repr, row)) for row in np.atleast_2d(matrix).tolist()]
        lines, symbol = "\n".join(rows), ALL_SYMBOLS[name]
        plain = plain.updated(read_matrices(f"{symbol}\n{lines}".encode(), "any name.csv"))
        decimal_commas = lines.replace(",", ";").replace(".", ",").encode()
        european = european.updated(read_matrices(decimal_commas, f"my {symbol} (1).csv"))
    assert_identical(plain, own)
    assert_identical(european, own)


@pytest.mark.parametrize("name", ["w_q", "W_Q", "wq", "WQ", "w_Q"])
def test_names_in_a_file(name: str) -> None:
    arrays = {name: np.eye(3), "W_Z": np.eye(2), "bias": np.array(["text"])}
    own = read_matrices(npz(arrays), "layer.NPZ")
    assert list(own.arrays) == ["w_q"]
    (note,) = own.notes
    assert missing(note, "W_Z", "bias") == []


def test_a_downloaded_trace_can_be_read() -> None:
    trace = a_trace()
    own = read_matrices(trace_to_npz(trace), "trace.npz")
    assert_identical(own, layer_matrices(trace))
    assert "scores" in own.notes[0]


def test_a_template_loads_again() -> None:
    trace = a_trace()
    assert_identical(read_matrices(template(trace), "anything.npz"), layer_matrices(trace))
    with np.load(io.BytesIO(template(trace)), allow_pickle=False) as file:
        assert file.files == [ALL_SYMBOLS[name] for name in (*MATRICES, *BIASES)]
    modern = attend(trace.inputs[0], trace.projections, head_norm=HeadNorm(2.0), sink=1.0)
    found = [read_matrices(template(modern), "modern.npz").arrays[one] for one in OPTION_SYMBOLS]
    assert [one.tolist() for one in found] == [[2.0] * K, [1.0] * K, [1.0] * H]
    weightless = a_trace(Projections.weightless(D))
    assert "w_o" not in read_matrices(template(weightless), "a.npz").arrays


@pytest.mark.parametrize(
    ("text", "file_name"),
    [
        ("1.5,-2,3e2\n4,5,6\n", "w_q.csv"),
        ("W_Q\n1.5,-2,3e2\n4,5,6", "w_k.csv"),
        ("\ufeffwq;;\r\n1,5;-2;300\r\n4;5;6\r\n;;\r\n".replace(";;\r\n", "\r\n", 2), "export.csv"),
        ("# W_Q\n1.50e+00 -2 3e2\n4 5 6\n", "savetxt.txt"),
        ("1,5\t-2\t300\n\n4\t5\t6\n\n", "Layer 1 WQ.tsv"),
        ('"1,5","-2","300"\n"4","5","6"', "W_Q (2).csv"),
        ('"1,500","-2","300"\n"4","5,0","6"', "W_Q.csv"),
        ("+1.5 ; -2. ; .3e3\r4;5;6", "C:\\data\\w_q.csv"),
    ],
)
def test_dialects_of_csv(text: str, file_name: str) -> None:
    own = read_matrices(text.encode(), file_name)
    assert_identical(own, UserMatrices(w_q=[[1.5, -2.0, 300.0], [4.0, 5.0, 6.0]]))


def test_one_column_of_decimal_commas_under_a_heading() -> None:
    own = read_matrices(b"token;0\nthe;1,5\ncat;-2\n", "table.csv")
    assert_identical(own, UserMatrices(x=[[1.5], [-2.0]]))


@pytest.mark.parametrize(
    ("text", "kind", "facts"),
    [
        ("1,2\n3", ShapeError, ("W_Q", "row 0", "2 cells", "row 1", "line 2", 1)),
        ("W_K\n\n1,2\n3,4,5", ShapeError, ("W_K", "row 0", "2 cells", "row 1", "line 4", 3)),
        ("1,2\n3,", FileError, ("W_Q", "row 1", "column 1", "line 2")),
        ("a,b\n1,2", FileError, ("W_Q", "row 0", "column 0", "'a'")),
        ("1,2\n3,NaN", FileError, ("W_Q", "row 1", "column 1", "NaN")),
        ("1,-inf", FileError, ("W_Q", "row 0", "column 1", "-inf")),
        ("1,-1000001", FileError, ("W_Q", "row 0", "column 1", "-1000001.0", -1000000, 1000000)),
        ("1,1e999", FileError, ("W_Q", "row 0", "column 1", "1e999")),
        ("1,1_000", FileError, ("W_Q", "row 0", "column 1", "1_000")),
        ("1,１", FileError, ("W_Q", "row 0", "column 1", "１")),
        ("1;1.234,5", FileError, ("W_Q", "row 0", "column 1", "1.234,5")),
        ("1,234;0.5", FileError, ("W_Q", "row 0", "column 1", "line 1", "0.5")),
        ("0.5;7\n1;1,234", FileError, ("W_Q", "row 1", "column 1", "line 2", "1,234")),
        ('0.5,"1,234"', FileError, ("W_Q", "row 0", "column 1", "1,234")),
        ('"1,234","-2,345"\n7,"3,456"', FileError, ("line 1", "1.234", "1234")),
        ("1,2+3j", FileError, ("W_Q", "row 0", "column 1", "2+3j")),
        ("1,=cmd()", FileError, ("W_Q", "row 0", "column 1", "=cmd()")),
        ('1,2\n"1"2,3', FileError, ("line 2", "quote")),
        ('1,2\n3\n"1"2,3', ShapeError, ("row 1", "line 2")),  # the first fault
        ("W_Q\n \n", FileError, ("numbers",)),
        ("", FileError, ("numbers",)),
    ],
)
def test_cells_that_are_refused(text: str, kind: type[AttentionError], facts: Facts) -> None:
    with refused(kind, *facts):
        read_matrices(text.encode(), "W_Q.csv")


@pytest.mark.parametrize(
    "file_name", ["matrix.csv", "w_q and w_k.csv", "axe.csv", "../../etc/passwd.csv"]
)
def test_a_file_that_does_not_say_which_matrix_it_is(file_name: str) -> None:
    with refused(FileError, "X", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K"):
        read_matrices(b"1,2", file_name)


TEXTS: dict[str, tuple[Callable[[], str], type[AttentionError], Facts]] = {
    "letters that are none": (lambda: "a+b/", FileError, ("matrices",)),
    "not packed": (lambda: "AAAA", FileError, ("matrices",)),
    "beyond ASCII": (lambda: "é" * 8, FileError, ("matrices",)),
    "cut off": (lambda: UserMatrices(x=np.eye(9)).encode()[:-8], FileError, ("matrices",)),
    "goes on": (lambda: packed(b"x 1 1\n" + bytes(8)) + "AAAA", FileError, ("matrices",)),
    "bomb": (lambda: packed(bytes(36 * 2**20)), FileError, ("matrices", 33872200)),
    "too long": (lambda: "A" * (50 * 2**20), FileError, ("matrices", 52428800)),
    "unknown name": (lambda: packed(b"w_z 1 1\n" + bytes(8)), FileError, ("w_z 1 1",)),
    "no head": (lambda: packed(bytes(8)), FileError, ("matrices", "\\x00")),
    "twice": (lambda: packed(b"x 1 1;x 1 1\n" + bytes(16)), FileError, ("x 1 1",)),
    "negative": (lambda: packed(b"x -1 1\n" + bytes(8)), FileError, ("x -1 1",)),
    "too large": (lambda: packed(b"x 65 1\n" + bytes(8)), ShapeError, ("X", 65, 1)),
    "bias as matrix": (lambda: packed(b"b_o 2 2\n" + bytes(32)), ShapeError, ("b_O", "(2, 2)")),
    "huge": (
        lambda: packed(b"b_k 1 2\n" + struct.pack("<dd", 1e6, 1e39)),
        FileError,
        ("b_K", "1e+39", "place 1"),
    ),
    "too short": (lambda: packed(b"x 1 2\n" + bytes(8)), FileError, (8, 16)),
    "too many numbers": (lambda: packed(b"x 1 1\n" + bytes(9)), FileError, (9, 8)),
    "nan": (
        lambda: packed(b"x 1 1\n" + struct.pack("<d", np.nan)),
        FileError,
        ("X", "row 0", "column 0", "nan"),
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_texts(name: str) -> None:
    make, kind, facts = TEXTS[name]
    with refused(kind, *facts):
        UserMatrices.decode(make())

"""Own matrices: files of NumPy and of spreadsheets are read exactly, and sizes that do not fit
are explained.
"""

from __future__ import annotations

import io
import string
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import (
    AttentionError,
    FileError,
    Projections,
    SettingsError,
    ShapeError,
    Trace,
    attend,
)
from attention_lab.export.trace_files import trace_to_npz
from attention_lab.files.file_checks import LARGEST_VALUE
from attention_lab.user_data.kept_texts import is_key
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_lab.user_data.own_matrices import (
    LONGEST_IN_ADDRESS,
    OwnMatrices,
    read_own,
    shown_matrices,
    template,
)
from tests.lab.refusal import Facts, refused

T, D, H, K, V = 5, 7, 2, 11, 13
MATRICES = {"x": (T, D), "w_q": (D, H * K), "w_k": (D, H * K), "w_v": (D, H * V), "w_o": (H * V, D)}
BIASES = {"b_q": (H * K,), "b_k": (H * K,), "b_v": (H * V,), "b_o": (D,)}
SHAPES: dict[str, tuple[int, ...]] = {**MATRICES, **BIASES}
NUMBERS = st.floats(-LARGEST_VALUE, LARGEST_VALUE)


def some(*names: str, seed: int = 0) -> OwnMatrices:
    """Own matrices and biases of the sizes above; all nine unless some are named."""
    rng = np.random.default_rng(seed)
    given: dict[str, Any] = {name: rng.normal(size=SHAPES[name]) for name in names or SHAPES}
    return OwnMatrices(**given)


def npz(**members: Any) -> bytes:
    """An NPZ file as NumPy writes it."""
    buffer = io.BytesIO()
    np.savez(buffer, **members)
    return buffer.getvalue()


def a_trace(projections: Projections | None = None) -> Trace:
    """A layer of the sizes above."""
    x = np.random.default_rng(1).normal(size=(T, D))
    return attend(x, projections or Projections.random(D, H, d_k=K, d_v=V, bias=True)).labelled(
        ("a", "b", "c", "d", "e")
    )


def assert_identical(first: OwnMatrices, second: OwnMatrices) -> None:
    """The same matrices, to the last bit."""
    assert list(first.given) == list(second.given)
    for name, matrix in first.given.items():
        other = second.given[name]
        assert (matrix.shape, matrix.tobytes()) == (other.shape, other.tobytes())


@st.composite
def any_matrices(draw: st.DrawFn, least: int = 0) -> OwnMatrices:
    """Any of the nine, at least so many, with any finite numbers and two to four columns."""
    names = draw(st.sets(st.sampled_from(sorted(ALL_SYMBOLS)), min_size=least))
    matrix, bias = st.tuples(st.integers(1, 4), st.integers(2, 4)), st.tuples(st.integers(2, 4))
    shapes = {name: draw(bias if name in BIASES else matrix) for name in sorted(names)}
    given: dict[str, Any] = {
        name: draw(arrays(np.float64, shape, elements=NUMBERS)) for name, shape in shapes.items()
    }
    return OwnMatrices(**given)


@given(any_matrices())
def test_matrices_come_back_from_their_text(own: OwnMatrices) -> None:
    """Text and back changes no bit, and an address carries the text as it is."""
    text = own.encode()
    assert_identical(OwnMatrices.decode(text), own)
    assert set(text) <= set(string.ascii_letters + string.digits + "-_")


@given(any_matrices(1))
def test_matrices_come_back_from_csv(own: OwnMatrices) -> None:
    """Each matrix as a CSV file, with points or with decimal commas, and back has the same
    bits; files add up.
    """
    plain = european = OwnMatrices()
    for name, matrix in own.given.items():
        numbers = np.atleast_2d(matrix).tolist()
        lines = [ALL_SYMBOLS[name], *(",".join(map(repr, row)) for row in numbers)]
        plain = plain.updated(read_own("\n".join(lines).encode(), "any name.csv"))
        rows = "\n".join(
            ";".join(repr(number).replace(".", ",") for number in row) for row in numbers
        )
        european = european.updated(read_own(rows.encode(), f"my {ALL_SYMBOLS[name]} (1).csv"))
    assert_identical(plain, own)
    assert_identical(european, own)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "dtype", ["<f2", ">f4", "<f8", ">f8", "i1", ">i2", "<i4", "<i8", "u1", ">u8"]
)
def test_number_types_and_memory_layouts(dtype: str, order: Any) -> None:
    """Short and long floats and whole numbers, either byte order, rows or columns first: the
    same numbers come in.
    """
    numbers = np.arange(35).reshape(T, D)
    matrix = read_own(npz(X=np.array(numbers, dtype=dtype, order=order)), "x.npz").x
    assert matrix is not None
    assert matrix.dtype == np.float64
    assert matrix.tolist() == numbers.tolist()
    assert not matrix.flags.writeable


@pytest.mark.parametrize("name", ["w_q", "W_Q", "wq", "WQ", "w_Q"])
def test_names_in_a_file(name: str) -> None:
    """Capital or small letters, with or without underscore; what is no name of ours is left
    unread, and told.
    """
    own = read_own(
        npz(**{name: np.eye(3), "W_Z": np.eye(2), "bias": np.array(["text"])}), "layer.NPZ"
    )
    assert list(own.given) == ["w_q"]
    assert own.notes == ("Left unread, because the app has no use for it: W_Z, bias.",)


def test_a_downloaded_trace_can_be_read() -> None:
    """The app's own download brings its inputs and weights back; what was computed from them is
    left unread.
    """
    trace = a_trace()
    own = read_own(trace_to_npz(trace), "trace.npz")
    assert_identical(own, shown_matrices(trace))
    assert "scores" in own.notes[0]


def test_a_template_loads_again() -> None:
    """The template holds the matrices now shown: loading it unchanged changes no number."""
    trace = a_trace()
    assert_identical(read_own(template(trace), "anything.npz"), shown_matrices(trace))
    with np.load(io.BytesIO(template(trace)), allow_pickle=False) as file:
        assert {name: file[name].shape for name in file.files} == {
            ALL_SYMBOLS[n]: s for n, s in SHAPES.items()
        }
    weightless = a_trace(Projections.weightless(D))
    assert "w_o" not in read_own(template(weightless), "a.npz").given


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
    """Commas, semicolons, tabs, spaces, decimal commas, quotes, BOM, blank lines: NumPy, Excel
    and Sheets are read.
    """
    assert {
        name: matrix.tolist() for name, matrix in read_own(text.encode(), file_name).given.items()
    } == {"w_q": [[1.5, -2.0, 300.0], [4.0, 5.0, 6.0]]}


@pytest.mark.parametrize(
    ("text", "kind", "facts"),
    [
        (
            "1,2\n3",
            ShapeError,
            ("W_Q", "row 0", "2 cells", "row 1", "line 2", 1),
        ),
        (
            "W_K\n\n1,2\n3,4,5",
            ShapeError,
            ("W_K", "row 0", "2 cells", "row 1", "line 4", 3),
        ),
        (
            "1,2\n3,",
            FileError,
            ("W_Q", "row 1", "column 1", "line 2"),
        ),
        ("a,b\n1,2", FileError, ("W_Q", "row 0", "column 0", "'a'")),
        ("1,2\n3,NaN", FileError, ("W_Q", "row 1", "column 1", "NaN")),
        ("1,-inf", FileError, ("W_Q", "row 0", "column 1", "-inf")),
        (
            "1,-1000001",
            SettingsError,
            ("W_Q", "row 0", "column 1", "-1000001.0", -1000000, 1000000),
        ),
        ("1,1e999", FileError, ("W_Q", "row 0", "column 1", "1e999")),
        ("1,1_000", FileError, ("W_Q", "row 0", "column 1", "1_000")),
        ("1,１", FileError, ("W_Q", "row 0", "column 1", "１")),
        ("1;1.234,5", FileError, ("W_Q", "row 0", "column 1", "1.234,5")),
        (
            "1,234;0.5",
            FileError,
            ("W_Q", "row 0", "column 1", "line 1", "0.5"),
        ),
        (
            "0.5;7\n1;1,234",
            FileError,
            ("W_Q", "row 1", "column 1", "line 2", "1,234"),
        ),
        ('0.5,"1,234"', FileError, ("W_Q", "row 0", "column 1", "1,234")),
        (
            '"1,234","-2,345"\n7,"3,456"',
            FileError,
            ("line 1", "1.234", "1234"),
        ),
        ("1,2+3j", FileError, ("W_Q", "row 0", "column 1", "2+3j")),
        ("1,=cmd()", FileError, ("W_Q", "row 0", "column 1", "=cmd()")),
        ('1,2\n"1"2,3', FileError, ("line 2", "quote")),
        ("W_Q\n \n", FileError, ("numbers",)),
        ("", FileError, ("numbers",)),
    ],
)
def test_cells_that_are_refused(text: str, kind: type[AttentionError], facts: Facts) -> None:
    """A cell that is no finite number is named by row, column and line, and so is a row of
    another length.
    """
    with refused(kind, *facts):
        read_own(text.encode(), "W_Q.csv")


@pytest.mark.parametrize(
    "file_name", ["matrix.csv", "w_q and w_k.csv", "axe.csv", "../../etc/passwd.csv"]
)
def test_a_file_that_does_not_say_which_matrix_it_is(file_name: str) -> None:
    """Where neither the first line nor the file's name says it, the names there are get listed."""
    with refused(FileError, "X", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K"):
        read_own(b"1,2", file_name)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        (
            {"x": (T, 6)},
            ("X", 6, "W_Q", 7, "W_K", "W_V"),
        ),
        (
            {"w_k": (D, 20)},
            ("W_Q", 22, "W_K", 20),
        ),
        (
            {"w_o": (25, D)},
            ("W_V", 26, "W_O", 25),
        ),
        (
            {"w_q": (D, 21), "w_k": (D, 21), "b_q": (21,), "b_k": (21,)},
            ("b_Q", 21, "b_K", 2, 1, 3),
        ),
        (
            {"w_v": (D, 258), "w_o": (258, D)},
            ("d_v", 129, 2, 128),
        ),
    ],
)
def test_sizes_that_do_not_fit(changes: dict[str, tuple[int, int]], facts: Facts) -> None:
    """Matrices that cannot work together are named with their sizes and the reason."""
    own = replace(some(*MATRICES), **{name: np.ones(shape) for name, shape in changes.items()})
    with refused(ShapeError, *facts):
        own.sizes(H)


def test_sizes_that_the_matrices_decide() -> None:
    """Each matrix decides the sizes it has a side of, and the number of heads cuts the widths."""
    assert some().sizes(H) == {"n_tokens": T, "d_model": D, "d_k": K, "d_v": V}
    assert some().sizes(1) == {"n_tokens": T, "d_model": D, "d_k": H * K, "d_v": H * V}
    assert some("w_o").sizes(13) == {"d_v": 2}
    assert some("x").sizes(H) == {"n_tokens": T, "d_model": D}
    assert OwnMatrices(w_v=np.ones((D, 256))).sizes(H) == {"d_model": D, "d_v": 128}
    assert OwnMatrices().sizes(H) == {}


def test_a_newer_matrix_counts() -> None:
    """A file loaded later replaces the matrices it holds and leaves the others."""
    first, second = some("x", "w_q"), some("w_q", "w_k", seed=1)
    both = first.updated(second)
    assert_identical(both, OwnMatrices(x=first.x, w_q=second.w_q, w_k=second.w_k))


def test_small_matrices_ride_in_the_address() -> None:
    """Some 1400 numbers of two decimals stand in the address themselves; larger ones stand
    there as a key.
    """
    rng = np.random.default_rng(0)
    small = OwnMatrices(
        x=np.round(rng.normal(size=(20, 16)), 2), w_q=np.round(rng.normal(size=(32, 33)), 2)
    )
    large = OwnMatrices(w_q=rng.normal(size=(64, 64)))
    assert small.address() == small.encode()
    assert len(small.address()) < LONGEST_IN_ADDRESS
    assert is_key(large.address())
    assert large.address() == OwnMatrices(w_q=large.w_q).address()
    for own in (small, large):
        assert_identical(OwnMatrices.at(own.address()), own)
    with refused(SettingsError, "state file", "matrices"):
        OwnMatrices.at(".0123456789abcdef")


@pytest.mark.parametrize("values", [[["a"]], [[True]], [[1j]], [[None]]])
def test_what_is_no_matrix_of_numbers(values: Any) -> None:
    """Words, yes and no, and complex numbers are no matrix, and neither are rows of unequal
    length.
    """
    with refused(SettingsError, "W_Q"):
        OwnMatrices(w_q=values)
    with refused(ShapeError, "W_Q"):
        OwnMatrices(w_q=[[1.0], [1.0, 2.0]])  # type: ignore[arg-type]

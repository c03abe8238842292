"""Files that mean harm, or are broken: each is refused with a sentence, quickly, and nothing in
them is run.
"""

from __future__ import annotations

import io
import pickle
import random
import zipfile
from collections.abc import Callable

import numpy as np
import pytest

from attention_core import AttentionError, FileError, ShapeError
from attention_lab.user_data.user_matrices import UserMatrices, read_matrices
from tests.lab.hostile_matrix_archives import NPZ
from tests.lab.made_matrix_files import RAN, WHOLE, Harm
from tests.lab.refusal import Facts, refused
from tests.lab.user_matrix_cases import npz

CSV: dict[str, tuple[Callable[[], bytes], type[AttentionError], Facts]] = {
    "10 MB line": (
        lambda: b"1," * (5 * 2**20),
        FileError,
        ("line 1", 10485760, 65536),
    ),
    "a million lines": (lambda: b"1\n" * 10**6, FileError, (4096,)),
    "a million blank lines": (lambda: b"\r" * 10**6, FileError, (4096,)),
    "513 rows": (
        lambda: b"1,2\n" * 513,
        ShapeError,
        ("W_Q", 513, 2, 512, 2048),
    ),
    "513 rows, the last of words": (lambda: b"1,2\n" * 512 + b"a,b", ShapeError, ("W_Q", 513, 2)),
    "2049 columns": (
        lambda: b"1" + b",1" * 2048,
        ShapeError,
        ("W_Q", 1, 2049, 512, 2048),
    ),
    "zero bytes": (lambda: b"1,\0", FileError, ("line 1", "byte")),
    "a zip": (lambda: WHOLE, FileError, ("line 1", "UTF-8")),
    "UTF-16": (
        lambda: "1;2\n".encode("utf-16"),
        FileError,
        ("line 1", "UTF-8"),
    ),
    "open quote": (
        lambda: b'"1,2\n"3,4',
        FileError,
        ("line 1", "quote"),
    ),
}


@pytest.mark.parametrize("name", NPZ)
def test_hostile_npz(name: str) -> None:
    make, kind, facts = NPZ[name]
    with refused(kind, *facts):
        read_matrices(make(), "matrices.npz")
    assert RAN == []


@pytest.mark.parametrize("name", CSV)
def test_hostile_csv(name: str) -> None:
    make, kind, facts = CSV[name]
    with refused(kind, *facts):
        read_matrices(make(), "w_q.csv")


def test_the_pickle_would_have_run() -> None:
    pickle.loads(pickle.dumps(Harm()))
    assert RAN == ["harm"]
    RAN.clear()


@pytest.mark.parametrize("kind", ["xlsx", "npy", "", "npz.exe"])
def test_other_files(kind: str) -> None:
    with refused(FileError, f"'matrices.{kind}'", ".npz", ".csv"):
        read_matrices(WHOLE, f"matrices.{kind}")


def test_sizes_are_checked_before_numbers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read, lengths = zipfile.ZipExtFile.read, []

    def counted(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        lengths.append(n)
        return read(self, n)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    with refused(ShapeError, "W_Q", 600, 512, 2048):
        read_matrices(npz(W_Q=np.ones((600, 600))), "matrices.npz")
    assert all(n is not None and 0 <= n < 4096 for n in lengths)


@pytest.mark.parametrize("name", ["matrices.npz", "w_q.csv"])
def test_damaged_files(name: str) -> None:
    rng = random.Random(7)
    packed = io.BytesIO()
    np.savez_compressed(
        packed, X=np.eye(3), W_Q=np.asfortranarray(np.ones((3, 4))), other=np.array(["text"])
    )
    files = (
        [packed.getvalue(), WHOLE]
        if name.endswith("npz")
        else [b"W_Q\n1;2,5\n-3;4e1\n", b'"1",2\n3,4\n']
    )
    outcomes = set()
    for _ in range(1500):
        data = bytearray(rng.choice(files))
        for _ in range(rng.randint(1, 3)):
            place, change = rng.randrange(len(data)), rng.randrange(3)
            data[place : place + (change == 0)] = rng.randbytes(1) if change else b""
        try:
            outcomes.add(type(read_matrices(bytes(data), name)))
        except AttentionError as error:
            outcomes.add(type(error))
    assert {UserMatrices, FileError} <= outcomes

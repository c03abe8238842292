"""NPZ archives that mean harm or are broken, and the facts that refusing each must name."""

from __future__ import annotations

import io
import struct
import zipfile

import numpy as np

from tests.lab.made_weight_files import Corpus, W, archive, head, npy, npz


def with_fields(data: bytes, signature: bytes, place: int, value: bytes) -> bytes:
    """The archive with one field of its last record of this kind changed."""
    at = data.rfind(signature) + place
    return data[:at] + value + data[at + len(value) :]


def zeros(told: int) -> bytes:
    """Ten megabytes of zeros in ten kilobytes, whose directory tells another length."""
    content = npy(head("(2500000,)"), bytes(10_000_000))
    return with_fields(
        archive({"w_q.npy": content}, zipfile.ZIP_DEFLATED),
        b"PK\x01\x02",
        24,
        struct.pack("<I", told),
    )


GOOD_NPZ = npz({"w": W})
DIRECTORY_64 = b"PK\x06\x07" + bytes(16)


def beyond_every_file() -> bytes:
    """An archive whose directory places its member, in the field of 64 bits, where no file
    reaches.
    """
    member = zipfile.ZipInfo("w.npy")
    member.extra = struct.pack("<HHQ", 1, 8, 2**63)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as written:
        written.writestr(member, npy(head("(0,)")))
    return with_fields(made.getvalue(), b"PK\x01\x02", 42, b"\xff" * 4)


HOSTILE_NPZ: Corpus = {
    "a member twice": (
        lambda: archive({"w": npy(head("(0,)")), "w.npy": npy(head("(0,)"))}),
        ("npz", "members"),
    ),
    "a name of 300 letters": (lambda: archive({"w" * 300 + ".npy": b""}), (256, "w" * 40)),
    "a name with a control character": (
        lambda: archive({"w\r.npy": b""}),
        (256, "w\\r.npy"),
    ),
    "text without characters": (
        lambda: archive({"tokens.npy": npy(head(f"({10**12},)", "'<U0'"))}),
        ("tokens", "shape"),
    ),
    "an empty array beyond NumPy": (
        lambda: archive({"w.npy": npy(head(f"(0, {2**62}, {2**62})"))}),
        ("w", "shape"),
    ),
    "a head beyond its member": (
        lambda: archive({"w.npy": npy(head("(0,)"))[:-9]}),
        ("w", "numpy.save"),
    ),
    "a pickle further back": (
        lambda: archive({"w.npy": b"", "x.pkl": b""}),
        ("m.npz", "torch.load"),
    ),
    "10,000 members": (
        lambda: archive({f"w{n}.npy": b"" for n in range(10_000)}),
        (10_000, 4096),
    ),
    "a zip bomb": (lambda: zeros(4_000_000_000), (4_000_000_000, 600_000_000)),
    "a member longer than it says": (lambda: zeros(1000), ("w_q", "numpy.savez")),
    "pickle inside": (
        lambda: npz({"w": np.array([{"a": 1}], dtype=object)}),
        ("w", "Python"),
    ),
    "a member that is no array": (lambda: archive({"w.txt": b"hello"}), ("w.txt", "numpy.savez")),
    "an empty member": (lambda: archive({"w.npy": b""}), ("w", "numpy.savez")),
    "another magic inside": (
        lambda: archive({"w.npy": b"\x93NUMPX" + bytes(99)}),
        ("w", "numpy.savez"),
    ),
    "a negative shape inside": (
        lambda: archive({"w.npy": npy(head("(-2, -3)"), bytes(24))}),
        ("w", "numpy.save"),
    ),
    "a blank in a size": (
        lambda: archive({"w.npy": npy(head("(1 2, 1)"), bytes(48))}),
        ("w", "numpy.save"),
    ),
    "a shape of commas": (
        lambda: archive({"w.npy": npy(head("(,2,,3,)"), bytes(24))}),
        ("w", "numpy.save"),
    ),
    "a size alone": (lambda: archive({"w.npy": npy(head("(6)"), bytes(24))}), ("w", "numpy.save")),
    "a size with a zero before": (
        lambda: archive({"w.npy": npy(head("(06,)"), bytes(24))}),
        ("w", "numpy.save"),
    ),
    "code for a header": (
        lambda: archive({"w.npy": npy("__import__('os').getcwd()")}),
        ("w", "numpy.save"),
    ),
    "endless digits": (
        lambda: archive({"w.npy": npy(head(f"({'9' * 199},)"))}),
        ("w", "shape"),
    ),
    "records": (lambda: npz({"w": np.zeros(3, dtype=[("a", "<f4")])}), ("w", "float64")),
    "complex numbers": (lambda: npz({"w": np.zeros(3, complex)}), ("w", "complex")),
    "a type without a size": (
        lambda: archive({"w.npy": npy(head("(2,)", "'<f3'"), bytes(6))}),
        ("w", "float64"),
    ),
    "too few numbers inside": (
        lambda: archive({"w.npy": npy(head("(2, 3)"), bytes(20))}),
        ("w", "(2, 3)", 24, 20),
    ),
    "another compression": (
        lambda: archive({"w.npy": npy(head("(0,)"))}, zipfile.ZIP_LZMA),
        ("w", "NumPy"),
    ),
    "an archive cut off": (lambda: GOOD_NPZ[:-30], ("npz",)),
    "a directory of megabytes": (
        lambda: with_fields(GOOD_NPZ, b"PK\x05\x06", 12, b"\xff" * 4),
        (4096,),
    ),
    "a directory of its own length": (
        lambda: with_fields(GOOD_NPZ, b"PK\x05\x06", 0, DIRECTORY_64 + GOOD_NPZ[-22:]),
        (4096,),
    ),
    "a directory elsewhere": (
        lambda: with_fields(GOOD_NPZ, b"PK\x05\x06", 16, b"\xff\xff\xff\x00"),
        ("w", "npz"),
    ),
    "a member beyond every file": (beyond_every_file, ("w", "numpy.savez")),
    "an encrypted member": (
        lambda: with_fields(GOOD_NPZ, b"PK\x01\x02", 8, b"\x01"),
        ("w", "encrypted"),
    ),
}

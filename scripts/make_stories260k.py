"""Makes assets/stories260k: the language model of the app, as NumPy arrays and JSON.

Run by hand, with the folder that holds stories260K.bin and tok512.bin (see NOTICE for where they
come from):

    PYTHONPATH=. python scripts/make_stories260k.py FOLDER

The numbers are those of the file, in float32. Matrices are transposed, so that they stand right of
a row vector. LICENSE and NOTICE in the same folder are written by hand.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np

ASSETS = Path(__file__).resolve().parent.parent / "assets" / "stories260k"
SUMS = {
    "stories260K.bin": "b0a507e7ad0f626624f17112325e66691f9076d622e1d3274d103d00299f2696",
    "tok512.bin": "037cb335abb25d1fa9e8ecae30ed2a3a8ace9302862ebcdc05d51a6bbb10c312",
}
HEADER = ("dim", "hidden", "layers", "heads", "kv_heads", "vocabulary", "longest")
SETTINGS = {"rotary_base": 10_000.0, "norm_epsilon": 1e-5}  # llama2.c, run.c: rope, rmsnorm


def main() -> None:
    """Read both files, check their sums, write."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    files = {name: (Path(sys.argv[1]) / name).read_bytes() for name in SUMS}
    for name, expected in SUMS.items():
        if hashlib.sha256(files[name]).hexdigest() != expected:
            raise SystemExit(f"{name} is not the file that this script was written for")
    config, arrays = weights(files["stories260K.bin"])
    np.savez(ASSETS / "weights.npz", **arrays)
    write_json("config.json", config | SETTINGS)
    write_json("tokens.json", tokens(files["tok512.bin"], config["vocabulary"]))
    made = ("config.json", "tokens.json", "weights.npz")
    sums = {name: hashlib.sha256((ASSETS / name).read_bytes()).hexdigest() for name in made}
    write_json("checksums.json", sums)


def weights(file: bytes) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """The sizes, and the arrays with layers stacked and matrices as (in, out)."""
    config = dict(zip(HEADER, struct.unpack_from("<7i", file), strict=True))
    d, f, n = config["dim"], config["hidden"], config["layers"]
    kv = d // config["heads"] * config["kv_heads"]
    shapes = {
        "embedding": (config["vocabulary"], d),
        "attention_gain": (n, d),
        "w_q": (n, d, d),
        "w_k": (n, kv, d),
        "w_v": (n, kv, d),
        "w_o": (n, d, d),
        "feed_forward_gain": (n, d),
        "w_1": (n, f, d),
        "w_2": (n, d, f),
        "w_3": (n, f, d),
        "last_gain": (d,),
    }
    arrays, start = {}, 4 * len(HEADER)
    for name, shape in shapes.items():
        count = int(np.prod(shape))
        array = np.frombuffer(file, "<f4", count, start).reshape(shape)
        arrays[name] = np.ascontiguousarray(array.swapaxes(-1, -2) if len(shape) == 3 else array)
        start += 4 * count
    tables = 2 * config["longest"] * d // config["heads"] // 2  # cosines and sines, not needed
    if start + 4 * tables != len(file):
        raise SystemExit(f"{start + 4 * tables} bytes were expected, but there are {len(file)}")
    return config, arrays


def tokens(file: bytes, count: int) -> dict[str, list[str] | list[float]]:
    """The pieces and their scores."""
    pieces, scores, start = [], [], 4
    for _ in range(count):
        score, length = struct.unpack_from("<fi", file, start)
        pieces.append(file[start + 8 : start + 8 + length].decode("utf-8").strip("\n"))
        scores.append(score)
        start += 8 + length
    return {"pieces": pieces, "scores": scores}


def write_json(name: str, content: object) -> None:
    """Compact JSON with a line break at the end."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (ASSETS / name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

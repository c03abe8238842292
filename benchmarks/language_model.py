"""The language model against the same model in PyTorch, eager: a run of 64 tokens, of which ours
keeps every trace, and a step with 128 tokens in the cache.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ._children import measure, parsed, table, time_rows
from ._decoders import CASES, decoder

LIBRARIES = {"numpy": "NumPy", "float64": "PyTorch", "float32": "PyTorch float32"}


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    print("stories260K in float64.")
    chosen = parsed("language_model", __doc__, options)
    names = list(LIBRARIES) if chosen.torch else ["numpy"]
    times, worst = measure(decoder, names, CASES, chosen, unlike="float32")
    print(table(time_rows(["case", "tokens"], CASES, LIBRARIES, times, chosen.clock)))
    print(f"Largest difference between the logits in float64: {worst:.1e}")


if __name__ == "__main__":
    main(sys.argv[1:])

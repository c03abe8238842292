"""How long *Train again* takes on the page *Two layers*, for each model that can be chosen."""

from itertools import product
from time import perf_counter

from attention_lab.labs.circuit import train_circuit
from attention_lab.labs.circuit_settings import HEADS, LAYERS, CircuitSettings

from ._children import table


def main() -> None:
    """Train each model once, from a seed that is not stored."""
    rows = []
    for n_layers, n_heads in product(LAYERS, HEADS):
        settings = CircuitSettings(n_layers, n_heads, seed=1)
        start = perf_counter()
        *_, last = train_circuit(settings)
        seconds = perf_counter() - start
        sizes = (str(n_layers), str(n_heads), f"{settings.n_parameters:,}")
        rows.append(
            [*sizes, f"{seconds:.1f}", f"{settings.expected_seconds:.1f}", f"{last.loss:.2f}"]
        )
    print(table([["layers", "heads", "numbers", "seconds", "expected", "last loss"], *rows]))

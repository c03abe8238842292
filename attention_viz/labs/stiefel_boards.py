"""GeometricMachineLearning.jl beside our engine, as a board: its columns, our rows, and what
differs.
"""

from __future__ import annotations

from attention_lab.labs.julia_mapping import MappingCheck

from ..labels import number
from ..matrices import Matrix, Side, board, difference
from ..payload import JSON


def mapping_board(check: MappingCheck) -> JSON:
    """The package's output, our output with rows and columns exchanged, and the difference cell
    by cell.
    """
    features, tokens = Side("feature"), Side("token")
    theirs = Matrix("theirs", check.theirs, features, tokens, (0, 0), "the package, Z′")
    ours = Matrix(
        "ours", check.trace.output[0].T, features, tokens, (1, 0), "our engine, Yᵀ", role="output"
    )
    gap = difference(ours, theirs, (2, 0), "difference")
    says = (
        f"The package’s output beside ours; the largest difference is {number(check.difference)}."
    )
    return board([theirs, ours, gap], (gap.name, 0, 0), says)

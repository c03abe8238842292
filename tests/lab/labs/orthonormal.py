"""How far matrices are from orthonormal columns."""

import numpy as np


def orthonormality_error(point: np.ndarray) -> float:
    """How far the columns are from orthonormal: the largest ‖PᵀP - I‖ of a stack."""
    gram = point.mT @ point
    return float(np.linalg.norm(gram - np.eye(point.shape[-1]), axis=(-2, -1)).max())

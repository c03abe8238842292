"""A small layer on which functions are tried: five tokens of four features, two heads."""

from __future__ import annotations

import numpy as np

from attention_core import Projections, attend

X = np.random.default_rng(0).standard_normal((5, 4))
P = Projections.random(4, 2)
TRACE = attend(X, P)
SHARES = TRACE.probabilities[0]

"""The layer on which claims are tried: five tokens of six features, two heads."""

from __future__ import annotations

from attention_core.projections import Projections

from ..token_matrices import gaussian_tokens

TOKENS, WIDTH, HEADS = 5, 6, 2
X = gaussian_tokens(TOKENS, WIDTH)
LAYER = Projections.random(WIDTH, HEADS)

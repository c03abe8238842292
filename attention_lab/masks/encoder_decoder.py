"""The three places of attention in an encoder-decoder: who asks, who answers, and which mask
belongs there.
"""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.attention import attend
from attention_core.checks import Array, as_list, as_stack, whole_number
from attention_core.errors import ShapeError
from attention_core.projections import Projections
from attention_core.trace import Trace

from .hiding import combined, masks_for


@dataclass(frozen=True)
class Use:
    """One use of attention. asks: whose tokens give the queries; answers: whose give keys and
    values.

    causal: whether later keys are hidden. The padding that is hidden is always that of the
    answering sequence.
    """

    key: str
    name: str
    asks: str
    answers: str
    causal: bool
    says: str


USES: tuple[Use, ...] = (
    Use(
        "encoder",
        "encoder self-attention",
        "source",
        "source",
        False,
        "The source sentence reads itself, forwards and backwards; only its padding is hidden.",
    ),
    Use(
        "decoder",
        "decoder self-attention",
        "target",
        "target",
        True,
        "The target sentence reads itself, but no token may see a later one: while it is being"
        " written, there is none.",
    ),
    Use(
        "cross",
        "cross-attention",
        "target",
        "source",
        False,
        "Each target token reads the whole source sentence; there is no look-ahead to hide, only"
        " the source's padding.",
    ),
)


@dataclass(frozen=True, eq=False)
class Sentence:
    """The vectors of a sentence, its tokens, and how many of them are real. Shapes: vectors (T, D).

    n_left_out: how many more the sentence had before it was cut.
    """

    vectors: Array
    tokens: tuple[str, ...]
    n_real: int
    n_left_out: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "vectors", as_stack("vectors", self.vectors, 2, exactly=True))
        object.__setattr__(self, "tokens", tuple(as_list("tokens", self.tokens)))
        whole_number("n_real", self.n_real, 0, len(self.vectors))
        whole_number("n_left_out", self.n_left_out, 0)
        if len(self.tokens) != len(self.vectors):
            raise ShapeError(
                f"{len(self.tokens)} tokens were given for {len(self.vectors)} vectors; make them"
                " agree"
            )


def attend_as(
    use: Use,
    source: Sentence,
    target: Sentence,
    projections: Projections,
    residual: bool = True,
    scale: float | None = None,
) -> Trace:
    """Run one of the uses: queries from the sequence that asks, keys and values from the one that
    answers.

    Raises: ShapeError, SettingsError.
    Source: Vaswani et al. 2017, section 3.2.3.
    """
    asking, answering = (
        {"source": source, "target": target}[role] for role in (use.asks, use.answers)
    )
    n_queries, n_keys = len(asking.vectors), len(answering.vectors)
    masks = masks_for(n_queries, n_keys, causal=use.causal, lengths=[answering.n_real])
    memory = None if asking is answering else answering.vectors
    trace = attend(
        asking.vectors,
        projections,
        memory=memory,
        mask=combined(masks),
        residual=residual,
        scale=scale,
    )
    return trace.labelled(asking.tokens, answering.tokens)

"""The record of one attention call: every intermediate, declared once, in the order of
computation.
"""

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from typing import Annotated, Self, get_type_hints

import numpy as np

from . import numpy_code
from .checks import Array, as_labels, one_of
from .errors import ShapeError
from .formulas import empty_rows
from .projections import BIASES, Projections
from .steps import AXES, GIVEN_AXES, Step


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """What happened inside the heads.

    Shapes: the three score arrays and the probabilities (B, H, T, S), head_outputs (B, H, T, V).
    """

    scores: Array
    scaled_scores: Array
    masked_scores: Array
    probabilities: Array
    head_outputs: Array


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that happened in one call of `attend`. Arrays are read-only; their shapes are
    checked.

    The first are the intermediates in order of computation, each with its `Step`; the others hold
    what was given to the call, `empty_rows_as` its empty_rows. Raises: ShapeError.
    """

    inputs: Annotated[
        Array,
        Step(
            axes="B T D",
            kind="feature",
            symbol="X",
            needs="",
            formula="X",
            says="One row of numbers per token: all that the layer knows of it.",
        ),
    ]
    memory: Annotated[
        Array,
        Step(
            axes="B S M",
            kind="feature",
            symbol="M",
            needs="inputs",
            formula="M = X",
            says=(
                "What keys and values are made from: the same sequence in self-attention, another"
                " one in cross-attention."
            ),
        ),
    ]
    queries: Annotated[
        Array,
        Step(
            axes="B T H·K",
            kind="feature",
            symbol="Q",
            needs="inputs",
            formula=r"Q = X\,W_Q",
            says="Every token asks one question per head: its whole vector multiplied by W_Q.",
        ),
    ]
    keys: Annotated[
        Array,
        Step(
            axes="B S G·K",
            kind="feature",
            symbol="K",
            needs="memory",
            formula=r"K = M\,W_K",
            says=(
                "Every token offers one label per head to be found by: its whole vector multiplied"
                " by W_K."
            ),
        ),
    ]
    values: Annotated[
        Array,
        Step(
            axes="B S G·V",
            kind="feature",
            symbol="V",
            needs="memory",
            formula=r"V = M\,W_V",
            says=(
                "Every token prepares what it passes on when it is attended to: its whole vector"
                " multiplied by W_V."
            ),
        ),
    ]
    query_heads: Annotated[
        Array,
        Step(
            axes="B H T K",
            kind="feature",
            symbol="Q_h",
            needs="queries",
            formula=r"Q_h = Q_{:,\,h d_k:(h+1) d_k}",
            says="Each head takes its own block of columns of Q: reshape, then swap.",
        ),
    ]
    key_heads: Annotated[
        Array,
        Step(
            axes="B G S K",
            kind="feature",
            symbol="K_h",
            needs="keys",
            formula=r"K_h = K_{:,\,h d_k:(h+1) d_k}",
            says="Each head takes its own block of columns of K: reshape, then swap.",
        ),
    ]
    value_heads: Annotated[
        Array,
        Step(
            axes="B G S V",
            kind="feature",
            symbol="V_h",
            needs="values",
            formula=r"V_h = V_{:,\,h d_v:(h+1) d_v}",
            says="Each head takes its own block of columns of V: reshape, then swap.",
        ),
    ]
    scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol="S_h",
            needs="query_heads key_heads",
            formula=r"S_h = Q_h K_h^{\top}",
            says="Each cell compares one query with one key: the dot product of their vectors.",
        ),
    ]
    scaled_scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol=r"\tilde S_h",
            needs="scores",
            formula=r"\tilde S_h = s \, S_h",
            says=(
                "Every score is multiplied by the same number s; one over the root of a head's"
                " width keeps wide heads from saturating the softmax."
            ),
        ),
    ]
    masked_scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol=r"\hat S_h",
            needs="scaled_scores",
            formula=r"\hat S_{h,ij} = \tilde S_{h,ij}\ \text{if allowed, else}\ {-\infty}",
            says=(
                "A score the query may not see becomes minus infinity; the others stay as they are."
            ),
        ),
    ]
    probabilities: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="probability",
            symbol="A_h",
            needs="masked_scores",
            formula=r"A_{h,ij} = \frac{e^{\hat S_{h,ij}}}{\sum_{k} e^{\hat S_{h,ik}}}",
            says="Each row becomes shares that sum to 1: how much this query reads from every key.",
        ),
    ]
    head_outputs: Annotated[
        Array,
        Step(
            axes="B H T V",
            kind="feature",
            symbol="O_h",
            needs="probabilities value_heads",
            formula="O_h = A_h V_h",
            says=(
                "Each token receives the average of the value vectors, weighted by its row of"
                " probabilities."
            ),
        ),
    ]
    merged: Annotated[
        Array,
        Step(
            axes="B T H·V",
            kind="feature",
            symbol="O",
            needs="head_outputs",
            formula=r"O = [\,O_0 \mid O_1 \mid \cdots\,]",
            says="The heads are laid side by side again, token by token: swap, then reshape.",
        ),
    ]
    output: Annotated[
        Array,
        Step(
            axes="B T O",
            kind="feature",
            symbol="Y",
            needs="merged inputs",
            formula=r"Y = O\,W_O",
            says="W_O mixes what the heads found into one vector per token.",
        ),
    ]

    projections: Projections = field(repr=False)
    scale: float
    softcap: float | None = None
    mask: Array | None = field(default=None, repr=False)
    bias: Array | None = field(default=None, repr=False)
    residual: bool = False
    empty_rows_as: str = "zero"
    tokens: tuple[str, ...] = ()
    memory_tokens: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.inputs.ndim != 3 or self.memory.ndim != 3:
            name, array = (
                ("inputs", self.inputs) if self.inputs.ndim != 3 else ("memory", self.memory)
            )
            raise ShapeError(
                f"{name} has shape {array.shape} but must have 3 axes = {STEPS[name].axes}"
            )
        sizes = self.sizes
        arrays = _INTERMEDIATES(self)
        shapes, expected = (
            tuple([array.shape for array in arrays]),
            _expected_shapes(tuple(sizes.items())),
        )
        if shapes != expected:
            name, shape, right = next(
                z for z in zip(STEPS, shapes, expected, strict=True) if z[1] != z[2]
            )
            raise ShapeError(f"{name} has shape {shape} but must have {right} = {STEPS[name].axes}")
        for array in arrays:
            array.setflags(False)
        for name in ("mask", "bias"):
            given = getattr(self, name)
            if given is not None and given.flags.writeable:
                view = given.view()  # the array itself may be the caller's
                view.setflags(write=False)
                object.__setattr__(self, name, view)
        for tokens, axis in ((self.tokens, "T"), (self.memory_tokens, "S")):
            if tokens and len(tokens) != sizes[axis]:
                raise ShapeError(
                    f"{len(tokens)} token labels were given for {sizes[axis]} positions"
                    f" ({AXES[axis]})"
                )

    @property
    def sizes(self) -> dict[str, int]:
        """The length of every axis letter."""
        p = self.projections
        n_batch, n_queries, _ = self.inputs.shape
        return {
            "B": n_batch,
            "H": p.n_heads,
            "G": p.groups,
            "T": n_queries,
            "S": self.memory.shape[1],
            "D": p.d_model,
            "M": p.d_memory,
            "O": p.d_out,
            "K": p.d_k,
            "V": p.d_v,
        }

    def axes(self, name: str) -> tuple[str, ...]:
        """The axis letters of a field or a weight as they are shown. Raises: SettingsError."""
        one_of("field", name, (*STEPS, *GIVEN_AXES))
        return self.shown(STEPS[name].letters if name in STEPS else tuple(GIVEN_AXES[name].split()))

    def shown(self, letters: tuple[str, ...]) -> tuple[str, ...]:
        """The names of axes: M and O are called D, and G is called H, where they are as many."""
        sizes, usual = self.sizes, (("M", "D"), ("O", "D"), ("G", "H"))
        names = {letter: name for letter, name in usual if sizes[letter] == sizes[name]}
        return tuple("·".join(names.get(a, a) for a in axis.split("·")) for axis in letters)

    @property
    def empty_rows(self) -> Array:
        """Which queries had nothing to attend to. Shapes: (B, H, T) bool."""
        return np.asarray(empty_rows(self.masked_scores))

    @property
    def hidden(self) -> Array:
        """Which keys each query may not see. Shapes: (B, H, T, S) bool."""
        return np.asarray(np.isneginf(self.masked_scores))

    @property
    def hidden_keys(self) -> Array:
        """How many keys each query may not see. Shapes: (B, H, T) whole numbers."""
        return np.asarray(self.hidden.sum(axis=-1))

    def code(self, name: str) -> str:
        """The NumPy statements that compute a field from those before it. Raises: SettingsError
        for no field.
        """
        return str(getattr(numpy_code, one_of("field", name, STEPS))(self))

    def says(self, name: str) -> str:
        """What a step did, in one sentence for the options of this call. Raises: SettingsError
        for no field.
        """
        added = self.says_added(one_of("field", name, STEPS))
        if name == "output" and self.projections.w_o is None:
            also = f"{added}," if added else ""
            return (
                f"Without W_O the heads side by side{also} are the output; nothing of different"
                " heads is mixed."
            )
        return f"{STEPS[name].says.removesuffix('.')}{added}."

    def says_added(self, name: str) -> str:
        """What is added to the product of a step, in words: its bias, and to a residual layer's
        output the inputs.
        """
        bias = _BIAS_OF.get(name, "")
        is_biased = getattr(self.projections, bias, None) is not None
        words = [f"b_{bias[-1:].upper()}"] * is_biased + ["the inputs"] * (
            self.residual and name == "output"
        )
        return f", plus {' and '.join(words)}" if words else ""

    def labelled(self, tokens: tuple[str, ...], memory_tokens: tuple[str, ...] = ()) -> Self:
        """The same record with a label for each position; the memory's labels are the tokens' in
        self-attention.

        Raises: ShapeError for more labels or fewer, SettingsError, TextError for what is no list of
        texts.
        """
        tokens, memory_tokens = (
            as_labels("tokens", tokens),
            as_labels("memory_tokens", memory_tokens),
        )
        own = tokens if self.memory is self.inputs else ()
        return replace(self, tokens=tokens, memory_tokens=memory_tokens or own)

    def labels(self, axis: str) -> tuple[str, ...]:
        """What stands at the ticks of an axis: tokens, heads, or numbered features. Raises:
        SettingsError.
        """
        for letter in axis.split("·") if isinstance(axis, str) else (axis,):
            one_of("axis", letter, AXES)
        tokens = {"T": self.tokens, "S": self.memory_tokens}.get(axis)
        return tokens or tuple(
            f"{'head ' if axis in 'HG' else ''}{i}" for i in range(_axis_size(axis, self.sizes))
        )


STEPS: dict[str, Step] = {
    name: replace(hint.__metadata__[0], name=name)
    for name, hint in get_type_hints(Trace, include_extras=True).items()
    if hasattr(hint, "__metadata__")
}
_INTERMEDIATES = attrgetter(*STEPS)
_BIAS_OF = dict(zip(("queries", "keys", "values", "output"), BIASES, strict=True))


@lru_cache
def _expected_shapes(sizes: tuple[tuple[str, int], ...]) -> tuple[tuple[int, ...], ...]:
    """The shape of every field. Kept for the next call: working it out takes half as long as a
    tiny layer.
    """
    return tuple(
        tuple(_axis_size(axis, dict(sizes)) for axis in step.letters) for step in STEPS.values()
    )


def _axis_size(axis: str, sizes: dict[str, int]) -> int:
    return math.prod(sizes[letter] for letter in axis.split("·"))

"""The record of one attention call: every intermediate, declared once, in the order of
computation.
"""

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Annotated, Self, get_type_hints

import numpy as np

from . import numpy_code, step_words
from .checks import Array, as_labels, check_choice
from .errors import ShapeError
from .formulas import empty_rows
from .projections import Projections
from .step_words import numbered, shown_axes
from .steps import AXES, GIVEN_AXES, Step, shapes_of


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that happened in one call of `attend`. Arrays are read-only; their shapes are
    checked.

    The first are the intermediates in order of computation, each with its `Step`, its formula and
    one plain sentence; the others hold what was given to the call, `empty_rows_as` its empty_rows.
    Raises: ShapeError.
    """

    inputs: Annotated[
        Array,
        Step("B T D", "feature", "X", needs=""),
        "X",
        "One row of numbers per token: all that the layer knows of it.",
    ]
    memory: Annotated[
        Array,
        Step("B S M", "feature", "M", needs="inputs"),
        "M = X",
        "What keys and values are made from: the same sequence in self-attention, another one "
        "in cross-attention.",
    ]
    queries: Annotated[
        Array,
        Step("B T H·K", "feature", "Q", needs="inputs"),
        r"Q = X\,W_Q",
        "Every token asks one question per head: its whole vector multiplied by W_Q.",
    ]
    keys: Annotated[
        Array,
        Step("B S G·K", "feature", "K", needs="memory"),
        r"K = M\,W_K",
        "Every token offers one label per head to be found by: its whole vector multiplied by W_K.",
    ]
    values: Annotated[
        Array,
        Step("B S G·V", "feature", "V", needs="memory"),
        r"V = M\,W_V",
        "Every token prepares what it passes on when it is attended to: its whole vector "
        "multiplied by W_V.",
    ]
    query_heads: Annotated[
        Array,
        Step("B H T K", "feature", "Q_h", needs="queries"),
        r"Q_h = Q_{:,\,h d_k:(h+1) d_k}",
        "Each head takes its own block of columns of Q: reshape, then swap.",
    ]
    key_heads: Annotated[
        Array,
        Step("B G S K", "feature", "K_h", needs="keys"),
        r"K_h = K_{:,\,h d_k:(h+1) d_k}",
        "Each head takes its own block of columns of K: reshape, then swap.",
    ]
    value_heads: Annotated[
        Array,
        Step("B G S V", "feature", "V_h", needs="values"),
        r"V_h = V_{:,\,h d_v:(h+1) d_v}",
        "Each head takes its own block of columns of V: reshape, then swap.",
    ]
    scores: Annotated[
        Array,
        Step("B H T S", "logit", "S_h", needs="query_heads key_heads"),
        r"S_h = Q_h K_h^{\top}",
        "Each cell compares one query with one key: the dot product of their vectors.",
    ]
    scaled_scores: Annotated[
        Array,
        Step("B H T S", "logit", r"\tilde S_h", needs="scores"),
        r"\tilde S_h = s \, S_h",
        "Every score is multiplied by the same number s; one over the root of a head's width "
        "keeps wide heads from saturating the softmax.",
    ]
    masked_scores: Annotated[
        Array,
        Step("B H T S", "logit", r"\hat S_h", needs="scaled_scores"),
        r"\hat S_{h,ij} = \tilde S_{h,ij}\ \text{if allowed, else}\ {-\infty}",
        "A score the query may not see becomes minus infinity; the others stay as they are.",
    ]
    probabilities: Annotated[
        Array,
        Step("B H T S", "probability", "A_h", needs="masked_scores"),
        r"A_{h,ij} = \frac{e^{\hat S_{h,ij}}}{\sum_{k} e^{\hat S_{h,ik}}}",
        "Each row becomes shares that sum to 1: how much this query reads from every key.",
    ]
    head_outputs: Annotated[
        Array,
        Step("B H T V", "feature", "O_h", needs="probabilities value_heads"),
        "O_h = A_h V_h",
        "Each token receives the average of the value vectors, weighted by its row of "
        "probabilities.",
    ]
    merged: Annotated[
        Array,
        Step("B T H·V", "feature", "O", needs="head_outputs"),
        r"O = [\,O_0 \mid O_1 \mid \cdots\,]",
        "The heads are laid side by side again, token by token: swap, then reshape.",
    ]
    output: Annotated[
        Array,
        Step("B T O", "feature", "Y", needs="merged inputs"),
        r"Y = O\,W_O",
        "W_O mixes what the heads found into one vector per token.",
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
        arrays = _INTERMEDIATES(self)
        sizes = self._checked_sizes(arrays)
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

    def _checked_sizes(self, arrays: tuple[Array, ...]) -> dict[str, int]:
        """The sizes, which the shapes of all intermediates follow. Raises: ShapeError."""
        shapes = tuple([array.shape for array in arrays])
        for name, shape in zip(("inputs", "memory"), shapes[:2], strict=True):
            if len(shape) != 3:
                raise ShapeError(
                    f"{name} has shape {shape} but must have 3 axes = {STEPS[name].axes}"
                )
        sizes = self.sizes
        expected = _expected_shapes(tuple(sizes.items()))
        if shapes != expected:
            name, shape, right = next(
                z for z in zip(STEPS, shapes, expected, strict=True) if z[1] != z[2]
            )
            raise ShapeError(f"{name} has shape {shape} but must have {right} = {STEPS[name].axes}")
        return sizes

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
        check_choice("field", name, (*STEPS, *GIVEN_AXES))
        return self.shown(STEPS[name].letters if name in STEPS else tuple(GIVEN_AXES[name].split()))

    def shown(self, letters: tuple[str, ...]) -> tuple[str, ...]:
        """The names of axes: M and O are called D, and G is called H, where they are as many."""
        return shown_axes(letters, self.sizes)

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
        """The NumPy statements that compute a field from those before it. Raises: SettingsError."""
        return str(getattr(numpy_code, check_choice("field", name, STEPS))(self))

    def says(self, name: str) -> str:
        """What a step did, in one sentence for the options of this call. Raises: SettingsError."""
        return step_words.says(self, STEPS[check_choice("field", name, STEPS)])

    def says_added(self, name: str) -> str:
        """What is added to the product of a step, in words: its bias, the inputs, or nothing."""
        return step_words.says_added(self, name)

    def labelled(self, tokens: tuple[str, ...], memory_tokens: tuple[str, ...] = ()) -> Self:
        """The same record with a label for each position; without a memory's own it has the same.

        Raises: ShapeError for more labels or fewer; SettingsError, TextError for no list of texts.
        """
        tokens = as_labels("tokens", tokens)
        memory_tokens = as_labels("memory_tokens", memory_tokens)
        own = tokens if self.memory is self.inputs else ()
        return replace(self, tokens=tokens, memory_tokens=memory_tokens or own)

    def labels(self, axis: str) -> tuple[str, ...]:
        """What stands at the ticks of an axis: tokens, heads or numbers. Raises: SettingsError."""
        for letter in axis.split("·") if isinstance(axis, str) else (axis,):
            check_choice("axis", letter, AXES)
        tokens = {"T": self.tokens, "S": self.memory_tokens}.get(axis)
        return tokens or numbered(axis, self.sizes)


STEPS: dict[str, Step] = {
    name: replace(step, name=name, formula=formula, says=says)
    for name, hint in get_type_hints(Trace, include_extras=True).items()
    if hasattr(hint, "__metadata__")
    for step, formula, says in [hint.__metadata__]
}
_INTERMEDIATES = attrgetter(*STEPS)
_expected_shapes = shapes_of(STEPS.values())

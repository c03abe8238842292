"""What is kept of one attention call: every intermediate, and the arguments."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Self

import numpy as np

from .checks import Array, as_labels, check_choice
from .errors import ShapeError
from .formulas import empty_rows, softmax
from .layer_checks import HeadNorm
from .positions import Rotary, rotation
from .projections import Projections
from .steps import AXES, GIVEN_AXES, OPTIONAL, STEPS, USUAL_STEPS, Intermediates, Step

_USUAL_ARRAYS = attrgetter(*USUAL_STEPS)


@dataclass(frozen=True, eq=False, repr=False)
class Record(Intermediates):
    """Everything that happened in one call of `attend`, as arrays that are read-only, and the
    arguments of the call; `empty_rows_as` is its empty_rows.

    Shapes: as `axes(name)` says; mask and bias broadcast to (B, H, T, S); sink (H,).
    """

    projections: Projections
    scale: float
    softcap: float | None = None
    mask: Array | None = None
    bias: Array | None = None
    residual: bool = False
    empty_rows_as: str = "zero"
    rotary: Rotary | None = None
    head_norm: HeadNorm | None = None
    sink: Array | None = None
    tokens: tuple[str, ...] = ()
    memory_tokens: tuple[str, ...] = ()

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """A record of these fields; those with a default may be missing. It takes half the time of
        the constructor, which sets the fields one by one.
        """
        trace = object.__new__(cls)
        trace.__dict__.update(fields)
        trace.__post_init__()
        return trace

    def __post_init__(self) -> None:
        for array in _USUAL_ARRAYS(self):
            array.setflags(False)
        if self.rotary is not None or self.head_norm is not None:
            for name in self.steps.keys() - USUAL_STEPS:
                getattr(self, name).setflags(False)
        for name in ("mask", "bias", "sink"):
            given = getattr(self, name)
            if given is not None and given.flags.writeable:
                view = given.view()  # the array itself may be the caller's
                view.setflags(write=False)
                object.__setattr__(self, name, view)

    def check_shapes(self) -> Self:
        """The same record. Raises: ShapeError for an array whose shape is not what its axes say."""
        sizes = self.sizes
        for name, step in self.steps.items():
            shape = getattr(self, name).shape
            if shape != (right := tuple(_length(axis, sizes) for axis in step.letters)):
                raise ShapeError(f"{name} has shape {shape} but must have {right} = {step.axes}")
        return self

    @property
    def steps(self) -> dict[str, Step]:
        """The steps of this call in order: those whose option is on."""
        if self.rotary is None and self.head_norm is None:
            return USUAL_STEPS
        options = ("", *(name for name in OPTIONAL if getattr(self, name) is not None))
        return {name: step for name, step in STEPS.items() if step.option in options}

    def needs(self, name: str) -> tuple[str, ...]:
        """The fields that a step reads in this call: of each that it needs, what the last step
        before it made of it. Raises: SettingsError.

        >>> from attention_core import Rotary, attend
        >>> trace = attend([[1.0, 2.0]], Projections.weightless(2), rotary=Rotary())
        >>> trace.needs("scores"), trace.needs("turned_keys")
        (('turned_queries', 'turned_keys'), ('key_heads',))
        """
        latest: dict[str, str] = {}
        for before, step in self.steps.items():
            if before == name:
                break
            latest[step.replaces] = before
        return tuple(latest.get(need, need) for need in self.step(name).needs.split())

    @property
    def sizes(self) -> dict[str, int]:
        """The length of every axis letter."""
        p = self.projections
        n_batch, n_queries = self.inputs.shape[:2]
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
            "P": 2,
        }

    def axes(self, name: str) -> tuple[str, ...]:
        """The axis letters of a field or a weight as they are shown. Raises: SettingsError."""
        check_choice("field", name, (*self.steps, *GIVEN_AXES))
        return self.shown(STEPS[name].letters if name in STEPS else tuple(GIVEN_AXES[name].split()))

    def shown(self, letters: tuple[str, ...]) -> tuple[str, ...]:
        """The names of axes: M and O are called D, and G is called H, where the sizes are equal."""
        sizes, usual = self.sizes, (("M", "D"), ("O", "D"), ("G", "H"))
        names = {letter: name for letter, name in usual if sizes[letter] == sizes[name]}
        return tuple("·".join(names.get(a, a) for a in axis.split("·")) for axis in letters)

    @property
    def query_gain(self) -> Array | None:
        """What multiplies each feature of a normalised query. Shapes: (K,)."""
        return None if self.head_norm is None else np.asarray(self.head_norm.query_gain)

    @property
    def key_gain(self) -> Array | None:
        """What multiplies each feature of a normalised key. Shapes: (K,)."""
        return None if self.head_norm is None else np.asarray(self.head_norm.key_gain)

    @property
    def query_rotation(self) -> Array | None:
        """What both members of a pair count in a turned query. Shapes: (T, 2, K)."""
        return self._rotation(self.sizes["T"])

    @property
    def key_rotation(self) -> Array | None:
        """What both members of a pair count in a turned key. Shapes: (S, 2, K)."""
        return self._rotation(self.sizes["S"])

    def _rotation(self, n_tokens: int) -> Array | None:
        if self.rotary is None:
            return None
        return rotation(self.rotary, n_tokens, self.sizes["K"], self.inputs.dtype)

    @property
    def sink_share(self) -> Array | None:
        """The share of each row that goes to the sink, and so to no value. Shapes: (B, H, T)."""
        if self.sink is None:
            return None
        n_batch, n_heads, n_queries, _ = self.masked_scores.shape
        sink_BHT1 = np.broadcast_to(
            self.sink[:, np.newaxis, np.newaxis], (n_batch, n_heads, n_queries, 1)
        )
        rows = np.concatenate([self.masked_scores, sink_BHT1], axis=-1)
        return np.asarray(softmax(rows)[..., -1])

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

    def step(self, name: str) -> Step:
        """A step of this call by its name. Raises: SettingsError, also for one that is off."""
        return self.steps[check_choice("field", name, self.steps)]

    def labelled(self, tokens: Sequence[str], memory_tokens: Sequence[str] = ()) -> Self:
        """The same record with a label for each position; without a memory's own it has the same.

        Raises: ShapeError for more labels or fewer; SettingsError, TextError for no list of texts.
        """
        tokens = as_labels("tokens", tokens)
        memory_tokens = as_labels("memory_tokens", memory_tokens)
        own = tokens if self.memory is self.inputs else ()
        memory_tokens = memory_tokens or own
        for labels, axis in ((tokens, "T"), (memory_tokens, "S")):
            if labels and len(labels) != self.sizes[axis]:
                raise ShapeError(
                    f"{len(labels)} token labels were given for {self.sizes[axis]} positions"
                    f" ({AXES[axis]}): give one for each"
                )
        return self.of(**vars(self) | {"tokens": tokens, "memory_tokens": memory_tokens})

    def labels(self, axis: str) -> tuple[str, ...]:
        """What stands at the ticks of an axis: tokens, heads or numbers. Raises: SettingsError."""
        for letter in axis.split("·") if isinstance(axis, str) else (axis,):
            check_choice("axis", letter, AXES)
        tokens = {"T": self.tokens, "S": self.memory_tokens}.get(axis)
        prefix = "head " if axis in "HG" else ""
        return tokens or tuple(f"{prefix}{place}" for place in range(_length(axis, self.sizes)))


def _length(axis: str, sizes: Mapping[str, int]) -> int:
    """The length of an axis, which may hold blocks: "H·K" is H times K long."""
    return math.prod(sizes[letter] for letter in axis.split("·"))


def head_of(record: Record, field: str, head: int) -> int:
    """The index along a field's head axis of what a head reads: its own, or the key/value head that
    it shares.

    >>> from attention_core import attend
    >>> trace = attend([[1.0, 2.0]], Projections.random(d_model=2, n_heads=4, n_kv_heads=2, d_k=3))
    >>> head_of(trace, "query_heads", 3), head_of(trace, "key_heads", 3)
    (3, 1)
    """
    if "G" not in STEPS[field].axes:
        return head
    sizes = record.sizes
    return head // (sizes["H"] // sizes["G"])


def head_columns(record: Record, field: str, head: int) -> slice:
    """The columns of queries, keys, values or merged that belong to a head.

    >>> from attention_core import attend
    >>> trace = attend([[1.0, 2.0]], Projections.random(d_model=2, n_heads=4, n_kv_heads=2, d_k=3))
    >>> head_columns(trace, "queries", 3), head_columns(trace, "keys", 3)
    (slice(9, 12, None), slice(3, 6, None))
    """
    width = record.sizes[STEPS[field].letters[-1].split("·")[1]]
    first = head_of(record, field, head) * width
    return slice(first, first + width)

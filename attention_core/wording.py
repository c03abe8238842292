"""What a step says about itself for the options of one layer: its sentence, its axes, and its NumPy
statements as a reader would write them.

The statements are shown, and a test runs them: each reproduces its field of the `Trace` from the
fields before it. The engine itself computes the same with fewer temporary arrays (see `formulas`).
"""

from collections.abc import Callable, Mapping
from string import Formatter
from typing import NamedTuple

from .projections import BIASES, MATRICES
from .record import Record
from .rules import RULES
from .steps import Step

# What a step may add to its product, in words; the bias of the scores is no part of one.
_ADDED = {bias: f"b_{bias[-1].upper()}" for bias in BIASES} | {"inputs": "the inputs"}
Part = Callable[[Record], str]
Parts = Mapping[str, Part]
EMPTY_MAXIMUM = (
    "\nrow_max = np.where(np.isneginf(row_max), 0, row_max)  # a row with nothing to attend to"
)


class Layout(NamedTuple):
    """The words for a row and a column of a matrix and for heads side by side, as they are shown.

    As they are here, tokens are rows.
    """

    row: str = "row"
    column: str = "column"
    side_by_side: str = "side by side"

    def fill(self, text: str, **names: object) -> str:
        """A text with these words, and other names, in its braces.

        >>> Layout("column", "row").fill("Each {row} becomes shares: its {column}s are keys.")
        'Each column becomes shares: its rows are keys.'
        """
        return text.format(**self._asdict(), **names)


ROWS = Layout()


def sentence(layer: Record, step: Step, layout: Layout) -> str:
    """What a step did, in one sentence for the options of a layer."""
    name, added = step.name, addition(layer, step.name)
    if name == "output" and layer.projections.w_o is None:
        also = f"{added}," if added else ""
        return (
            f"This layer has no output projection: the heads {layout.side_by_side}{also} are the"
            " output, and heads are not mixed."
        )
    if name == "probabilities" and layer.sink is not None:
        return (
            f"Each {layout.row} becomes shares that sum to less than 1: how much its query reads"
            " from every key; the rest goes to the sink, which has no value."
        )
    if name == "scaled_scores" and layer.softcap is not None:
        return (
            "Every score is multiplied by the scale; the soft cap then brings it between −c and c:"
            " small scores hardly change, large ones come near to c."
        )
    if name == "masked_scores" and layer.bias is not None:
        return (
            "The bias is added to every score; the score of a key that the query may not see"
            " becomes minus infinity."
        )
    return f"{layout.fill(step.sentence).removesuffix('.')}{added}."


def addition(layer: Record, name: str) -> str:
    """What is added to the product of a step: its bias, and to a residual layer's output the
    inputs.
    """
    added = (read.array for read in RULES[name](layer).adds)
    words = [_ADDED[name] for name in added if name in _ADDED]
    return f", plus {' and '.join(words)}" if words else ""


def fill_template(template: str, layer: Record, parts: Parts | None = None) -> str:
    """The statements of a `Step`, with the parts in braces as the options of a layer want them.

    >>> from attention_core import STEPS, Projections, attend
    >>> fill_template(STEPS["queries"].numpy, attend([[1.0]], Projections.weightless(1)))
    'queries = inputs @ w_q'
    """
    parts = NUMPY_PARTS if parts is None else parts
    names = {name for _, name, _, _ in Formatter().parse(template) if name}
    return template.format(**{name: parts[name](layer) for name in names})


def has_shared_heads(layer: Record) -> bool:
    """Whether heads share keys and values."""
    return layer.projections.groups != layer.projections.n_heads


def zeros_empty_rows(layer: Record) -> bool:
    """Whether a row with nothing to attend to has to become zeros; a sink is always there."""
    is_zero = layer.empty_rows_as == "zero" and layer.sink is None
    return is_zero and bool(layer.empty_rows.any())


def where_given(name: str, text: str) -> Part:
    """A text for layers with this setting, weight or bias; nothing for others."""
    is_weight = name in MATRICES + BIASES
    return lambda layer: (
        "" if getattr(layer.projections if is_weight else layer, name) is None else text
    )


def needed(step: str, number: int = 0, shared: str = "{}") -> Part:
    """The field that a step reads, of those that it needs. shared: how it is repeated where heads
    share keys and values.
    """

    def part(layer: Record) -> str:
        return (shared if has_shared_heads(layer) else "{}").format(layer.needs(step)[number])

    return part


def by_pairs(halves: str, neighbours: str, step: str = "") -> Part:
    """One of two texts, as the layer pairs features; {} stands for the field that the step reads,
    if one is given.
    """

    def part(layer: Record) -> str:
        by_halves = layer.rotary is not None and layer.rotary.pairs == "halves"
        text = halves if by_halves else neighbours
        return text.format(*layer.needs(step)) if step else text

    return part


def start(layer: Record) -> str:
    """Where the positions of rotary start, as the first argument of a range whose end follows."""
    first = layer.rotary.start if layer.rotary else 0
    return f"{first}, {first} + " if first else ""


def _row_maximum(layer: Record) -> str:
    """What is done with the largest score of a row: the sink may be larger."""
    if layer.sink is not None:
        return "\nrow_max = np.maximum(row_max, sink[:, np.newaxis, np.newaxis])"
    return EMPTY_MAXIMUM if zeros_empty_rows(layer) else ""


_REPEATED = "np.repeat({}, H // G, axis=1)"
_PAIRS = ("np.split({}, 2, axis=-1)", "{0}[..., 0::2], {0}[..., 1::2]")
NUMPY_PARTS: Parts = {
    "memory": lambda layer: "inputs" if layer.memory is layer.inputs else "other_sequence",
    "G": lambda layer: "G" if has_shared_heads(layer) else "H",
    **{bias: where_given(bias, f" + {bias}") for bias in BIASES},
    "value_heads": needed("head_outputs", 1, shared=_REPEATED),
    "compared_queries": needed("scores"),
    "compared_keys": needed("scores", 1, shared=_REPEATED),
    "epsilon": lambda layer: f"{layer.head_norm.epsilon!r}" if layer.head_norm else "",
    "base": lambda layer: f"{float(layer.rotary.base)!r}" if layer.rotary else "",
    "start": start,
    "pairs_of_query": by_pairs(*_PAIRS, "turned_queries"),
    "pairs_of_key": by_pairs(*_PAIRS, "turned_keys"),
    "join_pairs": by_pairs("np.concatenate(pairs, axis=-1)", "np.stack(pairs, axis=-1)"),
    "softcap": where_given(
        "softcap", "\nscaled_scores = softcap * np.tanh(scaled_scores / softcap)"
    ),
    "if_allowed": where_given("mask", "np.where(mask, "),
    "bias": where_given("bias", " + bias"),
    "else_hidden": where_given("mask", ", -np.inf)"),
    "no_maximum": _row_maximum,
    "sink": where_given("sink", " + np.exp(sink[:, np.newaxis, np.newaxis] - row_max)"),
    "row_sum": lambda layer: (
        "np.where(row_sum == 0, 1, row_sum)" if zeros_empty_rows(layer) else "row_sum"
    ),
    "w_o": where_given("w_o", " @ w_o"),
    "inputs": lambda layer: " + inputs" if layer.residual else "",
}

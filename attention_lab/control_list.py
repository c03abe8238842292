"""The list of the controls: the field that each sets, its words, and when it has an effect. At the
end: the switches that change only how things look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .by_hand import HANDMADE_LAYERS
from .choices import (
    HANDMADE_CHOICES,
    LANGUAGE_MODEL,
    MAX_TEXT_LENGTH,
    MODEL_CHOICES,
    SEEDED_WEIGHTS,
    has_handmade_sizes,
)
from .notation.notation import OURS
from .scenario import Scenario
from .sentences import MAX_SENTENCES, weights_in_force

CONTROL_DEFAULTS = asdict(Scenario())
CONTROL_GROUPS = ("Sizes", "Weights", "Scores and mask", "Tokens and widths", "Modern attention")
Values = Mapping[str, Any]
_HANDMADE_SIZES = " or ".join(
    f"embedding size {width} and {count} heads" for width, count in HANDMADE_LAYERS
)


def _is_free(values: Values) -> bool:
    """Whether the controls decide the sizes; the layer of a model has its own."""
    return _weights(values) not in MODEL_CHOICES


def _weights(values: Values) -> str:
    """The kind of weights of the layer: those by hand need their own sizes and known words."""
    chosen = Scenario(**values)
    if values["weights"] == "by hand" and not has_handmade_sizes(chosen):
        return "random"
    return weights_in_force(chosen).weights


def decided_values(values: Values) -> Mapping[str, Any]:
    """The values that the weights decide in place of the controls; 0 means embedding / heads."""
    of: dict[str, Mapping[str, Any]] = {
        **{name: {**decided, "d_k": 0, "d_v": 0} for name, decided in MODEL_CHOICES.items()},
        "by hand": HANDMADE_CHOICES,
        "weightless": {"output_matrix": "none", "d_o": 0},
    }
    return of.get(_weights(values), {})


def _is_drawn(values: Values) -> bool:
    """Whether the weights are drawn at random."""
    return _weights(values) in SEEDED_WEIGHTS


def _has_words(values: Values) -> bool:
    """Whether the controls decide the word vectors; layers of models or by hand have their own."""
    return _weights(values) not in (*MODEL_CHOICES, "by hand")


def _has_widths(values: Values) -> bool:
    """Whether the widths of heads can be chosen; with others, weights by hand become random."""
    return _weights(values) not in ("weightless", *MODEL_CHOICES)


def _has_output_width(values: Values) -> bool:
    """Whether the width of the output can be chosen: that of W_O."""
    return _has_widths(values) and values["output_matrix"] == "W_O"


@dataclass(frozen=True)
class Control:
    """One widget: the field it sets, its words, and when it has an effect.

    zero: the words for the value 0 in controls where it means "decide for me".
    """

    name: str
    label: str
    group: str
    help: str
    zero: str = ""
    matters: Callable[[Values], bool] = lambda values: True


CONTROLS: tuple[Control, ...] = (
    Control(
        "text",
        "Sentence",
        "Sizes",
        f"Any language, at most {MAX_TEXT_LENGTH:,} characters. Words, punctuation marks and emoji"
        " become tokens.",
    ),
    Control(
        "n_tokens",
        "Sequence length",
        "Sizes",
        zero="fit",
        help=(
            "How many tokens the layer sees: a longer sentence is cut, a shorter one is filled up"
            " with [pad], but not on the pages of trained models, which only cut it."
        ),
    ),
    Control(
        "d_model",
        "Embedding size",
        "Sizes",
        "How many numbers describe one token (d_model).",
        matters=_is_free,
    ),
    Control("n_heads", "Heads", "Sizes", "How many heads attend in parallel.", matters=_is_free),
    Control(
        "weights",
        "Weights",
        "Weights",
        help=(
            "random; weightless: Q = K = V = X; tied: W_K = W_Q; opposite: W_K = −W_Q; orthonormal:"
            " each head's columns are; trained: a layer of all-MiniLM-L6-v2, which brings its own"
            " word pieces, vectors and sizes; by hand: named features and heads that can be"
            f" read, for {_HANDMADE_SIZES}; {LANGUAGE_MODEL}: a layer of a small model that writes"
            " children’s stories."
        ),
    ),
    Control(
        "layer",
        "Layer of the model",
        "Weights",
        "Which of the model's layers, counted from 0: the trained model has 6, the language model"
        " 5.",
        matters=lambda values: values["weights"] in MODEL_CHOICES,
    ),
    Control(
        "without",
        "Head switched off",
        "Weights",
        "The rows of W_O that belong to this head are 0, so that it adds nothing to the output.",
    ),
    Control(
        "init",
        "Drawn from",
        "Weights",
        help=(
            "xavier: uniform ±√(6/(in+out)); normal: variance 1/in; small: spread 0.02; orthogonal:"
            " all singular values equal; integers: −1, 0, 1."
        ),
        matters=lambda values: _weights(values) in ("random", "tied", "opposite"),
    ),
    Control(
        "seed",
        "Seed",
        "Weights",
        "The same seed gives the same weights; another version of NumPy may draw others.",
        matters=_is_drawn,
    ),
    Control(
        "output_matrix",
        "Output matrix",
        "Weights",
        help=(
            "W_O: it mixes the heads. none: the heads side by side are the output, as in the manual"
            " of GeometricMachineLearning.jl."
        ),
        matters=lambda values: values["weights"] != "weightless",
    ),
    Control(
        "scaling",
        "Scaling",
        "Scores and mask",
        help="on: scores times 1/√d_k; off: as they are; custom: times the number below.",
    ),
    Control(
        "scale",
        "Custom scale",
        "Scores and mask",
        "What every score is multiplied by.",
        matters=lambda values: values["scaling"] == "custom",
    ),
    Control(
        "mask",
        "Mask",
        "Scores and mask",
        help=(
            "causal: no later token; padding: no [pad] token; window: only near tokens; painted: as"
            " in the mask workshop. A language model is always causal, too."
        ),
    ),
    Control(
        "window",
        "Window",
        "Scores and mask",
        "How many tokens to each side a query sees.",
        matters=lambda values: values["mask"] == "window",
    ),
    Control(
        "residual",
        "Residual",
        "Scores and mask",
        "Add the layer's inputs to its output (skip connection).",
    ),
    Control(
        "rotary",
        "Rotary positions",
        "Modern attention",
        help=(
            "Queries and keys are turned by their positions. neighbours: features 0 and 1 are a"
            " pair; halves: the first feature of each half."
        ),
    ),
    Control(
        "base",
        "Base of the angles",
        "Modern attention",
        "A larger base turns the later pairs more slowly (rope_theta of a model).",
        matters=lambda values: values["rotary"] != "off",
    ),
    Control(
        "start",
        "First position",
        "Modern attention",
        "The position of the first token. A shift of all positions moves no score.",
        matters=lambda values: values["rotary"] != "off",
    ),
    Control(
        "qk_norm",
        "QK-norm",
        "Modern attention",
        "Every query and key of a head is divided by its root mean square.",
    ),
    Control(
        "gain",
        "Gain of QK-norm",
        "Modern attention",
        "What multiplies every feature of a normalised query and key.",
        matters=lambda values: bool(values["qk_norm"]),
    ),
    Control(
        "alibi",
        "ALiBi",
        "Modern attention",
        "Each step of distance lowers a score by the slope of its head.",
    ),
    Control(
        "sink",
        "Sink",
        "Modern attention",
        "One more score in every row, whose share goes to no value.",
    ),
    Control(
        "sink_logit",
        "Score of the sink",
        "Modern attention",
        "The same for every head and row.",
        matters=lambda values: bool(values["sink"]),
    ),
    Control(
        "softcap",
        "Soft cap",
        "Modern attention",
        "Scaled scores s become c · tanh(s/c), so that none is beyond the cap c (Gemma 2).",
    ),
    Control(
        "cap",
        "Cap",
        "Modern attention",
        "No scaled score gets beyond it, to either side.",
        matters=lambda values: bool(values["softcap"]),
    ),
    Control(
        "d_k",
        "Query/key width d_k",
        "Tokens and widths",
        zero="embedding / heads",
        help="How many numbers a query or key of one head has.",
        matters=_has_widths,
    ),
    Control(
        "d_v",
        "Value width d_v",
        "Tokens and widths",
        zero="embedding / heads",
        help="How many numbers a value of one head has.",
        matters=_has_widths,
    ),
    Control(
        "d_o",
        "Output width d_o",
        "Tokens and widths",
        zero="embedding size",
        help="How many numbers the output of a token has: the columns of W_O.",
        matters=_has_output_width,
    ),
    Control(
        "positions",
        "Positions",
        "Tokens and widths",
        "Add the sinusoidal code of each position to its word.",
        matters=_has_words,
    ),
    Control(
        "embedding",
        "Word vectors",
        "Tokens and widths",
        help="normal: random, but fixed by the word; integers: −2 to 2, easy to check on paper.",
        matters=_has_words,
    ),
    Control(
        "batch",
        "Further sentences",
        "Tokens and widths",
        f"A batch: one sentence on each line, at most {MAX_SENTENCES - 1}. All are filled up with"
        " [pad] to the longest, and no query sees a [pad].",
    ),
    Control(
        "piece",
        "Cut words into pieces",
        "Tokens and widths",
        zero="whole words",
        help="The most characters that a token may have; later pieces are marked ##.",
        matters=_has_words,
    ),
)


def widget_value(control: Control, value: Any) -> Any:
    """A field's value as its widget holds it."""
    if control.zero:
        return str(value or control.zero)
    return value


# The switches that change only how things look: label, name, help.
VIEW_DEFAULTS = {
    "notation": OURS.key,
    "own_scale": False,
    "present": False,
    "hide": False,
    "guess": False,
    "whole": False,
}

VIEW_SWITCHES = (
    ("Each head its own colours", "own_scale", "Otherwise all heads share one scale."),
    (
        "Lecture mode",
        "present",
        "The step alone in the window, in large type; a clicker goes forward and back.",
    ),
    ("Hide the result", "hide", "Cells are covered until you ask for a cell or a row."),
    (
        "Ask me first",
        "guess",
        "Each step covers one number and asks you for it. Otherwise it only offers a question.",
    ),
    (
        "Whole matrices",
        "whole",
        "Steps show the columns of all heads, not only those of the head in focus.",
    ),
)

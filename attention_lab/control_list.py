"""The list of the controls: the field that each sets, its words, and when it has an effect. At the
end: the switches that change only how things look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
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
from .url_values import SWITCH_LABELS

CONTROL_DEFAULTS = asdict(Scenario())
CONTROL_GROUPS = ("Sizes", "Weights", "Scores and mask", "Tokens and widths", "Modern attention")
Values = Mapping[str, Any]
_HANDMADE_SIZES = " or ".join(
    f"embedding size {width} and {count} heads" for width, count in HANDMADE_LAYERS
)


def _weights(values: Values) -> str:
    """The kind of weights of the layer: those by hand need their own sizes and known words."""
    if values["weights"] != "by hand":
        return str(values["weights"])
    chosen = Scenario(**values)
    return weights_in_force(chosen).weights if has_handmade_sizes(chosen) else "random"


def decided_values(values: Values) -> Mapping[str, Any]:
    """The values that the weights decide in place of the controls; 0 means embedding / heads."""
    of: dict[str, Mapping[str, Any]] = {
        **{name: {**decided, "d_k": 0, "d_v": 0} for name, decided in MODEL_CHOICES.items()},
        "by hand": HANDMADE_CHOICES,
        "weightless": {"output_matrix": "none", **dict.fromkeys(("d_k", "d_v", "d_o"), 0)},
    }
    return of.get(_weights(values), {})


def _has_words(values: Values) -> bool:
    """Whether the controls decide the word vectors; a model has its own."""
    return _weights(values) not in MODEL_CHOICES


# When a control whose value the weights leave free has an effect; the others always have one.
_MATTERS: Mapping[str, Callable[[Values], bool]] = {
    "layer": lambda values: values["weights"] in MODEL_CHOICES,
    "init": lambda values: _weights(values) in ("random", "tied", "opposite"),
    "seed": lambda values: _weights(values) in SEEDED_WEIGHTS,
    "scale": lambda values: values["scaling"] == "custom",
    "window": lambda values: values["mask"] == "window",
    **dict.fromkeys(("base", "start"), lambda values: values["rotary"] != "off"),
    "gain": lambda values: bool(values["qk_norm"]),
    "sink_logit": lambda values: bool(values["sink"]),
    "cap": lambda values: bool(values["softcap"]),
    "d_o": lambda values: values["output_matrix"] == "W_O",
    **dict.fromkeys(("positions", "embedding"), _has_words),
}
# The words for the value 0 where it means "decide for me".
_ZERO = {"n_tokens": "fit", "piece": "whole words", "d_o": "embedding size"} | dict.fromkeys(
    ("d_k", "d_v"), "embedding / heads"
)


@dataclass(frozen=True)
class Control:
    """One widget: the field it sets, its words, and its group."""

    name: str
    label: str
    help: str
    group: str = ""

    def matters(self, values: Values, decided: Values | None = None) -> bool:
        """Whether it has an effect with these values of all controls. decided: what they decide,
        if this is known.
        """
        if self.name in (decided_values(values) if decided is None else decided):
            return False
        return self.name not in _MATTERS or _MATTERS[self.name](values)

    @property
    def zero(self) -> str:
        """The words for the value 0 where it means "decide for me", else ""."""
        return _ZERO.get(self.name, "")


# The controls of each group.
_IN_GROUPS: Mapping[str, tuple[Control, ...]] = {
    "Sizes": (
        Control(
            "text",
            "Sentence",
            f"Any language, at most {MAX_TEXT_LENGTH:,} characters. Words, punctuation marks and"
            " emoji become tokens.",
        ),
        Control(
            "n_tokens",
            "Sequence length",
            "How many tokens the layer sees: a longer sentence is cut, a shorter one is filled up"
            " with [pad], but not on the pages of trained models, which only cut it.",
        ),
        Control("d_model", "Embedding size", "How many numbers describe one token (d_model)."),
        Control("n_heads", "Heads", "How many heads attend in parallel."),
    ),
    "Weights": (
        Control(
            "weights",
            "Weights",
            "random; weightless: Q = K = V = X; tied: W_K = W_Q; opposite: W_K = −W_Q; orthonormal:"
            " each head's columns are; trained: a layer of all-MiniLM-L6-v2, which brings its own"
            " word pieces, vectors and sizes; by hand: named features and heads that can be"
            f" read, for {_HANDMADE_SIZES}; {LANGUAGE_MODEL}: a layer of a small model that writes"
            " children’s stories.",
        ),
        Control(
            "layer",
            "Layer of the model",
            "Which of the model's layers, counted from 0: the trained model has 6, the language"
            " model 5.",
        ),
        Control(
            "without",
            "Head switched off",
            "The rows of W_O that belong to this head are 0, so that it adds nothing to the"
            " output.",
        ),
        Control(
            "init",
            "Drawn from",
            "xavier: uniform ±√(6/(in+out)); normal: variance 1/in; small: spread 0.02; orthogonal:"
            " all singular values equal; integers: −1, 0, 1.",
        ),
        Control(
            "seed",
            "Seed",
            "The same seed gives the same weights; another version of NumPy may draw others.",
        ),
        Control(
            "output_matrix",
            "Output matrix",
            "W_O: it mixes the heads. none: the heads side by side are the output, as in the manual"
            " of GeometricMachineLearning.jl.",
        ),
    ),
    "Scores and mask": (
        Control(
            "scaling",
            "Scaling",
            "on: scores times 1/√d_k; off: as they are; custom: times the number below.",
        ),
        Control("scale", "Custom scale", "What every score is multiplied by."),
        Control(
            "mask",
            "Mask",
            "causal: no later token; padding: no [pad] token; window: only near tokens; painted: as"
            " in the mask workshop. A language model is always causal, too.",
        ),
        Control("window", "Window", "How many tokens to each side a query sees."),
        Control(
            "residual",
            "Residual",
            "Add the layer's inputs to its output (skip connection). In"
            " GeometricMachineLearning.jl: add_connection, true by default.",
        ),
    ),
    "Modern attention": (
        Control(
            "rotary",
            "Rotary positions",
            "Queries and keys are turned by their positions. neighbours: features 0 and 1 are a"
            " pair; halves: the first feature of each half.",
        ),
        Control(
            "base",
            "Base of the angles",
            "A larger base turns the later pairs more slowly (rope_theta of a model).",
        ),
        Control(
            "start",
            "First position",
            "The rotary position of the first token. If all turns start later, no score moves.",
        ),
        Control(
            "qk_norm",
            "QK-norm",
            "Every query and key of a head is divided by its root mean square.",
        ),
        Control(
            "gain",
            "Gain of QK-norm",
            "What multiplies every feature of a normalised query and key.",
        ),
        Control("alibi", "ALiBi", "Each step of distance lowers a score by the slope of its head."),
        Control("sink", "Sink", "One more score in every row, whose share goes to no value."),
        Control("sink_logit", "Score of the sink", "The same for every head and row."),
        Control(
            "softcap",
            "Soft cap",
            "Scaled scores s become c · tanh(s/c), so that none is beyond the cap c (Gemma 2).",
        ),
        Control("cap", "Cap", "No scaled score gets beyond it, to either side."),
    ),
    "Tokens and widths": (
        Control("d_k", "Query/key width d_k", "How many numbers a query or key of one head has."),
        Control("d_v", "Value width d_v", "How many numbers a value of one head has."),
        Control(
            "d_o",
            "Output width d_o",
            "How many numbers the output of a token has: the columns of W_O.",
        ),
        Control("positions", "Positions", "Add the sinusoidal code of each position to its word."),
        Control(
            "embedding",
            "Word vectors",
            "normal: random, but fixed by the word; integers: −2 to 2, easy to check on paper.",
        ),
        Control(
            "batch",
            "Further sentences",
            f"A batch: one sentence on each line, at most {MAX_SENTENCES - 1}. All are filled up"
            " with [pad] to the longest, and no query sees a [pad].",
        ),
        Control(
            "piece",
            "Cut words into pieces",
            "The most characters that a token may have; later pieces are marked ##.",
        ),
    ),
}
CONTROLS = tuple(
    replace(one, group=group) for group, controls in _IN_GROUPS.items() for one in controls
)


def widget_value(control: Control, value: Any) -> Any:
    """A field's value as its widget holds it."""
    return str(value or control.zero) if control.zero else value


def value_in_words(control: Control, value: Any) -> str:
    """A field's value as a text that is read.

    >>> [value_in_words(one, 0) for one in CONTROLS if one.name in ("start", "d_o", "residual")]
    ['off', '0', 'embedding size']
    """
    if isinstance(CONTROL_DEFAULTS[control.name], bool):
        return SWITCH_LABELS[value]
    shown = widget_value(control, value)
    if isinstance(shown, str):
        return shown
    return f"{shown:,g}" if isinstance(shown, float) else f"{shown:,}"


# The switches that change only how things look: label, name, help.
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
    (
        "Pieces, not words",
        "pieces",
        "Trained models read pieces of words. Otherwise the sentence shows words, and an arc to a"
        " word is the sum of its pieces' shares.",
    ),
)
VIEW_DEFAULTS = {"notation": OURS.key} | {name: False for _, name, _ in VIEW_SWITCHES}

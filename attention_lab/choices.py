"""The choices that decide the numbers, as plain values, and what is run for them.

Each field declares itself as a `Control`. What is run is a `Run`: with the sizes that the weights
or the user's own matrices decide.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from attention_core.errors import AttentionError

from .by_hand import HANDMADE_LAYERS, HandmadeLayer
from .cache import cached
from .control import MAX_TEXT_LENGTH as MAX_TEXT_LENGTH
from .control import Control, controls_of
from .mask_kinds import CAUSAL, MASKS, MaskChoices, MaskKind
from .user_data.edits import Edits
from .user_data.matrix_names import MAX_HEADS
from .user_data.user_matrices import UserMatrices, check_beside_trained
from .weight_kinds import (
    BY_HAND,
    LANGUAGE_MODEL,
    RANDOM,
    WEIGHTS,
    WRITERS,
    ModelWeights,
    WeightKind,
)

_of = partial(Control, group="Modern attention")
_off = partial(_of, False, off=False)
_OF_SINK = "score of the sink {sink_logit}"


def _own_matrices(text: str) -> str:
    """Own matrices in a URL, as a scenario holds them. Raises: AttentionError."""
    UserMatrices.from_url(text)
    return text


@dataclass(frozen=True)
class Scenario(MaskChoices):
    """What the user chose. The options of modern attention stand here, the other choices above.

    Weights "by hand" need their own sizes; at other sizes the weights are random, see `resolve`.
    base: of the angles of rotary positions; start: the first position, for them; gain: of QK-norm,
    for every feature of queries and keys; cap: of the soft cap, which scaled scores come near to.
    edits and own are what `Edits.url_value` and `UserMatrices.url_value` return: texts that stand
    for numbers, "" for none.
    """

    rotary: str = _of(
        "off",
        "Rotary positions",
        options=("off", "neighbours", "halves"),  # how features form the pairs that turn
        other="neighbours",
        caption="rotary positions ({rotary})",
        off="off",
    ).explained(
        "Queries and keys are turned by their positions. neighbours: features 0 and 1 are a pair;"
        " halves: the first feature of each half."
    )
    base: float = _of(
        10_000.0,
        "Base of the angles",
        (1.0, 1e9),
        other=100.0,
        needs="rotary",
        caption="base {base}",
    ).explained("A larger base turns the later pairs more slowly (rope_theta of a model).")
    start: int = _of(
        0, "First position", (0, 1000), other=100, needs="rotary", told="from {start}"
    ).explained("The rotary position of the first token. If all turns start later, no score moves.")
    qk_norm: bool = _off("QK-norm", caption="QK-norm").explained(
        "Every query and key of a head is divided by its root mean square."
    )
    gain: float = _of(
        1.0, "Gain of QK-norm", (0.0, 100.0), other=2.0, needs="qk_norm", told="gain {gain}"
    ).explained("What multiplies every feature of a normalised query and key.")
    alibi: bool = _off("ALiBi", caption="ALiBi").explained(
        "Each step of distance lowers a score by the slope of its head."
    )
    sink: bool = _off("Sink", caption="sink").explained(
        "One more score in every row, whose share goes to no value."
    )
    sink_logit: float = _of(
        0.0, "Score of the sink", (-100.0, 100.0), other=2.0, needs="sink", told=_OF_SINK
    ).explained("The same for every head and row.")
    softcap: bool = _off("Soft cap", caption="soft cap").explained(
        "Scaled scores s become c · tanh(s/c), so that none is beyond the cap c (Gemma 2)."
    )
    cap: float = _of(
        5.0, "Cap", (0.1, 1000.0), other=1.0, needs="softcap", told="cap {cap}"
    ).explained("No scaled score gets beyond it, to either side.")
    edits: str = Control(
        "", "Edited cells", reads=lambda text: Edits.from_url(text).url_value()
    ).explained()
    own: str = Control("", "Own matrices", reads=_own_matrices).explained()


DECLARED: Mapping[str, Control] = controls_of(Scenario)
# The fields of what today's models add to the layer, with the values that leave it out.
_MODERN_OFF = {name: one.off for name, one in DECLARED.items() if one.off is not None}


def without_modern(scenario: Scenario) -> Scenario:
    """The scenario without rotary positions, QK-norm, ALiBi, sink and soft cap."""
    return replace(scenario, **_MODERN_OFF)


def choices_of_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scenario that switch on what a layer does besides its matrices; everything
    else of today's models is off.

    >>> choices_of_options({"sink": [0.5]})["sink"]
    True
    """
    choices = dict(_MODERN_OFF)
    if rotary := options.get("rotary"):
        choices |= {"rotary": rotary.pairs, "base": rotary.base, "start": rotary.start}
    return choices | {"qk_norm": "head_norm" in options, "sink": "sink" in options}


def options_on(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has that needs steps of its own: options of `attend`, and the language model
    around the layer.
    """
    kind = kind_of(scenario)
    on = {
        "head_norm": kind.decides.get("qk_norm", scenario.qk_norm),
        "rotary": kind.decides.get("rotary", scenario.rotary) != "off",
        LANGUAGE_MODEL.name: kind.writes,
    }
    return tuple(name for name, is_on in on.items() if is_on)


def edits_of(scenario: Scenario) -> Edits:
    """The user's edits. Raises: SettingsError."""
    return Edits.from_url(scenario.edits)


def user_matrices_of(scenario: Scenario) -> UserMatrices:
    """The user's own matrices. Raises: AttentionError."""
    return _matrices_from_url(scenario.own)


_matrices_from_url = cached(UserMatrices.from_url)


@dataclass(frozen=True, eq=False)
class Run:
    """A scenario as it is run.

    chosen: with the values that the weights and the user's own matrices decide. weights, mask:
    their kinds. own: the user's matrices.
    """

    chosen: Scenario
    weights: WeightKind
    mask: MaskKind
    own: UserMatrices

    @property
    def handmade(self) -> HandmadeLayer | None:
        """The layer made by hand that is run, if it is one."""
        return BY_HAND.layer(self.chosen) if self.weights is BY_HAND else None

    @property
    def model(self) -> ModelWeights | None:
        """The trained model whose layer is run, if it is one."""
        return self.weights if isinstance(self.weights, ModelWeights) else None

    @property
    def has_given_inputs(self) -> bool:
        """Whether X is given as it is, not as a sum of words and positions: the user's own X, or
        the input of a trained layer.
        """
        return self.model is not None or self.own.x is not None

    @property
    def is_uneven(self) -> bool:
        """Whether heads do not divide the embedding size, and no width of a head is chosen."""
        chosen = self.chosen
        has_widths = self.weights.leaves_widths and (chosen.d_k or chosen.d_v)
        return bool(chosen.d_model % chosen.n_heads and not has_widths)


def kind_of(scenario: Scenario) -> WeightKind:
    """The kind of weights that was chosen; of a name that is none, one that draws nothing."""
    name = scenario.weights
    if name == LANGUAGE_MODEL.name:
        return WRITERS.get(scenario.model, LANGUAGE_MODEL)
    return WEIGHTS.get(name) or WeightKind(name, caption=f"{name} weights")


def readable(scenario: Scenario) -> dict[str, Any]:
    """The choices of the nearest layer made by hand, which keeps the sentence.

    >>> readable(Scenario(d_model=9, n_heads=2))["d_model"], readable(Scenario())["d_model"]
    (8, 12)
    """
    width, heads = min(
        HANDMADE_LAYERS,
        key=lambda one: abs(one[0] - scenario.d_model) + abs(one[1] - scenario.n_heads),
    )
    sizes = {"d_model": width, "n_heads": heads, **dict.fromkeys(("d_k", "d_v", "d_o"), 0)}
    return {"weights": BY_HAND.name, **sizes}


@cached
def resolve(scenario: Scenario) -> Run:
    """The scenario as it is run: with the sizes that a trained layer or the user's own matrices
    decide, and with random weights where those by hand do not fit.

    Raises: AttentionError.
    """
    kind, own = kind_of(scenario), user_matrices_of(scenario)
    for one in DECLARED.values():
        if one.options and one.name != "weights":
            one.check(getattr(scenario, one.name))
    mask = MASKS[scenario.mask]
    if isinstance(kind, ModelWeights):
        check_beside_trained(own, kind.decides["d_model"], kind.key_columns)
        if kind.is_causal and not mask.limits_causal:
            mask = CAUSAL
        length = scenario.n_tokens if own.x is None else len(own.x)
        layer = scenario.layer  # beyond the last one that one counts
        if layer <= DECLARED["layer"].bounds[1]:
            layer = min(layer, kind.n_layers - 1)
        decided = {**kind.decides, "n_tokens": length, "layer": layer, "mask": mask.name}
        return Run(replace(scenario, **decided), kind, mask, own)
    if kind is BY_HAND and not BY_HAND.fits(_with_sizes(scenario, own)):
        kind = RANDOM
    chosen = replace(scenario, weights=kind.name, **kind.decides)
    return Run(_with_sizes(chosen, own), kind, mask, own)


def _with_sizes(scenario: Scenario, own: UserMatrices) -> Scenario:
    """The scenario with the sizes that the user's own matrices decide. Raises: ShapeError."""
    if not own.arrays:
        return scenario
    joined = scenario.output_matrix == "none"
    free = bool(scenario.d_v if joined else scenario.d_o)
    sizes: dict[str, Any] = own.sizes(scenario.n_heads, joined=joined, free=free)
    return replace(scenario, **sizes)


# The fields that decide how many heads a layer can have.
_DECIDE_HEADS = ("weights", "output_matrix", "d_model", "d_k", "d_v", "d_o", "own")


def fitting_heads(scenario: Scenario) -> tuple[int, ...]:
    """The numbers of heads with which the scenario makes a layer, all else as it is.

    >>> fitting_heads(Scenario(d_model=12)), len(fitting_heads(Scenario(d_model=12, d_k=5)))
    ((1, 2, 3, 4, 6, 12), 16)
    """
    return _fitting_heads(Scenario(**{name: getattr(scenario, name) for name in _DECIDE_HEADS}))


@cached
def _fitting_heads(scenario: Scenario) -> tuple[int, ...]:
    counts = []
    for count in range(1, MAX_HEADS + 1):
        with suppress(AttentionError):
            if not resolve(replace(scenario, n_heads=count)).is_uneven:
                counts.append(count)
    return tuple(counts)

"""The config.json of a model as Hugging Face saves it: what it says of GPT-2 and of models built
like Llama, and by name what is refused.

Everything is decided here, before a file of weights is opened.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from attention_core.checks import check_switch, number_between, whole_number
from attention_core.errors import FileError, SettingsError, short_repr
from attention_core.positions import Rotary, check_even

GPT2 = "gpt2"
LLAMA_LIKE = ("llama", "mistral", "qwen2", "qwen3")
MODEL_TYPES = (GPT2, *LLAMA_LIKE)
# The names of `ACTIVATIONS` for those of transformers.
ACTIVATION_NAMES = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "num_experts_per_tok")
# Where a file may leave an entry out. Source: the configurations of transformers 5.24.
USUAL_WINDOW, USUAL_HEAD_WIDTH, USUAL_BASE = 4096, {"qwen3": 128}, 10_000.0
USUAL_KEY_HEADS = {"mistral": 8, "qwen2": 32, "qwen3": 32}
# The kinds of layer that are known.
FULL, SLIDING = "full_attention", "sliding_attention"
MAX_LAYERS, MAX_HEADS, MAX_WIDTH, MAX_HIDDEN = 512, 1024, 2**15, 2**18
MAX_PIECES, MAX_PLACES = 2**20, 2**24
# Of a whole model: as float32, 8 GiB.
MAX_NUMBERS = 2**31


@dataclass(frozen=True)
class ModelConfig:
    """The sizes and options of a model.

    longest: tokens of a text. rotary: None for learned positions. windows: for each layer, how many
    tokens a query sees at most. tied: the embedding also makes the logits. biases: of W_Q, W_K and
    W_V, of W_O, and of the feed-forward part. ends: the pieces that end a text.
    """

    model_type: str
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_model: int
    d_head: int
    d_hidden: int
    n_pieces: int
    longest: int
    epsilon: float
    activation: str
    rotary: Rotary | None
    windows: tuple[int | None, ...]
    tied: bool
    biases: tuple[bool, bool, bool]
    ends: tuple[int, ...]

    @property
    def has_head_norm(self) -> bool:
        """Whether the queries and keys of each head are normed."""
        return self.model_type == "qwen3"

    @property
    def n_numbers(self) -> int:
        """About how many numbers the matrices hold."""
        ends = self.n_pieces * self.d_model * (1 if self.tied else 2)
        attention = 2 * (self.n_heads + self.n_kv_heads) * self.d_head
        fed = (2 if self.rotary is None else 3) * self.d_hidden
        places = self.longest * self.d_model if self.rotary is None else 0
        return ends + places + self.n_layers * self.d_model * (attention + fed)


def model_config(entries: Mapping[str, Any]) -> ModelConfig:
    """What a config.json says. Raises: FileError, by name for what is not supported."""
    said = _Entries(entries)
    model_type = said.entries.get("model_type")
    if any(said.entries.get(name) for name in EXPERTS):
        _refuse(f"model_type {short_repr(model_type)} is a mixture of experts")
    if model_type not in MODEL_TYPES:
        _refuse(f"model_type is {short_repr(model_type)}")
    if said.entries.get("quantization_config"):
        _refuse("quantization_config says that the weights are quantised")
    try:
        config = _of_gpt2(said) if model_type == GPT2 else _of_llama(said, model_type)
    except SettingsError as error:
        raise FileError(f"config.json: {error}") from error
    if config.n_numbers > MAX_NUMBERS:
        raise FileError(
            f"The model of config.json has {config.n_numbers:,} numbers, but at most"
            f" {MAX_NUMBERS:,} are read: choose a smaller one"
        )
    return config


def _refuse(what: str) -> NoReturn:
    raise FileError(
        f"config.json: {what}, which is not supported. Supported are {', '.join(MODEL_TYPES)}"
        " without experts and with plain rotary positions: choose such a model"
    )


@dataclass(frozen=True)
class _Entries:
    """The entries of the file, each checked when it is asked for."""

    entries: Mapping[str, Any]

    def number(self, name: str, most: int, usual: int | None = None, least: int = 1) -> int:
        """A whole number within bounds; null is as good as no entry."""
        value = self.entries.get(name)
        return whole_number(name, usual if value is None else value, least, most)

    def real(self, name: str, usual: float, low: float, high: float) -> float:
        """A number within bounds."""
        return number_between(name, self.entries.get(name, usual), low, high)

    def switch(self, name: str, usual: bool) -> bool:
        """True or false."""
        value = self.entries.get(name, usual)
        check_switch(name, value)
        return bool(value)

    def activation(self, name: str, usual: str) -> str:
        """A key of `ACTIVATIONS`."""
        value = self.entries.get(name, usual)
        if not isinstance(value, str) or value not in ACTIVATION_NAMES:
            _refuse(f"the activation {name} is {short_repr(value)}")
        return ACTIVATION_NAMES[value]

    def ends(self, n_pieces: int) -> tuple[int, ...]:
        """One piece, several or none that end a text."""
        value = self.entries.get("eos_token_id")
        ids = value if isinstance(value, list) else [] if value is None else [value]
        if len(ids) > 100 or any(type(one) is not int or one < 0 for one in ids):
            raise FileError(
                f"config.json says that eos_token_id is {short_repr(value)}, but it must be the"
                " number of a piece, or several"
            )
        return tuple(one for one in ids if one < n_pieces)


def _of_gpt2(said: _Entries) -> ModelConfig:
    """Radford et al. 2019, with the names of transformers."""
    if not said.switch("scale_attn_weights", True):
        _refuse("scale_attn_weights is false")
    for name in ("scale_attn_by_inverse_layer_idx", "add_cross_attention"):
        if said.switch(name, False):
            _refuse(f"{name} is true")
    d_model = said.number("n_embd", MAX_WIDTH)
    n_heads, n_layers = said.number("n_head", MAX_HEADS), said.number("n_layer", MAX_LAYERS)
    n_pieces = said.number("vocab_size", MAX_PIECES)
    return ModelConfig(
        model_type=GPT2,
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=d_model,
        d_head=_divided("n_embd", d_model, n_heads),
        d_hidden=said.number("n_inner", MAX_HIDDEN, 4 * d_model),
        n_pieces=n_pieces,
        longest=said.number("n_positions", MAX_PLACES),
        epsilon=said.real("layer_norm_epsilon", 1e-5, 1e-12, 1),
        activation=said.activation("activation_function", "gelu_new"),
        rotary=None,
        windows=(None,) * n_layers,
        tied=said.switch("tie_word_embeddings", True),
        biases=(True, True, True),
        ends=said.ends(n_pieces),
    )


def _of_llama(said: _Entries, model_type: str) -> ModelConfig:
    """Touvron et al. 2023, and what Mistral, Qwen2 and Qwen3 add."""
    d_model = said.number("hidden_size", MAX_WIDTH)
    n_heads = said.number("num_attention_heads", MAX_HEADS)
    n_layers = said.number("num_hidden_layers", MAX_LAYERS)
    n_pieces = said.number("vocab_size", MAX_PIECES)
    usual = n_heads if "num_key_value_heads" in said.entries else USUAL_KEY_HEADS.get(model_type)
    n_kv_heads = said.number("num_key_value_heads", n_heads, usual or n_heads)
    _divided("num_attention_heads", n_heads, n_kv_heads)
    if said.entries.get("head_dim") is None:
        width = USUAL_HEAD_WIDTH.get(model_type) or _divided("hidden_size", d_model, n_heads)
    else:
        width = said.number("head_dim", MAX_WIDTH)
    in_attention = model_type in ("llama", "qwen3") and said.switch("attention_bias", False)
    in_fed = model_type == "llama" and said.switch("mlp_bias", False)
    return ModelConfig(
        model_type=model_type,
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
        d_model=d_model,
        d_head=width,
        d_hidden=said.number("intermediate_size", MAX_HIDDEN),
        n_pieces=n_pieces,
        longest=said.number("max_position_embeddings", MAX_PLACES),
        epsilon=said.real("rms_norm_eps", 1e-6, 1e-12, 1),
        activation=said.activation("hidden_act", "silu"),
        rotary=_rotary(said, width),
        windows=_windows(said, model_type, n_layers),
        tied=said.switch("tie_word_embeddings", False),
        biases=(in_attention or model_type == "qwen2", in_attention, in_fed),
        ends=said.ends(n_pieces),
    )


def _divided(name: str, whole: int, parts: int) -> int:
    if whole % parts:
        raise FileError(
            f"config.json says that {name} is {whole:,}, which cannot be divided by {parts:,} heads"
        )
    return whole // parts


def _rotary(said: _Entries, width: int) -> Rotary:
    """Plain rotary positions, the only kind that is known."""
    if said.switch("rope_interleaved", False):
        _refuse("rope_interleaved is true")
    base = said.entries.get("rope_theta", USUAL_BASE)
    for name in ("rope_parameters", "rope_scaling"):
        rope = said.entries.get(name)
        if rope is None:
            continue
        if not isinstance(rope, dict):
            _refuse(f"{name} is {short_repr(rope)}")
        kind = rope.get("rope_type", rope.get("type", "default"))
        if kind != "default":
            _refuse(f"the rope scaling {name} is of the kind {short_repr(kind)}")
        if any(isinstance(one, dict) for one in rope.values()):
            _refuse(f"{name} differs from layer to layer")
        base = rope.get("rope_theta", base)
        _check_whole_heads(rope)
    _check_whole_heads(said.entries)
    check_even(width)
    return Rotary(base=number_between("rope_theta", base), pairs="halves")


def _check_whole_heads(entries: Mapping[str, Any]) -> None:
    if (part := entries.get("partial_rotary_factor")) not in (None, 1, 1.0):
        _refuse(f"partial_rotary_factor is {short_repr(part)}")


def _windows(said: _Entries, model_type: str, n_layers: int) -> tuple[int | None, ...]:
    """How many tokens a query of each layer sees at most. Source: the configurations of
    transformers 5.24; Mistral has one window for all layers, Llama none.
    """
    if model_type == "llama":
        return (None,) * n_layers
    if model_type == "mistral":
        if "sliding_window" in said.entries and said.entries["sliding_window"] is None:
            return (None,) * n_layers
        return (said.number("sliding_window", MAX_PLACES, USUAL_WINDOW),) * n_layers
    window = None
    slides = said.switch("use_sliding_window", False)
    if slides and said.entries.get("sliding_window", USUAL_WINDOW) is not None:
        window = said.number("sliding_window", MAX_PLACES, USUAL_WINDOW)
    kinds = said.entries.get("layer_types")
    if kinds is None:
        first = said.number("max_window_layers", MAX_LAYERS, 28, least=0) if window else n_layers
        kinds = [FULL] * min(first, n_layers) + [SLIDING] * max(0, n_layers - first)
    if not isinstance(kinds, list) or len(kinds) != n_layers:
        _refuse(f"layer_types is {short_repr(kinds)}, not one kind for each of {n_layers} layers")
    for kind in kinds:
        if kind not in (FULL, SLIDING) or (kind == SLIDING and window is None):
            _refuse(f"layer_types holds {short_repr(kind)} without a window to slide")
    return tuple(window if kind == SLIDING else None for kind in kinds)

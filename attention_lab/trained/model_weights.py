"""The weights of a model from a folder: how GPT-2 and models built like Llama name them, which
sizes they must have, and the decoder that they make.

D model feature, F feature between the matrices of the feed-forward part, G key/value head, H head,
K feature of a head, T place, X piece of the vocabulary.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError, SettingsError, short_repr
from attention_core.layer_checks import HeadNorm
from attention_core.layer_names import NAMINGS, Naming, layer_arrays
from attention_core.numbers import all_finite
from attention_core.projections import Projections

from ..files.model_folder import FolderWeights
from ..layer_norm import Norm
from .decoder import Decoder, DecoderLayer
from .feed_forward import FeedForward
from .model_config import GPT2, ModelConfig

Shape = tuple[int, ...]
OUTPUT = "lm_head.weight"
KINDS = ("F32", "F16", "BF16")
# What files hold beside the weights: masks, the angles of positions, and a copy of the embedding.
UNUSED = re.compile(r"(.*\.attn\.(masked_)?bias|.*\.rotary_emb\.inv_freq|lm_head\.weight)")
_BY_TITLE = {naming.title: naming for naming in NAMINGS}


@dataclass(frozen=True)
class Family:
    """How files name the arrays of a kind of model. prefix: before all names but that of the output
    matrix. folder, attention: of a layer, and of its attention. embedding, positions: their arrays.
    norms: the two of a layer, and the last one. fed: "in", "out" and "up" of the feed-forward part.
    """

    prefix: str
    folder: str
    attention: str
    naming: Naming
    embedding: str
    positions: str
    norms: tuple[str, str, str]
    fed: Mapping[str, str]


GPT2_FAMILY = Family(
    prefix="transformer.",
    folder="h",
    attention="",
    naming=_BY_TITLE["GPT-2 or nanoGPT"].oriented((1, 3)),  # a row for each input feature
    embedding="wte.weight",
    positions="wpe.weight",
    norms=("ln_1", "ln_2", "ln_f"),
    fed={"in": "mlp.c_fc", "out": "mlp.c_proj"},
)
LLAMA_FAMILY = Family(
    prefix="model.",
    folder="layers",
    attention="self_attn.",
    naming=_BY_TITLE["Llama"],
    embedding="embed_tokens.weight",
    positions="",
    norms=("input_layernorm", "post_attention_layernorm", "norm"),
    fed={"in": "mlp.gate_proj", "out": "mlp.down_proj", "up": "mlp.up_proj"},
)


def _family(config: ModelConfig) -> Family:
    return GPT2_FAMILY if config.model_type == GPT2 else LLAMA_FAMILY


def weight_shapes(config: ModelConfig) -> dict[str, Shape]:
    """The name and the shape of every array that the model needs, without the beginning that all
    names but that of the output matrix share.
    """
    ends, of_layer = _of_gpt2(config) if config.model_type == GPT2 else _of_llama(config)
    folder = _family(config).folder
    layers = {
        f"{folder}.{layer}.{name}": shape
        for layer in range(config.n_layers)
        for name, shape in of_layer.items()
    }
    output = {} if config.tied else {OUTPUT: (config.n_pieces, config.d_model)}
    return ends | layers | output


def _of_gpt2(c: ModelConfig) -> tuple[dict[str, Shape], dict[str, Shape]]:
    """The arrays at both ends, and those of a layer."""
    d, f = c.d_model, c.d_hidden
    ends = {"wte.weight": (c.n_pieces, d), "wpe.weight": (c.longest, d)} | _both("ln_f", (d,))
    layer = _both("ln_1", (d,)) | _both("ln_2", (d,))
    layer |= _both("attn.c_attn", (d, 3 * d)) | _both("attn.c_proj", (d, d))
    return ends, layer | _both("mlp.c_fc", (d, f)) | _both("mlp.c_proj", (f, d))


def _both(stem: str, shape: Shape) -> dict[str, Shape]:
    return {f"{stem}.weight": shape, f"{stem}.bias": shape[-1:]}


def _of_llama(c: ModelConfig) -> tuple[dict[str, Shape], dict[str, Shape]]:
    """The arrays at both ends, and those of a layer; a matrix has one row for each output."""
    d, f, q, k = c.d_model, c.d_hidden, c.n_heads * c.d_head, c.n_kv_heads * c.d_head
    in_qkv, in_output, in_fed = c.biases
    matrices = {
        "self_attn.q_proj": ((q, d), in_qkv),
        "self_attn.k_proj": ((k, d), in_qkv),
        "self_attn.v_proj": ((k, d), in_qkv),
        "self_attn.o_proj": ((d, q), in_output),
        "mlp.gate_proj": ((f, d), in_fed),
        "mlp.up_proj": ((f, d), in_fed),
        "mlp.down_proj": ((d, f), in_fed),
    }
    norms = ("input_layernorm.weight", "post_attention_layernorm.weight")
    layer: dict[str, Shape] = dict.fromkeys(norms, (d,))
    for stem, (shape, has_bias) in matrices.items():
        layer[f"{stem}.weight"] = shape
        if has_bias:
            layer[f"{stem}.bias"] = shape[:1]
    if c.has_head_norm:
        layer |= {f"self_attn.{letter}_norm.weight": (c.d_head,) for letter in "qk"}
    return {"embed_tokens.weight": (c.n_pieces, d), "norm.weight": (d,)}, layer


def check_weights(config: ModelConfig, weights: FolderWeights) -> dict[str, str]:
    """The name in the files for every array that the model needs: some files put "model." before
    them. Each has its size, and there is no array whose use is not known. Raises: FileError.
    """
    family = _family(config)
    prefix = "" if family.embedding in weights.shapes else family.prefix
    shapes = weight_shapes(config)
    names = {name: name if name == OUTPUT else prefix + name for name in shapes}
    for name, shape in shapes.items():
        if (saved := names[name]) not in weights.shapes:
            raise FileError(f"The weights have no {saved!r}, which config.json asks for")
        if weights.shapes[saved] != shape:
            raise FileError(
                f"{saved!r} has shape {weights.shapes[saved]}, but config.json asks for {shape}"
            )
        if weights.kinds[saved] not in KINDS:
            raise FileError(
                f"{saved!r} holds numbers of type {weights.kinds[saved]}, but {', '.join(KINDS)}"
                " are read: save the model in one of them"
            )
    needed = set(names.values())
    for name in weights.shapes:
        if name not in needed and not UNUSED.fullmatch(name):
            raise FileError(
                f"The weights hold {short_repr(name)}, which a model of the type"
                f" {config.model_type} with this config.json does not have"
            )
    return names


def decoder_of(config: ModelConfig, weights: FolderWeights, names: Mapping[str, str]) -> Decoder:
    """The decoder, in float32. names: as `check_weights` gives them. Raises: FileError."""
    family = _family(config)

    def read(name: str) -> Array | None:
        if name not in names:
            return None
        array = weights.read(names[name])
        if not all_finite(array):
            raise FileError(f"{name!r} holds numbers that are not finite: take the file again")
        return array

    try:
        return Decoder(
            np.asarray(read(family.embedding)),
            tuple(_layer(config, number, read) for number in range(config.n_layers)),
            _norm(config, family.norms[2], read),
            config.rotary,
            positions=read(family.positions),
            output=read(OUTPUT),
        )
    except SettingsError as error:
        raise FileError(f"The weights cannot be used: {error}") from error


Reader = Callable[[str], Array | None]


def _norm(config: ModelConfig, name: str, read: Reader) -> Norm:
    return Norm(np.asarray(read(f"{name}.weight")), read(f"{name}.bias"), config.epsilon)


def _layer(config: ModelConfig, number: int, read: Reader) -> DecoderLayer:
    family = _family(config)
    at = f"{family.folder}.{number}."
    fed: dict[str, Any] = {"activation": config.activation}
    for place, name in family.fed.items():
        weights = np.asarray(read(f"{at}{name}.weight"))
        fed[f"w_{place}"] = weights.T if family.naming.transposed else weights
        fed[f"b_{place}"] = read(f"{at}{name}.bias")
    arrays = layer_arrays(at + family.attention, family.naming, read)
    p = Projections(**arrays, n_heads=config.n_heads, n_kv_heads=config.n_kv_heads)
    head_norm = None
    if config.has_head_norm:
        gains = (read(f"{at}self_attn.{letter}_norm.weight") for letter in "qk")
        query_gain, key_gain = (np.asarray(gain) for gain in gains)
        head_norm = HeadNorm(query_gain, key_gain, config.epsilon)
    first, second = (_norm(config, at + name, read) for name in family.norms[:2])
    window = config.windows[number]
    return DecoderLayer(first, p, second, FeedForward(**fed), p.b_o, head_norm, window)

"""The child of the encoder benchmark: the trained encoder in one library, timed on request.

It is started with its thread counts in the environment, before any library is imported: python -m
benchmarks._encoders ENCODER THREADS. It answers each line (case, number of calls) on standard input
with (wall seconds, CPU seconds), or for no calls with the largest difference from the engine's
probabilities.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from attention_core import split_heads
from attention_lab.trained.encoder import encode
from attention_lab.trained.minilm import MODEL_FOLDER, MiniLM, load_minilm, word_vectors

from ._layers import seconds

TOKENS = (16, 128, 512)
# A call gives the probabilities of every layer and the vectors that leave the last.
Call = Callable[[], list[Any]]


@cache
def encoder(name: str, n_tokens: int, threads: int) -> Call:
    """The call to measure: the same tokens through the same weights, from their numbers to the
    last layer.
    """
    model = load_minilm()
    ids = np.random.default_rng(1).integers(1000, 30_000, n_tokens).tolist()
    if name == "products":
        return products(model, n_tokens)
    return numpy_encoder(model, ids) if name == "numpy" else torch_encoder(model, ids, threads)


def numpy_encoder(model: MiniLM, ids: list[int]) -> Call:
    """Ours, every `Trace` kept."""

    def call() -> list[Any]:
        encoded = encode(word_vectors(model, ids), model.layers)
        return [*(trace.probabilities for trace in encoded.traces), encoded.output]

    return call


def products(model: MiniLM, n_tokens: int) -> Call:
    """Only the eight matrix products of each layer, into arrays that exist: what NumPy cannot
    go below.
    """
    rng = np.random.default_rng(2)
    x, wide = (rng.standard_normal((n_tokens, width)).astype(np.float32) for width in (384, 1536))
    heads = split_heads(x[np.newaxis], 12)
    scores = np.empty((1, 12, n_tokens, n_tokens), np.float32)
    narrow_out, wide_out, heads_out = np.empty_like(x), np.empty_like(wide), np.empty_like(heads)

    def call() -> list[Any]:
        for layer in model.layers:
            p, ff = layer.attention, layer.feed_forward
            for matrix in (p.w_q, p.w_k, p.w_v, p.w_o):
                np.dot(x, matrix, out=narrow_out)
            np.matmul(heads, heads.swapaxes(-1, -2), out=scores)
            np.matmul(scores, heads, out=heads_out)
            np.dot(x, ff.w_in, out=wide_out)
            np.dot(wide, ff.w_out, out=narrow_out)
        return []

    return call


def torch_encoder(model: MiniLM, ids: list[int], threads: int) -> Call:
    """Hugging Face's BertModel with the same weights: eager attention, float32,
    output_attentions, inference mode.
    """
    import torch
    from transformers import BertConfig, BertModel

    torch.set_num_threads(threads)
    config = json.loads((MODEL_FOLDER / "config.json").read_text(encoding="utf-8"))
    bert = BertModel(
        BertConfig(**config, attn_implementation="eager"), add_pooling_layer=False
    ).eval()
    arrays = bert_arrays(model)
    bert.load_state_dict(
        {name: torch.tensor(np.ascontiguousarray(array)) for name, array in arrays.items()}
    )
    tokens = torch.tensor([ids])

    def call() -> list[Any]:
        with torch.inference_mode():
            answer = bert(tokens, output_attentions=True)
            return [*answer.attentions, answer.last_hidden_state]

    return call


def bert_arrays(model: MiniLM) -> dict[str, np.ndarray]:
    """The weights under Hugging Face's names."""
    norms = {"embeddings": model.word_norm}
    arrays = {
        "embeddings.word_embeddings.weight": model.words * model.word_factors,
        "embeddings.position_embeddings.weight": model.positions,
        "embeddings.token_type_embeddings.weight": np.stack([model.segment] * 2),
    }
    for number, layer in enumerate(model.layers):
        p, ff, start = layer.attention, layer.feed_forward, f"encoder.layer.{number}."
        norms |= {
            f"{start}attention.output": layer.attention_norm,
            f"{start}output": layer.output_norm,
        }
        parts = {
            "attention.self.query": (p.w_q, p.b_q),
            "attention.self.key": (p.w_k, p.b_k),
            "attention.self.value": (p.w_v, p.b_v),
            "attention.output.dense": (p.w_o, p.b_o),
            "intermediate.dense": (ff.w_in, ff.b_in),
            "output.dense": (ff.w_out, ff.b_out),
        }
        for name, (matrix, bias) in parts.items():
            arrays |= {f"{start}{name}.weight": matrix.T, f"{start}{name}.bias": bias}
    for name, norm in norms.items():
        arrays |= {f"{name}.LayerNorm.weight": norm.gain, f"{name}.LayerNorm.bias": norm.offset}
    return arrays


def difference(name: str, n_tokens: int, threads: int) -> float:
    """The largest difference between the results of this encoder and the engine's."""
    pairs = zip(
        encoder(name, n_tokens, threads)(), encoder("numpy", n_tokens, threads)(), strict=True
    )
    return max(float(np.abs(np.asarray(one) - np.asarray(other)).max()) for one, other in pairs)


def serve() -> None:
    """Measure or compare what standard input asks for, one line at a time."""
    name, threads = sys.argv[1], int(sys.argv[2])
    for line in sys.stdin:
        index, calls = json.loads(line)
        n_tokens = TOKENS[index]
        answer = (
            seconds(encoder(name, n_tokens, threads), calls)
            if calls
            else difference(name, n_tokens, threads)
        )
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()

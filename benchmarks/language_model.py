"""The language model against the same model in PyTorch, eager: a run, of which ours keeps every
trace, and a step with the cache. So a random one of 135 million numbers, built like Llama, in
float32. Then our next words after three texts, which PyTorch does not have; and all that the
picture of the whole model computes.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from attention_core import Projections, Rotary
from attention_lab.layer_norm import Norm
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.byte_pairs import BytePairs
from attention_lab.trained.decoder import Decoder, DecoderLayer
from attention_lab.trained.feed_forward import FeedForward
from attention_lab.trained.generation import KeyValueCache
from attention_lab.trained.language_model import LanguageModel, language_model
from attention_lab.trained.model_run import LanguageModelRun
from attention_lab.trained.whole_model import WholeModel, whole_facts

from ._children import measure, parsed, table, time_rows

RUN, STEP = "a run", "a step with the cache"
CASES = ((RUN, 64), (STEP, 128))  # tokens: of the run, or in the cache before the step
LARGE = ((RUN, 16, "135M"), (STEP, 16, "135M"))
Call = Callable[[], Any]  # gives the logits
LIBRARIES = {"numpy": "NumPy", "float64": "PyTorch", "float32": "PyTorch float32"}


@cache
def decoder(name: str, case: tuple[str, int], threads: int) -> Call:
    """The call to measure: the same tokens through the same weights."""
    model, (kind, n_tokens, *large) = large_model() if case[2:] else language_model(), case
    name = "float32" if large and name != "numpy" else name
    ids = np.random.default_rng(1).integers(3, 512, n_tokens + 1).tolist()
    if name != "numpy":
        return torch_decoder(model, ids, kind, name, threads)
    if kind == RUN:
        return lambda: model.run(ids[:-1]).logits
    kept = KeyValueCache(model.decoder, len(ids))
    kept.extend(ids[:-1])

    def step() -> Any:
        kept.n_tokens = n_tokens
        return kept.extend(ids[-1:]).logits

    return step


@cache
def large_model() -> LanguageModel:
    """30 layers of 576 features with 9 heads on 3 key/value heads, and 49,152 pieces; each matrix
    lies in memory as in a file of Hugging Face, with a row for each output.
    """
    rng, d, kept, fed = np.random.default_rng(0), 576, 192, 1536

    def drawn(*shape: int) -> Any:
        return rng.standard_normal(shape, np.float32) * np.float32(shape[-1] ** -0.5)

    norm = Norm(np.ones(d, np.float32), None, 1e-5)
    shapes = ((d, d), (kept, d), (kept, d), (d, d))
    layers = tuple(
        DecoderLayer(
            norm,
            Projections(*(drawn(*shape).T for shape in shapes), n_heads=9, n_kv_heads=3),
            norm,
            FeedForward(drawn(fed, d).T, None, drawn(d, fed).T, None, drawn(fed, d).T, "silu"),
        )
        for _ in range(30)
    )
    decoder = Decoder(drawn(49_152, d), layers, norm, Rotary(pairs="halves"))
    pieces = BytePairs(tuple(map(str, range(49_152))), ())
    return LanguageModel(pieces, decoder, 2048)


def torch_decoder(
    model: LanguageModel, ids: list[int], kind: str, number: str, threads: int
) -> Call:
    """The same in PyTorch, eager: attention written out, inference mode, keys and values kept in
    tensors that exist. number: "float32" or "float64".
    """
    import torch
    from torch.nn import functional

    torch.set_num_threads(threads)
    dtype = getattr(torch, number)

    def tensor(array: Any) -> Any:
        return torch.tensor(np.ascontiguousarray(array)).to(dtype)

    ours, heads, groups = model.decoder, model.n_heads, model.decoder.layers[0].attention.groups
    layers = []
    for one in ours.layers:
        p, w = one.attention, one.feed_forward
        gains = [tensor(norm.gain) for norm in (one.attention_norm, one.feed_forward_norm)]
        # As in nn.Linear: rows are outputs.
        matrices = (p.w_q, p.w_k, p.w_v, p.w_o, w.w_in, w.w_out, w.w_up)
        layers.append((gains, [tensor(matrix.T) for matrix in matrices]))
    embedding, last_gain = tensor(ours.embedding), tensor(ours.last_norm.gain)
    width = ours.layers[0].attention.d_k
    base = ours.rotary.base ** (-torch.arange(0, width, 2).double() / width)
    angle = torch.arange(len(ids)).double().outer(base)
    turns = torch.polar(torch.ones_like(angle), angle)
    turns = turns.to(torch.complex64 if number == "float32" else torch.complex128)
    hidden = torch.ones(len(ids) - 1, len(ids) - 1, dtype=torch.bool).triu(1)
    kept = torch.zeros(2, len(layers), groups, len(ids), width, dtype=dtype)

    def norm(x: Any, gain: Any) -> Any:
        return functional.rms_norm(x, (x.shape[-1],), gain, ours.last_norm.epsilon)

    def turned(x: Any, start: int) -> Any:
        turn = turns[start : start + x.shape[-2]]
        if ours.rotary.pairs == "halves":
            pairs = torch.complex(*x.chunk(2, dim=-1)) * turn
            return torch.cat([pairs.real, pairs.imag], dim=-1)
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turn).flatten(-2)

    def extend(new: Any, start: int) -> Any:
        x, end = embedding[new], start + len(new)
        for n, ((gain, second_gain), (w_q, w_k, w_v, w_o, w_1, w_2, w_3)) in enumerate(layers):
            z = norm(x, gain)
            q, k, v = (
                functional.linear(z, matrix).view(len(new), -1, width).transpose(0, 1)
                for matrix in (w_q, w_k, w_v)
            )
            q, k = turned(q, start), turned(k, start)
            if kind == STEP:
                kept[0, n, :, start:end], kept[1, n, :, start:end] = k, v
                k, v = kept[0, n, :, :end], kept[1, n, :, :end]
            k, v = (one.repeat_interleave(heads // groups, dim=0) for one in (k, v))
            scores = q @ k.transpose(1, 2) / width**0.5
            if len(new) > 1:
                scores = scores.masked_fill(hidden, -torch.inf)
            mixed = scores.softmax(dim=-1) @ v
            x = x + functional.linear(mixed.transpose(0, 1).reshape(len(new), -1), w_o)
            z = norm(x, second_gain)
            inner = functional.silu(functional.linear(z, w_1)) * functional.linear(z, w_3)
            x = x + functional.linear(inner, w_2)
        return functional.linear(norm(x, last_gain), embedding)

    every = torch.tensor(ids)

    def call() -> Any:
        with torch.inference_mode():
            return extend(every[:-1], 0) if kind == RUN else extend(every[-1:], len(ids) - 1)

    if kind == STEP:
        with torch.inference_mode():
            extend(every[:-1], 0)
    return call


TEXTS = (
    "One day, a little frog was very sad. The",
    "Once upon a time, there was a little",
    'Tom and Lily went to the park. They saw a big dog. Lily said, "',
)
N_WORDS, MOST_MS, ROUNDS = 10, 150, 15
MOST_WHOLE_MS = 300


def time_words() -> None:
    """The next words of each text: CPU time, the median of several rounds, and how many branches of
    the text were computed.
    """
    print(f"\n| {N_WORDS} next words after | ms | branches | rest | target |")
    print("|---|--:|--:|--:|--:|")
    for text in TEXTS:
        run, times = language_model().run(language_model().encode(text)), []
        for _ in range(ROUNDS):
            start = time.process_time()
            words = run.next_words(N_WORDS)
            times.append(1000 * (time.process_time() - start))
        shown = f"{statistics.median(times):.0f} | {words.n_steps} | {words.rest:.1%}"
        print(f"| … {text[-24:].strip()} | {shown} | {MOST_MS} |")


def time_whole() -> None:
    """The picture of the whole model on each text, from the ids: CPU time, the median of several
    rounds.
    """
    print("\n| the whole model on | ms | target |\n|---|--:|--:|")
    for text in TEXTS:
        ids, times = language_model().encode(text), []
        for _ in range(ROUNDS):
            start = time.process_time()
            found = WholeModel(*_maps_and_run(ids))
            whole_facts(found)
            found.coming  # noqa: B018
            times.append(1000 * (time.process_time() - start))
        print(f"| … {text[-24:].strip()} | {statistics.median(times):.0f} | {MOST_WHOLE_MS} |")


def _maps_and_run(ids: Sequence[int]) -> tuple[AttentionMaps, LanguageModelRun]:
    run = language_model().run(ids)
    return AttentionMaps.of_traces(run.traces), run


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    print("stories260K in float64.")
    chosen = parsed("language_model", __doc__, options)
    names = list(LIBRARIES) if chosen.torch else ["numpy"]
    times, worst = measure(decoder, names, CASES, chosen, unlike="float32")
    print(table(time_rows(["case", "tokens"], CASES, LIBRARIES, times, chosen.clock)))
    print(f"Largest difference between the logits in float64: {worst:.1e}")
    names = [name for name in names if name != "float64"]
    times, worst = measure(decoder, names, LARGE, chosen, unlike="")
    print(table(time_rows(["case", "tokens", "size"], LARGE, LIBRARIES, times, chosen.clock)))
    print(f"Largest difference between the logits in float32: {worst:.1e}")
    time_words()
    time_whole()


if __name__ == "__main__":
    main(sys.argv[1:])

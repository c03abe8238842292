"""Attention and kernels trained on the task of `content_task`: the same pictures, the same steps of
Adam. The trained weights are stored, in 32 bits a number; `scripts/make_training_runs.py` makes the
file, and a test trains again and compares.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.trace import Trace

from ..cache import cached
from ..words.numbers import Count, Number, Share, format_agreement
from .adam import Moments, adam_step, learning_rate_at
from .backward import layer_gradients
from .checkpoints import Weights, as_projections, stored_arrays
from .content_task import (
    ASKS,
    HEIGHT,
    N_COLOURS,
    N_CONTENTS,
    WIDTH,
    Pictures,
    at_offsets,
    draw_pictures,
    four_pictures,
    same_within_reach,
    unseen_pictures,
)
from .losses import cross_entropy, cross_entropy_gradient

STORED_FILE = Path(__file__).with_name("content_task.npz")
N_STEPS, BATCH, LEARNING_RATE, SEED = 300, 32, 0.03, 0
D_K, D_V = 12, 3
ROUNDING = 1e-12  # of logits and outputs between -10 and 10
WHOLE = 2 * max(HEIGHT, WIDTH) - 1  # the side of a kernel that sees the whole picture
SIDES = (1, 2, 3, WHOLE)


@dataclass(frozen=True, eq=False)
class Learner:
    """Something to train: its first weights, its output, and its gradients.

    output: of weights and contents (B, T, C), logits (B, T, F). gradients: of weights and contents,
    and the gradient of the output.
    """

    weights: Weights
    output: Callable[[Weights, Array], Array]
    gradients: Callable[[Weights, Array, Array], Weights]


def run_attention(weights: Weights, contents_BTC: Array) -> Trace:
    """One head on the contents; positions are not among them."""
    return attend(contents_BTC, as_projections(weights, n_heads=1))


def attention_learner() -> Learner:
    """One head with random weights."""
    rng = np.random.default_rng(SEED)
    widths = {"w_q": D_K, "w_k": D_K, "w_v": D_V}
    weights = {
        name: rng.standard_normal((N_CONTENTS, width)) / math.sqrt(N_CONTENTS)
        for name, width in widths.items()
    }
    weights["w_o"] = rng.standard_normal((D_V, N_COLOURS)) / math.sqrt(D_V)
    weights["b_o"] = np.zeros(N_COLOURS)
    return Learner(
        weights,
        lambda own, x: run_attention(own, x).output,
        lambda own, x, gradient: layer_gradients(run_attention(own, x), gradient),
    )


def kernel_learner(side: int) -> Learner:
    """A kernel of side × side numbers for each content and colour, and a bias; all are 0."""
    kernel = np.zeros((side**2, N_CONTENTS, N_COLOURS))
    weights = {"kernel": kernel, "bias": np.zeros(N_COLOURS)}

    def gradients(own: Weights, contents_BTC: Array, gradient_BTF: Array) -> Weights:
        gradient = gradient_BTF.reshape(-1, N_COLOURS)
        read = [one.reshape(-1, N_CONTENTS).T @ gradient for one in at_offsets(contents_BTC, side)]
        return {"kernel": np.stack(read), "bias": gradient.sum(axis=0)}

    return Learner(weights, lambda own, x: run_kernel(own, x, side), gradients)


def run_kernel(weights: Weights, contents_BTC: Array, side: int) -> Array:
    """The convolution with a kernel. Shapes: (B, T, C) -> (B, T, F)."""
    read = zip(at_offsets(contents_BTC, side), weights["kernel"], strict=True)
    logits: Array = sum((one @ numbers for one, numbers in read), start=weights["bias"])
    return logits


def train(learner: Learner) -> Weights:
    """The weights after all steps, each on new pictures that the seed decides. Only grey pixels
    count.
    """
    rng, weights = np.random.default_rng(SEED), dict(learner.weights)
    moments = {
        name: Moments(np.zeros_like(one), np.zeros_like(one)) for name, one in weights.items()
    }
    for step in range(1, N_STEPS + 1):
        pictures = draw_pictures(rng, BATCH)
        output = learner.output(weights, pictures.contents)
        gradient, (asked, right) = np.zeros_like(output), _asked(output, pictures)
        gradient[pictures.grey] = cross_entropy_gradient(asked, right)[0]
        gradients = learner.gradients(weights, pictures.contents, gradient)
        rate = learning_rate_at(step, N_STEPS, LEARNING_RATE)
        for name, array in weights.items():
            weights[name], moments[name] = adam_step(
                array, gradients[name], moments[name], step, rate
            )
    return weights


def _asked(output_BTF: Array, pictures: Pictures) -> tuple[Array, Array]:
    """The logits of the grey pixels and their right colours. Shapes: (1, N, F), (1, N, 1, F)."""
    grey_BT = pictures.grey
    return output_BTF[grey_BT][np.newaxis], pictures.colours[grey_BT][np.newaxis, :, np.newaxis]


@dataclass(frozen=True)
class ContentScore:
    """How well the grey pixels of unseen pictures are told. loss: cross-entropy, in nats. right:
    the share of right colours. n_weights: the numbers that were learned.
    """

    n_weights: Count
    loss: Number
    right: Share


def score_output(output_BTF: Array, pictures: Pictures, n_weights: int) -> ContentScore:
    """The score of logits."""
    asked, right = _asked(output_BTF, pictures)
    hits = asked[0].argmax(axis=1) == right[0, :, 0].argmax(axis=1)
    loss = cross_entropy(asked, right)
    return ContentScore(Count(n_weights), Number(loss), Share(hits.mean()))


@cached
def stored_weights() -> dict[str, Weights]:
    """The trained weights: of "attention", and of "kernel K" for every side."""
    return stored_arrays(STORED_FILE)


def trained_attention(contents_BTC: Array) -> Trace:
    """The trained head on pictures."""
    return run_attention(stored_weights()["attention"], contents_BTC)


def trained_kernel(contents_BTC: Array, side: int) -> Array:
    """The trained kernel on pictures. side: one of `SIDES`. Shapes: (B, T, C) -> (B, T, F)."""
    return run_kernel(stored_weights()[f"kernel {side}"], contents_BTC, side)


@cached
def content_scores() -> dict[str, ContentScore]:
    """The scores of the trained head and kernels on unseen pictures, by name."""
    pictures, scores = unseen_pictures(), {}
    for name, weights in stored_weights().items():
        output = (
            run_attention(weights, pictures.contents).output
            if name == "attention"
            else run_kernel(weights, pictures.contents, int(name.split()[1]))
        )
        scores[name] = score_output(output, pictures, sum(one.size for one in weights.values()))
    return scores


@dataclass(frozen=True, eq=False)
class ContentExample:
    """One unseen picture, and what attention and a kernel say of it.

    marks: the number of each pixel's mark; shown: 0 in grey, else the colour from 1 on; said: the
    colour that each learner names, by name, and under "right" the right one. shares: what the pixel
    in focus reads; twin: where the other pixel with its mark is; grey: how many pixels ask; hits:
    how many of them each learner tells right. Shapes: all pictures (4, 5).
    """

    marks: Array
    shown: Array
    said: dict[str, Array]
    shares: Array
    twin: tuple[int, int]
    grey: int
    hits: dict[str, int]


@cached
def content_example(row: int, column: int, side: int) -> ContentExample:
    """The first unseen picture. row, column: the pixel in focus. side: of the kernel."""
    pictures, pixel = unseen_pictures(), row * WIDTH + column
    contents_BTC, grey_T = pictures.contents[:1], pictures.grey[0]
    trace = trained_attention(contents_BTC)
    logits = {
        "right": pictures.colours[0],
        "attention": trace.output[0],
        "kernel": trained_kernel(contents_BTC, side)[0],
    }
    named = {name: one.argmax(axis=1) + 1 for name, one in logits.items()}
    marks_T = pictures.marks[0]
    (twin,) = np.flatnonzero((marks_T == marks_T[pixel]) & (np.arange(len(marks_T)) != pixel))
    grid = (HEIGHT, WIDTH)
    return ContentExample(
        marks_T.reshape(grid),
        np.where(grey_T, 0, named["right"]).reshape(grid),
        {name: one.reshape(grid) for name, one in named.items()},
        trace.probabilities[0, 0, pixel].reshape(grid),
        (int(twin) // WIDTH, int(twin) % WIDTH),
        int(grey_T.sum()),
        {name: int((one == named["right"])[grey_T].sum()) for name, one in named.items()},
    )


@dataclass(frozen=True)
class FourAnswers:
    """Why no kernel does the task, with numbers.

    right, said: the colours of the pixel that asks in `four_pictures`, from 1 on, and those that
    each learner names. cells, kernels: how the sum of the first and the last picture agrees with
    that of the others, and the same for what the trained kernels give. near: how what the 3 × 3
    kernel gives for the two pictures of `same_within_reach` agrees, whose answers differ; n_near:
    how many pixels it reads there.
    """

    right: tuple[Count, ...]
    said: dict[str, tuple[Count, ...]]
    cells: str
    kernels: str
    near: str
    n_near: Count


def four_answers() -> FourAnswers:
    """What the trained head and the trained kernels say of the four pictures."""
    pictures = four_pictures()
    contents = pictures.contents
    logits = {"attention": trained_attention(contents).output}
    logits |= {f"kernel {side}": trained_kernel(contents, side) for side in SIDES}
    said = {name: _named(one[:, ASKS]) for name, one in logits.items()}
    largest = max(float(_apart(logits[f"kernel {side}"])) for side in SIDES)
    right, near = _named(pictures.colours[:, ASKS]), same_within_reach().contents
    near_apart = float(np.abs(np.diff(trained_kernel(near, 3)[:, ASKS], axis=0)).max())
    return FourAnswers(
        right,
        said,
        cells=format_agreement(float(_apart(contents)), 0),
        kernels=format_agreement(largest, ROUNDING),
        near=format_agreement(near_apart, 0),
        n_near=Count(sum(int(one[0, ASKS].any()) for one in at_offsets(near, 3))),
    )


def _named(logits_BF: Array) -> tuple[Count, ...]:
    return tuple(map(Count, logits_BF.argmax(axis=1) + 1))


def _apart(of_four: Array) -> Array:
    """How far the first and the last are together from the two between."""
    largest: Array = np.abs(of_four[0] + of_four[3] - of_four[1] - of_four[2]).max()
    return largest

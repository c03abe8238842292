"""Claims that are often made about language models, each tried on the one that comes with the app:
260 thousand numbers that write children's stories in English. What fails in it is not true in
general; what holds in it need not hold in a large model.
"""

from collections.abc import Sequence

from ...trained.decoder import Head
from ...trained.generation import KeyValueCache, draw
from ...trained.language_model import language_model
from ...trained.model_run import LanguageModelRun
from .record import Evidence, format_gap, max_difference

LAYER, NEEDED_HEAD, LOOKING_HEADS = 4, 4, (2, 3, 4)
F_PLACE = 6  # where the "f" of the frog stands
N_DRAWS = 1000
FROG = "One day, a little frog was very sad. The"


def _run(without: Sequence[Head] = ()) -> LanguageModelRun:
    model = language_model()
    return model.run(model.encode(FROG), without)


def a_large_share_is_the_reason() -> Evidence:
    """The share of the next piece without each of three heads that look mostly at one piece."""
    run = _run()
    piece = run.ids[F_PLACE]
    looks = [run.traces[LAYER].probabilities[0, head, -1, F_PLACE] for head in LOOKING_HEADS]
    without = {head: _run([(LAYER, head)]).probabilities()[piece] for head in LOOKING_HEADS}
    whole, least = run.probabilities()[piece], min(looks)
    shares = ", ".join(f"{share:.0%} without head {head}" for head, share in without.items())
    sentence = (
        f"“{FROG}”: the language model of this app says “f” with"
        f" {whole:.0%}. Heads 2, 3 and 4 of its last layer look at the “f” with {least:.0%} or"
        f" more. It has {shares}."
    )
    kept = [abs(share - whole) < 0.05 for share in without.values()]
    one_is_needed = without[NEEDED_HEAD] < whole / 5
    return Evidence(not any(kept), bool(least > 0.5 and any(kept) and one_is_needed), sentence)


def added_is_lost() -> Evidence:
    """What one head adds to the logit of the next piece, and how far the logit falls without it."""
    run, head = _run(), (LAYER, NEEDED_HEAD)
    piece = run.ids[F_PLACE]
    parts, logit = run.contributions(piece, against=None), run.logits[-1, piece]
    added, lost = parts["head", LAYER, NEEDED_HEAD], logit - _run([head]).logits[-1, piece]
    _, response, norm = run.loss(head, piece, against=None)
    gap = max_difference(sum(parts.values()), logit)
    sentence = (
        f"Head 4 of layer 4 adds {added:.2f} to the logit of “f”, {logit:.2f}; without it the logit"
        f" falls by {lost:.2f}: the other parts then add {-response:.2f} more, and the last norm"
        f" makes up for {-norm:.2f}. The sum of all {len(parts)} parts differs from the logit by"
        f" {format_gap(gap)}."
    )
    falls_less = bool(added > lost + 1 > 2)
    return Evidence(bool(abs(added - lost) < 1e-9), gap < 1e-9 and falls_less, sentence)


def the_most_probable_word() -> Evidence:
    """How often the most probable piece is drawn, at the temperatures 1 and 0."""
    run, place = _run(), len(_run().ids)
    best = int(run.logits[-1].argmax())
    often = {
        temperature: sum(
            draw(run.probabilities(temperature), seed, place) == best for seed in range(N_DRAWS)
        )
        for temperature in (1.0, 0.0)
    }
    share = run.probabilities()[best]
    sentence = (
        f"“f” is the most probable piece, with {share:.1%}: of {N_DRAWS:,} draws {often[1.0]} give"
        f" it at temperature 1, and {often[0.0]:,} at temperature 0."
    )
    is_by_share = abs(often[1.0] / N_DRAWS - share) < 0.05
    return Evidence(often[1.0] == N_DRAWS, is_by_share and often[0.0] == N_DRAWS, sentence)


def a_cache_is_not_exact() -> Evidence:
    """The logits of a run against those of one token after the other, with the cache; also where
    the positions of each step begin at 0.
    """
    run = _run()
    right, wrong = (
        KeyValueCache(language_model().decoder, len(run.ids), restarts=restarts)
        for restarts in (False, True)
    )
    gaps = [
        max_difference([kept.extend([one]).logits[0] for one in run.ids], run.logits)
        for kept in (right, wrong)
    ]
    sentence = (
        f"{len(run.ids)} tokens, one after the other: the logits differ from those of one run by"
        f" {format_gap(gaps[0])}. With positions that begin at 0 again they differ by up to"
        f" {gaps[1]:.2f}."
    )
    return Evidence(gaps[0] > 1e-9, gaps[0] < 1e-9 and gaps[1] > 0.1, sentence)

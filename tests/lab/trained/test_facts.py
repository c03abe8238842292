"""What the pages of the trained models say, against runs of the model and plain loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.scenario import Scenario
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.cached_step import CachedStep, multiplications
from attention_lab.trained.change_a_word import changed_word
from attention_lab.trained.facts import (
    cache_facts,
    change_facts,
    why_facts,
    writing_facts,
)
from attention_lab.trained.head_facts import (
    COPIES,
    WORD_TO_WORD,
    AllHeadsFacts,
    FindFacts,
    FoundHeads,
    SinkFacts,
    all_heads_facts,
    find_facts,
    find_heads,
    head_facts,
)
from attention_lab.trained.head_measures import MeasuredHeads
from attention_lab.trained.language_model import language_model
from attention_lab.trained.why_word import WhyWord
from attention_lab.trained.writing import Writing, continuations
from attention_lab.whose_heads import LANGUAGE, HeadsShown, heads_on

MODEL = language_model()
TEXT = "One day, a little frog was very sad. The"
FROG = tuple(MODEL.encode(TEXT))
F, INNER_F = (MODEL.tokenizer.pieces.index(one) for one in (" f", "f"))


def heads(text: str = TEXT) -> HeadsShown:
    return heads_on(Scenario(text), LANGUAGE, None)


def test_the_word_before_and_after_and_what_comes_instead() -> None:
    whole, without = MODEL.run(FROG), MODEL.run(FROG, without=[(4, 4)])
    facts = why_facts(WhyWord(FROG, off=((4, 4),)))
    assert facts.before == pytest.approx(whole.word_shares(["frog"])["frog"])
    assert facts.after == pytest.approx(without.word_shares(["frog"])["frog"])
    assert facts.comes
    assert facts.comes[0] == "cat"
    assert facts.comes[1] == pytest.approx(without.word_shares(["cat"])["cat"])
    assert (facts.off, facts.more_off, facts.layer, facts.head) == (((4, 4),), None, 4, 4)
    plain = why_facts(WhyWord(FROG))
    assert (plain.after, plain.comes, plain.rest_now, plain.off) == (None, None, None, ())
    shares = whole.traces[4].probabilities[0, 4, -1]
    assert plain.read == pytest.approx(shares[6:10].sum())  # the four pieces of “frog”
    assert plain.rest == pytest.approx(1 - sum(row.before for row in WhyWord(FROG).rows))


def test_many_heads_are_counted_after_three() -> None:
    off = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))
    facts = why_facts(WhyWord(FROG, off=off))
    assert (facts.off, facts.more_off) == (off[:3], 2)
    assert why_facts(WhyWord(FROG, off=off[:3])).more_off is None


def test_the_kinds_stand_in_their_order() -> None:
    """The embedding of the last token, heads, feed-forward parts: each summed alone."""
    run = MODEL.run(FROG)
    direction = run.direction(F, "average") / run.divisors[-1]
    embedding = float(MODEL.decoder.embedding[FROG[-1]] @ direction)
    heads_add = sum(float(trace.output[0, -1] @ direction) for trace in run.traces)
    forward = sum(float(one[-1] @ direction) for one in run.feed_forwards)
    facts = why_facts(WhyWord(FROG))
    numbers = [float(one.replace("−", "-")) for one in facts.kinds]
    expected = [embedding, heads_add, forward, embedding + heads_add + forward]
    assert numbers == pytest.approx(expected, abs=2e-3)
    assert (facts.n_logits, facts.n_parts) == (512, 46)
    loss = [float(one.replace("−", "-")) for one in facts.loss]
    assert loss == pytest.approx([*run.loss((4, 4), F), sum(run.loss((4, 4), F))], abs=2e-3)


def test_the_leading_part_has_its_name_and_its_sign() -> None:
    run = MODEL.run(FROG)
    least = int(run.logits[-1].argmin())
    for token in (F, least, FROG[-1], MODEL.tokenizer.pieces.index("<0x41>")):
        parts = run.contributions(token)
        sign = np.sign(sum(parts.values()))
        order = sorted(parts.items(), key=lambda one: -sign * one[1])
        facts = why_facts(WhyWord(FROG, token))
        if facts.leading:
            part, value = order[0]
            kind, *place = part if isinstance(part, tuple) else (part,)
            assert facts.leading.added == pytest.approx(value)
            assert [int(n) for n in facts.leading.name.split() if n.isdigit()] == place[::-1]
            assert ("feed-forward" in facts.leading.name) == (kind == "feed-forward")
            assert facts.second
            assert facts.second.added == pytest.approx(order[1][1])


def test_two_pieces_that_read_alike_are_told_apart() -> None:
    facts = why_facts(WhyWord(FROG, F, INNER_F))
    assert facts.piece == "f" != facts.against
    assert facts.against.startswith("f ")
    assert why_facts(WhyWord(FROG, F, FROG[-1])).against == "The"
    assert why_facts(WhyWord(FROG, F)).against == ""


@pytest.mark.parametrize(("n", "first"), [(1, 1), (2, 1), (8, 8), (9, 8), (16, 5)])
def test_a_step_keeps_all_earlier_tokens(n: int, first: int) -> None:
    facts = cache_facts(CachedStep(FROG[:n], first))
    at_once = n == first
    assert (facts.n, facts.kept, facts.at_once) == (n, 0 if at_once else n - 1, at_once)
    assert facts.last == MODEL.tokenizer.pieces[FROG[n - 1]]
    new = multiplications(MODEL.decoder, n if at_once else 1, n, 4).total
    again = multiplications(MODEL.decoder, n, n, 4).total
    assert facts.now == (new, again)
    lengths = range(first, n + 1)
    kept = [multiplications(MODEL.decoder, m if m == first else 1, m, 4).total for m in lengths]
    every = [multiplications(MODEL.decoder, m, m, 4).total for m in lengths]
    assert facts.so_far == (sum(kept), sum(every))
    assert facts.saved == (None if at_once else pytest.approx((again - new) / again))
    assert facts.gap is None


def test_a_mistake_has_its_gap() -> None:
    step = CachedStep(FROG, 8, restarts=True)
    full = np.array([trace.probabilities[0, :, -1:] for trace in MODEL.run(FROG).traces])
    gap = max(abs(a - b) for a, b in zip(step.rows.probabilities.flat, full.flat, strict=True))
    assert cache_facts(step).gap == pytest.approx(gap)
    assert cache_facts(step).rounding is None


def found(rule: str, words: tuple[int, int] = (15, 6)) -> tuple[FoundHeads, HeadsShown]:
    shown = heads()
    return find_heads(rule, shown.maps, shown.traces, shown.run, words), shown


def test_the_head_of_a_rule_is_the_largest_mean_of_its_cells() -> None:
    ranked, shown = found("previous token")
    means = {
        (layer, head): np.mean([layer_HTS[head, t, t - 1] for t in range(1, 16)])
        for layer, layer_HTS in enumerate(shown.maps.layers)
        for head in range(8)
    }
    best = max(means, key=lambda place: means[place])
    even = np.mean([1 / (t + 1) for t in range(1, 16)])
    assert find_facts(ranked, shown.maps, shown.run) == FindFacts(
        *best,
        pytest.approx(means[best], rel=1e-6),  # type: ignore[arg-type]
        pytest.approx(even),  # type: ignore[arg-type]
    )


def test_word_to_word_sums_keys_and_averages_queries() -> None:
    ranked, shown = found(WORD_TO_WORD, (7, 3))  # from a piece of “frog” to “,” or what is there
    facts = find_facts(ranked, shown.maps, shown.run)
    assert facts
    assert (facts.asking, facts.several) == ("frog", True)
    assert facts.read == shown.maps.tokens[3].strip()
    rows = shown.maps.layers[facts.layer][facts.head][6:10, 3]
    assert facts.number == pytest.approx(float(rows.mean()), rel=1e-6)
    one, _ = found(WORD_TO_WORD, (15, 6))
    single = find_facts(one, shown.maps, shown.run)
    assert single
    assert (single.asking, single.read, single.several) == ("The", "frog", False)


def test_a_head_that_copies_may_lower_the_logit_or_raise_it() -> None:
    ranked, shown = found(COPIES)
    assert shown.run
    seen = set()
    for layer, head in ((4, 4), (0, 0), (1, 3), (2, 6), (3, 2)):
        alone = np.full((5, 8), np.nan)
        alone[layer, head] = ranked.measured.values[layer, head]
        facts = find_facts(FoundHeads(COPIES, MeasuredHeads(alone)), shown.maps, shown.run)
        assert facts
        without = MODEL.run(FROG, without=[(layer, head)])
        change = shown.run.logits - without.logits
        change -= change.mean(axis=-1, keepdims=True)
        shares, total = shown.run.traces[layer].probabilities[0, head], 0.0
        for i in range(2, len(FROG)):
            total += sum(shares[i, j] * change[i, FROG[j]] for j in range(1, i)) / (len(FROG) - 2)
        assert facts.lost == pytest.approx(abs(total))
        assert facts.moves == ("more" if total > 0 else "less")
        assert facts.number == pytest.approx(float(alone[layer, head]))
        seen.add(facts.moves)
    assert seen == {"more", "less"}


def test_no_head_gives_a_hidden_key_anything() -> None:
    ranked, shown = found("next token")
    assert ranked.best == []
    assert find_facts(ranked, shown.maps, shown.run) is None


def test_a_measure_may_be_negative() -> None:
    shown = heads()
    below = MeasuredHeads(np.array([[-3.0, -1.5], [-2.0, np.nan]]))
    facts = find_facts(FoundHeads("signed distance", below), shown.maps, None)
    assert facts == FindFacts(0, 1, -1.5)  # type: ignore[arg-type]
    assert len(FoundHeads("signed distance", below).best) == 3
    shares = FoundHeads("itself", replace(below, values=np.array([[0.0, 0.25]])), (1, 1))
    assert shares.best == [(0, 1, 0.25)]


def test_the_changed_word_before_and_after() -> None:
    before, after = heads(), heads(TEXT.replace("frog", "bird"))
    change = changed_word(before.maps, after.maps)
    facts = change_facts(change.in_words, change, (4, 4, len(change.words) - 1, 6 - 0))
    assert facts.gave != facts.gives
    words = change.in_words
    assert facts.gave == words.before[4, 4, len(change.words) - 1, 6]
    assert facts.gives == words.after[4, 4, len(change.words) - 1, 6]
    size = before.maps.sizes["T"] - 3  # the four pieces of “frog” are one position
    assert change.before.shape[-1] == size
    moved = [
        0.5 * sum(abs(change.after[4, 4, i, j] - change.before[4, 4, i, j]) for j in range(size))
        for i in range(size)
    ]
    assert facts.moved == pytest.approx(np.mean(moved))
    gaps = np.abs(change.after - change.before)
    layer, head, *cell = np.unravel_index(gaps.argmax(), gaps.shape)
    assert (facts.top.layer, facts.top.head) == (layer, head)
    assert facts.top.before == change.before[layer, head, *cell]
    assert facts.top.after == change.after[layer, head, *cell]


@pytest.mark.parametrize(
    ("settings", "state"),
    [({}, "open"), ({"temperature": 0.0}, "certain"), ({"top_p": 0.1}, "certain")],
)
def test_what_can_be_drawn(settings: dict[str, float], state: str) -> None:
    writing = Writing(FROG, **settings)  # type: ignore[arg-type]
    drawn = continuations(writing, True)
    facts = writing_facts(writing, drawn)
    assert facts.state == state
    shares = np.sort(writing.shares)[::-1]
    assert [share for _, share in facts.named] == pytest.approx(
        [share for share in shares[:3] if share > 0]
    )
    if facts.others is not None:
        assert facts.others == pytest.approx(1 - shares[:10].sum(), abs=1e-9)


def test_a_page_that_is_full_and_a_story_that_ends() -> None:
    full = Writing(FROG, (300,) * (64 - len(FROG)))
    assert writing_facts(full, continuations(full, True)).state == "full"
    ends = next(
        one
        for seed in range(1000)
        if (one := Writing(tuple(MODEL.encode("The end.")), seed=seed)).next_id is None
    )
    assert writing_facts(ends, continuations(ends, True)).state == "ended"


def test_one_cell_and_the_pieces_of_its_word() -> None:
    maps = heads().maps
    shares = maps.layers[4][4]
    facts = head_facts(maps, 4, 4, (15, 7))
    assert facts.share == shares[15, 7]
    *pieces, whole = (float(one) for one in facts.pieces)
    assert pieces == pytest.approx([100 * one for one in shares[15, 6:10]], abs=0.11)
    assert whole == pytest.approx(sum(pieces))
    assert head_facts(maps, 4, 4, (15, 1)).pieces == ()


@pytest.mark.parametrize("text", [TEXT, "Lily"])
def test_the_head_of_which_the_first_token_takes_most(text: str) -> None:
    maps = heads(text).maps
    n, sinks, named = maps.sizes["T"], 0, all_heads_facts(maps)
    takes = {
        (layer, head): [sum(rows[i, j] for i in range(1, n)) / (n - 1) for j in range(n)]
        for layer, layer_HTS in enumerate(maps.layers)
        for head, rows in enumerate(layer_HTS)
    }
    most = max(takes, key=lambda place: takes[place][0])
    assert (named.layers, named.heads) == (5, 8)
    assert named.sink == SinkFacts(*most, pytest.approx(takes[most][0], rel=1e-6))  # type: ignore[arg-type]
    for place, columns in takes.items():
        sink = head_facts(maps, *place, (1, 0)).sink
        if columns[0] > max(columns[1:]):
            assert sink == pytest.approx(columns[0], rel=1e-6)
            sinks += 1
        else:
            assert sink is None
    assert 0 < sinks < 40
    alone = AttentionMaps.of([[[[1.0]], [[1.0]]]])
    assert all_heads_facts(alone) == AllHeadsFacts(1, 2, None)  # type: ignore[arg-type]


def test_copying_heads_have_both_numbers_with_their_signs() -> None:
    ranked, shown = found(COPIES)
    facts = find_facts(ranked, shown.maps, shown.run)
    assert facts
    values = {place: ranked.measured.values[place] for place in np.ndindex(5, 8)}
    order = sorted(values, key=lambda place: -values[place])[:5]
    assert [(one.layer, one.head) for one in facts.copiers] == order
    assert [one.direct for one in facts.copiers] == [values[place] for place in order]
    assert {one.falls > 0 for one in facts.copiers} == {True, False}
    assert (facts.moves == "more") == (facts.copiers[0].falls > 0)
    assert facts.lost == abs(facts.copiers[0].falls)


def test_lines_that_are_too_many_are_counted() -> None:
    """20 queries, 230 keys: of one query 30 lines are left out, of one key none."""
    shares = np.full((20, 230), 1 / 230)
    shares[3] = np.repeat([0, 1 / 130], [100, 130])
    maps = AttentionMaps.of(shares[np.newaxis, np.newaxis], ("a",) * 20, ("a",) * 230)
    for query, which, left_out in ((7, "query", 30), (3, "query", 0), (7, "key", 0)):
        assert head_facts(maps, 0, 0, (query, 3), which).left_out == left_out
    assert head_facts(maps, 0, 0, (7, 3), "all").left_out == 20 * 230 - 100 - 200

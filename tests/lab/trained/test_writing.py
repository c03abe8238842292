"""The text that the model goes on writing: the state in a URL, what is drawn, and where it ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.trained.language_model import language_model
from attention_lab.trained.language_text import language_ids
from attention_lab.trained.writing import (
    MOST_TAKEN_ALONG,
    N_SHOWN,
    Writing,
    carried_over,
    continuations,
    drawn_again,
    goes_on,
    goes_on_by_words,
    mark,
    without_last_word,
    written_after,
)
from attention_lab.user_data.matrix_names import MAX_TOKENS

MODEL = language_model()
FROG = language_ids("One day, a little frog was very sad. The")


@pytest.mark.parametrize("seed", [0, 3])
def test_many_pieces_are_those_of_single_draws(seed: int) -> None:
    writing = Writing(FROG, temperature=0.9, top_p=0.9, seed=seed)
    many = goes_on(writing, 6)
    for one in many:
        assert writing.next_id == one
        writing = replace(writing, written=written_after(FROG, writing.after(one)))
    assert writing.written == many


def test_a_drawn_piece_is_where_the_sum_of_the_shares_passes_the_drawn_number() -> None:
    writing = Writing(FROG, temperature=1.3, seed=5)
    reached = np.cumsum(writing.shares)
    one = writing.next_id
    assert one is not None
    assert (reached[one - 1] if one else 0) <= writing.drawn < reached[one]


@pytest.mark.parametrize("pieces", [True, False])
def test_what_may_come_next(pieces: bool) -> None:
    """The order is that of the model; temperature and top-p change what is drawn alone."""
    plain = continuations(Writing(FROG, temperature=1, top_p=1), pieces)
    assert plain.drawn == plain.shares
    assert sum(plain.shares) == pytest.approx(1)
    assert len(plain.names) == len(plain.ids) == N_SHOWN == len(plain.shares) - 1
    assert list(plain.shares[:-1]) == sorted(plain.shares[:-1], reverse=True)
    found = continuations(Writing(FROG, temperature=1.2, top_p=0.8), pieces)
    assert (found.names, found.shares, found.ids) == (plain.names, plain.shares, plain.ids)
    expected = dict.fromkeys(found.names, 0.0)
    if pieces:
        shares = Writing(FROG, temperature=1.2, top_p=0.8).shares
        expected = {MODEL.pieces([one])[0]: shares[one] for (one,) in found.ids}
    else:
        expected = MODEL.run(FROG).word_shares(found.names, 1.2, 0.8)
    assert found.drawn[:-1] == pytest.approx(list(expected.values()))
    assert sum(found.drawn) == pytest.approx(1)
    assert 0 in found.drawn
    assert [name for name, _ in found.drawable] == sorted(
        (name for name in expected if expected[name]), key=lambda name: -expected[name]
    )


def test_the_pieces_of_a_word_write_it() -> None:
    found = continuations(Writing(FROG), pieces=False)
    for name, ids in zip(found.names, found.ids, strict=True):
        text = MODEL.decode((*FROG, *ids))
        assert text.endswith(name), name


@pytest.mark.parametrize("seed", [0, 3, 8])
def test_words_are_written_whole(seed: int) -> None:
    writing = Writing(FROG, temperature=0.9, top_p=0.9, seed=seed)
    many = goes_on_by_words(writing, 20)
    one_by_one = writing
    for _ in range(20):
        more = goes_on_by_words(one_by_one, 1)
        one_by_one = replace(one_by_one, written=one_by_one.written + more)
    assert one_by_one.written == many == goes_on(writing, len(many))
    words = one_by_one.words
    assert [one.stop for one in words[:-1]] == [one.start for one in words[1:]]
    assert (words[0].start, words[-1].stop) == (len(FROG), len(FROG) + len(many))
    fewer = without_last_word(one_by_one)
    assert fewer == many[: words[-1].start - len(FROG)]
    assert without_last_word(writing) == ()


def test_a_word_that_goes_on_is_written_whole() -> None:
    """ "you" and "r" are one word, of which only what was written is taken back."""
    prompt = language_ids("I want to play with you")
    writing = Writing(prompt, temperature=0)
    more = goes_on_by_words(writing, 1)
    assert MODEL.decode((*prompt, *more)).endswith(" your")
    assert without_last_word(replace(writing, written=more)) == ()
    words = replace(writing, written=more).words
    assert words == (slice(len(prompt), len(prompt) + len(more)),)


def test_drawing_again_takes_the_next_seed() -> None:
    writing = Writing(FROG, temperature=1.0, seed=999)
    again = drawn_again(replace(writing, written=goes_on_by_words(writing, 5)))
    assert again == replace(writing, seed=0)
    assert goes_on_by_words(again, 5) != goes_on_by_words(writing, 5)


@pytest.mark.parametrize("text", ["The cat sat. " * 9 + "It ran", "word " * 70, "日" * 40])
def test_a_new_page_begins_with_the_end_of_the_last_one(text: str) -> None:
    ids = tuple(MODEL.encode(text)[:MAX_TOKENS])
    begun = carried_over(Writing(ids))
    assert MODEL.decode(ids).endswith(begun)
    assert len(MODEL.encode(begun)) <= MOST_TAKEN_ALONG
    if text.startswith("The"):
        assert begun == "The cat sat. The cat sat. The cat sat. It ran"


def test_written_pieces_belong_to_their_prompt() -> None:
    marked = mark(FROG, (7, 8))
    assert written_after(FROG, marked) == (7, 8)
    assert written_after(FROG[:-1], marked) == written_after(FROG, ()) == ()
    assert mark(FROG, ()) == ()


def test_a_page_has_room_for_64_pieces() -> None:
    long = written_after(FROG, mark(FROG, tuple(range(3, 100))))
    full = Writing(FROG, long)
    assert len(full.ids) == MAX_TOKENS
    assert full.next_id is None
    assert goes_on(full, 5) == ()


def test_the_start_of_another_story_ends_this_one() -> None:
    story = tuple(language_model().encode("The end."))
    starts = [
        seed for seed in range(400) if Writing(story, temperature=2.0, seed=seed).next_id is None
    ]
    assert starts
    for seed in starts:
        assert goes_on(Writing(story, temperature=2.0, seed=seed), 3) == ()

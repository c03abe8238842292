"""The text that the model goes on writing: the state in a URL, what is drawn, and where it ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.trained.language_model import language_model
from attention_lab.trained.language_text import language_ids
from attention_lab.trained.writing import N_SHOWN, Writing, goes_on, mark, written_after
from attention_lab.user_data.matrix_names import MAX_TOKENS

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


def test_shown_pieces_are_the_most_probable_ones() -> None:
    writing = Writing(FROG)
    shares = writing.shares
    assert len(writing.shown) == N_SHOWN
    assert min(shares[list(writing.shown)]) >= np.delete(shares, writing.shown).max()


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

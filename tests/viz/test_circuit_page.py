"""The page *Two layers* shows the numbers of the model that it names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from attention_lab import cache
from attention_lab.labs.circuit import LetterModel, guess_at
from attention_lab.labs.circuit_settings import CircuitSettings
from attention_lab.labs.training_facts import looked_at
from attention_lab.labs.training_runs import circuit_at, circuit_score
from attention_lab.words.numbers import format_percent
from attention_viz.blocks import Block, Board, Button, Later, Note, Row
from attention_viz.labs import circuit_page
from attention_viz.labs.circuit import circuit_board
from attention_viz.labs.circuit_page import TWO_LAYERS
from tests.viz.reading_blocks import boards, buttons, charts, inside, shown, texts
from tests.viz.reading_scenes import numbers, sent, worked_out, written_and_read

ONE, TWO = CircuitSettings(), CircuitSettings(n_heads=2)
WORDS = "abcdeabcd"
LAST = 1500


@pytest.fixture(autouse=True)
def _nothing_is_known() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def trained(settings: CircuitSettings) -> LetterModel:
    return circuit_at(settings)[1]


def buttons_in(blocks: list[Block]) -> dict[str, dict[str, object]]:
    return buttons([one for one in blocks if isinstance(one, Row | Button)])


@pytest.mark.parametrize("settings", [ONE, TWO, CircuitSettings(1, 2)])
def test_each_number_of_the_picture_follows_from_letters_and_places(
    settings: CircuitSettings,
) -> None:
    model = trained(settings).without((0, 0))
    run, heads = model.run(WORDS), [1, 0][-settings.n_layers :] if settings.n_heads > 1 else [0, 0]
    scene = written_and_read(circuit_board(model, run, 7, heads))
    computed = [name for name in scene["arrays"] if name in scene["rules"]]
    given = set(scene["arrays"]) - set(computed)
    assert all(
        name.split()[0] in {"letter", "place", "W_Q", "W_K", "W_V", "W_O", "scale", "unembedding"}
        for name in given
    )
    for name in computed:
        array = sent(scene, name)
        rows, columns = (range(0, size, max(1, size // 3)) for size in array.shape)
        for index in product(rows, columns):
            expected = array[index]
            found = worked_out(scene, name, index)
            assert found == pytest.approx(float(expected), rel=1e-4, abs=1e-5), (name, index)
    for layer, head in enumerate(heads[: settings.n_layers]):
        shares = run.traces[layer].probabilities[0, head]
        np.testing.assert_allclose(sent(scene, f"shares {layer}"), shares, atol=1e-6)
    next_letters = sent(scene, "next")
    np.testing.assert_allclose(next_letters.sum(axis=1), 1, atol=1e-5)
    assert next_letters.argmax(axis=1).tolist() == list(run.guesses)


def test_arcs_go_from_the_letter_and_from_the_place_that_it_reads_most() -> None:
    model = trained(TWO)
    run, heads = model.run(WORDS), looked_at(TWO, LAST)
    above, below = circuit_board(model, run, 8, heads)["sentence"]["heads"]
    for place in range(len(WORDS)):
        row = run.traces[1].probabilities[0, heads[1], place]
        assert dict(above["arcs"][place])[int(row.argmax())] == pytest.approx(row.max(), abs=1e-4)
        start = below["from"][place]
        assert start == row.argmax()
        first = run.traces[0].probabilities[0, heads[0], start]
        arcs = {int(key): share for key, share in below["arcs"][place]}
        assert arcs.keys() == set(np.flatnonzero(first >= 0.02).tolist())
        assert all(share == pytest.approx(first[key], abs=1e-4) for key, share in arcs.items())
    assert "from" not in above


def test_one_layer_has_no_key_of_several_parts() -> None:
    said = inside(TWO_LAYERS, "What makes the key", circuit_layers=1)
    assert circuit_page.NO_SECOND in texts(said)
    assert len(inside(TWO_LAYERS, "What makes the key")) == 4


def test_a_click_on_a_row_asks_after_that_letter() -> None:
    (board,) = (one for one in shown(TWO_LAYERS) if isinstance(one, Board))
    assert dict(board.sets) == {f"shares {layer}": {"circuit_place": "{0}"} for layer in (0, 1)}
    (scene,) = boards(shown(TWO_LAYERS, circuit_place=3))
    assert scene["cell"]["index"][0] == 3
    assert numbers(scene["arrays"]["shares 1"]).shape == (12, 12)


def test_a_run_is_trained_stopped_and_looked_back_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit_page, "SECONDS", 0)
    given: dict[str, Any] = {"circuit_layers": 1, "circuit_seed": 5}
    assert buttons_in(shown(TWO_LAYERS, **given))["Train"]["circuit_now"] == "run"
    for step in (10, 20, 30):
        now = shown(TWO_LAYERS, **given, circuit_now="run")
        assert isinstance(now[-1], Later)
        assert f"step **{step}**" in texts(now)
        assert any(label.startswith("Stop") for label in buttons_in(now))
    stopped = shown(TWO_LAYERS, **given)
    assert not isinstance(stopped[-1], Later)
    assert "Continue" in buttons_in(stopped)
    again = buttons_in(shown(TWO_LAYERS))["Train again"]
    assert (again["circuit_seed"], again["circuit_now"]) == (1, "run")
    early, late = (texts(shown(TWO_LAYERS, circuit_at=at)) for at in (7, 100))
    for said, step in ((early, 100), (late, LAST)):
        score = circuit_score(ONE, step)
        assert format_percent(score.right) in said
        assert format_percent(float(score.one_back[0, 0])) in said
        assert format_percent(float(score.prefix[1, 0])) in said


def test_the_chart_has_the_loss_and_the_three_measures_at_each_stored_step() -> None:
    lines = charts(shown(TWO_LAYERS))["circuit training"]["data"]
    scores = [circuit_score(ONE, step) for step in range(0, 1501, 100)]
    expected = [
        [one.right for one in scores],
        [one.one_back[0, 0] for one in scores],
        [one.prefix[1, 0] for one in scores],
    ]
    for line, values in zip(lines[1:], expected, strict=True):
        np.testing.assert_allclose(line["y"], values, atol=1e-6)


@pytest.mark.parametrize(("answer", "tone"), [("d", "right"), ("c", "wrong")])
def test_a_visitor_guesses_before_anything_is_shown(answer: str, tone: str) -> None:
    given: dict[str, Any] = {"circuit_letters": WORDS, "circuit_place": 7, "circuit_asks": "true"}
    asked = shown(TWO_LAYERS, **given)
    assert not boards(asked)
    assert not charts(asked)
    offered = {label: sets for label, sets in buttons_in(asked).items() if len(label) == 1}
    assert list(offered) == list("abcde")
    assert offered[answer] == {"circuit_answer": answer}
    told = shown(TWO_LAYERS, **given, circuit_answer=answer)
    (verdict,) = (one for one in told if isinstance(one, Note))
    assert (verdict.tone, "“d”" in verdict.text) == (tone, True)
    assert boards(told)
    new = shown(TWO_LAYERS, **given | {"circuit_place": 3}, circuit_answer=answer)
    assert [one.tone for one in new if isinstance(one, Note)] == ["info"]


def test_a_visitor_is_right_where_the_model_is_wrong() -> None:
    """Without the head of the second layer the model says another letter than what came."""
    given: dict[str, Any] = {"circuit_letters": WORDS, "circuit_place": 5, "circuit_off": "1-0"}
    guess = guess_at(trained(ONE).without((1, 0)).run(WORDS), 5, 0)
    assert (guess.said, guess.came) == ("d", "b")
    tones = []
    for answer in (guess.came, guess.said):
        told = shown(TWO_LAYERS, **given, circuit_asks="true", circuit_answer=answer)
        tones += [one.tone for one in told if isinstance(one, Note)]
    assert tones == ["right", "wrong"]

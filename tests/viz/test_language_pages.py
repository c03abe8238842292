"""The pages of the language model as the site answers them: boards with rules, clicks, the URL."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest

from attention_lab.trained.language_model import language_model
from attention_viz.site import FILES, answer
from tests.viz.reading_scenes import flags, scene_of_text, sent, worked_out

MODEL = language_model()
FROG = "One day, a little frog was very sad. The"
IDS = MODEL.encode(FROG)
F = MODEL.encode("f")[-1]
PAGES = ("writing", "why-this-word", "cache")


def asked(path: str, act: dict[str, Any] | None = None, **choices: Any) -> dict[str, Any]:
    request = {"path": path, "query": urlencode({"text": FROG} | choices), "act": act}
    found: dict[str, Any] = json.loads(answer(json.dumps(request)))
    return found


def block_of(found: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(block for block in found["blocks"] if block["kind"] == kind)


def boards_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        scene_of_text(json.dumps(block["board"]))
        for block in found["blocks"]
        if block["kind"] == "board"
    ]


def board_of(found: dict[str, Any]) -> dict[str, Any]:
    return boards_of(found)[0]


def said_by(found: dict[str, Any]) -> str:
    blocks = [block for block in found["blocks"] if block["kind"] == "text"]
    return json.dumps(blocks, ensure_ascii=False)


def buttons(found: dict[str, Any]) -> dict[str, Any]:
    """What each button and each field of a row sets, by its label."""
    rows = [block["items"] for block in found["blocks"] if block["kind"] == "row"]
    return {item["label"]: item.get("changes") for row in rows for item in row}


@pytest.mark.parametrize(
    ("path", "choices"),
    [
        ("writing", {}),
        ("writing", {"wr_temperature": 0.7, "wr_top_p": 0.5}),
        ("writing", {"wr_top_p": 1}),
        ("writing", {"wr_temperature": 0, "wr_top_p": 0.5}),
        ("why-this-word", {}),
        ("why-this-word", {"why_against": F + 1, "why_off": "36.9"}),
        ("cache", {"ca_tokens": 12}),
    ],
)
def test_every_number_follows_from_its_rule(path: str, choices: dict[str, Any]) -> None:
    board = boards_of(asked(path, **choices))[-1]
    assert board["rules"]
    for name in board["rules"]:
        numbers = sent(board, name)
        for index in ((0, 0), (numbers.shape[0] - 1, numbers.shape[1] - 1)):
            assert worked_out(board, name, index) == pytest.approx(numbers[index], abs=2e-5)


def test_bars_are_the_shares_of_the_model() -> None:
    shares = MODEL.run(IDS).probabilities()
    most = np.sort(shares)[::-1][:10]
    np.testing.assert_allclose(sent(board_of(asked("writing")), "share").ravel(), most, rtol=1e-5)
    left = sent(board_of(asked("writing", wr_top_p=0.5)), "share within top-p").ravel()
    assert left[0] == 1
    assert not left[1:].any()
    certain = asked("writing", wr_temperature=0)
    assert sent(board_of(certain), "share").ravel().tolist() == [1, *[0] * 9]


def test_a_click_on_a_bar_goes_on_with_its_piece() -> None:
    found = asked("writing")
    second = block_of(found, "board")["clicks"]["share"][1]
    pin = {"pin": {"array": "share", "index": [1, 0]}, "axes": [["a", None]] * 2}
    after = asked("writing", pin | {"changes": second})
    written = parse_qs(after["query"])["wr_written"][0]
    assert int(written.split(".")[-1]) == np.argsort(-MODEL.run(IDS).logits[-1])[1]
    part = board_of(after)["sentence"]
    assert part["written"] == len(IDS) == len(part["words"]) - 1
    undone = asked("writing", {"changes": buttons(after)["Undo"]}, wr_written=written)
    assert "wr_written" not in parse_qs(undone["query"])
    assert "Undo" not in buttons(undone)


def test_the_same_url_gives_the_same_text_and_another_prompt_another() -> None:
    many = buttons(asked("writing"))["Write 10"]
    first = asked("writing", {"changes": many})
    assert asked("writing", **many) == first
    other = asked("writing", text="Lily", **many)
    assert len(board_of(other)["sentence"]["words"]) == len(MODEL.encode("Lily"))


def test_play_writes_until_the_page_is_full() -> None:
    playing = block_of(asked("writing", wr_play="true"), "later")
    assert playing["changes"].keys() == {"wr_written"}
    written = playing["changes"]["wr_written"].split(".")
    full = ".".join([written[0], *["300"] * (64 - len(IDS))])
    found = asked("writing", wr_play="true", wr_written=full)
    assert "later" not in [block["kind"] for block in found["blocks"]]
    assert "Write a piece" not in buttons(found)
    assert not block_of(found, "board")["clicks"]


def test_a_click_switches_a_head_off_and_on_again() -> None:
    found = asked("why-this-word")
    board, clicks = board_of(found), block_of(found, "board")["clicks"]
    off = clicks["worth"][4 * 8 + 4]
    assert off == {"why_off": "36", "why_head": "4.4"}
    assert buttons(found)["Switch off layer 4, head 4"] == off
    np.testing.assert_allclose(sent(board, "all heads on"), sent(board, "now"))
    after = asked("why-this-word", **off)
    board = board_of(after)
    whole, without = (MODEL.run(IDS, without=heads) for heads in ([], [(4, 4)]))
    words = board["axes"][board["arrays"]["now"]["axes"][0]]["labels"]
    for name, run in (("all heads on", whole), ("now", without)):
        expected = list(run.word_shares(words).values())
        np.testing.assert_allclose(sent(board, name).ravel(), expected, rtol=1e-5)
    assert flags(board["arrays"]["worth"], "changed").ravel().nonzero()[0].tolist() == [36]
    again = block_of(after, "board")["clicks"]
    assert again["worth"][36]["why_off"] == buttons(after)["All heads on"]["why_off"] == ""
    assert again["worth"][34]["why_off"] == "34.36"
    assert [one["head"] for one in board["sentence"]["heads"]] == [4]


def test_a_click_on_a_bar_asks_why_its_word_comes() -> None:
    found = asked("why-this-word")
    clicks = block_of(found, "board")["clicks"]["now"]
    words = [row["why_word"] for row in clicks]
    fruit = clicks[words.index("fruit")]
    assert fruit["why_token"] == str(F)
    share = MODEL.run(IDS).word_shares(["fruit"])["fruit"]
    assert "fruit" in (said := said_by(asked("why-this-word", **fruit)))
    assert f"{share:.1%}".replace("%", " %") in said


def test_the_sum_may_be_against_another_piece_or_alone() -> None:
    run = MODEL.run(IDS)
    for choice, against in (("average", "average"), ("none", None), (str(IDS[-1]), IDS[-1])):
        cells = sent(boards_of(asked("why-this-word", why_against=choice))[1], "added")
        parts = run.contributions(F, against)
        assert cells[4, 4] == pytest.approx(parts["head", 4, 4], abs=5e-5)
        assert cells[2, 8] == pytest.approx(parts["feed-forward", 2], abs=5e-5)


def test_the_old_url_shows_the_logit_alone() -> None:
    """As it did: its numbers are those of now with a choice."""
    found = asked("why-this-token", why_token=F)
    assert sent(boards_of(found)[1], "added")[4, 4] == pytest.approx(3.1307, abs=5e-5)


def test_the_cache_says_whether_it_is_right() -> None:
    assert block_of(asked("cache"), "note")["tone"] == "right"
    for mistake in ("ca_restarts", "ca_top_left"):
        assert block_of(asked("cache", **{mistake: "true"}), "note")["tone"] == "wrong"
    first = board_of(asked("cache", ca_tokens=8))
    assert "kept keys" not in first["arrays"]
    assert first["arrays"]["shares"]["shape"] == [8, 8]
    later = board_of(asked("cache", ca_tokens=12))
    assert later["arrays"]["kept keys"]["shape"] == [8, 11]
    assert later["arrays"]["shares"]["shape"] == [1, 12]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("text", ["x", "word " * 40, "日本 \U0001f438 <b>*_$"])
def test_any_text_gives_the_page(path: str, text: str) -> None:
    found = asked(path, text=text)
    assert board_of(found)["arrays"]


@pytest.mark.parametrize(
    ("path", "choice"),
    [
        ("writing", {"wr_written": "1.x"}),
        ("writing", {"wr_written": "1." * 80}),
        ("writing", {"wr_temperature": "1e400"}),
        ("writing", {"wr_head": "8"}),
        ("why-this-word", {"why_head": "9.9"}),
        ("why-this-word", {"why_token": "512"}),
        ("why-this-word", {"why_off": "40"}),
        ("why-this-word", {"why_by": "average"}),
        ("why-this-word", {"why_form": "3"}),
        ("cache", {"ca_tokens": "-1"}),
    ],
)
def test_an_impossible_choice_is_refused(path: str, choice: dict[str, str]) -> None:
    found = asked(path, **choice)
    assert len(found["refused"]) == 1
    assert board_of(found) == board_of(asked(path))


def test_the_numbers_of_the_frog_stand_on_the_page() -> None:
    said = said_by(found := asked("why-this-word", why_off="36"))
    for number in ("76.7", "7.7 %", "7.9 %", "87.1", "cat was very"):  # before the arithmetic
        assert number in json.dumps(block_of(found, "text"), ensure_ascii=False)
    for number in ("19.774", "0.788", "10.951", "8.035", "4.050", "2.376", "0.559", "1.115"):
        assert number in said
    for number in ("4.059", "25 of 40", "42.2 %", "10.1 %"):
        assert number in said
    shares = board_of(found)["sentence"]["heads"][0]["arcs"][len(IDS) - 1]
    assert max(share for _, share in shares) == pytest.approx(0.8623, abs=5e-5)


@pytest.mark.parametrize("name", FILES)
def test_the_story_of_the_model_can_be_taken_along(name: str) -> None:
    query = urlencode({"text": FROG, "weights": "language model", "layer": 4})
    found = json.loads(answer(json.dumps({"path": "softmax", "query": query, "want": name})))
    assert len(found["file"]) > 1000
    if name.endswith(".py"):
        said = io.StringIO()
        with redirect_stdout(said):
            exec(compile(found["file"], name, "exec"), {"__name__": "__main__"})
        assert "agree" in said.getvalue()

"""The pages of the language model as the site answers them: boards with rules, clicks, the URL."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest

from attention_lab.trained.cached_step import CachedStep
from attention_lab.trained.language_model import language_model
from attention_lab.trained.why_word import WhyWord
from attention_lab.trained.writing import mark
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


def board_blocks(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The boards, also those that stand beside something."""
    parts = [part for block in found["blocks"] for part in block.get("parts", [[block]])]
    return [block for part in parts for block in part if block["kind"] == "board"]


def board_block(found: dict[str, Any]) -> dict[str, Any]:
    return board_blocks(found)[0]


def boards_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [scene_of_text(json.dumps(block["board"])) for block in board_blocks(found)]


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
        ("writing", {"pieces": "true"}),
        ("writing", {"pieces": "true", "wr_temperature": 0.7, "wr_top_p": 0.5}),
        ("writing", {"pieces": "true", "wr_top_p": 1}),
        ("writing", {"pieces": "true", "wr_temperature": 0, "wr_top_p": 0.5}),
        ("why-this-word", {}),
        ("why-this-word", {"why_against": F + 1, "why_off": "36.9"}),
    ],
)
def test_every_number_follows_from_its_rule(path: str, choices: dict[str, Any]) -> None:
    board = boards_of(asked(path, **choices))[-1]
    assert board["rules"]
    for name in board["rules"]:
        numbers = sent(board, name)
        for index in ((0, 0), (numbers.shape[0] - 1, numbers.shape[1] - 1)):
            known = np.nan_to_num(numbers[index])  # what cannot be drawn is empty
            assert worked_out(board, name, index) == pytest.approx(known, abs=2e-5)


def test_bars_are_the_shares_of_the_model() -> None:
    run = MODEL.run(IDS)
    most = np.sort(run.probabilities())[::-1][:10]
    pieces = board_of(asked("writing", pieces="true"))
    np.testing.assert_allclose(sent(pieces, "share").ravel(), most, rtol=1e-5)
    words = board_of(asked("writing"))
    expected = dict(run.next_words(10))
    np.testing.assert_allclose(sent(words, "share").ravel(), [*expected.values()], rtol=1e-5)
    assert words["axes"]["side 0"]["labels"] == [*expected]


@pytest.mark.parametrize("pieces", ["true", "false"])
def test_settings_move_bars_and_no_column(pieces: str) -> None:
    """What cannot be drawn is empty."""
    plain, certain = (
        board_of(asked("writing", pieces=pieces, **one))
        for one in ({"wr_top_p": 1}, {"wr_temperature": 0})
    )
    assert [one["array"] for one in plain["panels"]] == ["share", "drawn"]
    for board in (plain, certain):
        assert board["panels"] == plain["panels"]
        np.testing.assert_array_equal(sent(board, "share"), sent(plain, "share"))
    np.testing.assert_allclose(sent(plain, "drawn"), sent(plain, "share"), rtol=1e-5)
    drawn = sent(certain, "drawn").ravel()
    assert drawn[0] == 1
    assert np.isnan(drawn[1:]).all()


def test_a_click_on_a_bar_goes_on_with_its_piece() -> None:
    found = asked("writing", pieces="true")
    second = board_block(found)["clicks"]["drawn"][1]
    pin = {"pin": {"array": "drawn", "index": [1, 0]}, "axes": [["a", None]] * 2}
    after = asked("writing", pin | {"changes": second}, pieces="true")
    written = parse_qs(after["query"])["wr_written"][0]
    assert int(written.split(".")[-1]) == np.argsort(-MODEL.run(IDS).logits[-1])[1]
    undone = asked("writing", {"changes": buttons(after)["Undo"]}, wr_written=written)
    assert "wr_written" not in parse_qs(undone["query"])
    assert "Undo" not in buttons(undone)


def text_of(found: dict[str, Any]) -> tuple[str, str]:
    """The prompt and what was written, on top of the page."""
    words = next(one for one in found["blocks"] if one["kind"] == "text")["words"][0][2:]
    return words[0], "".join(part[2] for part in words[1:])


def test_a_word_is_written_and_taken_back_whole() -> None:
    found = asked("writing", wr_temperature=0)
    assert text_of(found) == (FROG, "")
    one = asked("writing", {"changes": buttons(found)["Write a word"]}, wr_temperature=0)
    assert text_of(one) == (FROG, " frog")
    third = board_block(one)["clicks"]["share"][2]
    two = asked("writing", {"changes": third}, wr_temperature=0, **buttons(found)["Write a word"])
    assert text_of(two)[1].startswith(" frog ")
    written = {"wr_written": parse_qs(two["query"])["wr_written"][0]}
    back = asked("writing", {"changes": buttons(two)["Undo"]}, wr_temperature=0, **written)
    assert text_of(back) == (FROG, " frog")


def test_the_same_url_gives_the_same_text_and_another_prompt_another() -> None:
    many = buttons(asked("writing"))["Write 20"]
    first = asked("writing", {"changes": many})
    assert asked("writing", **many) == first
    assert text_of(asked("writing", text="Lily", **many)) == ("Lily", "")


def test_drawing_again_shows_its_seed() -> None:
    many = buttons(asked("writing"))["Write 20"]
    again = asked("writing", {"changes": buttons(asked("writing", **many))["Draw again"]}, **many)
    assert parse_qs(again["query"])["wr_seed"] == ["1"]
    assert text_of(again)[1] != text_of(asked("writing", **many))[1]


def test_a_full_page_goes_on_on_a_new_one() -> None:
    playing = block_of(asked("writing", wr_play="true"), "later")
    assert playing["changes"].keys() == {"wr_written"}
    written = playing["changes"]["wr_written"].split(".")
    full = ".".join([written[0], *["300"] * (64 - len(IDS))])
    found = asked("writing", wr_play="true", wr_written=full)
    assert "later" not in [block["kind"] for block in found["blocks"]]
    assert "Write a word" not in buttons(found)
    assert not board_block(found)["clicks"]
    sets = buttons(found)["Go on on a new page"]
    after = asked("writing", {"changes": sets}, wr_written=full)
    assert "Write a word" in buttons(after)
    assert text_of(after) == (sets["text"], "")


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
        found = asked("cache", **{mistake: "true"})
        assert block_of(found, "note")["tone"] == "wrong"
        assert buttons(found)["Right again"] == {mistake: "false"}
        with_cache, without = (sent(board, "shares")[-1] for board in boards_of(found))
        assert np.abs(with_cache - without).max() > 0.05


def test_only_what_a_step_computes_is_lit() -> None:
    """With a cache the last row, and the first ones are kept, pale; without one all rows."""
    run, n = MODEL.run(IDS), 12
    kept, without = boards_of(asked("cache", ca_tokens=n))
    for board in (kept, without):
        shares = sent(board, "shares")
        assert shares.shape == (16, 16)
        assert np.isnan(shares[n:]).all()
        np.testing.assert_allclose(
            shares[n - 1, :n], run.traces[4].probabilities[0, 4, n - 1, :n], atol=1e-6
        )
        keys = sent(board, "keys")
        np.testing.assert_allclose(keys[:n], run.traces[4].turned_keys[0, 2, :n], atol=1e-5)
        assert np.isnan(keys[n:]).all()
    assert np.isnan(sent(kept, "shares")[: n - 1]).all()
    assert not np.isnan(sent(without, "shares")[: n - 1, : n - 1]).any()
    pale = flags(kept["arrays"]["values"], "pale")
    assert pale.all(axis=1).tolist() == pale.any(axis=1).tolist() == [True] * (n - 1) + [False] * 5
    assert "pale" not in without["arrays"]["values"]
    cost = sent(kept, "cost").ravel()
    assert np.flatnonzero(~np.isnan(cost)).tolist() == [7, 8, 9, 10, 11]
    one = CachedStep(tuple(IDS[:n]), 8)
    np.testing.assert_allclose(cost[11] / cost[7], one.totals[0][-1] / one.totals[0][0], rtol=1e-5)


def test_the_cache_plays_once_to_the_end() -> None:
    playing = block_of(asked("cache", ca_tokens=12, ca_play="true"), "later")
    assert playing["changes"] == {"ca_tokens": "13", "ca_play": "true"}
    last = block_of(asked("cache", ca_tokens=15, ca_play="true"), "later")
    assert last["changes"] == {"ca_tokens": "16", "ca_play": "false"}
    again = block_of(asked("cache", ca_play="true"), "later")
    assert again["changes"] == {"ca_tokens": "8", "ca_play": "true"}
    assert "later" not in [block["kind"] for block in asked("cache", n_tokens=1)["blocks"]]


def test_the_bill_counts_what_is_kept() -> None:
    tables = [block for block in asked("cache")["blocks"] if block["kind"] == "table"]
    rows = [[cell[0] if cell else "" for cell in row] for row in tables[0]["cells"][1:]]
    assert [row[1:4] for row in rows] == [
        ["640", "10,240", "327,680"],
        ["320", "5,120", "163,840"],
        ["80", "1,280", "40,960"],
    ]
    one = CachedStep(tuple(IDS), 8)
    assert rows[1][4:] == [f"{one.counts.total:,}", f"{one.counts_without.total:,}"]


@pytest.mark.parametrize("path", PAGES)
def test_a_text_that_is_cut_is_named(path: str) -> None:
    def said(text: str) -> list[str]:
        captions = [one for one in asked(path, text=text)["blocks"] if one.get("small")]
        return [json.dumps(one["words"]) for one in captions]

    long = f"{FROG} " * 8
    assert any(f"{len(MODEL.encode(long))}" in one for one in said(long))
    assert len(said(FROG)) == len(said(long)) - 1 == len(said("El perro come en la casa")) - 1


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("text", ["x", "word " * 40, "日本 \U0001f438 <b>*_$"])
def test_any_text_gives_the_page(path: str, text: str) -> None:
    found = asked(path, text=text)
    assert all(board["arrays"] for board in boards_of(found))


@pytest.mark.parametrize(
    ("path", "choice"),
    [
        ("writing", {"wr_written": "1.x"}),
        ("writing", {"wr_written": "1." * 80}),
        ("writing", {"wr_temperature": "1e400"}),
        ("writing", {"wr_seed": "1000"}),
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
    assert found["blocks"] == asked(path)["blocks"]


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


@pytest.mark.parametrize("model", ["language model", "MiniLM"])
def test_one_word_is_changed_for_the_same_one_in_both_models(model: str) -> None:
    found = asked("change-a-word", th_model=model)
    board, clicks = board_of(found), board_block(found)["clicks"]
    labels = board["axes"]["side 1"]["labels"]
    place = labels.index("frog")
    assert board["axes"]["side 0"]["labels"][place].startswith(("frog", "bird"))
    assert len(clicks["before"]) == len(labels) ** 2
    cell = clicks["before"][(len(labels) - 1) * len(labels) + place]
    after = board_of(asked("change-a-word", th_model=model, **cell))["cell"]
    assert after["index"] == [len(labels) - 1, place]
    pieces = asked("change-a-word", th_model=model, pieces="true")
    assert len(board_of(pieces)["axes"]["side 0"]["labels"]) >= len(labels)


@pytest.mark.parametrize(("pieces", "left"), [("true", 3), ("false", 0)])
def test_a_step_back_takes_the_last_piece_or_the_last_word(pieces: str, left: int) -> None:
    """“frog” has four pieces."""
    frog = MODEL.encode("frog")[1:]
    written = ".".join(map(str, mark(IDS, frog)))
    undo = buttons(asked("writing", pieces=pieces, wr_written=written))["Undo"]
    kept = [int(one) for one in undo["wr_written"].split(".")[1:]] if undo["wr_written"] else []
    assert kept == frog[:left]


def test_what_turned_a_loss_is_said_only_where_it_turned() -> None:
    said = {}
    for layer, head in ((4, 4), (0, 0), (0, 1), (1, 2), (2, 3), (3, 5)):
        why = WhyWord(tuple(IDS), F, head=(layer, head))
        text = said_by(asked("why-this-word", why_head=f"{layer}.{head}", why_token=F))
        turned = "another sign" in text
        assert turned == (why.loss.direct * why.loss.total < 0)
        assert ("Self-repair" in text) == (why.loss.direct * why.loss.response < 0)
        said[turned] = True
    assert len(said) == 2

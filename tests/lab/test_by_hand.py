"""The layer made by hand: inputs and weights of the first example, other sentences, words that it
does not know.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest

from attention_core import Trace
from attention_core.projections import MATRICES
from attention_lab.by_hand import (
    HANDMADE_FEATURES,
    N_POSITIONS,
    WORD_FEATURES,
    part_of_speech,
    unknown_words,
)
from attention_lab.choices import resolve
from attention_lab.column_names import ColumnNames, column_names
from attention_lab.readings import verb_numbers
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import embedding_of, tokens_of, weights_in_force
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.user_matrices import UserMatrices
from attention_lab.words.text import tokenize

PRESETS = Path(__file__).parents[2] / "assets" / "data" / "presets.json"
FIRST = Scenario(**json.loads(PRESETS.read_text(encoding="utf-8"))[0]["scenario"])
# The words of the first example that are no "other", by their places.
SPEECH = {1: "noun animate", 2: "verb", 5: "noun", 8: "pronoun", 9: "verb"}
# The circle of positions: from one to the next by a twelfth of it, in eighths.
COS = [1, 0.875, 0.5, 0, -0.5, -0.875, -1, -0.875, -0.5, 0, 0.5, 0.875]
SIN = [0, 0.5, 0.875, 1, 0.875, 0.5, 0, -0.5, -0.875, -1, -0.875, -0.5]
# The columns of every head as the first example describes them, features by name.
QUERIES = [
    [{"pronoun": 10, "verb": 3}, {"pronoun": 4, "verb": 3}, {}, {}],
    [{"cos": 36, "sin": 20}, {"sin": 36, "cos": -20}, {}, {}],
]
KEYS = [[{"noun": 1}, {"animate": 1}, {}, {}], [{"cos": 1}, {"sin": 1}, {}, {}]]
COPIES = [["noun", "animate", "pronoun", "verb"], ["noun", "animate", "verb", "other"]]
GIVES = [{"noun": 1.0, "animate": 1.0}, {"verb": 0.5, "other": 0.5}]


def token_features(speech: str, place: int) -> dict[str, float]:
    """A token's features by name."""
    named = dict.fromkeys(HANDMADE_FEATURES, 0.0) | dict.fromkeys(("one", *speech.split()), 1.0)
    return named | {"cos": COS[place % 12], "sin": SIN[place % 12]}


def row_of(trace: Trace, head: int, query: int) -> list[float]:
    """A row of shares, rounded as the first example tells it."""
    return [round(float(share), 2) for share in trace.probabilities[0, head, query]]


def test_the_first_example_shows_what_it_is_for() -> None:
    trace = trace_of(FIRST)
    inputs = [list(token_features(SPEECH.get(t, "other"), t).values()) for t in range(10)]
    np.testing.assert_allclose(trace.inputs[0], inputs, atol=1e-12)
    assert trace.tokens == tuple(FIRST.text.split())
    assert row_of(trace, 0, 8) == [0, 0.88, 0, 0, 0, 0.12, 0, 0, 0, 0]
    for verb in (2, 9):
        assert row_of(trace, 0, verb) == [0.03, 0.62, 0.03, 0.03, 0.03, 0.14, *[0.03] * 4]
    for query in (0, 1, 3, 4, 5, 6, 7):
        assert (trace.query_heads[0, 0, query] == 0).all()
        assert row_of(trace, 0, query) == [0.1] * 10
    assert row_of(trace, 1, 0) == [1, *[0] * 9]
    for query in range(1, 10):
        assert row_of(trace, 1, query)[query - 1] in (0.87, 0.9, 0.92)
    received = dict(zip(HANDMADE_FEATURES, trace.output[0, 8].round(2).tolist(), strict=True))
    assert (received["noun"], received["animate"]) == (0.99, 0.88)
    unscaled = trace_of(replace(FIRST, scaling="off"))
    assert row_of(unscaled, 0, 8)[1] == 0.98


def test_the_first_example_adds_up_as_it_is_shown() -> None:
    trace = trace_of(FIRST)
    for row in trace.probabilities[0].reshape(-1, 10):
        assert sum(round(100 * share) for share in row.tolist()) == 100
    for name in (*MATRICES, *takewhile(lambda step: step != "probabilities", trace.steps)):
        array = getattr(trace.projections if name in MATRICES else trace, name)
        assert (np.abs(array[array != 0]) >= 0.25).all()


def test_nothing_in_the_weights_is_hidden() -> None:
    weights = trace_of(FIRST).projections
    for matrix, heads in ((weights.w_q, QUERIES), (weights.w_k, KEYS)):
        named = [[mix.get(name, 0) for head in heads for mix in head] for name in HANDMADE_FEATURES]
        np.testing.assert_allclose(matrix, named)
    copied = [name for head in COPIES for name in head]
    copies = [[float(name == copy) for copy in copied] for name in HANDMADE_FEATURES]
    np.testing.assert_array_equal(weights.w_v, copies)
    given = [GIVES[place // 4].get(name, 0.0) for place, name in enumerate(copied)]
    assert weights.w_o is not None
    pairs = zip(given, copied, strict=True)
    rows = [[give * (f == name) for f in HANDMADE_FEATURES] for give, name in pairs]
    np.testing.assert_array_equal(weights.w_o, rows)


def test_a_pronoun_finds_the_animate_noun() -> None:
    for text, pronoun, meant in (
        ("The dog saw a ball because it ran", "it", "dog"),
        ("the box fell and the girl took it", "it", "girl"),
        ("The animal did not cross the street because it was tired", "it", "animal"),
        ("a queen read books and she slept", "she", "queen"),
    ):
        trace = trace_of(replace(FIRST, text=text))
        row = trace.probabilities[0, 0, trace.tokens.index(pronoun)]
        assert trace.tokens[int(row.argmax())] == meant
        assert row.max() > 0.8


def test_edits_and_own_matrices_count() -> None:
    """Were the box animate, "it" would not know which is meant; and an own matrix stands in its
    place.
    """
    animate = Edits((Edit("x", 5, HANDMADE_FEATURES.index("animate"), 1.0),)).url_value()
    row = trace_of(replace(FIRST, edits=animate)).probabilities[0, 0, 8]
    assert row[1] == row[5] == pytest.approx(0.5, abs=0.005)
    own = UserMatrices(w_o=np.eye(8)).url_value()
    trace = trace_of(replace(FIRST, own=own))
    assert (trace.output == trace.merged).all()
    assert (trace.probabilities == trace_of(FIRST).probabilities).all()


@pytest.mark.parametrize("field", ["embedding", "piece", "positions", "init", "seed", "layer"])
def test_what_does_not_count(field: str) -> None:
    other = {"embedding": "integers", "piece": 2, "positions": False, "init": "small"}
    changed = trace_of(replace(FIRST, **{field: other.get(field, 3)}))
    assert (changed.output == trace_of(FIRST).output).all()
    assert changed.tokens == trace_of(FIRST).tokens


@pytest.mark.parametrize(
    "sizes", [{"d_model": 16}, {"n_heads": 4}, {"d_k": 3}, {"d_v": 5}, {"d_model": 6, "n_heads": 3}]
)
def test_other_sizes_make_the_weights_random(sizes: dict[str, int]) -> None:
    scenario = replace(FIRST, **sizes)
    assert resolve(scenario).chosen == replace(scenario, weights="random")
    as_run = trace_of(resolve(scenario).chosen)
    assert trace_of(scenario).output.tobytes() == as_run.output.tobytes()
    assert resolve(replace(FIRST, d_k=4, d_v=4)).weights.name == "by hand"
    assert column_names(scenario) is None


def test_own_sizes_make_the_weights_random() -> None:
    wide, eight = (UserMatrices(x=np.ones((3, width))).url_value() for width in (6, 8))
    assert resolve(replace(FIRST, own=wide)).weights.name == "random"
    assert resolve(replace(FIRST, own=eight)).weights.name == "by hand"


def test_the_vectors_are_words_plus_places() -> None:
    embedding = embedding_of(replace(FIRST, text="a b c d e f g h i j k l m"))
    assert not embedding.words[:, 6:].any()
    assert not embedding.positions[:, :6].any()
    np.testing.assert_allclose(embedding.positions[12], embedding.positions[0], atol=1e-12)
    for n_words, is_said in ((N_POSITIONS - 2, False), (N_POSITIONS - 1, True)):
        notes = tokens_of(replace(FIRST, text="a " * n_words)).notes
        assert any("circle" in note for note in notes) is is_said


def test_every_column_has_a_name() -> None:
    names = column_names(FIRST)
    assert names is not None
    assert names.features == names.outputs == HANDMADE_FEATURES
    assert names.values == tuple(map(tuple, COPIES))
    assert [len(head) for part in (names.queries, names.keys) for head in part] == [4] * 4
    weights = trace_of(FIRST).projections
    for part, matrix in ((names.queries, weights.w_q), (names.keys, weights.w_k)):
        used = [name != "unused" for head in part for name in head]
        assert matrix.any(axis=0).tolist() == used
    assert column_names(Scenario()) is None
    own = UserMatrices(w_q=np.eye(8)).url_value()
    assert column_names(replace(FIRST, own=own)) == replace(names, queries=(), asks_for=())
    assert isinstance(names, ColumnNames)


THE_CAT = Scenario("the cat ran", weights="by hand", d_model=8, n_heads=2)


def test_words_it_does_not_know() -> None:
    trace = trace_of(replace(THE_CAT, text="zorp, 7 猫 it", n_tokens=6))
    *first, pronoun, last = map(part_of_speech, trace.tokens)
    assert ({*first, last}, pronoun) == ({("other",)}, ("pronoun",))
    np.testing.assert_allclose(trace.probabilities[0, 0], 1 / 6)
    assert unknown_words(trace.tokens) == ("zorp", "猫")
    assert part_of_speech("Zorp") == part_of_speech("Alice’s") == part_of_speech("cat")
    assert part_of_speech("ZORP") == part_of_speech("7") == ("other",)


# Where weights by hand find something; without a text there is no layer, and the page says so.
FINDING = (
    *("I love you", "dogs bark at cats", "Alice gave Bob her book and he read it"),
    *("What does the cat want?", ""),
)


@pytest.mark.parametrize("text", [*FINDING, "hello", "it rained", "猫が好き", "🙂"])
def test_where_weights_find_nothing_the_language_model_takes_over(text: str) -> None:
    scenario = replace(THE_CAT, text=text)
    found = weights_in_force(scenario)
    in_model = replace(scenario, weights="language model", layer=4)
    assert found == (scenario if text in FINDING else in_model)
    if text:
        assert trace_of(found).scores[0, 0].any()
        assert trace_of(scenario).scores[0, 0].any() == (text in FINDING)
    edited = replace(scenario, edits=Edits((Edit("w_q", 0, 0, 1.0),)).url_value())
    assert weights_in_force(edited) == edited


def test_one_sentence_of_a_batch_is_enough_for_weights_by_hand() -> None:
    known = replace(THE_CAT, text="hello", batch="the cat ran")
    assert weights_in_force(known).weights == "by hand"
    assert weights_in_force(replace(THE_CAT, text="hello", batch="yes")).weights == "language model"


def test_the_lexicon_is_large_enough() -> None:
    assert len(WORD_FEATURES) > 1000
    speech = {part for parts in WORD_FEATURES.values() for part in parts}
    assert speech == {"noun", "animate", "pronoun", "verb", "other"}
    for word, parts in WORD_FEATURES.items():
        assert tokenize(word).tokens == (word,) == (word.casefold(),)
        assert "animate" not in parts or "noun" in parts or "pronoun" in parts


AGREE = Scenario("the queen sees her sons because they call her", d_model=12, n_heads=3)


def test_heads_match_gender_and_number() -> None:
    """Each scaled score is 6 where both words have the feature, and 2 for a noun, −2 for a pronoun,
    −4 for a verb;
    the row of a word is the softmax of these, worked out here word by word.
    """
    trace = trace_of(replace(AGREE, weights="by hand"))
    gender = {"queen": "f", "her": "f", "sons": "m"}
    number = {"queen": "s", "her": "s", "sees": "s", "sons": "p", "they": "p", "call": "p"}
    kinds = {"queen": 2, "sons": 2, "her": -2, "they": -2, "sees": -4, "call": -4}
    for head, feature in enumerate((gender, number)):
        for query, asks in enumerate(trace.tokens):
            scores = [
                6 * (asks in feature and feature[asks] == feature.get(key)) + kinds.get(key, 0)
                for key in trace.tokens
            ]
            assert trace.scaled_scores[0, head, query].tolist() == scores
    strongest = trace.probabilities[0].argmax(axis=-1)
    assert (strongest[0, 8], strongest[1, 6]) == (1, 4)
    assert strongest[2, 1:].tolist() == list(range(8))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (AGREE.text, [(2, 1, "sg sg", 1, "fem"), (7, 6, "pl pl", 4, "masc")]),
        ("they see her", [(1, 0, "pl pl", 0, "")]),
        ("she sees them", [(1, 0, "sg sg", 0, "fem")]),
        ("her sons sees it", [(2, 1, "sg pl", None, "")]),
        ("I see the queen", []),
        ("the queen saw her sons", []),
        ("see", []),
        ("king sees king", [(1, 0, "sg sg", None, "")]),
    ],
)
def test_a_verb_has_the_number_of_the_word_before_it(
    text: str, found: list[tuple[int, int, str, int | None, str]]
) -> None:
    trace = trace_of(replace(AGREE, text=text, weights="by hand"))
    facts = verb_numbers(trace)
    told = [(one.verb, one.before, " ".join(one.numbers), one.read, one.gender) for one in facts]
    assert told == found
    genders = ("masc", "fem", "neut")
    names = column_names(replace(AGREE, weights="by hand")).features
    for one in facts:
        assert one.agrees == (len(set(one.numbers)) == 1)
        got = [trace.output[0, one.verb, names.index(gender)] for gender in genders]
        assert not one.gender or genders[int(np.argmax(got))] == one.gender


def test_what_is_matched_brings_the_other_feature() -> None:
    trace = trace_of(replace(AGREE, weights="by hand"))
    names = column_names(replace(AGREE, weights="by hand")).features
    they = dict(zip(names, trace.output[0, 6], strict=True))
    assert they["masc"] == pytest.approx(trace.probabilities[0, 1, 6, 4])
    assert trace.inputs[0, 6, names.index("masc")] == 0

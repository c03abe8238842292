"""The reference section: every array, every symbol, every concept with its link, every source."""

from __future__ import annotations

import io
import re
from collections import Counter
from urllib.parse import parse_qsl

import numpy as np
import pytest

from attention_core import STEPS
from attention_lab.diagonal.claims.catalogue import CLAIMS
from attention_lab.export.trace_files import array_to_npy
from attention_lab.notation import notation
from attention_lab.notation.elsewhere import ELSEWHERE
from attention_lab.notation.notation import OURS
from attention_lab.notation.texts import NOTATIONS
from attention_lab.scenario import CHOICES, LIMITS
from attention_ui.control_list import CONTROLS, DEFAULTS, Control
from attention_ui.focus import NAMES
from attention_ui.reference.concepts import (
    ASKED,
    Concept,
    concept_table,
    concepts,
    found,
    questions,
)
from attention_ui.reference.notation_tables import (
    array_table,
    elsewhere_table,
    glossary_rows,
    notation_table,
)
from attention_ui.reference.papers import papers
from attention_ui.registry import PAGES
from attention_ui.search import finds
from tests.ui.app import ROOT, gone_to, here, opened, texts

NAME = r"[A-ZÀ-Þ][\wÀ-ÿ’'-]+"
CITED = re.compile(rf"({NAME})(?:, {NAME})*(?: et al\.| and {NAME})?,? \(?((?:1[89]|20)\d\d)\b")
CONTROL = {control.name: control for control in CONTROLS}
VIEW = {"notation", "own_scale", "present"}
MARKUP = "<b>x</b> | $y$ [l](javascript:alert(1)) `c` **d** :red[e]"


def parameters(concept: Concept) -> dict[str, str]:
    """The parameters of a concept's address."""
    return dict(parse_qsl(concept.query, strict_parsing=True)) if concept.query else {}


def own_choices() -> list[tuple[str, str]]:
    """One concept's page and query for each parameter that a page, not the frame, reads."""
    known = set(CONTROL) | set(NAMES) | VIEW
    linked = (*questions(), *concepts())
    first = {
        (one.page, name): one for one in linked for name in sorted(set(parameters(one)) - known)
    }
    return sorted({(one.page, one.query) for one in first.values()})


def takes(control: Control, value: str) -> bool:
    """Whether a control of the sidebar can show a value of the address."""
    if control.name in CHOICES:
        return value in CHOICES[control.name]
    if isinstance(DEFAULTS[control.name], bool):
        return value in ("true", "false")
    if isinstance(DEFAULTS[control.name], str):
        return True
    low, high = LIMITS[control.name]
    return value.isdigit() and low <= int(value) <= high


def test_every_concept_of_every_text_is_listed() -> None:
    """The five texts have 29, 33, 26, 17 and 24 ideas, numbered without a gap."""
    counts = Counter(one.text for one in concepts())
    assert counts == {"gml": 29, "mql5": 33, "doshi": 26, "slides": 17, "note": 24}
    for text, count in counts.items():
        assert [one.number for one in concepts() if one.text == text] == list(range(1, count + 1))


@pytest.mark.parametrize("page", sorted({one.page for one in (*questions(), *concepts())}))
def test_every_concept_leads_to_a_page(page: str) -> None:
    """A concept without a page that is registered is a failure."""
    assert page in {entry.url_path for entry in PAGES}


def test_the_addresses_ask_for_what_there_is() -> None:
    """Sentence, sizes, options, place and notation in every link are values that the frame's
    controls can show.
    """
    for one in (*questions(), *concepts()):
        assert re.fullmatch(r"[a-z-]+(\?[\w=&%.-]+)?", one.address), one
        for name, value in parameters(one).items():
            if name in CONTROL:
                assert takes(CONTROL[name], value), one
            elif name in NAMES:
                assert value.isdigit(), one
            elif name == "notation":
                assert value in NOTATIONS, one
            elif name == "claims_words":
                assert value in {claim.id for claim in CLAIMS}, one


@pytest.mark.parametrize(("page", "query"), own_choices())
def test_a_link_brings_the_state_it_names(page: str, query: str) -> None:
    """Each kind of choice that a page holds for itself arrives as the link says, and nothing is
    refused.
    """
    app = opened(page, **dict(parse_qsl(query)))
    assert [error.value for error in [*app.exception, *app.error]] == []
    assert list(app.toast) == []
    for name, value in parse_qsl(query):
        held = app.session_state[name]
        assert value.casefold() in (
            [str(one) for one in held] if isinstance(held, list) else [str(held).casefold()]
        )


def test_search_finds_and_counts() -> None:
    """Every word must be in the concept; lowered signs count as plain ones; a text can be
    chosen besides.
    """
    assert finds("dk SOFTMAX", "the softmax", "dₖ")
    assert not finds("softmax mask", "the softmax")
    app = opened("concepts", concepts_words="stiefel", concepts_text="gml")
    shown = found("stiefel", ["gml"])
    assert 0 < len(shown) < 29
    assert f"**{len(shown)} concepts** of 129" in texts(app)
    app.text_input(key="concepts_words").set_value("banana").run()
    assert "Nothing fits" in texts(app)
    assert not app.subheader


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("softmaxes", "the softmax"),
        ("multihead", "multi-head"),
        ("Multi head", "multi-head"),
        ("selfmade", "self-made"),
        ("colour", "a color"),
        ("color", "colours"),
        ("normalize", "normalised"),
        ("centers", "centre"),
        ("normalisation", "to normalize"),
        ("qkv", "Q, K and V"),
        ("q/k/v", "Q, K, V"),
        ("d k", "dₖ"),
        ("dmodel", "d_model"),
        ("Wo", "W_O"),
        ("W^O", "W_O"),
        ("sqrt(d_k)", "√dₖ"),
        ("QK^T", "QKᵀ"),
        ("biases", "bias"),
        ("masking", "masked"),
        ("matrices", "a matrix"),
        ("probability", "probabilities"),
    ],
)
def test_search_finds_a_word_however_it_is_spelt(typed: str, text: str) -> None:
    """British or American, plural or not, with hyphen or none, symbols with or without their
    underscore.
    """
    assert finds(typed, text)


@pytest.mark.parametrize(
    ("typed", "text"), [("wo", "two words"), ("n", "a token"), ("√c", "√cost"), ("four", "for")]
)
def test_search_takes_no_part_of_a_word_for_a_symbol(typed: str, text: str) -> None:
    """Who types the letter of a quantity does not find each text that has the letter in one of
    its words.
    """
    assert not finds(typed, text)


@pytest.mark.parametrize(
    "typed", ["output projection", "embedding dimension", "GQA", "causal mask", "raw scores"]
)
def test_the_glossary_knows_the_names_of_everyday_talk(typed: str) -> None:
    """What code and courses call a quantity leads to it."""
    assert glossary_rows(typed, NOTATIONS["ours"])


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("Where is W_O?", "output"),
        ("final linear layer", "output"),
        ("c_proj", "output"),
        ("attention scores printed", "arrays"),
        ("q/k vectors", "arrays"),
        ("softmax max exp values", "softmax"),
        ("reshape or transpose?", "split"),
        ("Why view straight to (h, n, d_k)?", "split"),
        ("merge without transpose", "merge"),
        ("Does each head see the whole embedding?", "projections"),
        ("split the input before projecting", "break-it"),
        ("heads summed, not concatenated", "output"),
        ("Softmax over which axis?", "break-it"),
        ("√C or √d_k", "scale"),
        ("attention exceeds 1", "break-it"),
        ("What are source and destination?", "glossary"),
        ("Is the diagonal inside the causal mask?", "mask"),
        ("colour bar", "all-heads"),
        ("roll up heads", "all-heads"),
        ("average over a sentence", "all-heads"),
        ("cluster heads", "head-portraits"),
        ("sparsity", "head-portraits"),
        ("tokens attended", "head-portraits"),
        ("rank heads", "head-worth"),
        ("vector figures for papers", "scores"),
        ("stand-alone web page", "scores"),
        ("shareable URL", "overview"),
        ("own model", "your-weights"),
        ("long input", "your-weights"),
        ("image patches", "convolution"),
        ("cross-modal attention", "encoder-decoder"),
        ("padded queries", "mask-workshop"),
        ("every key masked NaN", "mask-workshop"),
    ],
)
def test_what_learners_ask_is_found_by_their_words(typed: str, page: str) -> None:
    """The question that leads to the answer is found by the words in which it is asked, small
    words and all.
    """
    assert page in {one.page for one in found(typed, [ASKED])}
    assert page in {one.page for one in found(typed, [])}


def test_questions_stand_before_the_concepts() -> None:
    """They are listed and counted; a search may find questions alone, and whoever chooses a
    text sees none of them.
    """
    app = opened("concepts")
    assert app.subheader[0].value == "What learners ask"
    assert f"**{len(questions())} questions** of {len(questions())}" in texts(app)
    assert "| | what is asked | where to see it |" in texts(app)
    alone = opened("concepts", concepts_words="c_proj")
    assert [box.value for box in alone.subheader] == ["What learners ask"]
    assert "**0 concepts** of 129, **1 question** of" in texts(alone)
    assert "What learners ask" not in [
        box.value for box in opened("concepts", concepts_text="gml").subheader
    ]


def test_a_row_with_markup_stays_text() -> None:
    """Markup in a concept makes no cell, link, tag or formula of its table."""
    table = concept_table((Concept("gml", 1, MARKUP, "scores", "query=4", MARKUP),))
    row = table.splitlines()[2]
    assert row.count("[Scores](scores?query=4)") == 1
    rest = row.replace("**[Scores](scores?query=4):**", "")
    assert re.findall(r"(?<!\\)[<>$\[`]", rest) == []
    assert len(re.findall(r"(?<!\\)\|", rest)) == 4


@pytest.mark.parametrize("key", NOTATIONS)
def test_every_array_is_listed_in_every_notation(key: str) -> None:
    """Symbol, size and sentence of each field, in order, as the notation has them; one cell
    more would be seen.
    """
    trace, text = here(opened("arrays", mask="causal")).trace, NOTATIONS[key]
    rows = array_table(trace, text).splitlines()[2:]
    for name, row in zip(STEPS, rows, strict=True):
        cells = row.strip("| ").split(" | ")
        sizes = [int(part) for part in cells[3].split("×")]
        assert len(cells) == 6
        assert cells[0] == f"${notation.symbol(name, text).latex}$"
        assert sorted(sizes) == sorted(getattr(trace, name).shape)
        assert cells[5] == notation.says(trace, name, text)


def test_one_array_as_table_and_files() -> None:
    """The table holds the chosen array of the head in focus; CSV and NPY are offered; an NPY
    keeps every bit.
    """
    app = opened("arrays", ar_field="masked_scores", head=1, mask="causal")
    scores = here(app).trace.masked_scores
    assert np.array_equal(app.dataframe[0].value.to_numpy(), scores[0, 1])
    assert [button.label for button in app.get("download_button")] == ["CSV", "NPY"]
    assert np.array_equal(np.load(io.BytesIO(array_to_npy(scores)), allow_pickle=False), scores)


def test_glossary_and_notations() -> None:
    """Every quantity in ours; a text's own words are found; a dash stands where a text has no
    symbol.
    """
    everything = glossary_rows("", OURS)
    table = notation_table(everything).splitlines()
    assert len(table) == len(everything) + 2
    merged = next(line for line in table if "`merged`" in line)
    assert merged.strip("| ").split(" | ")[1:] == ["$O$", "–", "–", "–", "–", "$H$"]
    assert [row.name for row in glossary_rows("correlation", NOTATIONS["gml"])] == ["scores"]
    app = opened("glossary", notation="gml", glossary_words="correlation")
    assert "correlation matrix" in texts(app)
    assert "`n_tokens`" not in texts(app)


def test_names_elsewhere_lead_to_ours() -> None:
    """Who knows a name from other code or another tool finds the quantity; one without such a
    name has no line.
    """
    for words, names in (
        ("c_proj", ["w_o"]),
        ("destination", ["query_heads"]),
        ("num_heads", ["n_heads"]),
        ("pattern", ["probabilities"]),
        ("in_proj_weight", ["w_q", "w_k", "w_v"]),
    ):
        rows = glossary_rows(words, OURS)
        assert [row.name for row in rows] == names
        assert len(elsewhere_table(rows).splitlines()) == len(names) + 2
    assert ELSEWHERE.keys() <= {row.name for row in glossary_rows("", OURS)}
    assert elsewhere_table(glossary_rows("key bias", OURS)) == ""
    assert "the second third of `in_proj_weight`" in texts(opened("glossary"))
    assert "In code and other tools" not in [
        box.value for box in opened("glossary", glossary_words="b_k").subheader
    ]


def test_every_cited_paper_is_listed() -> None:
    """Whoever is cited with a year, by engine, pictures or pages, stands on the page; nobody
    else does.
    """
    files = [
        file
        for part in ("core", "lab", "viz", "ui")
        for file in (ROOT / f"attention_{part}").rglob("*.py")
    ]
    code = " ".join(
        " ".join(file.read_text("utf-8").split())
        for file in [*files, *(ROOT / "pages").rglob("*.py")]
    )
    listed = {(re.split(r"[ ,]", paper.authors)[0], paper.year) for paper in papers()}
    assert set(CITED.findall(code)) - listed == set()
    for author, year in listed:
        assert re.search(rf"{author}\b.{{0,60}}\b{year}", code), f"{author} {year} is cited nowhere"


def test_sources_name_texts_licences_and_versions() -> None:
    """The page says how many ideas and claims there are, names the model's licence and the
    versions that run.
    """
    shown = texts(gone_to(opened(), "about"))
    for part in (
        "129 ideas",
        "Apache License 2.0",
        f"numpy {np.__version__}",
        f"{len(CLAIMS)} of them",
    ):
        assert part in shown

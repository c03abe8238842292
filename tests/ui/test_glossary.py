"""The section of reference: glossary, sources: every symbol, word, name and paper."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_lab.diagonal.claims.catalogue import CLAIMS
from attention_lab.home import read_table
from attention_lab.notation.notation import OURS
from attention_lab.notation.quantities import NAMES_ELSEWHERE
from attention_lab.notation.texts import NOTATIONS
from attention_lab.page_list import PAGES
from attention_lab.questions import concepts
from attention_lab.scenario import Scenario, trace_of
from attention_lab.trained.language_model import language_model
from attention_ui.blocks import table_markdown
from attention_viz.markdown import escape_markdown
from attention_viz.reference.glossary import (
    axes_and_size,
    elsewhere_table,
    find_in_glossary,
    glossary_table,
    glossary_words,
    notation_table,
    word_table,
)
from tests.ui.app import ROOT, gone_to, opened, texts

NAME = r"[A-ZÀ-Þ][\wÀ-ÿ’'-]+"
CITED = re.compile(rf"({NAME})(?:, {NAME})*(?: et al\.| and {NAME})?,? \(?((?:1[89]|20)\d\d)\b")


@pytest.mark.parametrize("key", NOTATIONS)
def test_axes_and_sizes_are_those_of_the_layer(key: str) -> None:
    trace, text = trace_of(Scenario(mask="causal", n_heads=2, d_k=3)), NOTATIONS[key]
    for name in trace.steps:
        axes, size = axes_and_size(name, text, trace)
        sizes = [int(part) for part in size.split("×")]
        assert sorted(sizes) == sorted(getattr(trace, name).shape)
        assert len(axes.split(", ")) == len(sizes)
    assert axes_and_size("d_k", text, trace) == ("", "3")
    assert axes_and_size("w_q", text, trace)[1] in ("16 × 6", "6 × 16")
    assert axes_and_size("turned_keys", text, trace) == ("–", "–")
    table = glossary_table(find_in_glossary("", text)[0], text, trace)
    assert {len(line) for line in table.rows} == {len(table.head)}


def test_glossary_and_notations() -> None:
    everything = find_in_glossary("", OURS)[0]
    table = notation_table(everything)
    assert len(table.rows) == len(everything)
    merged = next(line for line in table.rows if "`merged`" in line[0])
    assert merged[1:] == ["$O$", "–", "–", "–", "–", "$H$"]
    assert len(table.head) == 7  # the quantity, ours and five texts: not ours transposed
    shown = texts(opened("glossary"))
    assert "12 × 16" in shown
    assert table_markdown(elsewhere_table(everything)) in shown
    assert "`w_q`" in texts(opened("glossary", n_heads=3, d_model=16))  # words need no layer
    found = texts(opened("glossary", notation="gml", glossary_words="correlation"))
    assert "`scores`" in found
    assert "`n_tokens`" not in found


# What is typed, and the quantities that are found: in other code, and in everyday talk.
QUANTITIES = {
    "c_proj": ["w_o"],
    "output projection": ["w_o", "output"],
    "destination": ["query_heads"],
    "num_heads": ["n_heads"],
    "embedding dimension": ["d_model"],
    "pattern": ["probabilities"],
    "in_proj_weight": ["w_q", "w_k", "w_v"],
    "GQA": ["sink", "key_heads"],
    "causal mask": ["masked_scores"],
    "raw scores": ["scores"],
}


def test_names_elsewhere_lead_to_ours() -> None:
    for words, names in QUANTITIES.items():
        rows = find_in_glossary(words, OURS)[0]
        assert {row.name for row in rows} == set(names)
        assert len(elsewhere_table(rows).rows) == len(NAMES_ELSEWHERE.keys() & {*names})
    assert NAMES_ELSEWHERE.keys() <= {row.name for row in find_in_glossary("", OURS)[0]}
    assert elsewhere_table(find_in_glossary("key bias", OURS)[0]).rows == []


def test_every_word_leads_to_a_page() -> None:
    named = [one.word.casefold() for one in glossary_words()]
    assert named == sorted(set(named))
    assert {one.page for one in glossary_words()} <= {page.url_path for page in PAGES}
    assert all(one.meaning.endswith(".") for one in glossary_words())


# What is typed, and a word that is found.
WORDS = {
    "skip connection": "residual connection (skip connection)",
    "layer norm": "LayerNorm (layer normalisation)",
    "Gram": "Gram matrix",
    "cross attention": "cross-attention",
    "elementwise": "Hadamard product (elementwise product)",
}
# What is typed, and the page to which a word found leads.
WORDS_SEEN = {
    "low-rank bottleneck": "split",
    "pre-LN": "depth",
    "pruning": "head-worth",
    "top left": "mask",
    "dropout": "softmax",
}


def test_a_word_is_found() -> None:
    for typed, word in WORDS.items():
        assert word in [one.word for one in find_in_glossary(typed, OURS)[1]], typed
    for typed, page in WORDS_SEEN.items():
        assert page in {one.page for one in find_in_glossary(typed, OURS)[1]}, typed


def test_a_search_of_the_glossary() -> None:
    app = opened("glossary", glossary_words="oversmoothing")
    assert len(app.header) == 1
    table = word_table(find_in_glossary("oversmoothing", OURS)[1])
    assert len(table.rows) == 1
    assert table_markdown(table) in texts(app)
    app.text_input(key="choose glossary_words").set_value("zebra").run()
    assert len(app.header) == 0


def test_every_cited_paper_is_listed() -> None:
    folders = ("attention_core", "attention_lab", "attention_viz", "attention_ui", "pages")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    tables = (ROOT / "assets" / "data").glob("*.csv")
    files += [file for file in tables if file.stem != "papers"]
    code = " ".join(" ".join(file.read_text("utf-8").split()) for file in files)
    listed = {(re.split(r"[ ,]", row["authors"])[0], row["year"]) for row in read_table("papers")}
    assert set(CITED.findall(code)) - listed == set()
    for author, year in listed:
        assert re.search(rf"{author}\b.{{0,60}}\b{year}", code), f"{author} {year} is cited nowhere"


def test_sources_name_texts_licences_and_versions() -> None:
    app = gone_to(opened(), "sources")
    said = texts(app)
    assert len(concepts()) == 129
    assert f"their {len(concepts())} ideas" in said
    assert f"[{len(CLAIMS)} claims](questions?verdict=always.condition.false)" in said
    for notice in (ROOT / "assets").glob("*/NOTICE"):
        licence = (notice.parent / "LICENSE").read_text("utf-8")
        name = "MIT" if licence.startswith("MIT License") else "Apache License"
        assert name in said.split(f"`assets/{notice.parent.name}`")[1][:200]
    number = re.search(r"the Apache License (\d\.\d)\.", said).group(1)
    assert f"Version {number}" in (ROOT / "assets" / "minilm" / "LICENSE").read_text("utf-8")
    model = language_model()
    for n_layers, n_heads in ((6, 12), (model.n_layers, model.n_heads)):
        assert re.search(rf"has {n_layers} layers of\s+{n_heads} heads", said)
    assert f"numpy {np.__version__}" in said
    papers = read_table("papers")
    assert f"({len(papers)})" in app.header[-1].value
    assert all(escape_markdown(row["title"]) in said for row in papers)

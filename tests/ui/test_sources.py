"""Sources: every paper that is cited, the texts, licences and versions."""

from __future__ import annotations

import re

import numpy as np

from attention_lab.diagonal.claims.catalogue import CLAIMS
from attention_ui.reference.questions import (
    concepts,
)
from attention_ui.reference.sources import papers
from tests.ui.app import ROOT, facts, gone_to, opened, texts

NAME = r"[A-ZÀ-Þ][\wÀ-ÿ’'-]+"
CITED = re.compile(rf"({NAME})(?:, {NAME})*(?: et al\.| and {NAME})?,? \(?((?:1[89]|20)\d\d)\b")


def test_every_cited_paper_is_listed() -> None:
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
    app = gone_to(opened(), "sources")
    page_facts = facts(app)
    assert page_facts["ideas"] == len(concepts()) == 129
    assert page_facts["claims"] == len(CLAIMS)
    licence = (ROOT / "assets" / "minilm" / "LICENSE").read_text("utf-8")
    name, number = page_facts["licence_of_the_model"].rsplit(" ", 1)
    assert name in licence
    assert f"Version {number}" in licence
    assert page_facts["versions"]["numpy"] == np.__version__
    assert f"numpy {np.__version__}" in texts(app)

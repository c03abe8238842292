"""Every concept of every text, and every question, leads to a page in a state that there is."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import parse_qsl

import pytest

from attention_lab.choices import FIELD_BOUNDS, FIELD_CHOICES
from attention_lab.diagonal.claims.catalogue import CLAIMS
from attention_lab.notation.texts import NOTATIONS
from attention_lab.state_file import FOCUS
from attention_ui.controls import CONTROL_DEFAULTS, CONTROLS, Control
from attention_ui.reference.questions import (
    Entry,
    concepts,
    learner_questions,
)
from attention_ui.registry import PAGES
from tests.ui.app import opened

CONTROL = {control.name: control for control in CONTROLS}
VIEW = {"notation", "own_scale", "present"}


def parameters(concept: Entry) -> dict[str, str]:
    """The parameters of the URL of a concept."""
    return dict(parse_qsl(concept.query, strict_parsing=True)) if concept.query else {}


def own_choices() -> list[tuple[str, str]]:
    """One concept's page and query for each parameter that a page, not the frame, reads."""
    known = set(CONTROL) | set(FOCUS) | VIEW
    linked = (*learner_questions(), *concepts())
    first = {
        (one.page, name): one for one in linked for name in sorted(set(parameters(one)) - known)
    }
    return sorted({(one.page, one.query) for one in first.values()})


def takes(control: Control, value: str) -> bool:
    """Whether a control of the sidebar can show a value of the URL."""
    if control.name in FIELD_CHOICES:
        return value in FIELD_CHOICES[control.name]
    if isinstance(CONTROL_DEFAULTS[control.name], bool):
        return value in ("true", "false")
    if isinstance(CONTROL_DEFAULTS[control.name], str):
        return True
    low, high = FIELD_BOUNDS[control.name]
    return value.isdigit() and low <= int(value) <= high


def test_every_concept_of_every_text_is_listed() -> None:
    counts = Counter(one.text for one in concepts())
    assert counts == {"gml": 29, "mql5": 33, "doshi": 26, "slides": 17, "note": 24}
    for text, count in counts.items():
        assert [one.number for one in concepts() if one.text == text] == list(range(1, count + 1))


@pytest.mark.parametrize("page", sorted({one.page for one in (*learner_questions(), *concepts())}))
def test_every_concept_leads_to_a_page(page: str) -> None:
    assert page in {entry.url_path for entry in PAGES}


def test_the_addresses_ask_for_what_there_is() -> None:
    for one in (*learner_questions(), *concepts()):
        assert re.fullmatch(r"[a-z-]+(\?[\w=&%.-]+)?", one.url), one
        for name, value in parameters(one).items():
            if name in CONTROL:
                assert takes(CONTROL[name], value), one
            elif name in FOCUS:
                assert value.isdigit(), one
            elif name == "notation":
                assert value in NOTATIONS, one
            elif name == "claims_words":
                assert value in {claim.id for claim in CLAIMS}, one


@pytest.mark.parametrize(("page", "query"), own_choices())
def test_a_link_brings_the_state_it_names(page: str, query: str) -> None:
    app = opened(page, **dict(parse_qsl(query)))
    assert [error.value for error in [*app.exception, *app.error]] == []
    assert list(app.toast) == []
    for name, value in parse_qsl(query):
        held = app.session_state[name]
        assert value.casefold() in (
            [str(one) for one in held] if isinstance(held, list) else [str(held).casefold()]
        )

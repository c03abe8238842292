"""Claims: all are shown and checked, and filters take the others away."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.diagonal.claims.catalogue import CLAIMS, FALSE, TEXTS, find_claim
from attention_ui.markdown import escape_markdown
from attention_viz.labels import with_minus_signs
from tests.ui.app import facts, opened, texts


def all_opened(app: AppTest) -> AppTest:
    """The page with the claims of every text in sight."""
    for text in TEXTS:
        app.session_state[f"claims of {text}"] = True
    return app.run()


def test_all_claims_are_shown() -> None:
    app = opened("claims")
    first = [one.id for one in CLAIMS if one.text == next(iter(TEXTS))]
    assert [name for name in facts(app) if name.startswith("claim_")] == [
        f"claim_{one}" for one in first
    ]
    app = all_opened(app)
    for one in CLAIMS:
        assert escape_markdown(one.statement) in texts(app)
        assert escape_markdown(one.correction) in texts(app)
        assert facts(app)[f"claim_{one.id}"] == one.check().claimed
    assert facts(app)["claims_shown"] == [one.id for one in CLAIMS]
    filtered = opened("claims", claims_status=FALSE, claims_text="slides")
    assert [heading.value for heading in filtered.header][-1:] == [TEXTS["slides"]]
    few = [one.id for one in CLAIMS if one.status == FALSE and one.text == "slides"]
    assert facts(filtered)["claims_shown"] == few
    checked = [name for name in facts(filtered) if name.startswith("claim_")]
    assert checked == [f"claim_{one}" for one in few]
    assert facts(opened("claims", claims_words="zebra"))["claims_shown"] == []


@pytest.mark.parametrize(
    ("words", "name"), [("QKT", "note-divided-by-d"), ("4nC2", "popular-twice-as-long")]
)
def test_raised_signs_of_claims_are_found_as_plain_ones(words: str, name: str) -> None:
    app = opened("claims", claims_words=words)
    assert facts(app)["claims_shown"] == [name]
    assert escape_markdown(find_claim(name).statement) in texts(app)


def test_claims_have_true_minus_signs() -> None:
    app = all_opened(opened("claims"))
    said = [escape_markdown(with_minus_signs(one.check().sentence)) for one in CLAIMS]
    assert all(text in texts(app) for text in said)
    checks = [text.replace("\\", "") for text in said]
    assert not [check for check in checks if re.search(r"(?<![\w)-])-\d|\de-\d", check)]
    assert any("−0." in check for check in checks)
    assert any("e−" in check for check in checks)

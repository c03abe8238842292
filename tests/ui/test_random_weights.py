"""Random weights are said to be random, beside the way to the same sentence in a trained head."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.scenario import DRAWN, WEIGHTS, Scenario, trace_of
from attention_lab.user_data.own_matrices import OwnMatrices


def page() -> None:
    """A page with nothing else on it; what is not in the session is at its default."""
    import streamlit as st

    from attention_lab.notation.notation import OURS
    from attention_lab.scenario import Scenario
    from attention_ui.focus import Focus
    from attention_ui.here import Here
    from attention_ui.random_weights import say_random

    names = ("text", "weights", "layer", "own")
    given = {name: st.session_state[name] for name in names if name in st.session_state}
    say_random(Here(Scenario(**given), Focus(0, 0, 0, 0), OURS))


def shown(**given: object) -> AppTest:
    """The page with these choices."""
    app = AppTest.from_function(page)
    for name, value in given.items():
        app.session_state[name] = value
    return app.run()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_it_is_said_where_weights_are_drawn(weights: str) -> None:
    """And nowhere else: weights by hand do not fit the usual sizes, so they are random here."""
    app = shown(weights=weights)
    is_random = weights in (*DRAWN, "by hand")
    assert [len(app.caption), len(app.button)] == [is_random, is_random]
    assert not shown(own=OwnMatrices(x=[[1.0] * 16]).address()).caption


def test_the_button_leads_to_a_trained_head() -> None:
    """The same sentence, in layer 3, head 1, and there the pronoun with what it reads."""
    app = shown().button(key="trained head").click().run()
    assert not app.button
    state = {name: app.session_state[name] for name in ("weights", "layer", "head", "query", "key")}
    assert state == {"weights": "trained", "layer": 3, "head": 1, "query": 9, "key": 2}
    trace = trace_of(Scenario(weights="trained", layer=3))
    assert (trace.tokens[9], trace.tokens[2]) == ("it", "animal")

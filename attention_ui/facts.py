"""The facts that a page states, each by its name: its sentences show the value, tests read it.

A sentence can be rewritten at will; what it claims is tested by the name of its facts.
"""

from __future__ import annotations

from typing import TypeVar

from .url_state import session

Value = TypeVar("Value")


def fact(name: str, value: Value) -> Value:
    """Note a fact of the page and give back its value, for the sentence that states it.

    Numbers and names enter a sentence through it, and so do conditions for a sentence.

        st.markdown(f"{fact('keys_hidden', n_hidden)} keys are hidden.")
        if fact("swap_matters", bool(foreign.any())):
            st.warning(...)
    """
    session().facts[name] = value
    return value

"""How the tests work in the laboratories: buttons by their names, and boxes that open."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button


def press(app: AppTest, label: str) -> AppTest:
    """The app after a button was pressed."""
    return next(button for button in app.button if button.label == label).click().run()


def opened_at(app: AppTest, expander: str) -> AppTest:
    """The app with one of its expanders open."""
    app.session_state[expander] = True
    return app.run()


def button_of(app: AppTest) -> Button:
    """The button that trains the layer of the page *Training*."""
    return app.button(key="train go")

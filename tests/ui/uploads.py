"""Numbers of one's own: files for the pages about trained heads, the page on which they are
chosen, own matrices.
"""

from __future__ import annotations

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices, layer_matrices
from tests.ui.app import opened

OWN_X = UserMatrices(x=np.arange(24.0).reshape(3, 8) / 7)
WHOLE = layer_matrices(trace_of(Scenario()))
ANIMAL = "The animal did not cross the street because it was too tired."
rng = np.random.default_rng(4)
SHARES = rng.dirichlet(np.ones(5), size=(2, 3, 5)).astype("f4")
WORDS = np.array(["one", "<b>two", "three", "$x$", "five"])
BERT = {
    f"encoder.layer.{layer}.attention.{name}.weight": rng.normal(size=(24, 24)).astype("f4") / 5
    for layer in (0, 1)
    for name in ("self.query", "self.key", "self.value", "output.dense")
}


def for_a_file(**address: object) -> AppTest:
    """The page on which one's own heads are loaded."""
    return opened("trained-heads", th_model="your own", **address)


def uploaded(name: str, content: bytes, app: AppTest | None = None, kind: str = "") -> AppTest:
    """The page on which one's own heads are loaded, after a file was chosen."""
    app = app or for_a_file(text=ANIMAL)
    app.file_uploader(key="yw_file").set_value((name, content, kind)).run()
    assert not app.exception
    return app


def asked(app: AppTest, label: str) -> Selectbox[int]:
    """The box in which the page asks this about the file."""
    return next(box for box in app.main.selectbox if box.label == label)

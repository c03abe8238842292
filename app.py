"""Attention Lab. Start it with `streamlit run app.py`."""

import os

# One visitor's products shall not take the cores of all others, and small ones are slower on
# several. NumPy reads this when it is loaded, which is below.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from attention_ui.server import middleware, open_browser, routes, set_limits

set_limits()
app = st.App(
    "attention_ui/main_script.py",
    routes=routes(),
    middleware=middleware(),
    lifespan=open_browser,
)

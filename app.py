"""Attention Lab. Start it with `streamlit run app.py`."""

import os

# One visitor's products shall not take the cores of all others, and small ones are slower on
# several. NumPy reads this when it is loaded, which is below.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from attention_ui.server import MAIN_SCRIPT, lifespan, middleware, routes, set_limits

set_limits()
app = st.App(MAIN_SCRIPT, routes=routes(), middleware=middleware(), lifespan=lifespan)

"""Attention Lab. Start it with `streamlit run app.py`."""

from attention_ui.frame import run

run()

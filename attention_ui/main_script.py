"""What Streamlit runs for every act of a visitor: the frame, and in it the page."""

from attention_ui.frame import run_app

run_app()

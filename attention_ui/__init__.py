"""Streamlit glue: controls, URL, page registry, layout, and the one place that shows errors."""

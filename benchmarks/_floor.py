"""The least a Streamlit page can do: one slider and one number."""

import streamlit as st

n_tokens = st.slider("n_tokens", 1, 64, 12, key="n_tokens")
st.write(n_tokens)

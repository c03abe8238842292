"""The usual page: the score heatmap of every head as one Plotly chart each, drawn with graph objects."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

n_tokens = st.slider("n_tokens", 1, 64, 12, key="n_tokens")
rng = np.random.default_rng(0)
columns = st.columns(4)
for head in range(4):
    scores = rng.normal(size=(n_tokens, n_tokens))
    figure = go.Figure(go.Heatmap(z=scores))
    figure.update_layout(title=f"head {head}", height=300)
    columns[head % 4].plotly_chart(figure, key=f"head {head}")

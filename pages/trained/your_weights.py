"""The user's own weights, or attention that was computed elsewhere."""

import streamlit as st

from attention_lab.user_data.weight_names import NAMINGS
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.markdown import plain
from attention_ui.own_layer import offer_story
from attention_ui.page_context import page_context
from attention_ui.registry import page_of
from attention_ui.show import explained_errors
from attention_ui.trained.head_place import open_pinned
from attention_ui.trained.heads_shown import heads_of_upload
from attention_ui.trained.uploaded_heads import (
    HEAD_PAGES,
    OWN,
    forget,
    listed,
    open_upload,
    read_uploaded_heads,
)
from attention_viz.labels import counted
from attention_viz.thumbnails import thumbnails

EXAMPLE = """model = AutoModel.from_pretrained(name, attn_implementation="eager")
outputs = model(**inputs, output_attentions=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
attention = np.stack([layer[0].detach().numpy() for layer in outputs.attentions])
np.savez("attention.npz", attention=attention, tokens=tokens)"""

now = page_context()
st.markdown(
    "Load a file, and the pages of this section show its heads. **Weights** of one layer or a whole"
    " model run on the sentence of the sidebar; **attention** that a model computed elsewhere is"
    " shown as it is."
)
file = open_upload()
if file is not None:
    st.markdown(f"**Found:** {counted(fact('arrays_found', len(file.shapes)), 'array')}.")
    with st.expander("All arrays", key="yw arrays", on_change="rerun") as arrays:
        if arrays.open:
            st.dataframe(listed(file), hide_index=True, alt="All arrays of the file")
    with explained_errors():  # what was loaded before stays, and is shown below
        st.session_state[OWN] = read_uploaded_heads(file)

own = st.session_state.get(OWN)
if own is None:
    st.caption(
        "What you choose of a file stays in this session’s memory until you drop it, close the"
        " page, or the server stops. The URL does not hold it: keep your file."
    )
    with st.expander("What can be in it", expanded=True):
        st.markdown(
            "* `.safetensors` or `.npz`. Files `.pt` and `.bin` are pickles: they can run any"
            " program when they are opened, so this page does not open them."
            " Choose one to see the two lines that convert it.\n* Weights"
            f" named as in {', '.join(naming.title for naming in NAMINGS)}.\n* Attention: one array"
            " (layers, heads, query, key), or one (heads, query, key) for each layer; labels in an"
            " array `tokens`, or typed here. With a model of Hugging Face:"
        )
        st.code(EXAMPLE, language="python")
else:
    st.success(f"Shown on the pages of this section: {plain(own.says)}.", icon=":material/check:")
    if own.projections is not None:
        st.caption(
            "A single layer has no vocabulary. If the sidebar’s inputs do not have its width, it"
            " reads random word vectors. Its weights and every step are real, but what its heads"
            " find in random vectors means nothing."
        )
    with st.container(horizontal=True):
        for name in HEAD_PAGES:
            page = page_of(name)
            st.page_link(page.path, label=page.title, icon=page.icon)
        st.button(
            "Drop it",
            on_click=forget,
            disabled=file is not None,
            help="First remove the file above.",
        )
    if own.projections is not None:
        offer_story(own.projections, "yw take")
    maps = heads_of_upload(now, own).maps
    show_board(
        thumbnails(maps.layers, (maps.tokens, maps.memory_tokens)), "own heads", on_pin=open_pinned
    )

"""The user's own weights, or attention that was computed elsewhere."""

import streamlit as st

from attention_core.layer_names import NAMINGS
from attention_lab.page_list import page_of
from attention_ui.board import show_board
from attention_ui.layer_import import offer_story
from attention_ui.page_context import page_context
from attention_ui.show import explained_errors
from attention_ui.trained.head_place import open_pinned
from attention_ui.trained.heads_shown import heads_of_upload
from attention_ui.trained.uploaded_heads import (
    drop_upload,
    file_array_table,
    open_upload,
    read_uploaded_heads,
)
from attention_ui.trained.whose_heads import HEAD_PAGES, MODEL, OWN, UPLOAD_KEY
from attention_viz.markdown import escape_markdown
from attention_viz.thumbnails import thumbnails

SAVE_ATTENTION = """model = AutoModel.from_pretrained(name, attn_implementation="eager")
outputs = model(**inputs, output_attentions=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
attention = np.stack([layer[0].detach().numpy() for layer in outputs.attentions])
np.savez("attention.npz", attention=attention, tokens=tokens)"""

now = page_context()
st.markdown(
    "Load a file, and four pages of this section show its heads. **Weights** of one layer or of a"
    " whole model run on the sentence of the sidebar. **Attention** that a model computed elsewhere"
    " is shown as it is."
)
file = open_upload()
if file is not None:
    st.markdown(f"Arrays in the file: **{len(file.shapes)}**.")
    with st.expander("All arrays", key="yw arrays", on_change="rerun") as arrays:
        if arrays.open:
            st.dataframe(file_array_table(file), hide_index=True, alt="All arrays of the file")
    with explained_errors():  # what was loaded before stays, and is shown below
        st.session_state[UPLOAD_KEY] = read_uploaded_heads(file)

upload = st.session_state.get(UPLOAD_KEY)
if upload is None:
    st.caption(
        "What you choose of a file stays in this session’s memory until you drop it, close the"
        " page, or the server stops. The URL does not hold it: keep your file."
    )
    with st.expander("What the file may hold", expanded=True):
        st.markdown(
            "* The format is `.safetensors` or `.npz`. Files `.pt` and `.bin` are pickles: they can"
            " run any program when they are opened, so this page does not open them. Choose one to"
            " see the two lines that convert it.\n* Weights are named as in"
            f" {', '.join(naming.title for naming in NAMINGS)}.\n* Attention is one array (layers,"
            " heads, query, key), or one array (heads, query, key) for each layer. The tokens are"
            " an array `tokens`, or you type them here. With a Hugging Face model:"
        )
        st.code(SAVE_ATTENTION, language="python")
else:
    st.session_state[MODEL] = OWN
    st.success(
        f"Loaded: {escape_markdown(upload.title)}. These pages show it.", icon=":material/check:"
    )
    if upload.layer is not None:
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
            on_click=drop_upload,
            disabled=file is not None,
            help="First remove the file above.",
        )
    if upload.layer is not None:
        offer_story(upload.layer, "yw take", options=upload.options)
    maps = heads_of_upload(now, upload).maps
    board = thumbnails(maps.layers, (maps.tokens, maps.memory_tokens))
    show_board(board, "own heads", on_pin=open_pinned)

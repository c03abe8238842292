"""The heads of a file that the user loaded, kept in this session only; the file, and the choice of
what is read from it.
"""

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import streamlit as st

from attention_core import AttentionError
from attention_core.errors import FileError
from attention_core.layer_names import NAMINGS
from attention_core.positions import MAX_BASE
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES, WeightFile, open_weights
from attention_lab.page_list import OwnControls, Page
from attention_lab.trained.attention_maps import read_maps
from attention_lab.user_data.layer_search import (
    FileLayer,
    RotaryBase,
    find_layers,
    read_layer,
    read_options,
    rotary_base,
)
from attention_lab.whose_heads import HEAD_PAGES, OWN, OwnHeads
from attention_viz.markdown import escape_markdown
from attention_viz.trained.head_pages import MODEL

from ..blocks import restored
from ..layer_import import offer_story
from ..show import explained_errors
from ..upload_limits import check_upload
from .loaded_heads import load_heads

UPLOAD_KEY = "own heads"  # in the session
SAVE_ATTENTION = """model = AutoModel.from_pretrained(name, attn_implementation="eager")
outputs = model(**inputs, output_attentions=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
attention = np.stack([layer[0].detach().numpy() for layer in outputs.attentions])
np.savez("attention.npz", attention=attention, tokens=tokens)"""
CONTROLS_OF_MAPS = OwnControls(
    "The attention of your file is shown as it is. The settings of other sections stay as they are."
)
MAX_UPLOAD_MB = MAX_WEIGHT_BYTES // 1_000_000
MAX_LISTED_ARRAYS = 200


def controls_of(page: Page) -> OwnControls | None:
    """Which controls of the sidebar a page uses, after the URL has said whose heads it shows; when
    a file is shown, the file decides.

    A layer from a file uses the whole sidebar. Attention from a file uses none of it.
    """
    if page.url_path in HEAD_PAGES and restored(MODEL) == OWN and (own := _loaded()):
        return CONTROLS_OF_MAPS if own.layer is None else None
    return page.own_controls


def _loaded() -> OwnHeads | None:
    own: OwnHeads | None = st.session_state.get(UPLOAD_KEY)
    return own


def drop_upload() -> None:
    """In a callback: forget what was read from the user's file."""
    st.session_state.pop(UPLOAD_KEY, None)


def draw_upload(*_: object) -> None:
    """Draw the field for a file, what is asked about it, and what it may hold or what was read."""
    file = open_upload()
    if file is not None:
        st.markdown(f"Arrays in the file: **{len(file.shapes)}**.")
        with st.expander("All arrays", key="yw arrays", on_change="rerun") as arrays:
            if arrays.open:
                shapes = dict(islice(file.shapes.items(), MAX_LISTED_ARRAYS))
                sizes = [" × ".join(map(str, shape)) for shape in shapes.values()]
                table = {"array": list(shapes), "shape": sizes}
                st.dataframe(table, hide_index=True, alt="All arrays of the file")
        with explained_errors():  # what was loaded before stays, and is shown below
            _read_anew(file)
    if own := _loaded():
        _about(own, is_chosen=file is not None)
        return
    st.caption(
        "Load a file, and four pages of this section show its heads. **Weights** of one layer or of"
        " a whole model run on the sentence of the sidebar. **Attention** that a model computed"
        " elsewhere is shown as it is. What you choose of a file stays in this session’s memory"
        " until you drop it, close the page, or the server stops. The URL does not hold it: keep"
        " your file."
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


def _about(own: OwnHeads, is_chosen: bool) -> None:
    """What is loaded. is_chosen: whether its file still stands in the field."""
    st.success(
        f"Loaded: {escape_markdown(own.title)}. The pages of this section show it.",
        icon=":material/check:",
    )
    if own.layer is not None:
        st.caption(
            "A single layer has no vocabulary. If the sidebar’s inputs do not have its width, it"
            " reads random word vectors. Its weights and every step are real, but what its heads"
            " find in random vectors means nothing."
        )
    with st.container(horizontal=True):
        st.button(
            "Drop it", on_click=drop_upload, disabled=is_chosen, help="First remove the file above."
        )
        if own.layer is not None:
            offer_story(own.layer, "yw take", options=own.options)


def _read_anew(file: WeightFile) -> None:
    """Ask which heads of the file are wanted; if they are not those in the session, read them, and
    run the page again, which then shows them.

    Raises: AttentionError when the file holds no heads.
    """
    choices, read = _ask(file)
    source = (st.session_state["yw_file"].file_id, *choices)
    own = _loaded()
    if own is None or own.source != source:
        st.session_state[UPLOAD_KEY] = load_heads(partial(read, source), instead_of=own)
        st.rerun()


def open_upload() -> WeightFile | None:
    """Draw the field for a file and open what is there, or say why that is not possible. Only the
    header of the file is read.
    """
    file = st.file_uploader(
        f"Weights or attention: .safetensors or .npz, at most {MAX_UPLOAD_MB} MB",
        None,
        key="yw_file",
        max_upload_size=MAX_UPLOAD_MB,
    )
    if file is None:
        return None
    try:
        check_upload(file)
        return open_weights(file, file.name)
    except FileError as error:
        sentence, _, code = str(error).partition("\n")
        st.error(escape_markdown(sentence), icon=":material/error:")
        if code:
            st.code(code, language="python")
    return None


Asked = tuple[tuple[Any, ...], Callable[[tuple[Any, ...]], OwnHeads]]


def _ask(file: WeightFile) -> Asked:
    """What the user chooses of a file, and what then reads it. Raises: FileError."""
    try:
        layers = find_layers(file)
    except FileError as no_layers:
        if not any(len(shape) in (3, 4, 5) for shape in file.shapes.values()):
            raise
        return _ask_for_maps(file, no_layers)
    return _ask_for_layer(file, layers)


def _key_of(question: str) -> str:
    """The key of a question about the chosen file. Each file has keys of its own: otherwise the
    answer for the last file would hold, but the browser would not show it.
    """
    return f"yw_{question} of {st.session_state['yw_file'].file_id}"


def _ask_for_layer(file: WeightFile, layers: tuple[FileLayer, ...]) -> Asked:
    left, right = st.columns(2)
    number = left.selectbox(
        "Layer",
        range(len(layers)),
        format_func=lambda i: f"{i} · {layers[i].title}, {layers[i].d_model} wide",
        key=_key_of("layer"),
    )
    layer = layers[number]
    n_heads = right.selectbox(
        "Heads",
        layer.heads,
        index=layer.heads.index(layer.likely_heads),
        key=_key_of(f"heads {number}"),
        help="The matrices do not say how many heads they have. These numbers divide their widths.",
    )
    if not layer.saved_heads and len(layer.heads) > 1:
        st.caption("The file does not say how many heads there are. Choose your model’s number.")
    for note in layer.notes:
        st.info(escape_markdown(note))
    base = _choose_base(rotary_base(file, layer), number)
    return (number, n_heads, base), lambda source: _read_layer(file, layer, source)


def _read_layer(file: WeightFile, layer: FileLayer, source: tuple[Any, ...]) -> OwnHeads:
    """A layer with the number of heads and the base that were chosen. Raises: FileError."""
    *_, n_heads, base = source
    projections = read_layer(file, layer, n_heads)
    if projections.d_memory != projections.d_model:
        raise FileError(
            f"{layer.title} makes queries from {projections.d_model} features but keys and values"
            f" from {projections.d_memory}. It reads one sequence from another, and these pages"
            " show one sequence. Choose a layer that attends to its own inputs"
        )
    title = f"{layer.title} on your sentence, heads: {n_heads}"
    return OwnHeads(title, projections, read_options(file, layer, n_heads, base), source)


def _choose_base(rotary: RotaryBase | None, number: int) -> float | None:
    """Ask for the base of the rotary angles; None for a layer without them."""
    if rotary is None:
        return None
    chosen = st.number_input(
        "Base of the rotary angles",
        1.0,
        MAX_BASE,
        value=rotary.base,
        step=1000.0,
        format="%0.0f",
        key=_key_of(f"base {number}"),
        width=220,
    )
    if rotary.kind:
        st.caption(
            f"The file does not say the base. {rotary.base:,.0f} is that of {rotary.kind};"
            " rope_theta in the model's config.json is yours."
        )
    return float(chosen or rotary.base)  # the field may be emptied


def _ask_for_maps(file: WeightFile, no_layers: FileError) -> Asked:
    typed = st.text_area(
        "Tokens, one for each position, separated by spaces",
        "",
        key=_key_of("tokens"),
        height=70,
        help="If this is empty, the tokens of the file are used, or else the positions’ numbers.",
    )

    def read(source: tuple[Any, ...]) -> OwnHeads:
        try:
            maps = read_maps(file, tuple((typed or "").split()))
        except AttentionError as error:
            raise FileError(f"{error}. The file holds no weights either: {no_layers}") from error
        sizes = maps.sizes
        title = f"the attention of your file, layers: {sizes['L']}, heads in each: {sizes['H']}"
        return OwnHeads(title, maps, source=source)

    return (typed,), read

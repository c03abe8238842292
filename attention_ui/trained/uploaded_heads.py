"""The heads of a file that the user loaded, kept in this session only; the file, and the choice of
what is read from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from attention_core import AttentionError, Projections, Trace, attend
from attention_core.errors import FileError
from attention_core.positions import MAX_BASE
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES, WeightFile, open_weights
from attention_lab.page_list import OwnControls, Page
from attention_lab.trained.attention_maps import AttentionMaps, read_maps
from attention_lab.user_data.layer_search import (
    FileLayer,
    RotaryBase,
    find_layers,
    read_layer,
    read_options,
    rotary_base,
)
from attention_lab.words.embeddings import embed
from attention_viz.markdown import escape_markdown

from ..page_context import PageContext
from ..upload_limits import check_upload
from .whose_heads import HEAD_PAGES, OWN, UPLOAD_KEY, restore_model

CONTROLS_OF_MAPS = OwnControls(
    "The attention of your file is shown as it is. The settings of other sections stay as they are."
)
MAX_UPLOAD_MB = MAX_WEIGHT_BYTES // 1_000_000
MAX_LISTED_ARRAYS = 200


@dataclass(frozen=True, eq=False)
class UploadedHeads:
    """What was read from a file, and its name in words: the weights of one layer, or the attention
    of all heads. options: what the layer does besides, as options of `attend`.
    """

    title: str
    content: Projections | AttentionMaps
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def layer(self) -> Projections | None:
        """The weights of the layer; None if the file holds attention."""
        return self.content if isinstance(self.content, Projections) else None


def trace_of_layer(
    now: PageContext, layer: Projections, options: Mapping[str, Any] | None = None
) -> Trace:
    """The user's layer on the sentence; mask, scale and residual connection are the sidebar's.
    options: of `attend`, that the file says.

    It reads the sidebar's inputs if their width fits. Otherwise it reads the app's word vectors in
    the width of the layer.
    """
    base, scenario = now.trace, now.scenario
    inputs = base.inputs[0]
    if inputs.shape[1] != layer.d_model:
        embedding = embed(
            base.tokens, layer.d_model, kind=scenario.embedding, positions=scenario.positions
        )
        inputs = embedding.inputs
    trace = attend(
        inputs,
        layer,
        mask=base.mask,
        scale=None if scenario.scaling == "on" else base.scale,
        residual=scenario.residual and layer.d_out == layer.d_model,
        **(options or {}),
    )
    return trace.labelled(base.tokens)


def controls_of(page: Page) -> OwnControls | None:
    """Which controls of the sidebar a page uses, after the URL has said whose heads it shows; when
    a file is shown, the file decides.

    A layer from a file uses the whole sidebar. Attention from a file uses none of it.
    """
    if page.url_path not in HEAD_PAGES or restore_model() != OWN:
        return page.own_controls
    upload = st.session_state[UPLOAD_KEY]
    return CONTROLS_OF_MAPS if upload.layer is None else None


def drop_upload() -> None:
    """In a callback: forget what was read from the user's file."""
    st.session_state.pop(UPLOAD_KEY, None)


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


def file_array_table(file: WeightFile) -> dict[str, list[Any]]:
    """The first arrays of a file as columns of a table."""
    shapes = list(file.shapes.items())[:MAX_LISTED_ARRAYS]
    return {
        "array": [name for name, _ in shapes],
        "shape": [" × ".join(map(str, shape)) for _, shape in shapes],
    }


def read_uploaded_heads(file: WeightFile) -> UploadedHeads:
    """Ask which heads of the file are wanted, and read them.

    Raises: AttentionError when the file holds no heads.
    """
    try:
        layers = find_layers(file)
    except FileError as no_layers:
        if not any(len(shape) in (3, 4, 5) for shape in file.shapes.values()):
            raise
        return _read_maps(file, no_layers)
    return _read_layer(file, layers)


def _key_of(question: str) -> str:
    """The key of a question about the chosen file. Each file has keys of its own: otherwise the
    answer for the last file would hold, but the browser would not show it.
    """
    return f"yw_{question} of {st.session_state['yw_file'].file_id}"


def _read_layer(file: WeightFile, layers: tuple[FileLayer, ...]) -> UploadedHeads:
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
    projections = read_layer(file, layer, n_heads)
    if projections.d_memory != projections.d_model:
        raise FileError(
            f"{layer.title} makes queries from {projections.d_model} features but keys and values"
            f" from {projections.d_memory}. It reads one sequence from another, and these pages"
            " show one sequence. Choose a layer that attends to its own inputs"
        )
    title = f"{layer.title} on your sentence, heads: {n_heads}"
    options = read_options(file, layer, n_heads, _choose_base(rotary_base(file, layer), number))
    return UploadedHeads(title, projections, options)


def _choose_base(found: RotaryBase | None, number: int) -> float | None:
    """Ask for the base of the rotary angles; None for a layer without them."""
    if found is None:
        return None
    chosen = st.number_input(
        "Base of the rotary angles",
        1.0,
        MAX_BASE,
        value=found.base,
        step=1000.0,
        format="%0.0f",
        key=_key_of(f"base {number}"),
        width=220,
    )
    if found.kind:
        st.caption(
            f"The file does not say the base. {found.base:,.0f} is that of {found.kind};"
            " rope_theta in the model's config.json is yours."
        )
    return float(chosen or found.base)  # the field may be emptied


def _read_maps(file: WeightFile, no_layers: FileError) -> UploadedHeads:
    typed = st.text_area(
        "Tokens, one for each position, separated by spaces",
        "",
        key=_key_of("tokens"),
        height=70,
        help="If this is empty, the tokens of the file are used, or else the positions’ numbers.",
    )
    try:
        maps = read_maps(file, tuple((typed or "").split()))
    except AttentionError as error:
        raise FileError(f"{error}. The file holds no weights either: {no_layers}") from error
    sizes = maps.sizes
    title = f"the attention of your file, layers: {sizes['L']}, heads in each: {sizes['H']}"
    return UploadedHeads(title, maps)

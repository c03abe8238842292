"""The user's own file of weights or of attention: read here, and kept in this session alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from attention_core import AttentionError, Projections, Trace, attend
from attention_core.embeddings import embed
from attention_core.errors import FileError
from attention_lab.files.weight_file import MAX_WEIGHT_BYTES, WeightFile
from attention_lab.files.weight_formats import open_weights
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.maps_file import read_maps
from attention_lab.user_data.layer_numbers import read_layer
from attention_lab.user_data.own_weights import FoundLayer, find_layers
from attention_viz.labels import counted

from ..facts import fact
from ..markdown import plain
from ..page_context import PageContext
from ..registry import OwnControls, Page
from ..upload_room import check_kept

# In the session: the file, and whether it or the model is shown.
OWN, WHOSE_KEY = "own heads", "th_whose"
LARGEST = MAX_WEIGHT_BYTES // 1_000_000  # MB
MAX_LISTED_ARRAYS = 200
# The pages that show the heads of a file.
HEAD_PAGES = ("trained-heads", "one-head", "find-a-head", "layers")
CONTROLS_OF_MAPS = OwnControls(
    "The attention of your file is shown as it is. What was set for other sections stays here."
)


@dataclass(frozen=True, eq=False)
class UploadedHeads:
    """What a file gave: one layer's weights, or the attention of all heads, with a word on
    where it is from.
    """

    says: str
    given: Projections | AttentionMaps

    @property
    def projections(self) -> Projections | None:
        """The weights, or None where the file holds attention."""
        return self.given if isinstance(self.given, Projections) else None

    @property
    def maps(self) -> AttentionMaps | None:
        """The attention, or None where the file holds weights."""
        return self.given if isinstance(self.given, AttentionMaps) else None


def trace_of_layer(now: PageContext, projections: Projections) -> Trace:
    """The user's layer on the sentence: mask, scale and residual are the sidebar's.

    It reads the sidebar's inputs if their width fits. Otherwise it reads the app's word vectors
    in the width of the layer.
    """
    given, scenario = now.trace, now.scenario
    inputs = given.inputs[0]
    if inputs.shape[1] != projections.d_model:
        inputs = embed(
            given.tokens, projections.d_model, kind=scenario.embedding, positions=scenario.positions
        )
        inputs = inputs.inputs
    trace = attend(
        inputs,
        projections,
        mask=given.mask,
        scale=None if scenario.scaling == "on" else given.scale,
        residual=scenario.residual and projections.d_out == projections.d_model,
    )
    return trace.labelled(given.tokens)


def controls_of(page: Page) -> OwnControls | None:
    """Which controls of the sidebar a page uses; when a file is shown, the file decides.

    A layer from a file uses the whole sidebar. Attention from a file uses none of it.
    """
    own = st.session_state.get(OWN)
    if own is None or page.url_path not in HEAD_PAGES or st.session_state.get(WHOSE_KEY) == "model":
        return page.own_controls
    return CONTROLS_OF_MAPS if own.projections is None else None


def open_upload() -> WeightFile | None:
    """Draw the place for a file and open what is there, or say why not; only its header is read."""
    file = st.file_uploader(
        f"Weights or attention: .safetensors or .npz, at most {LARGEST} MB",
        None,
        key="yw_file",
        max_upload_size=LARGEST,
    )
    if file is None:
        return None
    try:
        check_kept(file)
        return open_weights(file, file.name)
    except FileError as error:
        sentence, _, code = str(error).partition("\n")
        st.error(plain(sentence), icon=":material/error:")
        if code:
            st.code(code, language="python")
    return None


def forget() -> None:
    """In a callback: drop what the user's file gave."""
    st.session_state.pop(OWN, None)


def read_uploaded_heads(file: WeightFile) -> UploadedHeads:
    """Ask what of the file is wanted, and read it. Raises: AttentionError when it holds no
    heads.
    """
    try:
        layers = find_layers(file)
    except FileError as no_layers:
        if not any(len(shape) in (3, 4, 5) for shape in file.shapes.values()):
            raise
        return _maps(file, no_layers)
    return _layer(file, layers)


def _asked(what: str) -> str:
    """The key of a question about the chosen file: asked anew for the next, else an answer is
    heard but not shown.
    """
    return f"yw_{what} of {st.session_state['yw_file'].file_id}"


def _layer(file: WeightFile, layers: tuple[FoundLayer, ...]) -> UploadedHeads:
    left, right = st.columns(2)
    number = left.selectbox(
        "Layer",
        range(len(layers)),
        format_func=lambda i: f"{i} · {layers[i].title}, {layers[i].d_model} wide",
        key=_asked("layer"),
    )
    layer = layers[number]
    heads = right.selectbox(
        "Heads",
        layer.heads,
        index=layer.heads.index(layer.likely_heads),
        key=_asked(f"heads {number}"),
        help="The matrices do not say how many heads they are for: these numbers divide them.",
    )
    if not layer.saved_heads and len(layer.heads) > 1:
        st.caption(
            "The file does not say how many heads there are: choose the number of your model."
        )
    for note in fact("notes_on_the_layer", layer.notes):
        st.info(plain(note))
    title = f"{fact('layer_read', layer.title)}, {counted(heads, 'head')}, on your sentence"
    fact("heads_read", heads)
    projections = read_layer(file, layer, heads)
    if projections.d_memory != projections.d_model:
        raise FileError(
            f"{layer.title} makes queries from {projections.d_model} features but keys and values"
            f" from {projections.d_memory}: it looks from one sequence at another, and these pages"
            " show one. Choose a layer that attends to its own inputs"
        )
    return UploadedHeads(title, projections)


def _maps(file: WeightFile, no_layers: FileError) -> UploadedHeads:
    typed = st.text_area(
        "Tokens, one for each position, with spaces between",
        "",
        key=_asked("tokens"),
        height=70,
        help="Left empty: those in the file, or the positions' numbers.",
    )
    try:
        maps = read_maps(file, tuple((typed or "").split()))
    except AttentionError as error:
        raise FileError(f"{error}. As weights it cannot be read either: {no_layers}") from error
    sizes = maps.sizes
    fact("heads_in_layers", [sizes["H"]] * sizes["L"])
    says = f"the attention of your file, layers: {sizes['L']}, heads in each: {sizes['H']}"
    return UploadedHeads(says, maps)


def listed(file: WeightFile) -> dict[str, list[Any]]:
    """The arrays of a file, the first of them, as columns of a table."""
    shapes = list(file.shapes.items())[:MAX_LISTED_ARRAYS]
    return {
        "array": [name for name, _ in shapes],
        "shape": [" × ".join(map(str, shape)) for _, shape in shapes],
    }

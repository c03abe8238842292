"""Sources and limits: texts, papers, licences, what is not shown, how numbers are checked,
versions.
"""

import platform
from importlib.metadata import version

import streamlit as st

from attention_core import STEPS
from attention_lab.diagonal.claims.catalogue import CLAIMS, TEXTS
from attention_lab.trained.encoded_text import N_HEADS, N_LAYERS
from attention_lab.user_data.matrix_names import MAX_HEADS, MAX_MATRIX_WIDTH, MAX_TOKENS
from attention_ui.facts import fact
from attention_ui.reference.questions import concepts
from attention_ui.reference.sources import paper_list, papers

texts = dict.fromkeys(one.text for one in concepts())

n_ideas, n_claims = fact("ideas", len(concepts())), fact("claims", len(CLAIMS))

left, right = st.columns(2, gap="large")
with left:
    st.header("How we know that the numbers are right", anchor=False)
    st.markdown(f"""
- **Three independent oracles.** All {len(STEPS)} arrays are compared with attention written as
  plain Python loops; all but the memory with values frozen from PyTorch 2.13
  (`nn.MultiheadAttention`, `scaled_dot_product_attention`); the arrays inside the heads with the
  test cases of the `Attention` operator of ONNX 1.23. The trained model is compared with PyTorch,
  layer by layer.
- **Laws that hold for any numbers** are tested on numbers drawn at random: where a query sees a
  key, its row sums to 1 and what a head gives lies within the values; without positions and masks,
  shuffled tokens give shuffled outputs.
- **Planted mistakes:** typical mistakes are built in, one by one; for each there is a test that
  must fail.
- **What you read is what was computed:** pictures, tables, arithmetic, code and downloads come
  from the same arrays.
  *The code* on each step ends with a line that stops unless it gives the numbers shown.
- **Claims** are settled by a computation on the page: {n_claims} of them are
  [here](claims).
""")
    st.header("What this does not show", anchor=False)
    st.markdown(f"""
- **Meaning.** Unless weights are trained or made by hand, words are vectors drawn from their own
  letters, and weights are drawn from a seed: you see the mechanism, not what a model has learnt.
- **Why a model does something.** Attention weights say where values come from, not what is done
  with them.
- **Large models.** The controls end at {MAX_TOKENS} tokens, {MAX_MATRIX_WIDTH} dimensions and
  {MAX_HEADS} heads; the trained model has {N_LAYERS} layers of {N_HEADS} heads. No dropout, no
  text generation.
- **Speed.** Everything runs in NumPy on a processor. Times measured here say nothing about
  graphics cards.
- **All digits.** The boards get float32 and round what they show; the downloads have full
  precision.
""")
with right:
    st.header("The five texts", anchor=False)
    st.markdown("\n".join(f"- **{key}** {TEXTS[key]}" for key in texts))
    st.markdown(
        f"The page [What learners ask](questions) lists their {n_ideas} ideas, the"
        " [Glossary](glossary) their symbols. All sentences are our own. Where a text is wrong, we"
        " say so and correct it."
    )
    st.header("Licences", anchor=False)
    licence = fact("licence_of_the_model", "Apache License 2.0")
    st.markdown(
        "The app is under the MIT licence. The trained encoder in `assets/minilm` is"
        f" **all-MiniLM-L6-v2** of the Sentence Transformers project, under the {licence};"
        " the files `LICENSE` and `NOTICE` beside it say where it is from and what was changed. The"
        " cases of the ONNX operator among the tests are under the same licence."
    )
    st.header("Versions", anchor=False)
    versions = {name: version(name) for name in ("streamlit", "numpy", "plotly", "pandas")}
    versions = fact("versions", {"Python": platform.python_version()} | versions)
    st.markdown(" · ".join(f"{name} {number}" for name, number in versions.items()))
    st.caption(
        "Nothing leaves this machine: no fonts, no statistics, no model is loaded from elsewhere."
    )
st.header(f"Papers and books ({len(papers())})", anchor=False)
st.markdown(paper_list())

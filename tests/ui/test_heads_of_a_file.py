"""Heads and weights of a file on the pages about trained heads: what is shown, asked, refused
and forgotten.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_ui.trained.own_heads import AS_IT_IS, OWN
from tests.lab.hostile_weight_files import HOSTILE
from tests.lab.made_weight_files import npz, safetensors
from tests.ui.app import errors, figures, gone_to, here, opened, scenes, sent, texts, title
from tests.ui.uploads import ANIMAL, BERT, SHARES, WORDS, asked, rng, uploaded


def test_attention_from_elsewhere() -> None:
    """Maps with their labels are shown on every head page; what needs scores says that there
    are none.
    """
    app = uploaded("a.npz", npz({"attention": SHARES, "tokens": WORDS}))
    assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), SHARES[1])
    for page in ("trained-heads", "one-head", "find-a-head", "layers"):
        app = gone_to(app, page)
        assert not app.exception
        assert not app.error
        labels = {tuple(axis["labels"] or ()) for axis in scenes(app)[0]["axes"].values()}
        assert page in ("find-a-head", "layers") or tuple(WORDS) in labels
    app.selectbox(key="ly_measure").set_value("Rank of the scores").run()
    assert "only the attention is known" in app.error[0].value


def test_somebodys_layer() -> None:
    """The page lists the layers, asks for heads, and One head shows the layer's own weights at
    work.
    """
    app = uploaded("bert.safetensors", safetensors(BERT))
    assert [layer.split(" · ")[0] for layer in asked(app, "Layer").options] == ["0", "1"]
    asked(app, "Layer").set_value(1).run()
    asked(app, "Heads").set_value(4).run()
    app = gone_to(app, "one-head")
    assert "n_heads" in [
        slider.key for slider in app.sidebar.slider
    ]  # for a layer alone all controls count
    assert "n_heads" not in [slider.key for slider in gone_to(app, "training").sidebar.slider]
    app = gone_to(app, "one-head")
    heat = scenes(app)[0]["arrays"]["probabilities"]
    assert heat["shape"] == [1, 4, 13, 13]
    app.segmented_control(key="oh_step").set_value("W_Q").run()
    expected = BERT["encoder.layer.1.attention.self.query.weight"].T
    assert np.array_equal(sent(scenes(app)[1]["arrays"]["w_q"]), expected)
    app.segmented_control(key="th_whose").set_value("model").run()
    assert "n_heads" not in [slider.key for slider in app.sidebar.slider]


def test_each_file_is_asked_about_anew() -> None:
    """What was answered for one file is not taken for the next, whose boxes the browser draws
    as not yet answered.
    """
    app = uploaded("first.safetensors", safetensors(BERT))
    asked(app, "Layer").set_value(1).run()
    asked(app, "Heads").set_value(4).run()
    assert "layer\\.1\\.attention" in app.success[0].value
    assert "4 heads" in app.success[0].value
    app = uploaded("second.safetensors", safetensors(BERT), app)
    assert (asked(app, "Layer").value, asked(app, "Heads").value) == (0, 1)
    assert "layer\\.0\\.attention" in app.success[0].value
    assert "1 head," in app.success[0].value


def test_the_sidebar_has_what_the_shown_heads_read() -> None:
    """Attention is shown as it is, without the sentence; the page of a changed word always
    shows the model.
    """
    app = gone_to(
        uploaded("a.npz", npz({"attention": SHARES, "tokens": WORDS}), opened("your-weights")),
        "one-head",
    )
    assert [caption.value for caption in app.sidebar.caption] == [AS_IT_IS.says]
    assert not app.sidebar.text_area
    app.segmented_control(key="th_whose").set_value("model").run()
    assert app.sidebar.text_area
    app = gone_to(uploaded("bert.safetensors", safetensors(BERT)), "change-a-word")
    assert "n_heads" not in [slider.key for slider in app.sidebar.slider]


def test_a_layer_that_cannot_be_used_is_told() -> None:
    """The other layers are listed, and what the odd one is called is shown as it is, not as
    markup.
    """
    odd = {f"*c*.{letter}_proj.weight": np.zeros((4, 4, 1, 1), "f4") for letter in "qkvo"}
    app = uploaded("bert.safetensors", safetensors(odd | BERT))
    assert [layer.split(" · ")[0] for layer in asked(app, "Layer").options] == ["0", "1"]
    assert "1 more layer of the file cannot be used" in app.info[0].value
    assert "\\*c\\*\\.q\\_proj" in app.info[0].value


def test_a_layer_between_two_sequences_is_refused() -> None:
    """Keys of another width come from another sequence: a sentence says so, and nothing is said
    to be shown.
    """
    across = {
        f"cross.{letter}_proj.weight": np.ones((12, 12 if letter in "kv" else 10), "f4")
        for letter in "qkv"
    }
    app = uploaded(
        "bert.safetensors",
        safetensors(across | {"cross.o_proj.weight": np.ones((10, 12), "f4")} | BERT),
    )
    assert "makes queries from 10 features but keys and values from 12" in app.error[0].value
    assert not app.success
    assert OWN not in app.session_state
    asked(app, "Layer").set_value(1).run()
    assert not app.error
    assert app.success


def test_heads_that_look_evenly_are_said_to() -> None:
    """Every head of a masked layer whose scores are all 0 gives exactly the even share."""
    even = opened("your-weights", text=ANIMAL, mask="causal", scaling="custom", scale=0)
    said = texts(gone_to(uploaded("bert.safetensors", safetensors(BERT), even), "find-a-head"))
    assert "1.0 times the even share" in said
    assert said.count("times the even share") == said.count("1.0 times")


def test_hostile_files_change_nothing() -> None:
    """Whatever is wrong with a file, a sentence says so, the app goes on, and what was loaded
    before stays.
    """
    app = uploaded("a.npz", npz({"attention": SHARES, "tokens": WORDS}))
    before = app.session_state[OWN].maps.layers
    for fault, (name, make, _) in HOSTILE.items():
        app = uploaded(name, make(), app)
        assert len(app.error) == 1, fault
        assert len(app.error[0].value) < 1200, fault
        assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), SHARES[1]), fault
        assert "Drop it" in [button.label for button in app.button], fault
        assert all(
            np.array_equal(a, b)
            for a, b in zip(app.session_state[OWN].maps.layers, before, strict=True)
        ), fault
    app.file_uploader(key="yw_file").set_value(None).run()
    next(button for button in app.button if button.label == "Drop it").click().run()
    assert OWN not in app.session_state
    assert title(gone_to(app, "trained-heads")) == "All heads of a model"


def test_a_pickle_is_refused_with_the_lines_that_convert_it() -> None:
    """The reason is a sentence, the two lines can be copied."""
    app = uploaded("model.pt", b"\x80\x02")
    assert "runs whatever program" in app.error[0].value
    assert "safetensors.torch.save_file" in app.code[0].value


def test_the_file_is_in_no_address_and_no_other_session() -> None:
    """What one visitor loads is not in the address, and another one does not have it."""
    app = uploaded("a.npz", npz({"attention": SHARES}))
    assert set(app.query_params) == {"text"}
    assert OWN not in opened("your-weights").session_state


@pytest.mark.parametrize("n_queries", [1, 3])
def test_cross_attention_from_elsewhere(n_queries: int) -> None:
    """Heads whose keys are another sequence are ranked by the rules that say something of it;
    the rest are left out.
    """
    shares = rng.dirichlet(np.ones(5), size=(2, 2, n_queries)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), "find-a-head")
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="fh_rule").options == ["first token", "last token", "word to word"]
    ranking = sent(scenes(app)[0]["arrays"]["ranking"])
    assert np.allclose(ranking, shares[..., 0].mean(axis=-1))
    assert scenes(app)[1]["cell"]["index"] == [min(1, n_queries - 1), 0]
    app.selectbox(key="fh_rule").set_value("word to word").run()
    app.selectbox(key="fh_to").set_value(4).run()
    assert not app.error
    assert np.allclose(
        sent(scenes(app)[0]["arrays"]["ranking"]),
        shares[:, :, app.selectbox(key="fh_from").value, 4],
    )
    app.segmented_control(key="th_whose").set_value("model").run()
    assert len(app.selectbox(key="fh_rule").options) == 7
    app.selectbox(key="fh_rule").set_value("itself").run()
    app.segmented_control(key="th_whose").set_value("yours").run()
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="fh_rule").value == "first token"


def test_the_heading_is_true_of_a_file() -> None:
    """Over the attention of a file of 2 × 2 heads nothing tells of the model's 72 or of the
    visitor's sentence.
    """
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), "trained-heads")
    told = f"{title(app)}\n{texts(app)}"
    assert "**4 heads, one line for each layer.**" in told
    assert "72" not in told
    assert "your own sentence" not in told


def test_a_file_without_a_sentence() -> None:
    """Attention needs no sentence; weights do, which is said, and the place for a file stays to
    choose another.
    """
    app = uploaded("w.safetensors", safetensors(BERT), opened("your-weights", text=""))
    assert errors(app) == [
        "The text holds no word, so there is nothing to attend to: type at least one"
    ]
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = uploaded("a.npz", npz({"attention": shares}), app)
    assert errors(app) == []
    assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), shares[1])
    app.text_area(key="text").set_value("back again").run()
    assert here(app).trace.tokens == ("back", "again")


@pytest.mark.parametrize("page", ["change-a-word", "layers"])
def test_the_model_beside_a_file(page: str) -> None:
    """What these pages show of the trained model alone, they say not to be the file's; no
    sentence changes the file.
    """
    said = "heads of the trained model, not those of your file"
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), page)
    assert said in texts(app)
    assert "Another sentence gives other numbers" not in texts(app)
    assert said not in texts(opened(page))


def test_one_head_of_one_token() -> None:
    """One head is told of in the singular; measures that one token has not are drawn without
    NaN, which is no JSON.
    """
    app = gone_to(uploaded("a.npz", npz({"attention": np.ones((1, 1, 1, 1), "f4")})), "find-a-head")
    app.selectbox(key="fh_rule").set_value("itself").run()
    assert (
        app.subheader[0].value == scenes(app)[1]["description"][:-1] == "The head that does it most"
    )
    app = gone_to(app, "layers")
    app.selectbox(key="ly_measure").set_value("Previous-token mass").run()
    assert not app.error
    assert [part["y"] for part in figures(app)[0]["data"]] == [[None], [None]]
    assert "dashed" not in texts(app)


def test_what_no_head_does_is_done_most_by_none() -> None:
    """Where a causal mask hides every next token, no head is called the one that looks there
    most.
    """
    shares = np.tril(np.ones((1, 2, 4, 4), "f4"))
    app = uploaded("a.npz", npz({"attention": shares / shares.sum(axis=-1, keepdims=True)}))
    app = gone_to(app, "find-a-head")
    assert "does it most" in texts(app)
    app.selectbox(key="fh_rule").set_value("next token").run()
    assert "No head does it" in texts(app)
    assert "most" not in texts(app) + str([one.value for one in app.subheader])


def test_a_layer_of_one_head_under_a_causal_mask() -> None:
    """A query sees itself, too, not only what is earlier; and one head has no others beside it."""
    sides = {"c_attn": (8, 24), "c_proj": (8, 8)}
    app = uploaded(
        "w.safetensors",
        safetensors({f"attn.{n}.weight": np.ones(s, "f4") for n, s in sides.items()}),
    )
    assert app.info[0].value.startswith("In this model no query sees a later key")
    assert "other heads" not in scenes(gone_to(app, "one-head"))[0]["description"]


def test_heads_that_do_the_same_are_told_as_tied() -> None:
    """Of equal heads the first is not said to be ahead; layers and heads are counted in words."""
    app = uploaded("a.npz", npz({"attention": np.full((2, 3, 4, 4), 0.25, "f4")}))
    assert "the attention of your file, 2 layers with 3 heads each" in " ".join(
        box.value for box in app.success
    )
    assert "**Layer 0, head 0 does it most**, tied with 5 others: 25.0 %" in texts(
        gone_to(app, "find-a-head")
    )
    assert "tied with" not in texts(opened("find-a-head"))
    alone = uploaded("a.npz", npz({"attention": np.full((1, 1, 4, 4), 0.25, "f4")}))
    assert "the attention of your file, 1 layer with 1 head." in " ".join(
        box.value for box in alone.success
    )

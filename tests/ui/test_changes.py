"""A note says that weights were drawn again, cut differently or replaced, until the next change."""

from __future__ import annotations

from tests.ui.app import gone_to, opened, texts


def test_the_note_stands_until_something_else_moves() -> None:
    app = opened("scores")
    app.number_input(key="d_model").set_value(24).run()
    note = "24 instead of 16"
    assert note in texts(app)
    app.selectbox(key="query").select_index(3).run()
    assert note in texts(app)
    app.slider(key="n_heads").set_value(2).run()
    assert note not in texts(app)
    assert "2 instead of 4" in texts(app)
    assert "instead of 4" not in texts(gone_to(app, "softmax"))


def test_heads_that_do_not_divide_are_passed_over() -> None:
    app = opened("scores")
    for n_heads in (5, 8):
        app.slider(key="n_heads").set_value(n_heads).run()
    assert "8 instead of 4" in texts(app)


def test_the_first_example_left_by_its_size() -> None:
    app = opened("scores", bare=True)
    assert "made for 8 features and 2 heads" not in texts(app)
    app.slider(key="n_heads").set_value(4).run()
    assert "made for 8 features and 2 heads" in texts(app)
    assert not app.error
    app.slider(key="n_heads").set_value(2).run()
    assert "made for 8 features and 2 heads" not in texts(app)

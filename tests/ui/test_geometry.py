"""In the plane: points that move, the words of a head, and the token that is looked at."""

from __future__ import annotations

import pytest

from tests.ui.app import facts, figures, opened


def test_moving_a_token_in_the_plane() -> None:
    app = opened("geometry", plane_token="1")
    app.slider(key="plane_x").set_value(-3.0).run()
    assert app.session_state["plane"].split("; ")[1] == "-3,3"
    assert app.query_params["plane"] == app.session_state["plane"]
    app.button(key="plane inside").click().run()
    assert app.session_state["plane"] == "1,1; 4,0; 0,4; -1,-1"


def test_the_table_of_points() -> None:
    app = opened("geometry")
    app.session_state["plane points"] = True
    before = figures(app)
    app.run()
    assert not app.exception
    assert figures(app) == before


@pytest.mark.parametrize("plane", ["banana", "1,2,3", "1,2; 999,0", "1,2;" * 13, "nan,1"])
def test_nonsense_in_the_plane(plane: str) -> None:
    app = opened("geometry", plane=plane)
    assert not app.exception
    assert app.session_state["plane"].startswith("2,1; 1,3")
    assert app.toast


@pytest.mark.parametrize("kind", ["tied", "free"])
def test_the_plane_of_a_head(kind: str) -> None:
    app = opened("geometry", plane_of=kind, plane_token="11")
    assert len(figures(app)) == 1
    assert facts(app)["drawn"] == kind
    assert figures(app) != figures(opened("geometry", plane_token="11"))


@pytest.mark.parametrize(
    ("parameters", "n_tokens", "chosen"),
    [
        (
            {
                "plane_of": "tied",
                "text": "a b c d e f g h i j k l m n o p q r s t",
                "plane_token": "19",
            },
            20,
            19,
        ),
        ({"plane_of": "free", "text": "tea", "plane_token": "3"}, 1, 0),
        ({"plane": "2,1; 1,3; 0,1", "plane_token": "9"}, 3, 2),
    ],
)
def test_the_chosen_token_is_what_is_drawn(
    parameters: dict[str, str], n_tokens: int, chosen: int
) -> None:
    app = opened("geometry", **parameters)
    slider = app.select_slider(key="plane_token")
    assert slider.options == [str(place) for place in range(n_tokens)]
    assert slider.value == chosen
    assert facts(app)["chosen_token"] == chosen
    assert app.query_params.get("plane_token") == (str(chosen) if chosen else None)


def test_one_token_has_no_other() -> None:
    assert facts(opened("geometry", plane_of="tied", text="a"))["others"] == 0
    assert facts(opened("geometry", plane="0,0; 1,2"))["has_half_plane"] is False
    assert facts(opened("geometry"))["has_half_plane"] is True


@pytest.mark.parametrize(("token", "is_shaded"), [(0, False), (1, True)])
def test_a_token_at_the_origin_has_no_half_plane(token: int, is_shaded: bool) -> None:
    app = opened("geometry", plane="0,0;1,3;2,1", plane_token=token)
    assert facts(app)["has_half_plane"] is is_shaded

"""The page of the test: a link to a form, a code of the answers, the gain of two codes."""

from __future__ import annotations

import re

import pytest

from attention_lab.before_and_after import FORMS, form_questions
from attention_viz.sheets import form_sheet
from tests.lab.test_before_and_after import form_result
from tests.ui.app import errors, opened, texts


@pytest.mark.parametrize("form", FORMS)
def test_a_link_opens_a_form_and_its_answers_make_a_code(form: str) -> None:
    app = opened("before-and-after", form=form)
    assert "without an answer: 10." in texts(app)
    wanted = form_result(form)
    for place, answer in enumerate(wanted.answers, 1):
        app.radio(key=f"form {form} question {place}").set_value(answer)
    app.run()
    assert wanted.code in [code.value for code in app.code]
    assert f"**Right: {sum(wanted.right)} of 10.**" in texts(app)


def test_two_codes_give_the_gain() -> None:
    before, after = form_result("A", "diagonal"), form_result("B")
    app = opened("before-and-after", code_before=before.code, code_after=after.code)
    said = f"Right before: {sum(before.right)} of 10. Right after: 10 of 10. **Gain: 1.00.**"
    assert said in texts(app)
    app = opened("before-and-after", code_before=before.code, code_after=before.code)
    assert "form A" in errors(app)[0]


@pytest.mark.parametrize("form", FORMS)
def test_the_sheet_has_every_question_and_a_key(form: str) -> None:
    page = form_sheet(form)
    asked, key = page.split('class="key"')
    assert len(re.findall(r'class="options"', asked)) == 10
    assert key.count("<li>") == 10
    for place, guess in zip(form_result(form).answers, form_questions(form), strict=True):
        assert f"<li>{place}: {guess.answer}" in key

"""Claims about the summary of an analysis: what a reader of a terminal or of Markdown is told."""

import re

import pytest

from analysis_examples import inputs_of_scores
from attunebench.analysis.analyze import Analysis, Options, analyze
from attunebench.analysis.compared import compare_settings
from attunebench.analysis.ranking import ranking
from attunebench.report.formats import to_markdown
from attunebench.report.summary import summary

TWO = ("mode=default", "model=baseline/lexicon|baseline/majority")


@pytest.fixture(scope="module")
def told(scores_folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attunebench.analysis.inputs.RESAMPLES", 200)
        return analyze(scores_folder, Options(where=TWO, seed=3))


def test_it_says_what_it_stands_on(told):
    text = to_markdown(summary(told))
    assert "14 conversations in 11 clusters; a cluster is a participant (conversation where no id: 1 of 14)." in text
    assert "200 resamples, 200 flips, seed 3." in text
    assert r"Only where mode=default and model=baseline/lexicon\|baseline/majority." in text
    assert "The conversations are made up: these numbers say nothing about any model." in text


def test_no_verdict_is_that_models_are_equal(told):
    text = to_markdown(summary(told)).replace('"Not distinguished" never means equal.', "")
    assert not re.search(r"\b(equal|same|alike|does not hold)\b", text, re.IGNORECASE)


def test_it_shows_ranks_groups_claims_and_what_is_missing(told):
    titles = [shown.title for shown in summary(told)]
    assert any(title.startswith("The published claims (arXiv 2605.21739) on these data") for title in titles)
    assert sum(title.startswith("Leaderboard, ") for title in titles) == 2
    assert titles[-2:] == ["Who was counted where", "What these data do not allow"]
    counted = summary(told)[-2]
    fields = {row[0] for rows in counted.sections for row in rows}
    assert fields == {"diagnosis", "topic", "age"}


def test_a_model_without_a_composite_has_no_rank():
    inputs = inputs_of_scores({"reference/composite_score": [[1.0, 2.0], [float("nan")] * 2]})
    about = {"conversations": 2, "clusters": 2, "cluster": "participant", "resamples": 1, "flips": 1, "seed": 0}
    analysis = Analysis([ranking(inputs, compare_settings(inputs))], about | {"where": [], "made_up": False})
    board, missing = summary(analysis)
    assert [row[:4] for row in board.sections[0]][1] == ["m2", None, None, None]
    assert board.sections[0][0][3] == "1"
    assert "made up" not in " ".join(missing.notes)

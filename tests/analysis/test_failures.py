"""Claims about the diagnosis of failures: each planted behaviour is found, and the others are not."""

import itertools
from dataclasses import replace

import pytest

from analysis_examples import assert_tidy, cells, inputs_from, inputs_of, private_texts, table
from attunebench.analysis.failures import failures
from attunebench.instrument import EMOTION_WORDS, EMOTIONS
from score_examples import answered, comparison, conversation, judgement, outcome, panas, record, tags, turn

PAIRS = [*itertools.permutations(("original", "alternate", "human"), 2)]
REPLIES = {"llmImproved": "one two three four", "humanEdited": "one"}
"""Of the original there are two words: human < original < alternate."""
ORIGINAL = "one two"
LENGTHS = {"original": 2, "alternate": 4, "human": 1}
OPPOSITE = {
    word: min(EMOTIONS, key=lambda e: abs(e.valence - (1 - valence))).word
    for word, valence in ((e.word, e.valence) for e in EMOTIONS)
}
NUMBERS = range(1, 9)


def felt(number, place):
    """Two words with their intensities, other ones in every turn."""
    chosen = EMOTION_WORDS[(3 * number + 5 * place) % 20], EMOTION_WORDS[(3 * number + 5 * place + 7) % 20]
    return [(word, intensity) for word, intensity in zip(chosen, (5, 3), strict=True)]


def judged(number, place):
    """Of every question, half of the participants say yes: B1 and B13 are of different branches."""
    answers = {"B1": number % 2 == 0, "B13": (number + place) % 2 == 0}
    return {key: "yes" if yes else "no" for key, yes in answers.items()}


def winner(number, place, pair):
    return "AB"[(number + place + (pair > pair[::-1])) % 2]


def talk(number):
    turns = [
        turn(
            place,
            feelings=tags(*felt(number, place)),
            reply=ORIGINAL,
            binaryJudgements=[judgement(key, said, said) for key, said in judged(number, place).items()],
            alternateResponses=REPLIES,
            pairwiseComparisons=[comparison(*pair, winner(number, place, pair)) for pair in PAIRS],
        )
        for place in (1, 2)
    ]
    return conversation(
        *turns,
        conversationId=f"c{number}",
        participant_profile={"participant_id": f"p{number}"},
        postPanas=panas(30, 20),
        conversationWideQuestions={"fourBranchScores": {"managing": 4, "perceiving": 2 + number % 3}},
    )


def seen(number, feel=lambda tag: [tag], judge=lambda said: said, choose=None, rate=lambda rating: rating):
    """A record of a model that sees everything as it was, but for what is planted."""
    turns = []
    for place in (1, 2):
        said = {key: judge(answer) for key, answer in judged(number, place).items()}
        letters = [choose(pair) if choose else winner(number, place, pair) for pair in PAIRS]
        binary = ("om_assessment", "human_prediction", "om_assessment_hp", "human_prediction_hp")
        turns.append(
            answered(
                place,
                em_emotion_tags=tags(*(named for tag in felt(number, place) for named in feel(tag))),
                em_pairwise_selections={str(index): letter for index, letter in enumerate(letters)},
                **{f"em_binary_{which}": said for which in binary},
            )
        )
    branches = {"managing": rate(4), "perceiving": rate(2 + number % 3)}
    return record(*turns, conversationId=f"c{number}", post=outcome(panas(30, 20), fourBranchScores=branches))


def diagnosis(**planted):
    return failures(inputs_of([talk(number) for number in NUMBERS], [seen(number, **planted) for number in NUMBERS]))


def signs(part):
    """What a diagnosis tells of: by table and number, its value; for all that is 0 in a model without fault."""
    yes_no = cells(table(part, "yes_no").filter(call="review", kind="observed"), "metric")
    leanings = cells(table(part, "leanings").filter(metric="difference"), "leaning")
    emotions = cells(table(part, "emotion_errors"), "metric")
    branches = cells(table(part, "four_branches").filter(branch="managing"), "metric")
    return {
        "yes": yes_no["yes_rate_difference"],
        "wrong": 1 - yes_no["accuracy"],
        **{f"leans to {leaning}": value for leaning, value in leanings.items()},
        **emotions,
        "branch bias": branches["bias"],
    }


FAULTLESS = dict.fromkeys(
    (
        *("yes", "wrong", "branch bias"),
        *(f"leans to {leaning}" for leaning in ("original", "alternate", "human", "side A", "longer")),
        *("valence_flip", "number_difference", "too_many", "too_few", "intensity_difference"),
    ),
    0,
)


def test_a_model_without_fault_has_none_of_them():
    assert signs(diagnosis()) == FAULTLESS


def test_a_model_that_says_yes_to_everything_is_found():
    part = diagnosis(judge=lambda _: "yes")
    assert signs(part) == FAULTLESS | {"yes": 0.5, "wrong": 0.5}
    rates = cells(table(part, "yes_no").filter(call="perspective", kind="preferred"), "metric")
    assert (rates["yes_rate"], rates["yes_rate_participants"], rates["accuracy"]) == (1, 0.5, 0.5)


def test_a_missing_answer_is_wrong_and_is_neither_yes_nor_no():
    part = diagnosis(judge=lambda said: said if said == "yes" else "na")
    rates = cells(table(part, "yes_no").filter(call="review", kind="observed"), "metric")
    assert rates == {"accuracy": 0.5, "yes_rate": 1, "yes_rate_participants": 1, "yes_rate_difference": 0}
    n = cells(table(part, "yes_no").filter(call="review", kind="observed"), "metric", column="n")
    assert (n["accuracy"], n["yes_rate"]) == (32, 16)


def test_questions_and_branches_are_told_one_by_one():
    part = diagnosis()
    questions = table(part, "yes_no_questions").filter(call="review", kind="observed", metric="yes_rate_participants")
    assert cells(questions, "question", "branch") == {("B1", "perceiving"): 0.5, ("B13", "using"): 0.5}
    assert set(questions["n"]) == {16} and set(questions["clusters"]) == {8}
    branches = table(part, "yes_no_branches").filter(metric="accuracy")
    assert cells(branches, "branch", "call", "kind") == {
        (branch, call, kind): 1
        for branch in ("perceiving", "using")
        for call in ("review", "perspective")
        for kind in ("observed", "preferred")
    }


def test_a_question_of_the_data_set_s_own_has_no_known_branch():
    one = conversation(turn(1, binaryJudgements=[judgement("mine", "yes", None)]))
    part = failures(inputs_of([one], [record(answered(1, em_binary_om_assessment={"mine": "yes"}))]))
    found = cells(table(part, "yes_no_questions").filter(metric="accuracy", call="review"), "question", "branch")
    assert found == {("mine", "(unknown)"): 1}


def test_a_model_that_always_takes_side_a_is_found():
    # Pairs stand once each way round, so that a side is neither a label nor a length.
    found = signs(diagnosis(choose=lambda _: "A"))
    assert found == FAULTLESS | {"leans to side A": 0.5}


def test_a_model_that_always_takes_the_longer_reply_is_found():
    found = signs(diagnosis(choose=lambda pair: "A" if LENGTHS[pair[0]] > LENGTHS[pair[1]] else "B"))
    # Of the labels, the longest always wins and the shortest never: that goes with length and is told as such.
    assert found == FAULTLESS | {"leans to longer": 0.5, "leans to alternate": 0.5, "leans to human": -0.5}


def test_of_replies_of_equal_length_none_is_longer_and_of_equal_labels_none_is_chosen():
    asked = [
        comparison("original", "human", "A"),
        comparison("human", "human", "A"),
        comparison("original", "alternate", "A"),
    ]
    one = conversation(
        turn(1, reply="one two", alternateResponses={"humanEdited": "two words"}, pairwiseComparisons=asked)
    )
    given = record(answered(1, em_pairwise_selections={"0": "B", "1": "A", "2": "A"}))
    found = table(failures(inputs_of([one], [given])), "leanings")
    assert cells(found.filter(metric="model"), "leaning", column="n") == {
        "original": 2,
        "alternate": 1,
        "human": 1,
        "side A": 3,
    }
    assert cells(found.filter(metric="difference"), "leaning") == {
        "original": -0.5,
        "alternate": 0,
        "human": 1,
        "side A": pytest.approx(-1 / 3),
    }


def test_a_model_that_always_takes_the_original_is_found():
    def choose(pair):
        if "original" in pair:
            return "A" if pair[0] == "original" else "B"
        return "A"

    found = signs(diagnosis(choose=choose))
    # It takes wins from both others. Where there is no original, in 2 of 6 comparisons, it takes A.
    assert found == FAULTLESS | {
        "leans to original": 0.5,
        "leans to alternate": -0.25,
        "leans to human": -0.25,
        "leans to side A": pytest.approx(1 / 6),
    }


def test_one_emotion_too_many_in_every_turn_is_found():
    extra = iter(itertools.cycle([("Alert", 4), None]))

    def feel(tag):
        more = next(extra)
        return [tag, more] if more else [tag]

    numbers = [sum("Alert" not in dict(felt(number, place)) for place in (1, 2)) for number in NUMBERS]
    share = sum(numbers) / 16
    part = diagnosis(feel=feel)
    found = signs(part)
    assert found["number_difference"] == found["too_many"] == pytest.approx(share)
    assert found["too_few"] == 0
    none = table(part, "emotion_confusion").filter(word="(none)")
    assert none.select("predicted", "count", "value").rows() == [("Alert", sum(numbers), 1)]


def test_an_emotion_left_out_is_found():
    def feel(tag):
        return [tag] if tag[1] == 5 else []

    found = signs(diagnosis(feel=feel))
    assert (found["number_difference"], found["too_few"], found["too_many"]) == (-1, 1, 0)


def test_an_inverted_mood_is_found_as_flipped_valence_and_as_nothing_else_that_is_counted():
    one = conversation(turn(1, feelings=tags(("Proud", 5))), turn(2, feelings=tags(("Scared", 3), ("Guilty", 2))))
    wrong = record(
        answered(1, em_emotion_tags=tags(("Upset", 5))),
        answered(2, em_emotion_tags=tags(("Proud", 3), ("Alert", 2))),
    )
    part = failures(inputs_of([one], [wrong]))
    found = cells(table(part, "emotion_errors"), "metric")
    assert found == {"valence_flip": 1, "number_difference": 0, "too_many": 0, "too_few": 0}
    right = failures(inputs_of([one], [record(*_answered_rightly())]))
    assert cells(table(right, "emotion_errors"), "metric")["valence_flip"] == 0


def _answered_rightly():
    yield answered(1, em_emotion_tags=tags(("Alert", 5)))
    yield answered(2, em_emotion_tags=tags(("Upset", 1)))


def test_a_turn_without_an_answer_has_not_too_few_emotions():
    one = conversation(turn(1, feelings=tags(("Proud", 5))), turn(2, feelings=tags(("Proud", 5))))
    given = record(answered(1, em_emotion_tags=tags(("Proud", 5))), answered(2, em_emotion_tags=None))
    found = table(failures(inputs_of([one], [given])), "emotion_errors").filter(metric="too_few")
    assert found.select("value", "n").rows() == [(0, 1)]


def test_too_strong_an_intensity_is_found():
    found = signs(diagnosis(feel=lambda tag: [(tag[0], tag[1] + 2)]))
    assert found["intensity_difference"] == 2
    assert found | {"intensity_difference": 0} == FAULTLESS


def test_confusion_counts_which_word_stands_for_which_by_turns():
    one = conversation(
        turn(1, feelings=tags(("Scared", 5), ("Proud", 3))),
        turn(2, feelings=tags(("Scared", 5))),
        turn(3, feelings=tags(("Scared", 5))),
        turn(4, feelings=[]),
    )
    given = record(
        answered(1, em_emotion_tags=tags(("Inspired", 5), ("Afraid", 3))),
        answered(2, em_emotion_tags=tags(("scared", 5))),
        answered(3, em_emotion_tags=tags(("wistful", 5))),
        answered(4, em_emotion_tags=tags(("Alert", 5))),
    )
    found = table(failures(inputs_of([one], [given])), "emotion_confusion")
    assert set(found.select("word", "predicted", "count", "n").rows()) == {
        ("Scared", "Afraid", 1, 3),
        ("Scared", "Scared", 1, 3),
        ("Scared", "(other)", 1, 3),
        ("Proud", "Inspired", 1, 1),
        ("(none)", "Alert", 1, 1),
    }


def test_branches_rated_too_high_are_found():
    part = diagnosis(rate=lambda rating: rating + 2)
    found = signs(part)
    assert found == FAULTLESS | {"branch bias": 2}
    managing = cells(table(part, "four_branches").filter(branch="managing"), "metric")
    assert (managing["error"], managing["missing"]) == (2, 0)


def test_the_conversations_furthest_off_are_told_by_kind_of_error():
    records = [seen(number) for number in NUMBERS]
    records[3] = seen(4, judge=lambda said: "yes" if said == "no" else "no")
    records[5] = seen(6, rate=lambda _: 7)
    records[6] = seen(7).model_copy(
        update={"calls": record(calls=[_call("draft", "refused"), _call("review", "parsed")]).calls}
    )
    records[1] = seen(2).model_copy(
        update={"calls": record(calls=[_call("draft", "parsed"), _call("judge", "refused")]).calls}
    )
    found = table(failures(inputs_of([talk(number) for number in NUMBERS], records)), "furthest")
    behaviour = found.filter(kind="behaviour")
    assert behaviour.select("rank", "conversation", "value", "n", "clusters").rows() == [(1, "c4", 1, 8, 8)]
    assert found.filter(kind="branches")["conversation"].to_list() == ["c6"]
    assert found.filter(kind="calls failed").select("conversation", "value", "n").rows() == [("c7", 0.5, 2)]
    assert found.filter(kind="emotion").is_empty()
    assert set(found.filter(kind="draft")["value"]) == {1}, "nothing was drafted"
    assert found.filter(kind="draft")["rank"].to_list() == [1, 2, 3, 4, 5]


def _call(kind, state):
    return {"turn": 1, "call": kind, "state": state}


def test_without_records_only_the_furthest_are_told():
    part = failures(replace(inputs_of([talk(1)], [seen(1)]), records="no run records here"))
    assert [one.name for one in part.tables] == ["furthest"]
    (missing,) = part.missing
    assert "no run records here" in missing.reason


def test_what_was_not_asked_is_missing_with_its_reason():
    part = failures(inputs_of([conversation(turn(1))], [record(answered(1))]))
    assert [missing.part for missing in part.missing] == [
        "yes/no questions",
        "four branches",
        "leanings",
        "emotion errors",
    ]


def test_on_the_demo_the_oracle_has_no_fault_and_every_number_says_what_it_stands_on(scores_folder):
    inputs = inputs_from(scores_folder)
    part = failures(inputs)
    assert part.missing == []
    assert_tidy(part, private_texts(inputs))
    oracle = [(one.name, one.frame.filter(model="baseline/oracle", mode="default")) for one in part.tables]
    frames = dict(oracle)
    assert set(frames["yes_no"].filter(metric="accuracy")["value"]) == {1}
    assert set(frames["leanings"].filter(metric="difference")["value"]) == {0}
    assert set(frames["emotion_errors"].filter(metric="valence_flip")["value"]) == {0}
    assert frames["emotion_confusion"]["word"].to_list() == frames["emotion_confusion"]["predicted"].to_list()
    assert set(frames["furthest"]["kind"]) <= {"draft"}

"""Claims about uniform answers."""

from collections import Counter

from baseline_examples import call, conversation, said, turn

from attunebench.baselines import make_baseline
from attunebench.instrument import BRANCHES, CLARITY_OPTIONS, EMOTION_WORDS, FIT_OPTIONS, LOOKING_FOR_OPTIONS

ONE = conversation(
    "one",
    turn(1, judged={"B1": (None, None), "B2": (None, None)}, compared=[("general", "original", "human", None)]),
    by="p1",
)
N = 2000


def draws(kind, **options):
    return [said(make_baseline("random", [ONE], seed=seed), ONE, kind, **options) for seed in range(N)]


def is_even(counts, values):
    """All values occur, and none is further than 5 standard deviations from its even share."""
    n, share = sum(counts.values()), 1 / len(values)
    slack = 5 * (n * share * (1 - share)) ** 0.5
    return set(counts) == set(values) and all(abs(c - n * share) < slack for c in counts.values())


def test_the_seed_alone_decides():
    one, same, other = (make_baseline("random", [ONE], seed=seed) for seed in (1, 1, 2))
    asked = call(ONE, "outcome")
    assert one.reply(ONE, asked) == one.reply(ONE, asked) == same.reply(ONE, asked) != other.reply(ONE, asked)


def test_a_seed_gives_these_answers_on_every_machine():
    review = said(make_baseline("random", [ONE], seed=0), ONE, "review")
    assert review == said(make_baseline("random", [], seed=0), ONE, "review")
    assert review == {
        "emotion_tags": [
            {"emotion": "Jittery", "intensity": 3},
            {"emotion": "Alert", "intensity": 2},
            {"emotion": "Interested", "intensity": 6},
        ],
        "binary_om_assessment": {"B1": "yes", "B2": "no"},
        "binary_human_prediction": {"B1": "no", "B2": "yes"},
    }


def test_conversations_turns_and_kinds_are_drawn_apart():
    turns = [turn(n, judged={f"B{k}": (None, None) for k in range(1, 21)}) for n in (1, 2)]
    here, there = conversation("here", *turns), conversation("there", *turns)
    random = make_baseline("random", [here, there])
    answers = [
        said(random, one, kind, number)["binary_om_assessment"]
        for one in (here, there)
        for kind in ("review", "perspective")
        for number in (1, 2)
    ]
    assert len({tuple(answer.values()) for answer in answers}) == 8


def test_zero_to_four_different_words_with_intensities():
    tags = [reply["emotion_tags"] for reply in draws("review")]
    assert is_even(Counter(map(len, tags)), range(5))
    assert all(len({tag["emotion"] for tag in reply}) == len(reply) for reply in tags)
    flat = [tag for reply in tags for tag in reply]
    assert is_even(Counter(tag["emotion"] for tag in flat), EMOTION_WORDS)
    assert is_even(Counter(tag["intensity"] for tag in flat), range(1, 8))


def test_yes_no_and_letters_are_even():
    reviews = draws("review")
    for key in ("binary_om_assessment", "binary_human_prediction"):
        for question in ("B1", "B2"):
            assert is_even(Counter(reply[key][question] for reply in reviews), ["yes", "no"])
    assert is_even(Counter(reply["pairwise_selections"]["0"] for reply in draws("pairwise")), "AB")


def test_outcome_items_options_and_branches_are_even():
    replies = draws("outcome")
    wide = [reply["conversation_wide"] for reply in replies]
    for word in EMOTION_WORDS:
        assert is_even(Counter(reply["predicted_post_panas"][word] for reply in replies), range(1, 8))
    subsets = Counter(tuple(reply["q1_lookingFor"]) for reply in wide)
    assert is_even(subsets, list(subsets)) and len(subsets) == 2 ** len(LOOKING_FOR_OPTIONS) - 1 and () not in subsets
    assert is_even(Counter(reply["q2_emotionClarity"] for reply in wide), CLARITY_OPTIONS)
    assert is_even(Counter(reply["q3_modelFit"] for reply in wide), FIT_OPTIONS)
    for branch in BRANCHES:
        assert is_even(Counter(reply["fourBranchScores"][branch] for reply in wide), range(1, 8))
    assert all(reply["q3_followUp_whatFeltOff"] == [] for reply in wide)


def test_changes_run_from_minus_6_to_6():
    for strategy in ("delta", "blind_delta"):
        changes = Counter(reply["predicted_panas_delta"]["Proud"] for reply in draws("outcome", strategy=strategy))
        assert is_even(changes, range(-6, 7))


def test_a_draft_is_a_reply_that_another_participant_got():
    data = [
        conversation("one", turn(1, reply="own"), by="p"),
        conversation("two", turn(1, reply="own too"), by="p"),
        conversation("three", turn(1, reply="x"), turn(2, reply="y"), turn(3, reply="  "), by="p\0"),
        conversation("four", turn(1, reply="z"), by=None),
    ]
    seeds = range(600)
    mine = Counter(said(make_baseline("random", data, seed=s), data[0], "draft")["drafted_response"] for s in seeds)
    assert is_even(mine, "xyz")
    unnamed = Counter(said(make_baseline("random", data, seed=s), data[3], "draft")["drafted_response"] for s in seeds)
    assert is_even(unnamed, ["own", "own too", "x", "y"])


def test_without_other_participants_the_draft_is_a_fixed_text():
    drafts = {said(make_baseline("random", [ONE], seed=s), ONE, "draft")["drafted_response"] for s in range(5)}
    assert len(drafts) == 1 and "I see." not in drafts and "" not in drafts

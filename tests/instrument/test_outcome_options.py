"""Claims about the answers offered after a conversation."""

from attunebench import instrument as ins


def test_labels_are_the_exact_values_of_the_data():
    assert ins.LOOKING_FOR_OPTIONS == (
        "To just listen or let me vent",
        "To help me understand or sort out my feelings",
        "To help me think through options or make a decision",
        "To help with something urgent, risky, or high-stakes",
        "To get specific information or advice",
        "To help me calm down or feel steadier",
        "Other",
    )
    assert ins.CLARITY_OPTIONS == (
        "Clear and explicitly stated",
        "Implied or indirect",
        "Mixed or conflicted",
        "Unclear / evolving as I talked",
    )


def test_fit_runs_from_best_to_worst_and_its_first_two_are_good():
    assert ins.FIT_OPTIONS == (
        "Very well-matched and adaptive",
        "Mostly well-matched",
        "Mixed, some good moments, some misses",
        "Mostly off-target or intrusive",
    )
    assert ins.FIT_OPTIONS[:2] == ins.GOOD_FITS

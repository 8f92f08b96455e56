"""Claims about corrections for many tests."""

import numpy as np

from attunebench.stats.multiple import adjust

BENJAMINI_HOCHBERG_1995 = np.array(
    [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1]
)
"""Fifteen hypotheses on thrombolysis, section 3.2 of the paper."""


def test_the_published_example_four_findings_and_three_under_familywise_control():
    for order in (slice(None), slice(None, None, -1)):
        p = BENJAMINI_HOCHBERG_1995[order]
        assert sorted(p[adjust(p, "bh") < 0.05]) == [0.0001, 0.0004, 0.0019, 0.0095]
        assert sorted(p[adjust(p, "holm") < 0.05]) == [0.0001, 0.0004, 0.0019]


def test_by_hand():
    p = np.array([0.04, 0.01, 0.02])
    assert np.allclose(adjust(p, "holm"), [0.04, 0.03, 0.04])
    assert np.allclose(adjust(p, "bh"), [0.04, 0.03, 0.03])

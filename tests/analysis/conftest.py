"""`analyzed`: the whole analysis of the demo's scores, from few resamples."""

import pytest

from attunebench.analysis.analyze import Analysis, analyze


@pytest.fixture(scope="session")
def analyzed(scores_folder) -> Analysis:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attunebench.analysis.inputs.RESAMPLES", 400)
        return analyze(scores_folder)

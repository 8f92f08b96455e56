"""Shared by all tests; its being here also puts this folder on the path, for the helpers that several folders use."""

import os
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

# Tests run side by side; the threads of linear algebra would wait for each other. Read when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A loaded machine is slow, not wrong; and the same cases every time, so that a failure is a change's.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    # Inspect ends a run without closing one end of the streams between its own tasks.
    config.addinivalue_line("filterwarnings", "ignore:Unclosed <MemoryObject:ResourceWarning")


@pytest.fixture(scope="session")
def scores_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The demo's scores, made once for all processes of a test run; see `analysis_examples.make_scores`."""
    from analysis_examples import make_scores

    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent  # one folder for all of pytest-xdist's workers
    folder, made = shared / "analysis_scores", shared / "analysis_scores.made"
    with FileLock(shared / "analysis_scores.lock"):
        if not made.exists():
            make_scores(folder)
            made.touch()
    return folder / "scores"


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that do not depend on how many resamples and flips there are."""
    monkeypatch.setattr("attunebench.analysis.inputs.RESAMPLES", 200)

"""`scores_folder`: the demo's scores, made once for all processes of a test run."""

from pathlib import Path

import pytest
from analysis_examples import make_scores
from filelock import FileLock


@pytest.fixture(scope="session")
def scores_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent  # one folder for all of pytest-xdist's workers
    folder, made = shared / "analysis_scores", shared / "analysis_scores.made"
    with FileLock(shared / "analysis_scores.lock"):
        if not made.exists():
            make_scores(folder)
            made.touch()
    return folder / "scores"

"""Shared by all tests; its being here also puts this folder on the path, for the helpers that several folders use."""

import os

import pytest
from hypothesis import settings

# Tests run side by side; the threads of linear algebra would wait for each other. Read when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A loaded machine is slow, not wrong; and the same cases every time, so that a failure is a change's.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    # Inspect ends a run without closing one end of the streams between its own tasks.
    config.addinivalue_line("filterwarnings", "ignore:Unclosed <MemoryObject:ResourceWarning")

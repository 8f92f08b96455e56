"""Shared by all tests; its being here also puts this folder on the path, for the helpers that several folders use."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # Inspect ends a run without closing one end of the streams between its own tasks.
    config.addinivalue_line("filterwarnings", "ignore:Unclosed <MemoryObject:ResourceWarning")

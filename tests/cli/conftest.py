"""`cli` runs a command."""

import pytest
from cli_examples import run_main


@pytest.fixture
def cli():
    return run_main

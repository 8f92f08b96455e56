"""Claims about what is shown while a run goes on."""

import io
from dataclasses import replace

from rich.console import Console
from test_ledger_files import ROW

from attunebench.display import BarDisplay, LineDisplay, make_display
from attunebench.run.progress import Tally


def tally(*states):
    total = Tally()
    for state in states:
        total.add(attempt(state), is_last=True)
    return total


def attempt(state):
    return replace(ROW, state=state, input_tokens=600, cached_input_tokens=400, output_tokens=50)


def test_a_tally_counts_ends_once_and_tokens_always():
    total = tally("parsed", "repaired", "refused")
    total.add(attempt("unparseable"), is_last=False)
    assert (total.done, total.failed, total.attempts) == (3, 1, 4)
    assert str(total) == "1 failed, 4,000 tokens in, 200 out"


def test_a_log_gets_few_lines_and_always_the_last():
    out = io.StringIO()
    with LineDisplay(Console(file=out, width=20), 3) as display:
        for done in ("parsed",), ("parsed", "parsed"), ("parsed", "parsed", "empty"):
            display.update(tally(*done))
    assert out.getvalue() == "3 of 3 calls, 1 failed, 3,000 tokens in, 150 out\n"


def test_a_terminal_gets_a_bar():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    assert isinstance(make_display(Console(file=io.StringIO()), 3), LineDisplay)
    with make_display(console, 3) as display:
        assert isinstance(display, BarDisplay)
        display.update(tally("parsed", "refused"))
    shown = console.file.getvalue()
    assert "2/3" in shown
    assert "1 failed" in shown

"""What calls in turn save where a provider caches prompts: the share of input tokens read from the cache.

A real small model (SmolLM2-135M) behind llama.cpp's server on this machine, started anew for each run; made-up demo
conversations, replies of at most 8 tokens. Tokens are the server's own counts, as the ledger has them.

    python bench/prefix_cache.py                # two conversations; some minutes
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from attunebench.dataset.demo import load_demo
from attunebench.display import make_display
from attunebench.models.settings import Settings
from attunebench.run.engine import run
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan

SERVER = Path(__file__).parent.parent / "tests" / "run" / "small_model_server.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=2)
    conversations = parser.parse_args().conversations
    print("| | input tokens | of them cached | seconds |\n|---|---:|---:|---:|")
    for prefix_cache in (False, True):
        with small_model(slots=2) as address, tempfile.TemporaryDirectory() as folder:
            os.environ |= {"SMALL_BASE_URL": address, "SMALL_API_KEY": "none"}
            plan = RunPlan(
                dataset=load_demo(),
                limit=conversations,
                models=["openai-api/small/smollm2"],
                out=Path(folder),
                settings=Settings(max_connections=2, max_tokens=8, attempts=1, prefix_cache=prefix_cache),
            )
            started = time.monotonic()
            run(plan, lambda calls: make_display(Console(stderr=True), calls))
            seconds = time.monotonic() - started
            rows = list(read_ledger(plan.out))
        cached = sum(row.cached_input_tokens or 0 for row in rows)
        total = cached + sum(row.input_tokens or 0 for row in rows)
        name = "`--prefix-cache`" if prefix_cache else "all calls at once"
        print(f"| {name} | {total:,} | {100 * cached / total:.0f} % | {seconds:.0f} |", flush=True)


@contextmanager
def small_model(slots: int) -> Iterator[str]:
    command = [sys.executable, str(SERVER), str(slots), "8192"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        try:
            yield f"{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


if __name__ == "__main__":
    main()

"""How close a run comes to the least time its calls need: one ratio.

A local server answers each call after a set latency. The ideal is calls x latency / connections; the ratio is the time
from the first request to the last reply over that ideal, so 1 is perfect and start-up does not count.

    python bench/engine.py                       # 5,280 calls, 0.5 s, 100 connections
    python bench/engine.py --with-transform      # without our shortcut through the OpenAI client
    python bench/engine.py --profile out.prof    # the same under cProfile
"""

import argparse
import cProfile
import os
import resource
import tempfile
from pathlib import Path

from rich.console import Console

from attunebench.dataset.load import DataSet
from attunebench.display import make_display
from attunebench.models import providers
from attunebench.models.settings import Settings
from attunebench.run.engine import RunPlan, run
from latency_server import latency_server
from synthetic import make_conversations


def main() -> None:
    arguments = _parse()
    if arguments.with_transform:
        providers.skip_transform = lambda _model: None
    dataset = DataSet(tuple(make_conversations(arguments.conversations)))
    with latency_server(latency=arguments.latency) as server, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"LOCAL_BASE_URL": server.base_url, "LOCAL_API_KEY": "none"}
        plan = RunPlan(
            dataset=dataset,
            models=["openai-api/local/x"],
            out=Path(folder),
            settings=Settings(max_connections=arguments.connections),
            log_samples=arguments.log_samples,
        )
        profile = cProfile.Profile() if arguments.profile else None
        before = _cpu_seconds()
        if profile:
            profile.enable()
        tally = run(plan, lambda calls: make_display(Console(stderr=True), calls))
        if profile:
            profile.disable()
            profile.dump_stats(arguments.profile)
        cpu = _cpu_seconds() - before
        stats = server.stats()
    ideal = tally.attempts * arguments.latency / arguments.connections
    print(f"{tally.attempts:,} calls, {tally.failed} failed, at most {stats['peak_in_flight']} in flight")
    print(f"first request to last reply {stats['seconds']:.2f} s, ideal {ideal:.2f} s")
    print(f"CPU of the run {1000 * cpu / tally.attempts:.2f} ms a call, start-up and logs included")
    print(f"ratio {stats['seconds'] / ideal:.2f}")


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=160, help="of 8 turns, 33 calls each")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds")
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--log-samples", action="store_true", help="keep all messages in Inspect's logs")
    parser.add_argument("--with-transform", action="store_true", help="leave out the shortcut of models/lean_openai.py")
    parser.add_argument("--profile", type=Path, help="write a cProfile here; the ratio is then worse")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""How close a run comes to the least time its calls need, and what it costs beside bare Inspect.

A local server answers each call after a latency. The ideal is the sum of all latencies over the connections; the ratio
is the time from the first request to the last reply over that ideal, so 1 is perfect and start-up does not count.

    constant   0.5 s, 100 connections
    lognormal  median 2 s, sigma 0.5, 64 connections
    none       no latency, 64 connections: processor time a call, and that of Inspect alone with the same client, model
               and messages in the same process
    models     no latency, 11 models on 200 conversations: memory at its peak (of all settings so far)
    single     one conversation of 8 turns at 1 s, a judge included: seconds from first request to last reply

    python bench/engine.py                       # all of them, some 15 minutes
    python bench/engine.py constant lognormal    # these
    python bench/engine.py constant --with-transform      # without our shortcut through the OpenAI client
    python bench/engine.py constant --profile out.prof    # the same under cProfile
"""

import argparse
import cProfile
import os
import resource
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from rich.console import Console

from attunebench.dataset.load import DataSet
from attunebench.display import make_display
from attunebench.models import providers
from attunebench.models.ask import chat_message
from attunebench.models.settings import Settings
from attunebench.protocol.render import conversation_calls
from attunebench.run.engine import run
from attunebench.run.evaluate import QUIETLY, rare_collections
from attunebench.run.plan import RunPlan
from latency_server import RunningServer, latency_server
from synthetic import make_conversations

MODEL = "openai-api/local/x"


@dataclass(frozen=True)
class Setting:
    """What server and run are told: seconds (median) and spread, connections, conversations of 33 calls each."""

    latency: float
    sigma: float
    connections: int
    conversations: int = 160
    models: int = 1
    judges: tuple[str, ...] = ()


SETTINGS = {
    "constant": Setting(0.5, 0.0, 100),
    "lognormal": Setting(2.0, 0.5, 64),
    "none": Setting(0.0, 0.0, 64),
    "models": Setting(0.0, 0.0, 10, conversations=200, models=11),
    "single": Setting(1.0, 0.0, 100, conversations=1, judges=("openai-api/local/judge",)),
}


def main() -> None:
    arguments = _parse()
    if arguments.with_transform:
        providers.skip_transform = lambda _model: None
    for name in arguments.settings or SETTINGS:
        with _profiled(arguments.profile):
            _measure(name, SETTINGS[name], log_samples=arguments.log_samples)


def _measure(name: str, setting: Setting, *, log_samples: bool) -> None:
    with latency_server(setting.latency, sigma=setting.sigma) as server, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"LOCAL_BASE_URL": server.base_url, "LOCAL_API_KEY": "none"}
        plan = RunPlan(
            dataset=DataSet(tuple(make_conversations(setting.conversations))),
            models=[MODEL, *(f"{MODEL}{number}" for number in range(1, setting.models))],
            judges=setting.judges,
            out=Path(folder, "out"),
            settings=Settings(max_connections=setting.connections),
            log_samples=log_samples,
        )
        before = _cpu_seconds()
        tally = run(plan, lambda calls: make_display(Console(stderr=True), calls))
        cpu = 1000 * (_cpu_seconds() - before) / tally.attempts
        _print(name, setting, server)
        print(f"  CPU {cpu:.2f} ms a call, start-up and logs included; {tally.failed} failed")
        if name == "models":
            print(f"  memory at its peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
        if name == "none":
            bare = _bare_inspect(plan, Path(folder, "bare"))
            print(f"  bare Inspect {bare:.2f} ms a call: ours is {cpu - bare:.2f} ms above it")


def _print(name: str, setting: Setting, server: RunningServer) -> None:
    stats = server.stats()
    print(f"{name}: {stats['replies']:,} calls, at most {stats['peak_in_flight']} in flight")
    print(f"  first request to last reply {stats['seconds']:.2f} s", end="")
    if setting.latency and setting.conversations > 1:
        ideal = stats["latency_sum"] / setting.connections
        print(f", ideal {ideal:.2f} s: ratio {stats['seconds'] / ideal:.2f}", end="")
    print(flush=True)


def _bare_inspect(plan: RunPlan, folder: Path) -> float:
    """Return the milliseconds of processor time a call when Inspect alone sends the same messages.

    The model is as Inspect opens it, but for the shortcut through the OpenAI client, which ours takes too. The garbage
    collector is held back as it is in a run, so that what differs is what we do.
    """
    model = get_model(MODEL, config=plan.settings.generate_config(), memoize=False)
    providers.skip_transform(model)
    threads = [
        [[chat_message(message) for message in call.messages] for call in _calls(plan, conversation)]
        for conversation in plan.dataset.conversations
    ]
    samples = [Sample(id=number, input="x") for number in range(1, len(threads) + 1)]
    task = Task(dataset=samples, solver=_bare_solver(model, threads))
    with rare_collections():
        before = _cpu_seconds()
        (log,) = inspect_eval(
            task,
            model=model,
            max_samples=plan.effort.samples_in_flight,
            log_dir=str(folder),
            log_samples=False,
            **QUIETLY,
        )
    assert log.status == "success", log.error
    return 1000 * (_cpu_seconds() - before) / sum(map(len, threads))


def _calls(plan: RunPlan, conversation: Any) -> Sequence[Any]:
    return conversation_calls(conversation, plan.condition, plan.prompts)


@solver
def _bare_solver(model: Model, threads: Sequence[Sequence[list[ChatMessage]]]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        async with anyio.create_task_group() as group:
            for messages in threads[int(state.sample_id) - 1]:
                group.start_soon(model.generate, messages)
        state.completed = True
        return state

    return solve


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def _profiled(file: Path | None) -> Iterator[None]:
    if file is None:
        yield
        return
    profile = cProfile.Profile()
    profile.enable()
    yield
    profile.disable()
    profile.dump_stats(file)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="*", help="constant, lognormal, none, single")
    parser.add_argument("--log-samples", action="store_true", help="keep all messages in Inspect's logs")
    parser.add_argument("--with-transform", action="store_true", help="leave out the shortcut of models/lean_openai.py")
    parser.add_argument("--profile", type=Path, help="write a cProfile here; the ratio is then worse")
    return parser.parse_args()


if __name__ == "__main__":
    main()

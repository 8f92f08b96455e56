"""The whole chain on real chats: the five baselines on conversations imported from Topical-Chat.

    python bench/topical_chat.py PATH [--conversations 50]

PATH is a Topical-Chat conversations file or a folder of them (alexa/Topical-Chat, CDLA-Sharing-1.0). The chats hold one
feeling a message and nothing else that we measure, so only emotion scores are printed: each is a mean over turns, then
over conversations, and 1 is best.
"""

import argparse
import tempfile
from pathlib import Path

from rich.console import Console

from attunebench.baselines import BASELINES
from attunebench.dataset.export import write_conversations
from attunebench.dataset.importers.topical_chat import import_topical_chat
from attunebench.dataset.load import load_dataset
from attunebench.display import make_display
from attunebench.report.formats import to_markdown
from attunebench.report.tables import Column, Table
from attunebench.run.engine import run
from attunebench.run.plan import RunPlan
from attunebench.score.aggregate import Row
from attunebench.score.run_files import load_records
from attunebench.score.table import score_records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--conversations", type=int, default=50)
    arguments = parser.parse_args()
    chosen = import_topical_chat(arguments.path).conversations[: arguments.conversations]
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data"), Path(folder, "out")
        write_conversations(chosen, data)
        rows = evaluate(data, out)
    print(to_markdown([table(rows, len(chosen))]))


def evaluate(data: Path, out: Path) -> list[Row]:
    """Run the five baselines on a data set in files, read their records back, and return a row each."""
    dataset = load_dataset(data)
    plan = RunPlan(dataset=dataset, models=[f"baseline/{name}" for name in BASELINES], out=out)
    run(plan, lambda calls: make_display(Console(stderr=True), calls))
    return list(score_records(dataset, load_records([out], dataset)).aggregates)


def table(rows: list[Row], conversations: int) -> Table:
    """Return the emotion scores of the baselines."""
    columns = [Column("model"), Column("F1", 3), Column("valence-arousal", 3), Column("hit rate, turns with a tag", 3)]
    names = ("avg_emotion_f1", "avg_emotion_va_score", "avg_emotion_hit_rate_tagged_only")
    cells = [[row["em_model"], *(row[name] for name in names)] for row in rows]
    return Table(f"Emotion scores on {conversations} Topical-Chat conversations", columns, [cells])


if __name__ == "__main__":
    main()

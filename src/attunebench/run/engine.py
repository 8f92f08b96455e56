"""A run: models on a data set through Inspect AI, one sample a conversation, into one folder."""

from collections.abc import Callable

from attunebench.display import Display
from attunebench.run.evaluate import cut_short
from attunebench.run.folder import hold_folder
from attunebench.run.journal import Journal, forget_replies
from attunebench.run.plan import RunPlan
from attunebench.run.progress import Tally
from attunebench.run.resume import read_earlier, repair
from attunebench.run.share import open_models, work_through
from attunebench.run.workers import share_out


def run(plan: RunPlan, make_display: Callable[[int], Display]) -> Tally:
    """Make all calls of a plan; return the totals once each has reached an end state, failed ones included.

    `plan.out` then holds `records.jsonl`, `calls.jsonl` (the ledger), `condition.json` and Inspect's logs. What an
    earlier run into the same folder has finished is not asked again, and is in the totals.

    Raises:
        UsageError: a model's name is not one, or stands twice; a conversation that the data set lacks.
        RunError: the folder is in use or holds results of another condition, a model cannot be opened, or the run could
            not go on.
    """
    plan.check()
    opened = open_models(plan)
    with hold_folder(plan.out, plan.parts()):
        samples = plan.samples()
        repair(plan.out, set(samples), plan.patience)
        earlier = read_earlier(plan.out, set(samples), plan.patience)
        earlier.tally.spared = sum(plan.calls_each[key.conversation] - n for key, n in earlier.recorded.items())
        left = [key for key in samples if key not in earlier.recorded]
        planned = plan.count_calls()
        with make_display(planned) as display:
            if plan.workers > 1 and len(left) > 1:
                tally, cause = share_out(plan, left, earlier.tally, display)
            else:
                tally = earlier.tally
                with Journal(plan.out, display, tally, redact=plan.redact) as journal:
                    cause = work_through(plan, opened, left, earlier, journal)
        if cause:
            raise cut_short(tally, planned, cause)
        forget_replies(plan.out)
    return tally

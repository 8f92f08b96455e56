"""Claims about doing jobs on this machine: every job once, results in the jobs' order, in any number of processes."""

import math
import operator
import os

import pytest

from attunebench.score.engine_local import do_jobs


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("jobs", [0, 1, 200])
def test_results_come_in_the_order_of_the_jobs(workers, jobs):
    assert list(do_jobs(operator.neg, iter(range(jobs)), workers=workers)) == [-job for job in range(jobs)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_when_it_is_its_turn(workers):
    results = do_jobs(math.sqrt, [4, 9, -1, 16], workers=workers)
    assert (next(results), next(results)) == (2, 3)
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        next(results)


def test_this_process_is_one_of_those_that_work():
    worked = set(do_jobs(operator.call, [os.getpid] * 60, workers=2))
    assert os.getpid() in worked
    assert len(worked) <= 2


def test_only_a_few_jobs_are_held():
    taken = []
    results = do_jobs(operator.neg, (taken.append(job) or job for job in range(1000)), workers=2)
    for got in range(20):
        next(results)
        assert len(taken) <= got + 1 + 16
    results.close()

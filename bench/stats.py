"""How fast all pairs of models are compared on many metrics, beside a loop of `scipy.stats.bootstrap`.

Made-up scores of 13 models on 40 metrics of 200 conversations by 100 participants. Ours: 10,000 resamples and 10,000
flips, bootstrap-t intervals, sign-flip tests, Holm and Benjamini-Hochberg, for all 78 x 40 differences. The loop: one
call of `scipy.stats.bootstrap` with its default method (BCa) a pair and metric, of the same statistic over the same
clusters, vectorised, without a test; some of the calls are timed, and all would be that many times as long.

    python bench/stats.py
"""

import resource
import time
from collections.abc import Callable

import numpy as np
from scipy.stats import bootstrap
from threadpoolctl import threadpool_limits

from attunebench.stats.pairs import compare_pairs, pairs_of
from attunebench.stats.resample import draw_weights
from attunebench.stats.signflip import draw_flips
from attunebench.stats.sums import mean_sums

MODELS, METRICS, CONVERSATIONS, PARTICIPANTS = 13, 40, 200, 100
RESAMPLES = 10_000
SAMPLED = 40
"""So many of the loop's calls are timed."""


def main() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1, CONVERSATIONS, 1)) + rng.normal(size=(MODELS, CONVERSATIONS, METRICS))
    clusters = rng.permutation(np.arange(CONVERSATIONS) % PARTICIPANTS)
    count = len(pairs_of(MODELS)) * METRICS
    few = seconds(lambda: compare(values, clusters, RESAMPLES // 4))
    ours = seconds(lambda: compare(values, clusters, RESAMPLES))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    loop = count / SAMPLED * seconds(lambda: plain_loop(values, clusters))
    print(f"{MODELS} models, {METRICS} metrics, {CONVERSATIONS} conversations, {RESAMPLES:,} resamples\n")
    print(f"all {count:,} differences with intervals, tests, corrections: {ours:.2f} s, {memory:,.0f} MiB at the peak")
    print(f"loop of scipy.stats.bootstrap, from {SAMPLED} of them: {loop:,.0f} s")
    print(f"ratio: {loop / ours:.0f}")
    print(f"four times the resamples take {ours / few:.2f} times as long")


def compare(values: np.ndarray, clusters: np.ndarray, resamples: int) -> None:
    rng = np.random.default_rng(1)
    with threadpool_limits(1, user_api="blas"):  # as `attunebench analyze` has it
        weights, flips = draw_weights(PARTICIPANTS, resamples, rng), draw_flips(PARTICIPANTS, resamples, rng)
        compare_pairs(values, clusters, weights, flips)


def plain_loop(values: np.ndarray, clusters: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    pairs = pairs_of(MODELS)
    for _ in range(SAMPLED):
        a, b = pairs[rng.integers(len(pairs))]
        metric = rng.integers(METRICS)
        sums = mean_sums((values[a, :, [metric]] - values[b, :, [metric]]).T, clusters)
        bootstrap((sums.top[:, 0], sums.bottom[:, 0]), mean, paired=True, n_resamples=RESAMPLES, rng=rng)


def mean(top: np.ndarray, bottom: np.ndarray, axis: int = -1) -> np.ndarray:
    return top.sum(axis=axis) / bottom.sum(axis=axis)


def seconds(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

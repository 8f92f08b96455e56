"""How often the statistics are right: coverage of intervals, false findings, power, on scores with a known truth.

Every replication draws new people, each with one to four conversations, and scores of models on them. Beneath a score
lies a normal number: a part of the person (.3 of the variance), of the person with this model (.2), of the conversation
(.2) and chance (.3). From it come three kinds of scores: `normal`, mean 50, standard deviation 10; `skewed`, gamma of
shape 2; `bounded`, the share of eight turns that are right, where the chance of being right is beta (4, 1), mean .8. A
better model has 2 more, 1.5 times as much, or beta (2, 1) instead, so that differences of models are skewed too.

Prints Markdown tables. 4,000 replications a cell: a share near .95 is known to .7 points, one near .05 to .7 points (2
standard errors). Resamples are fewer than the 10,000 of an analysis, 999 unless said; that moves coverage by less.

    python bench/coverage.py                  # all parts; about ten minutes of one processor
    python bench/coverage.py --part means     # one of them
"""

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from scipy.special import gammaincinv, ndtr

from attunebench.stats.agreement import krippendorff_alpha
from attunebench.stats.crossed import compare_crossed
from attunebench.stats.groups import compare_groups, draw_orders, draw_stratified
from attunebench.stats.multiple import adjust
from attunebench.stats.pairs import pairs_of
from attunebench.stats.power import corrected, power_of
from attunebench.stats.reliability import generalisability, split_half
from attunebench.stats.resample import bootstrap_t, draw_weights, percentile_bounds, resample, standard_errors
from attunebench.stats.separability import corrected_correlations
from attunebench.stats.signflip import FLIPS, draw_flips, sign_flip_p
from attunebench.stats.sums import Floats, Ints, add_by_cluster, mean_sums

SEED = 1
REPLICATIONS = 4_000
BLOCK = 200
RESAMPLES = 999
KINDS = ("normal", "skewed", "bounded")
MEANS = {"normal": (50.0, 52.0), "skewed": (2.0, 3.0), "bounded": (4 / 5, 2 / 3)}
"""Of a model, and of the other."""
MODELS = 13
FAMILY_FLIPS = 3_120
"""With so many, two as far as observed are just below Holm's first step among 78 pairs: 2/3,121 < .05/78."""

_GRID = np.linspace(-7, 7, 20_001)
_GAMMA = gammaincinv(2, ndtr(_GRID))


def main() -> None:
    parts: dict[str, Callable[[np.random.Generator], None]] = {
        "means": means,
        "families": families,
        "discoveries": discoveries,
        "power": power,
        "groups": groups,
        "reliability": reliability,
        "separability": separability,
        "agreement": agreement,
        "crossed": crossed,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=parts, action="append")
    for place, (name, part) in enumerate(parts.items()):
        if name in (parser.parse_args().part or parts):
            start = time.process_time()
            part(np.random.default_rng([SEED, place]))
            print(f"\n<!-- {name}: {time.process_time() - start:.0f} s of processor time -->\n", flush=True)


def means(rng: np.random.Generator) -> None:
    """Coverage of 95 % intervals of a mean and of a paired difference."""
    head("scores", "people", "mean: bootstrap-t", "percentile", "difference: bootstrap-t", "percentile", "no interval")
    for kind, people in product(KINDS, (10, 14, 20, 30, 100, 200)):
        first, second = MEANS[kind]
        truth = np.repeat([first, second - first], BLOCK)
        covered = np.zeros((3, 2))
        for clusters, x in blocks(kind, people, (0, 1), rng):
            sums = mean_sums(np.hstack([x[:, 0], x[:, 1] - x[:, 0]]), clusters)
            weights = draw_weights(people, RESAMPLES, rng)
            found = bootstrap_t(sums, weights)
            hits = within(truth, found.lower, found.upper), within(truth, *percentile_bounds(resample(sums, weights)))
            covered += [each.reshape(2, -1).sum(axis=1) for each in (*hits, np.isnan(found.lower))]
        (t_mean, t_difference), (plain_mean, plain_difference), undefined = covered / REPLICATIONS
        shares = (t_mean, plain_mean, t_difference, plain_difference, undefined.mean())
        row(kind, people, *map(percent, shares))


def families(rng: np.random.Generator) -> None:
    """Whether any of 78 pairs of equal models is distinguished."""
    head("scores", "people", "any of 78 pairs distinguished (Holm)", "any by BH", "a single pair, p < .05")
    for kind, people in product(KINDS, (14, 30, 100, 200)):
        wrong = np.zeros(3)
        for clusters, x in blocks(kind, people, (0,) * MODELS, rng):
            p = family_p(x, clusters, rng)
            wrong += [(adjusted(p, "holm") < 0.05).any(axis=1).sum(), (adjusted(p, "bh") < 0.05).any(axis=1).sum(), 0]
            wrong[2] += (p[:, 0] < 0.05).sum()
        row(kind, people, *map(percent, wrong / REPLICATIONS))


def discoveries(rng: np.random.Generator) -> None:
    """The share of false findings among the findings, seven models equal and six better in two steps."""
    steps = np.array([0] * 7 + [1] * 3 + [2] * 3)
    pairs = pairs_of(MODELS)
    equal = steps[pairs[:, 0]] == steps[pairs[:, 1]]
    head("scores", "people", "false among found (BH)", "found of 51 true (BH)", "any false (Holm)", "found (Holm)")
    for kind, people in product(KINDS, (14, 30, 100, 200)):
        step = 0.25 * {"normal": 10, "skewed": np.sqrt(2), "bounded": 0.22}[kind]
        totals = np.zeros(4)
        for clusters, x in blocks(kind, people, (0,) * MODELS, rng):
            p = family_p(x + step * steps[:, None], clusters, rng)
            bh, holm = adjusted(p, "bh") < 0.05, adjusted(p, "holm") < 0.05
            false_share = bh[:, equal].sum(axis=1) / np.maximum(bh.sum(axis=1), 1)
            totals += [false_share.sum(), bh[:, ~equal].mean(axis=1).sum(), 0, holm[:, ~equal].mean(axis=1).sum()]
            totals[2] += holm[:, equal].any(axis=1).sum()
        row(kind, people, *map(percent, totals / REPLICATIONS))


def power(rng: np.random.Generator) -> None:
    """How often a paired difference is found, beside what is predicted from the standard error observed."""
    head("scores", "people", "level", "no difference: found", "predicted", "found", "predicted", "found")
    for kind, people in product(KINDS, (14, 20, 30, 50, 100, 200)):
        first, second = MEANS[kind]
        drawn = [(c, x[:, 1] - x[:, 0] - second + first) for c, x in blocks(kind, people, (0, 1), rng)]
        errors = np.concatenate([standard_errors(mean_sums(x, clusters)) for clusters, x in drawn])
        spread = np.sqrt((errors**2).mean())
        for level, name in ((0.05, ".05"), (corrected(78), ".05/78")):
            cells = []
            for size in (0, 2 + 2 * (level < 0.05), 3 + 2 * (level < 0.05)):
                p = [found_p(x + size * spread, clusters, people, rng) for clusters, x in drawn]
                k = np.full(len(errors), people)
                predicted = power_of(np.full(len(errors), size * spread), errors, k, at=k, alpha=level)
                cells += [percent(predicted.mean())] * (size > 0) + [percent((np.concatenate(p) < level).mean())]
            row(kind, people, name, *cells)


def groups(rng: np.random.Generator) -> None:
    """Two groups of people of one model: equal, or of equal mean and another spread."""
    head("scores", "people", "equal: p < .05", "interval covers", "other spread: p < .05", "interval covers")
    for kind, sizes in product(KINDS, ((10, 10), (10, 40), (20, 40), (15, 85), (50, 50))):
        labels = np.repeat([1, 0], sizes)
        cells = []
        for other in (0, 1):
            found = np.zeros(2)
            truth = MEANS[kind][other] - MEANS[kind][0]
            for clusters, x in blocks(kind, sum(sizes), (0, 1), rng):
                mine = np.where((labels[clusters] == 1)[:, None], x[:, other] - truth, x[:, 0])
                weights = draw_stratified(labels, RESAMPLES, rng)
                tests = compare_groups(
                    mean_sums(mine, clusters), labels, weights, draw_orders(len(labels), RESAMPLES, rng)
                )
                covers = within(0, tests.difference_lower[1], tests.difference_upper[1])
                found += [(tests.p[1] < 0.05).sum(), covers.sum()]
            cells += map(percent, found / REPLICATIONS)
        row(kind, f"{sizes[0]} and {sizes[1]}", *cells)


def reliability(rng: np.random.Generator) -> None:
    """Estimates of a planted reliability: variance between models over that and the noise of their means."""
    head("models", "people", "planted", "split-half", "generalisability", "(middle half)")
    for models, people, planted in product((5, 13), (30, 100), (0.3, 0.6, 0.9)):
        noise = np.sqrt((1 - planted) / planted * people)
        found = np.zeros((REPLICATIONS, 2))
        for place in range(REPLICATIONS):
            ability = standardised(rng.normal(size=(models, 1)))
            values = ability[:, None] + noise * rng.normal(size=(models, people, 1))
            clusters = np.arange(people)
            halves = split_half(values, clusters, rng, splits=50)
            found[place] = halves.reliability[0], generalisability(values[:, :, 0], clusters).coefficient
        half, coefficient = np.nanmedian(found, axis=0)
        quartiles = np.nanquantile(found[:, 1], [0.25, 0.75])
        row(models, people, planted, *(f"{x:.2f}" for x in (half, coefficient)), "{:.2f} to {:.2f}".format(*quartiles))


def separability(rng: np.random.Generator) -> None:
    """How often two capabilities of 13 models are called separable; noise of conversations is half in common."""
    head("planted correlation", "people", "reliability", "called separable", "no interval", "median", "uncorrected")
    for planted, people, reliable in product((1.0, 0.0), (30, 100), (0.6, 0.8, 0.9)):
        noise = np.sqrt((1 - reliable) / reliable * people)
        called, values, plain = np.zeros(2), [], []
        for _ in range(REPLICATIONS):
            ability = correlated(planted, rng)
            common, own = rng.normal(size=(MODELS, people, 1)), rng.normal(size=(MODELS, people, 2))
            scores = ability[:, None] + noise * np.sqrt(0.5) * (common + own)
            found = corrected_correlations(scores, np.arange(people), draw_weights(people, 300, rng))
            called += [found.separable[0, 1], np.isnan(found.upper[0, 1])]
            values.append(found.value[0, 1])
            plain.append(np.corrcoef(scores.mean(axis=1).T)[0, 1])
        shares = map(percent, called / REPLICATIONS)
        row(planted, people, reliable, *shares, f"{np.nanmedian(values):.2f}", f"{np.median(plain):.2f}")


def agreement(rng: np.random.Generator) -> None:
    """Coverage of percentile intervals of alpha, three judges on an interval scale, one to four drafts a person."""
    head("people", "alpha", "interval covers", "median estimate")
    for people, planted in product((10, 30, 100), (0.4, 0.8)):
        covered, found = 0, np.zeros(REPLICATIONS)
        for place in range(REPLICATIONS):
            clusters = np.repeat(np.arange(people), rng.integers(1, 5, size=people))
            drafts = np.sqrt(0.5) * (rng.normal(size=people)[clusters] + rng.normal(size=len(clusters)))
            ratings = np.sqrt(planted) * drafts + np.sqrt(1 - planted) * rng.normal(size=(3, len(clusters)))
            alpha = krippendorff_alpha(ratings, clusters, draw_weights(people, RESAMPLES, rng), scale="interval")
            covered += alpha.lower <= planted <= alpha.upper
            found[place] = alpha.alpha
        row(people, planted, percent(covered / REPLICATIONS), f"{np.median(found):.2f}")


def crossed(rng: np.random.Generator) -> None:
    """A topic that three in ten conversations are about, whosever they are, and that makes no difference."""
    head("scores", "people", "p < .05", "percentile interval covers")
    for kind, people in product(KINDS, (10, 14, 20, 30, 100)):
        found = np.zeros(2)
        for clusters, x in blocks(kind, people, (0,), rng):
            topic = (rng.random(len(clusters)) < 0.3)[:, None]
            group, rest = (mean_sums(np.where(here, x[:, 0], np.nan), clusters) for here in (topic, ~topic))
            tests = compare_crossed(group, rest, draw_weights(people, RESAMPLES, rng))
            found += [(tests.p < 0.05).sum(), within(0, tests.lower, tests.upper).sum()]
        row(kind, people, *map(percent, found / REPLICATIONS))


def blocks(kind: str, people: int, skills: tuple[int, ...], rng: np.random.Generator) -> Iterator[tuple[Ints, Floats]]:
    """Yield clusters of conversations and scores, shape (conversations, models, replications)."""
    for _ in range(REPLICATIONS // BLOCK):
        clusters = np.repeat(np.arange(people), rng.integers(1, 5, size=people))
        n, models = len(clusters), len(skills)
        latent = np.sqrt(0.3) * rng.normal(size=(n, models, BLOCK))
        latent += np.sqrt(0.2) * rng.normal(size=(n, 1, BLOCK))
        latent += np.sqrt(0.3) * rng.normal(size=(people, 1, BLOCK))[clusters]
        latent += np.sqrt(0.2) * rng.normal(size=(people, models, BLOCK))[clusters]
        better = np.array(skills)[:, None]
        if kind == "normal":
            yield clusters, 50 + 10 * latent + 2 * better
        elif kind == "skewed":
            yield clusters, np.interp(latent, _GRID, _GAMMA) * (1 + 0.5 * better)
        else:
            yield clusters, rng.binomial(8, ndtr(latent) ** (1 / (4 - 2 * better))) / 8


def family_p(x: Floats, clusters: Ints, rng: np.random.Generator) -> Floats:
    """Return p of all pairs, shape (replications, pairs)."""
    pairs = pairs_of(x.shape[1])
    sums = add_by_cluster(x.reshape(len(x), -1), clusters).reshape(-1, *x.shape[1:])
    differences = sums[:, pairs[:, 0]] - sums[:, pairs[:, 1]]
    flips = draw_flips(len(sums), FAMILY_FLIPS, rng)
    return sign_flip_p(differences.reshape(len(sums), -1), flips).reshape(len(pairs), -1).T


def found_p(x: Floats, clusters: Ints, people: int, rng: np.random.Generator) -> Floats:
    return sign_flip_p(add_by_cluster(x, clusters), draw_flips(people, FLIPS, rng))


def adjusted(p: Floats, method: str) -> Floats:
    return np.array([adjust(each, "bh" if method == "bh" else "holm") for each in p])


def correlated(planted: float, rng: np.random.Generator) -> Floats:
    """Return abilities of models that correlate exactly so, shape (models, 2)."""
    first, other = np.linalg.qr(standardised(rng.normal(size=(MODELS, 2))))[0].T * np.sqrt(MODELS - 1)
    return np.column_stack([first, planted * first + np.sqrt(1 - planted**2) * other])


def standardised(x: Floats) -> Floats:
    return (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)


def within(truth: Floats | float, lower: Floats, upper: Floats) -> np.ndarray:
    return (lower <= truth) & (truth <= upper)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def head(*names: str) -> None:
    row(*names)
    row(*("---" for _ in names))


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()

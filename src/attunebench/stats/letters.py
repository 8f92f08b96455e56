"""The compact letter display: models that share a letter are not distinguished.

Sources: Piepho, An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons (2004); Gramm et al.,
Algorithms for Compact Letter Displays (2007), section 2, for letters as cliques of a graph.
"""

from collections.abc import Iterator, Sequence
from itertools import count, islice, product
from string import ascii_lowercase

import networkx as nx
import numpy as np
from numpy.typing import NDArray


def letters(distinguished: NDArray[np.bool], order: Sequence[int]) -> list[str]:
    """Return each model's letters, such as `"ab"`: two models share one exactly where they are not distinguished.

    A letter stands for a largest set of models of which no two are distinguished (a maximal clique), as Piepho's
    insert-and-absorb finds them. Beyond 26 sets come aa, ab, …, and then a model's letters are set apart by spaces.

    Args:
        distinguished: shape (models, models), symmetric.
        order: all models' places, the best first; letters begin with its group.
    """
    place = {model: at for at, model in enumerate(order)}
    alike = nx.from_numpy_array(~distinguished & ~np.eye(len(distinguished), dtype=bool))
    groups = sorted(sorted(place[model] for model in clique) for clique in nx.find_cliques(alike))
    names = list(islice(_names(), len(groups)))
    between = " " if len(groups) > len(ascii_lowercase) else ""
    return [
        between.join(name for name, group in zip(names, groups, strict=True) if place[model] in group)
        for model in range(len(distinguished))
    ]


def _names() -> Iterator[str]:
    """Yield a, b, …, z, aa, ab, …."""
    for length in count(1):
        for name in product(ascii_lowercase, repeat=length):
            yield "".join(name)

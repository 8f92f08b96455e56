"""Hand-made scores for the tables: only what they show."""

from typing import Any

from attunebench.score.table import Scores

SKILLED = ("composite_score", "emotion_tracking", "evaluation_quality", "holistic_comprehension")


def row(name: str = "a/b", composite: float = 50.0, strict: float | None = 40.0, **changes: Any) -> dict[str, Any]:
    return {
        "em_model": name,
        "mode": "default",
        "panas_strategy": "absolute",
        "condition": "0123abcd",
        "n_conversations": 14,
        "epochs": 1,
        "composite_score": composite,
        "se_composite": 1.25,
        "z_score": None,
        "between_epoch_variance": dict.fromkeys(SKILLED),
        "emotion_tracking": 0.25,
        "evaluation_quality": 0.5,
        "holistic_comprehension": 0.75,
        "equal_weight_composite": 45.0,
        "strict": {
            "composite_score": {"value": strict},
            **{n: {"value": 0.125} for n in ("emotion_tracking", "evaluation_quality", "holistic_comprehension")},
        },
        "skill": {
            "reference": {name: {"skill": -12.25} for name in SKILLED},
            "strict": {name: {"skill": 6.5} for name in SKILLED},
        },
        "calls": {"draft": {"parsed": 14}, "outcome": {"parsed": 14}},
    } | changes


def floor(name: str, composite: float, **changes: Any) -> dict[str, Any]:
    made = row(f"baseline/{name}", composite, mode=None, condition=None) | changes
    del made["calls"], made["skill"]
    return made | {"floor": name, "draws": 200 if name == "random" else 1}


def judged(name: str, *judges: str, rating: float | None = 0.5, wanted: float | None = 0.25, **changes: Any):
    """A row whose drafts were judged: 12 of 14 by any judge, the first judge failing four times."""
    made = row(name, **changes)
    made |= {"judges": list(judges), "avg_draft_judge_score": rating, "avg_draft_binary_alignment": wanted}
    made["strict"] |= {"avg_draft_judge_score": {"value": 0.375}, "avg_draft_binary_alignment": {"value": None}}
    made["calls"]["judge"] = {"parsed": 11, "repaired": 1, "refused": 2}
    ends = ({"parsed": 10, "refused": 4}, {"parsed": 11, "repaired": 1, "refused": 2})
    made["calls"] |= {f"judge {judge}": end for judge, end in zip(judges, ends, strict=False)}
    return made


FLOORS = [
    floor("null", 20.0),
    floor("random", 44.0, se_composite=None),
    floor("majority", 57.0),
    floor("lexicon", 56.0),
    floor("oracle", 99.0),
]


def scores(*rows: dict[str, Any], made_up: bool = False) -> Scores:
    return Scores(conversations=[], aggregates=rows or [row()], floors=FLOORS, made_up=made_up)

"""The yardstick of `bench/scoring.py`: the reference profile as one would write it in an afternoon.

Raw JSON dicts in, a dict of floats out, one conversation at a time; no models of data, no checks, no strict profile,
nothing written. It reads canonical files alone.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import Any

from scipy.optimize import linear_sum_assignment

from attunebench.instrument import EMOTION_INDEX, FIT_OPTIONS, SIMILARITY

_SIMILARITY = SIMILARITY.tolist()
_FITS = [fit.lower() for fit in FIT_OPTIONS]
_REPLIES = ("original", "alternate", "human")


def score_plainly(conversation: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Return the reference scores of one conversation and one record."""
    replies = {reply["turnNumber"]: reply for reply in record["turns"]}
    common = [turn for turn in conversation["turns"] if turn["turnNumber"] in replies]
    turns = [_turn(turn, replies[turn["turnNumber"]]) for turn in common]
    post = _post(conversation, record["post_conversation"] or {})
    averages = {f"avg_{name}": _mean([turn[name] for turn in turns]) for name in turns[0]} if turns else {}
    pooled = {}
    for name in ("om", "human", "om_hp", "human_hp"):
        counts = [turn["counts"][name] for turn in turns]
        pooled[name] = _rates([sum(column) for column in zip(*counts, strict=True)])
    behaviour = (averages["avg_om_accuracy"] + averages["avg_human_accuracy"]) / 2
    tracking = (averages["avg_emotion_f1"] + averages["avg_va"]) / 2
    evaluation = (behaviour + averages["avg_pairwise_accuracy"]) / 2
    asked = (post["q1"] + post["q2"] + post["q3"] + post["follow_up"]) / 4
    gained = 0.5 if post["adjusted"] is None else (post["adjusted"] + 1) / 2
    holistic = 0.4 * gained + 0.3 * asked + 0.3 * post["branches"]
    composite = 100 * (0.24 * tracking + 0.49 * evaluation + 0.27 * holistic)
    return {
        "turns": turns,
        "post": post,
        "pooled": pooled,
        **averages,
        "emotion_tracking": tracking,
        "evaluation_quality": evaluation,
        "holistic_comprehension": holistic,
        "composite_score": round(composite, 2),
    }


def _mean(values: Sequence[Any]) -> Any:
    present = [value for value in values if isinstance(value, int | float)]
    return sum(present) / len(present) if present else None


def _turn(turn: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    scores = _emotions(turn["moodShiftTags"] or [], reply["em_emotion_tags"] or [])
    judgements = {asked["questionId"]: asked for asked in turn["annotations"]["binaryJudgements"]}
    observed = {key: j["observedBehavior"] or j["llmValue"] for key, j in judgements.items()}
    preferred = {key: j["preferredBehavior"] or j["observedBehavior"] for key, j in judgements.items()}
    scores["counts"] = {
        "om": _confusion(observed, reply["em_binary_om_assessment"] or {}),
        "human": _confusion(preferred, reply["em_binary_human_prediction"] or {}),
        "om_hp": _confusion(observed, reply["em_binary_om_assessment_hp"] or {}),
        "human_hp": _confusion(preferred, reply["em_binary_human_prediction_hp"] or {}),
    }
    scores["rates"] = {name: _rates(counts) for name, counts in scores["counts"].items()}
    for name, rates in scores["rates"].items():
        scores[f"{name}_accuracy"] = rates["accuracy"]
    comparisons = turn["annotations"]["pairwiseComparisons"]
    letters = [(reply["em_pairwise_selections"] or {}).get(str(place)) for place in range(len(comparisons))]
    right = [bool(asked["winner"]) and asked["winner"] == x for asked, x in zip(comparisons, letters, strict=True)]
    scores["pairwise_accuracy"] = sum(right) / len(right) if right else 1.0
    won = _wins(comparisons, [asked["winner"] for asked in comparisons])
    scores["kendall_tau"] = _tau(won, _wins(comparisons, letters)) if any(letters) else None
    return scores | _draft(turn, reply["em_drafted_response"], won)


def _emotions(felt: list[dict[str, Any]], guessed: list[dict[str, Any]]) -> dict[str, Any]:
    truth = {tag["emotion"].strip().lower(): tag["intensity"] for tag in felt}
    guess = {tag["emotion"].strip().lower(): tag["intensity"] for tag in guessed}
    if not truth or not guess:
        same = float(not truth and not guess)
        return dict.fromkeys(("hit_rate", "precision", "emotion_f1", "f1_intensity", "va", "va_intensity"), same) | {
            "intensity_mae": None
        }
    shared = [word for word in truth if word in guess]
    gaps = [abs(truth[w] - guess[w]) for w in shared if truth[w] is not None and guess[w] is not None]
    precision, recall = len(shared) / len(guess), len(shared) / len(truth)
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    mae = sum(gaps) / len(gaps) if gaps else None
    plain = [[_SIMILARITY[EMOTION_INDEX[a]][EMOTION_INDEX[b]] for b in guess] for a in truth]
    strong = [
        [0.7 * plain[i][j] + 0.3 * (1 - abs(x - y) / 6) for j, y in enumerate(guess.values())]
        for i, x in enumerate(truth.values())
    ]
    return {
        "hit_rate": recall,
        "precision": precision,
        "emotion_f1": f1,
        "f1_intensity": 0.0 if mae is None else f1 * (1 - mae / 6),
        "va": _assign(plain) / max(len(truth), len(guess)),
        "va_intensity": _assign(strong) / max(len(truth), len(guess)),
        "intensity_mae": mae,
    }


def _assign(matrix: list[list[float]]) -> float:
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    return sum(matrix[i][j] for i, j in zip(rows, columns, strict=True))


def _confusion(truth: Mapping[str, str | None], answers: Mapping[str, str | None]) -> list[int]:
    tp = tn = fp = fn = 0
    for key, said in truth.items():
        if said not in ("yes", "no"):
            continue
        yes = answers.get(key) == "yes"
        if said == "yes":
            tp, fn = tp + yes, fn + (not yes)
        else:
            fp, tn = fp + yes, tn + (not yes)
    return [tp, tn, fp, fn]


def _rates(counts: Sequence[int]) -> dict[str, float]:
    tp, tn, fp, fn = counts
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    total = tp + tn + fp + fn
    return {
        "accuracy": (tp + tn) / total if total else 0.0,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "mcc": (tp * tn - fp * fn) / sqrt(product) if product else 0.0,
    }


def _wins(comparisons: list[dict[str, Any]], letters: Sequence[str | None]) -> dict[str, int]:
    wins = {asked[side]: 0 for asked in comparisons for side in ("responseA", "responseB")}
    for asked, letter in zip(comparisons, letters, strict=True):
        if letter:
            wins[asked[f"response{letter}"]] += 1
    return wins


def _tau(truth: dict[str, int], guess: dict[str, int]) -> float | None:
    ranks = [{label: at for at, label in enumerate(sorted(w, key=lambda x: (-w[x], x)))} for w in (truth, guess)]
    pairs = list(combinations(truth, 2))
    signs = [(ranks[0][a] - ranks[0][b]) * (ranks[1][a] - ranks[1][b]) for a, b in pairs]
    return sum(1 if sign > 0 else -1 for sign in signs) / len(pairs) if pairs else None


def _draft(turn: dict[str, Any], draft: str | None, won: dict[str, int]) -> dict[str, Any]:
    others = turn["annotations"]["alternateResponses"]
    texts = dict(zip(_REPLIES, (turn["llmResponse"], others["llmImproved"], others["humanEdited"]), strict=True))
    bag = set((draft or "").lower().split())
    near = {label: _jaccard(bag, set(text.lower().split())) for label, text in texts.items() if text}
    decided = sum(won.values())
    similarity = max(near.values(), default=0.0)
    aligned = sum(won.get(x, 0) * near[x] for x in near) / decided if decided else similarity
    return {f"similarity_{x}": value for x, value in near.items()} | {"similarity": similarity, "aligned": aligned}


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _post(conversation: dict[str, Any], post: dict[str, Any]) -> dict[str, Any]:
    asked = conversation["conversationWideQuestions"]
    answers = post["predicted_conversation_wide"] or {}
    before, after, guess = conversation["prePanas"], conversation["postPanas"], post["predicted_post_panas"] or {}
    totals = ("totalPositiveAffect", "totalNegativeAffect")
    errors = [abs(after[name] - guess.get(name, 40)) for name in totals]
    gains = [_adjusted(before[name], after[name], guess.get(name), 60) for name in totals]
    items = guess.get("items") or {}
    words = [word for word in after if word in items]
    item_gains = [_adjusted(before[word], after[word], items[word], 6) for word in words]
    wanted = {text.strip().lower() for text in asked["q1_lookingFor"]}
    found = {text.strip().lower() for text in answers.get("q1_lookingFor") or ()}
    branches = answers.get("fourBranchScores") or {}
    gaps = {name: abs(rating - branches.get(name, 4)) for name, rating in asked["fourBranchScores"].items()}
    fits = [(asked["q3_modelFit"] or "").lower(), (answers.get("q3_modelFit") or "").lower()]
    return {
        "panas_mae": sum(errors) / 2,
        "adjusted": _mean(gains),
        "items": {word: abs(after[word] - items[word]) for word in words},
        "items_adjusted": _mean(item_gains),
        "q1": 2 * len(wanted & found) / (len(wanted) + len(found)) if wanted or found else 1.0,
        "q2": float((asked["q2_emotionClarity"] or "").lower() == (answers.get("q2_emotionClarity") or "").lower()),
        "q3": float(fits[0] == fits[1]),
        "q3_distance": abs(_FITS.index(fits[0]) - _FITS.index(fits[1])) if all(fits) else 3,
        "follow_up": _follow_up(asked["q3_followUp_whatFeltOff"], answers.get("q3_followUp_whatFeltOff") or []),
        "branches": 1 - sum(gaps.values()) / len(gaps) / 6,
        "branch_errors": gaps,
    }


def _adjusted(pre: float, post: float, guess: float | None, scale: int) -> float | None:
    if guess is None or pre == post:
        return None
    naive, raw = 1 - abs(post - pre) / scale, 1 - abs(post - guess) / scale
    return min(max((raw - naive) / (1 - naive), -1.0), 1.0)


def _follow_up(said: list[str], guessed: list[str]) -> float:
    if not said or not guessed:
        return float(not said and not guessed)
    bags = [[set(text.strip().lower().split()) for text in texts] for texts in (said, guessed)]
    found = [[max(_jaccard(bag, other) for other in others) for bag in own] for own, others in (bags, reversed(bags))]
    recall, precision = (sum(x if x >= 0.3 else 0.0 for x in each) / len(each) for each in found)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

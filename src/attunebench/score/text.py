"""Texts as bags of words."""


def words(text: str | None) -> frozenset[str]:
    """Return the distinct words of a text: lower-cased, split on white space. No text has no words."""
    return frozenset(text.lower().split()) if text else frozenset()


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return |A & B|/|A | B|, range 0 to 1, up is more alike; 0 if both are empty."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def folded(text: str | None) -> str:
    """Return a text as answers are compared: trimmed and lower-cased; no text is the empty one."""
    return text.strip().lower() if text else ""

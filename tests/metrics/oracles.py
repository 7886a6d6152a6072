"""Independent re-implementations that the metrics are held against."""

import re

ASCII_PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def squad_tokens(text):
    """The official SQuAD 1.1/2.0 normalisation, step by step as its authors describe it."""
    kept = [c for c in text.lower() if c not in ASCII_PUNCTUATION]
    spaced = re.sub("(?<!\\w)(?:the|an|a)(?!\\w)", " ", "".join(kept))
    return spaced.split()


def f1_by_matching(answer, reference):
    """Token F1 by crossing tokens out one by one, then precision and recall."""
    if not answer or not reference:
        return 1.0 if not answer and not reference else 0.0
    left, common = list(reference), 0
    for token in answer:
        if token in left:
            left.remove(token)
            common += 1
    if common == 0:
        return 0.0
    precision, recall = common / len(answer), common / len(reference)
    return 2 * precision * recall / (precision + recall)

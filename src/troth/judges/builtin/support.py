"""Support: do the contexts state what an item states? Findings -> label, support and reason."""

from __future__ import annotations

from collections.abc import Iterable

from troth.asks import CONTRADICTED, NO_CLAIM, SUPPORTED, UNMENTIONED, Item, Support
from troth.judges.builtin.claims import claims_nothing
from troth.judges.builtin.evidence import Evidence, Sentence, evidence
from troth.judges.builtin.features import Findings, find
from troth.judges.builtin.weights import SUPPORTED_FROM, support
from troth.score import Verdict
from troth.text.tokens import stem, words

_QUOTE = 90  # characters of a context sentence that a reason quotes
_NAMED = 4  # words that a reason names


def judge_support(ask: Support) -> tuple[Verdict, ...]:
    """One verdict per item, in order; an item's verdict does not depend on the other items."""
    known = evidence(ask.contexts)
    return tuple(_verdict(item, known) for item in ask.items)


def _verdict(item: Item, known: Evidence) -> Verdict:
    sentence = Sentence.of(item.text)
    nothing = claims_nothing(sentence)
    if nothing:
        return Verdict(item.id, NO_CLAIM, 1.0, nothing, text=item.text)
    if not known.sentences:
        return Verdict(item.id, UNMENTIONED, 0.0, "there is no context", text=item.text)
    findings = find(sentence, known)
    value = support(findings)
    label = _label(findings, value)
    reason, sources = _REASONS[label](sentence, findings)
    return Verdict(item.id, label, value, reason, tuple(sources), item.text)


def _label(findings: Findings, value: float) -> str:
    if findings.denied:
        return CONTRADICTED
    if value >= SUPPORTED_FROM:
        return SUPPORTED
    clash = findings.number_clash or findings.opposite or findings.negation
    return CONTRADICTED if clash and findings.well_matched else UNMENTIONED


def _supported(_: Sentence, findings: Findings) -> tuple[str, Iterable[str]]:
    sources = dict.fromkeys(match.source for match in findings.matches)
    return f"matches {_cited(findings.matches[:1])}", sources


def _contradicted(item: Sentence, findings: Findings) -> tuple[str, Iterable[str]]:
    if findings.denied:
        fact = findings.denied
        return f"{fact.source} has “{'.'.join(fact.path)}: {fact.state}”", (fact.source,)
    best = findings.matches[:1]
    if findings.number_clash:
        number = findings.new_numbers[0]
        kind = f"“{number}” is in no context" if number in findings.absent else f"not “{number}”"
        reason = f"{kind}; {_cited(best)}"
    elif findings.opposite:
        word, other = findings.opposite
        best = tuple(match for match in findings.matches if other in match.stems)[:1]
        reason = f"“{_surface(word, item)}” is the opposite of “{_surface(other, best[0])}”, "
        reason += f"the word of {_cited(best)}"
    else:
        best = (findings.denying,) if findings.denying else best
        reason = f"{findings.negation} what is stated otherwise: {_cited(best)}"
    return reason, [match.source for match in best]


def _unmentioned(item: Sentence, findings: Findings) -> tuple[str, Iterable[str]]:
    if findings.absent:
        named = ", ".join(f"“{word}”" for word in findings.absent[:_NAMED])
        rest = len(findings.absent) - _NAMED
        more = f" and {rest} more word{'s' * (rest > 1)}" if rest > 0 else ""
        verb = "is" if len(findings.absent) == 1 else "are"
        return f"{named}{more} {verb} in no context", ()
    if not findings.matches:
        return "no context shares a word with it", ()
    return f"no sentence says this; nearest is {_cited(findings.matches[:1])}", ()


_REASONS = {SUPPORTED: _supported, CONTRADICTED: _contradicted, UNMENTIONED: _unmentioned}


def _cited(matches: tuple[Sentence, ...]) -> str:
    """`c2: “...”`; what has no content word of its own has no match either."""
    if not matches:
        return "the numbers of the contexts"
    flat = " ".join(matches[0].text.split())
    cut = flat if len(flat) <= _QUOTE else f"{flat[: _QUOTE - 1].rstrip()}…"
    return f"{matches[0].source}: “{cut}”"


def _surface(wanted: str, sentence: Sentence) -> str:
    """A stem as the sentence writes it."""
    return next((word for word in words(sentence.text) if stem(word) == wanted), wanted)

"""What a sentence carries beside its claim: citation markers, and the "Yes," of an answer."""

from __future__ import annotations

import re
from typing import Final

_COUNT: Final = r"\d{1,3}(?:\s*(?:[,;，、&–-]|and)\s*\d{1,3})*"
_SOURCE: Final = (
    r"(?:see\s+)?(?:sources?|passages?|contexts?|documents?|docs?|references?|refs?|quellen?|"
    r"abschnitte?|textes?|fuentes?|documentos?|来源|资料|文档|段落)"
)
# "The range is [5, 10]" claims the numbers; "built in 1876 [5, 10]" cites them.
_MARKER: Final = re.compile(
    r"(?=[(\[（【])(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!= )(?<!=)(?<!interval )"
    r"(?<!range )"
    rf"(?:\[\^?{_COUNT}\]|【{_COUNT}】|"
    rf"[(\[（【]{_SOURCE}\s*\.?:?#?\s*{_COUNT}[)\]）】])",
    re.IGNORECASE,
)
# An answering word is set off: "No smoking." negates, "No, smoking is prohibited." answers.
_ANSWERING: Final = re.compile(
    r"\W*(?:(?:yes|yeah|yep|no|nope|ja|jawohl|nein|doch|oui|non|si|sí|да|нет)"
    r"(?:\s*[,;:!–—](?!\d)|\.(?=\s+[^\W\d]))|"
    r"(?:是的|是|对|可以|能|会|有|不是的?|不可以|不行|不能|不会|不对|没有|不|はい|いいえ)\s*[,，。;；!！])"
    r"\s*(?=.*\w)",
    re.IGNORECASE | re.DOTALL,
)


def without_markers(text: str) -> str:
    """`text` without citation markers: `[1]`, `[1, 2]`, `(source 3)`, `(Passage 2)`.

    A bracket behind "is" or "range" is what is claimed, and stays. Raises on no string.
    """
    return _MARKER.sub("", text)


def without_asides(text: str) -> str:
    """`text` without citation markers and without the word that answers a question.

    "No, the shop is closed." is then "the shop is closed.". An answering word that stands alone
    stays. Raises on no string.
    """
    body = without_markers(text)
    answering = _ANSWERING.match(body)
    return body[answering.end() :] if answering else body

"""Which items claim nothing: short questions, courtesies, and saying that one cannot say."""

from __future__ import annotations

import re
from typing import Final

from troth.judges.builtin.evidence import Sentence

_QUESTION: Final = re.compile(r"[?？؟]\W*$")
_TELLING_QUESTION: Final = re.compile(r"\b(?:did|do) you know\b", re.IGNORECASE)
_COURTESY: Final = re.compile(
    r"\W*(?:(?:hi|hello|hey|thanks|thank you|you're welcome|sure|of course|certainly|okay|ok|sorry|"
    r"great question|good (?:question|morning|evening|luck)|i hope (?:this|that|it) helps|"
    r"let me know|feel free|i apologi[sz]e|hope this helps|hallo|danke|bonjour|merci|hola|gracias|"
    r"привет|спасибо)\b|你好|您好|谢谢|こんにちは|ありがとう)",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:i (?:do not|don't) know|(?:i am|i'm) not sure|i have no idea)\b|不知道|わかりません|"
    r"分かりません|не знаю",
    re.IGNORECASE,
)
_SAYING = r"(?:answer|determine|say|tell|confirm|provide|give|find)"
_SOURCES = r"(?:passages?|contexts?|texts?|documents?|sources?|articles?)"
_UNABLE: Final = re.compile(
    rf"\b(?:(?:unable|impossible|not possible) to {_SAYING}|i (?:can ?not|can't) {_SAYING}|"
    r"can ?not be (?:answered|determined)|(?:not enough|insufficient) information|"
    rf"{_SOURCES}\b.{{0,40}}\b(?:do|does) not "
    r"(?:contain|provide|mention|include|specify|state|say)|"
    rf"no (?:information|mention)\b.{{0,40}}\b{_SOURCES})\b|无法回答|无法确定",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(r"\b(?:but|however|although|though)\b", re.IGNORECASE)
_SHORT = 5  # content words up to which a question or a doubt is nothing more
_SHORTEST = 3  # the same for a courtesy


def claims_nothing(item: Sentence) -> str | None:
    """Why the item claims nothing, or `None` if it claims something."""
    if not item.content and not item.numbers:
        return "it holds no word that says something"
    text = item.text.replace("’", "'")
    unable = _UNABLE.search(text)
    if unable and not _GOES_ON.search(text, unable.end()):
        return "it says that it cannot say"
    if len(item.content) <= _SHORT and not item.numbers:
        if _UNSURE.search(text) and not _GOES_ON.search(text):
            return "it says that it cannot say"
        if _QUESTION.search(text) and not _TELLING_QUESTION.search(text):
            return "it asks"
        if len(item.content) <= _SHORTEST and _COURTESY.match(text):
            return "it is a courtesy"
    return None

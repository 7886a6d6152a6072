"""Small word lists that judging needs: words that claim nothing, negations, number words."""

from __future__ import annotations

from typing import Final

_ENGLISH = """
a about above after again all also although am an and any are as at be because been before being
below between both but by can could did do does doing down during each either else ever few for
from further had has have having he her here hers herself him himself his how however i if in into
is it its itself just may me might more most much must my myself of off on once only or other our
ours ourselves out over own per quite rather same shall she should since so some such than that the
their theirs them themselves then there these they this those though through thus to too under
until up upon us very was we well were what when where which while who whom whose why will with
within would yes yet you your yours yourself yourselves s t d ll m re ve
"""
_GERMAN = """
aber als am auf aus bei bin bis da das dass dem den der des die dies diese durch ein eine einem
einen einer es für hat haben ich ihr im ist mit nach noch oder sein sich sie sind so um und uns von
vom war waren wie wir wird zu zum zur über
"""
_FRENCH = """
au aux avec ce ces cette dans de des du elle elles en est et il ils je la le les leur lui mais nous
ont ou où par plus pour qu que qui sa se ses sont sur un une vous été être
"""
_SPANISH = """
al como con cuando del desde el ella ellos era es esta este está ha han hasta las lo los más muy
para pero por que se ser su sus también tiene una unos y ya
"""
_RUSSIAN = """
а бы был была были было в во вот вы для до его ее если же за и из или их к как ко который мы на
но о об он она они от по при с со так такой то тот у уже что чтобы это этот я
"""
_ARABIC = "في من على إلى عن أن إن هذا هذه التي الذي ما هو هي مع كان كانت و أو ثم قد"
_HINDI = "का के की को में है हैं से और पर यह वह एक ने भी था थे थी हो कर"

# Languages of one script share a list: a sentence's language is known by its script alone.
STOPWORDS: Final = frozenset(
    " ".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _RUSSIAN, _ARABIC, _HINDI)).split()
)

_NEGATIONS = """
no not never none nobody nothing neither nor without cannot cant dont doesnt didnt isnt wasnt
arent werent wont wouldnt couldnt shouldnt hasnt havent hadnt unable lack lacks lacking
nicht kein keine keinen nie ohne pas aucun aucune jamais sans ningún nunca sin не нет ни без
никогда لا لم لن ليس غير नहीं मत
"""
NEGATIONS: Final = frozenset(_NEGATIONS.split())
# Negation in the scripts that put no space between words.
NEGATION_MARKS: Final = ("不", "没", "沒", "無", "无", "未", "非", "ない", "ません", "ไม่")

NUMBER_WORDS: Final = {
    word: value
    for value, words in {
        0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven",
        8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve dozen", 13: "thirteen",
        14: "fourteen", 15: "fifteen", 16: "sixteen", 17: "seventeen", 18: "eighteen",
        19: "nineteen", 20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty",
        70: "seventy", 80: "eighty", 90: "ninety",
    }.items()
    for word in words.split()
}  # fmt: skip
SCALES: Final = {
    "hundred": 100.0,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "b": 1e9,
    "trillion": 1e12,
    "百": 100.0,
    "千": 1e3,
    "万": 1e4,
    "萬": 1e4,
    "亿": 1e8,
    "億": 1e8,
}

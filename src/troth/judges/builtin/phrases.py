"""Courtesies, and ways to say that one cannot say, in English, Chinese, German, French, Spanish.

Small lists, written down by hand; a phrase that is missing costs an answer a sentence without
support, a phrase too many would let a claim pass. A courtesy's pattern covers how it opens; what
follows may hold only the words of `polite`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from troth.text.tokens import stem

_NAME: Final = r"(?: (?-i:[A-Z])\w+)?(?=\s*[,!.]|\s*$)"
_OPENINGS: Final = (
    # English
    rf"(?:hi|hello|hey)(?: there)?{_NAME}",
    r"(?:many )?thanks(?: for| so much| a lot)?|thank you(?: very much| so much)?(?: for)?",
    r"(?:you are|you're) (?:very |most )?welcome(?=\W*$)|welcome(?: to \w+)?(?=\W*$)",
    r"no (?:problem|worries)(?=\W*$)|(?:it's |it is )?my pleasure|with pleasure",
    r"sure(?: thing)?|of course|certainly|absolutely|okay|ok|great|"
    r"good (?:luck|question|point|idea|morning|evening|day)",
    r"(?:i am |i'm |i'd be |i would be |i'll be |always )?(?:so |very |more than )?"
    r"(?:happy|glad|pleased) (?:to|i could)(?: (?:be of )?(?:help|assist)\w*)?(?: you)?",
    r"(?:that's|that is|what)(?: such)? an?",
    r"(?:i |we )?hope (?:this|that|it|you)",
    r"(?:please )?(?:do )?(?:let me know|feel free to|don't hesitate to|do not hesitate to)",
    r"if you (?:have|need|want|would like|should have)|should you (?:have|need)",
    r"(?:please )?enjoy|have (?:an?|fun)|(?:i |we )?wish you|safe travels|see you|take care",
    r"(?:i am |i'm )?(?:so |very |really )?sorry|(?:i |we |my )?apolog\w+|unfortunately|i'm afraid|"
    r"i am afraid|as an ai(?: \w+){0,2}(?=,)",
    # German
    rf"(?:hallo|guten (?:tag|morgen|abend)){_NAME}",
    r"(?:vielen |herzlichen )?dank(?:e)?(?: für| schön| sehr)?|bitte(?: sehr| schön)?|"
    r"gern(?:e)?(?: geschehen)?|mit vergnügen|ich helfe(?: ihnen| dir)? gern(?:e)?|natürlich|"
    r"viel(?:e|en)? (?:spaß|spass|freude|glück|erfolg)(?: bei| auf| mit)?|"
    r"(?:einen )?(?:schönen|guten) (?:tag|abend|aufenthalt)|(?:eine )?(?:gute|schöne) reise|"
    r"(?:ich )?hoffe?,? (?:das|dies) hilft|melden sie sich|wenn sie|falls sie|"
    r"(?:es tut mir |tut mir )leid|leider|entschuldigung|(?:ich )?entschuldige?n?",
    # French
    rf"(?:bonjour|bonsoir|salut){_NAME}",
    r"merci(?: beaucoup)?(?: pour| de)?|de rien|avec plaisir|je vous en prie|bien sûr|volontiers|"
    r"bon(?:ne)? (?:visite|journée|soirée|chance|voyage|séjour)|n'hésitez pas à|si vous avez|"
    r"j'espère que (?:cela|ça)|(?:je suis )?désolée?|malheureusement|excusez-moi",
    # Spanish
    rf"(?:hola|buen[oa]s (?:días|tardes|noches)){_NAME}",
    r"(?:muchas )?gracias(?: por)?|de nada|con (?:mucho )?gusto|por supuesto|claro|"
    r"disfrut(?:e|a|en) (?:de )?(?:su|tu)|buen(?:a)? (?:viaje|suerte|día|visita)|no dudes? en|"
    r"espero que (?:esto|le|te)|si tienes?|lo siento|lamentablemente|"
    r"desafortunadamente|perdón|disculpe",
    r"привет|здравствуйте|спасибо|пожалуйста",
)
_UNSPACED_OPENINGS: Final = (
    r"(?:你|您)好|谢谢(?:您|你)?(?:的)?(?:提问|问题|关注|咨询|耐心)?|不客气|不用谢|好的|当然(?:可以)?|没问题|"
    r"(?:我)?很?高兴(?:能|可以)?(?:为|帮)?(?:您|你)?(?:服务|效劳|解答|帮助|帮到|帮忙)?(?:您|你)?|"
    r"祝(?:您|你)?(?:们)?(?:在)?(?:旅途|旅行|参观|游玩|玩得|生活|一切|学习|工作)?(?:愉快|开心|顺利|好运)|"
    r"欢迎(?:您|你)?(?:随时)?(?:再次)?(?:提问|咨询|联系我?|光临)?|希望(?:这|以上|对|能|回答|信息|您|你|有|所|帮助|到)+|"
    r"如果?(?:您|你)?(?:还)?有(?:其他|任何|更多|什么)*(?:问题|疑问|需要)|请?(?:随时)?(?:告诉|联系|咨询|问)我|"
    r"很?抱歉|非常抱歉|对不起|不好意思|很?遗憾|"
    r"こんにちは|ありがとう(?:ございます)?|どういたしまして|申し訳(?:ありません|ございません)|すみません"
)
COURTESY: Final = re.compile(
    rf"[^\w\d]*(?:(?:{'|'.join(_OPENINGS)})(?!\w)|{_UNSPACED_OPENINGS})", re.IGNORECASE
)
_POLITE: Final = """
question questions answer answers help helps helped helpful assist assistance need needs more else
further anything something other additional any information details ask asking asked contact reach
out again please thank thanks happy glad day time trip visit stay evening morning week weekend
journey travel travels plan idea choice great good nice lovely wonderful pleasant safe fantastic
excellent interesting pleasure fun want would like know let interest patience confusion
inconvenience feel hesitate soon here always today much many so sorry afraid I'm I'd I'll that's
there very really unfortunately clarification kind words
frage fragen ihre ihren ihrem ihr weitere noch besuch aufenthalt reise interesse hilfe
sie haben mich mir gern gerne bitte wissen lassen weiter helfen schönen tag geduld leider melden
question questions votre vos autres visite séjour aide contacter demander poser intérêt aider
d'autres patience à n'hésitez
pregunta preguntas más otra otras visita viaje estancia ayuda ayude ayudar sea útil preguntar
contactar interés tu duda dudas a
"""

_SAY = r"(?:answer|determine|say|tell|confirm|provide|give|find|see|locate|know)"
_SOURCES = (
    r"(?:passages?|contexts?|texts?|documents?|sources?|articles?|excerpts?|materials?|references?)"
)
_QUELLEN = r"(?:dokumente?n?|texte?n?|quellen?|unterlagen|passagen?|abschnitte?n?|kontext)"
_FUENTES = r"(?:documentos?|textos?|fuentes?|pasajes?|contexto)"
_LIEUX = r"(?:documents?|textes?|sources?|passages?|extraits?|contexte)"
_TEXTS_ZH = r"(?:资料|文档|文件|文章|上下文|材料|文本|来源|原文|段落|文中|文)"
UNABLE: Final = re.compile(
    r"\b(?:"
    rf"(?:unable|impossible|not possible|not able) to {_SAY}|"
    r"i (?:can ?not|can't|could not|couldn't) (?:find|see|locate|answer|determine|say|tell|confirm|"
    r"provide|give)|i (?:did not|didn't) (?:find|see|locate)|"
    r"(?:not enough|insufficient) information|"
    r"i (?:do not|don't) have (?:enough |any |that |this |the |sufficient )?information|"
    rf"{_SOURCES}\b.{{0,40}}\b(?:(?:do|does|did) not|don't|doesn't) "
    r"(?:contain|provide|mention|include|specify|state|say)|"
    rf"none of the (?:\w+ ){{0,2}}{_SOURCES}|no (?:information|mention)\b.{{0,40}}\b{_SOURCES}|"
    r"(?:das )?wei(?:ß|ss) ich (?:leider |auch )?nicht|"
    r"ich wei(?:ß|ss) (?:es |das )?(?:leider )?nicht|"
    r"ich kann (?:\w+ ){0,4}nicht (?:beantworten|sagen|finden|beurteilen)|"
    rf"{_QUELLEN} (?:sagen|sagt|nennen|nennt|enthalten|enthält|erwähnen|erwähnt) "
    r"(?:\w+ ){0,4}(?:nicht|nichts|keine?n?)|keine (?:angaben?|informationen?)|"
    rf"(?:steht|geht) (?:\w+ ){{0,3}}nicht (?:in|aus) (?:den |dem |der )?{_QUELLEN}|"
    r"je (?:ne|n') ?(?:le )?(?:sais|peux|pourrais) pas|je n'ai pas (?:trouvé|d'information)|"
    rf"{_LIEUX}(?: \w+)? n(?:e |')\w+ (?:pas|rien|aucune?)|aucune information|"
    rf"pas (?:mentionnée?|précisée?|indiquée?) dans (?:\w+ ){{0,2}}{_LIEUX}|"
    r"no (?:lo )?sé|no puedo (?:responder|decir|contestar|determinar)|"
    r"no (?:he )?(?:encontré|encontrado|encuentro)|no hay (?:suficiente )?información|"
    rf"{_FUENTES} no (?:\w+ )?(?:dicen?|mencionan?|contienen?|indican?|especifican?)"
    r")(?!\w)|"
    r"无法(?:回答|确定|得知|判断|提供|找到|确认)|"
    rf"{_TEXTS_ZH}(?:里|中|内|上)?(?:面)?(?:并|都|也)?(?:没有?|未|无)(?:有)?(?:明确|直接|具体)?"
    r"(?:说明|提到|提及|包含|提供|记载|给出|相关|找到|涉及|写明|说)|"
    r"(?:没有|未能?)(?:找到|查到|发现)(?:任何)?(?:相关|有关|这|此)|没有(?:足够|相关)的?(?:信息|资料|内容)|"
    r"(?:我)?不(?:知道|清楚)|わかりません|分かりません|記載(?:が|は)(?:ありません|ない)",
    re.IGNORECASE,
)
# These follow what is not known: "the price is not mentioned in the documents".
PASSIVE: Final = re.compile(
    r"\b(?:can ?not be (?:answered|determined|found)|"
    r"(?:not|nowhere) (?:mentioned|specified|stated|given|provided|found|included) in "
    rf"(?:any of )?(?:the |these |those |my |this )?(?:\w+ ){{0,2}}{_SOURCES})\b",
    re.IGNORECASE,
)
SUBJECT: Final = re.compile(r"(?:(?!\b(?:and|which|that|who|as|so)\b)[^\d])*", re.IGNORECASE)
UNSURE: Final = re.compile(
    r"\b(?:i (?:do not|don't) know|(?:i am|i'm) not sure|i have no idea)\b|не знаю", re.IGNORECASE
)
# Clauses of one sentence: what a refusal says does not cover the next one.
BOUND: Final = re.compile(
    r"[,:](?!\d)|[;()，；：。！]|\s[–—-]\s|—|\b(?:because|since|but|however|although|though|aber|"
    r"jedoch|weil|mais|car|pero|porque|sino)\b|但是?|不过|然而|因为",
    re.IGNORECASE,
)
GOES_ON: Final = re.compile(r"\b(?:which is|which are|who is|who was|and (?:it|they|he|she))\b")
# "when, where or why": a list goes on behind its comma.
LISTS_ON: Final = re.compile(
    r"\s*(?:or|nor|such as|including|when|where|why|how|what|who|whether|if|oder|wann|wo|"
    r"warum|wie|ou|où|quand|o|ni)\b",
    re.IGNORECASE,
)
LIST_ENDS: Final = re.compile(r"\s*(?:or|nor|oder|ou|ni)\b", re.IGNORECASE)
CONDITION: Final = re.compile(
    r"\s*(?:if|wenn|falls|si|as for|regarding|concerning)\b|如果|关于|至于", re.IGNORECASE
)
NAMES_SOURCE: Final = re.compile(
    rf"\s*(?:unfortunately |therefore )?(?:based|according|from|in|given|using)\b(?: on| to)?"
    rf"(?: the| these| this| those| my)?(?: \w+){{0,2}} {_SOURCES}\b(?: \w+){{0,2}}\s*$",
    re.IGNORECASE,
)
# What may stand before a refusal's own words: "The answer to this question can not be ...".
FILLER: Final = re.compile(rf"\b{_SOURCES}\b", re.IGNORECASE)
UNSPACED_FILLER: Final = re.compile(
    rf"根据|(?:所|您|你|已|现有|以上|上述|给定)?提供的?|{_TEXTS_ZH}|[我在的中里这此请，。]|目前|暂时"
)
_ABOUT_SOURCES: Final = """
passage passages context contexts text texts document documents source sources article articles
provided given based according information answer answers question unfortunately available
dokumente unterlagen texte quellen bereitgestellten angaben informationen
documents textes fournis documentos textos proporcionados question alone only solely
therefore note important however hence thus additionally also both neither none
specific specifically response instructions d'après selon según basis
"""


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


@cache
def polite() -> frozenset[str]:
    """Stems of the words that a courtesy may hold."""
    return _stems(_POLITE)


@cache
def sources() -> frozenset[str]:
    """Stems of the words by which a refusal speaks of what it was given."""
    return _stems(_ABOUT_SOURCES)

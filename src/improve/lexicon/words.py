"""Single words: which say no, which carry little, and what their stem is."""

from __future__ import annotations

from functools import lru_cache

from improve.lexicon.tables import rows_of, words_of

STOP = words_of(
    """
    a an the this that these those it its itself they them their theirs he she his her we us our ours
    you your yours i me my mine one ones someone anyone everyone user's who whom whose which what there
    here is are was were be been being am do does did doing done has have had having will would shall
    should must may might can could need needs needed want wants let lets of to in on at by for from
    with into onto within upon about as per via through during between among across and or nor so then
    than too also just very really quite rather still yet again ever even such both either each every
    all any some most more other another same own if when whenever where wherever while once always
    please note make makes made sure ensure ensures ensuring keep keeps kept get gets got give gives
    given go goes going come comes put puts take takes etc eg ie e.g i.e vs up out off down over under
    like strictly simply already possible possibly applicable appropriate appropriately whatever however
    they're that's it's there's you're we're anything everything something thing things else become becomes
    critical important importantly mandatory required require requires religiously
    """
)
"""Words that say nothing about what a rule is about (negations are listed apart)."""

GENERIC = words_of(
    """
        use prefer add write create follow remov remove implement provid include instead ensure run set do call
    new code support
    handl current work way time case only correct properly relat involv perform apply utiliz consider look best
    accord specific necessary whole full given certain better good within approach point number job hit kind sort
    part reasonable desir outcom actual particular general real start begin help anyon somewhat overall item list
    directly request instruct known usual often always sometim rest long need want try begin result final proper
    successful success serious reason base allow enabl leave place position amount degree level matter attention
    care careful carefully benefit possibl able unable aware own effort purpose first last next previous top main
    keep maintain make get let take give go become remain stay tell say see know think feel mean seem appear
    expect hope wish like love hate choos pick relevant treat manag avail multiple appropriat adequat sufficient
    suitabl reasonably aggressiv absolut essential major minor emphasiz immediat instanc situat mention
    """
)
"""Stems that open a rule rather than say what it is about; they count for less than their rarity says."""

IRREGULAR_FORMS = """
coding: coding
use: using used uses usage utilize utilise utilizing
write: wrote written writing writes
run: ran running
choose: chose chosen
build: built
keep: kept
say: said
find: found
leave: left
send: sent
show: shown
tell: told
spell: spelt
index: indices indexes indexing
analysis: analyses analyze
child: children
person: people
mock: mocking mocked
test: tests testing tested
query: queries
dependency: dependencies
library: libraries
directory: directories
repository: repositories
this: this
less: less
css: css
js: js
redis: redis
class: class classes
canvas: canvas
http: https
next: nextjs
vs: vs
aws: aws
ios: ios
rails: rails
pandas: pandas
kubernetes: kubernetes
always: always
string: string
something: something
nothing: nothing
everything: everything
during: during
name: naming
red: red
need: need
embed: embed
speed: speed
feed: feed
seed: seed
bring: bring
king: king
spring: spring
existing: existing
setting: setting settings
heading: heading headings
status: status
type: typing types typed
spacing: spacing
typo: typo
minimal: minimal
process: processes process
access: access
pass: pass passes passing passed
ms: ms
os: os
axios: axios
tailwind: tailwindcss
"""
IRREGULAR = {form: root for root, forms in rows_of(IRREGULAR_FORMS) for form in forms}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Cut an English word down to the part its forms share (`queries`, `querying` → `query`)."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("'s"):
        return stem(word[:-2])
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _tail(_verb(_plural(word)))


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _verb(word: str) -> str:
    for ending in ("ingly", "edly", "ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) >= 3 and any(c in "aeiouy" for c in root):
            if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
                return root[:-1]
            return root + "e" if _short(root) else root
    return word


def _short(root: str) -> bool:
    """Say whether a root lost its `e`: `mak(ing)`, `cod(ing)`, but not `run(ning)`, `fix(ing)`, `add(ing)`."""
    vowels = [c in "aeiou" for c in root]
    return vowels == [False, True, False] and root[-1] not in "wxy"


def _tail(word: str) -> str:
    for ending, instead in (
        ("mentation", "ment"),
        ("ization", "iz"),
        ("isation", "iz"),
        ("ation", "at"),
        ("ness", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    if word.endswith("ise") and len(word) > 5:
        return word[:-3] + "iz"
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    if word.endswith("e") and len(word) > 4:
        return word[:-1]
    return word

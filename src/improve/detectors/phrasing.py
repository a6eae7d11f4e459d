"""Turn the clear cases of a person's words into a rule, without a model. Pure.

Rather nothing than something wrong: what is about the moment, asks, points at something, or may be a wish for the thing
being built, is left in the person's words for somebody to phrase.
"""

from __future__ import annotations

from improve import cue
from improve.detectors import forms
from improve.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_LONGEST_TEXT, _SHORT_TEXT, _LONGEST, _SHORTEST = 700, 200, 160, 6
_FEWEST, _MOST = 2, 26
"""Words of a rule, in scripts with blanks."""
_compiled: dict[str, re.Pattern[str]] = {}


def phrase(text: str) -> str:
    """Give one imperative sentence where the words are clear enough, else the empty string.

    >>> phrase("no! from now on always use pnpm."), phrase("don't push yet")
    ('Always use pnpm', '')
    """
    languages = _spoken_in(text, list(forms.HINTS)) if len(text) <= _LONGEST_TEXT else []
    if not languages:
        return ""
    words = cue.words_only(text)
    if len(words) > _SHORT_TEXT:  # what stands below a blank line was pasted more often than not
        words = words.partition("\n\n")[0]
    said = cue.spoken(words)
    if _pattern(forms.QUOTED).search(said) or len(_pattern(forms.LISTED).findall(said)) > 1:
        return ""
    for sentence in _sentences(said):
        rule = _of(sentence, _spoken_in(sentence, languages))
        if rule:
            return rule
    return ""


def _pattern(pattern: str) -> re.Pattern[str]:
    if pattern not in _compiled:
        import re

        _compiled[pattern] = re.compile(pattern, re.IGNORECASE)
    return _compiled[pattern]


def _sentences(said: str) -> Iterator[str]:
    """Yield the sentences that state something, without their end marks."""
    for line in said.splitlines():
        for sentence in _pattern(r"(?<=[.!?])\s+|(?<=[。！？])|;\s+").split(line):
            bare = sentence.strip().lstrip("-*•–— \t").strip()
            if bare and bare[-1] not in "?？:：" and bare[0] != '"':
                yield bare.rstrip(".!。！…, ").replace("’", "'")


def _spoken_in(text: str, languages: list[str]) -> list[str]:
    """List those of some languages in which a text may state a rule."""
    low = text.casefold()
    return [name for name in languages if any(hint in low for hint in forms.HINTS[name])]


def _of(sentence: str, languages: list[str]) -> str:
    """Give the rule a sentence states."""
    if not languages:
        return ""
    bare = _pattern(forms.FILLERS).sub("", sentence)
    bare = _pattern(rf"{forms.TAILS}$").sub("", bare)
    bare, noted = _without(bare, forms.NOTED, forms.NOTED_CJK, ends=False)
    bare, lasting = _without(bare, forms.LASTING, forms.LASTING_CJK, ends=True)
    bare = _pattern(forms.FILLERS).sub("", bare)
    bare, whole = _ending(bare, forms.PROJECT)
    if _pattern(forms.IN_PROJECT).match(bare):
        bare, whole = _pattern(forms.IN_PROJECT).sub("", bare), True
    there = {"lasting": lasting or noted, "noted": noted, "project": whole or lasting or noted, "": True}
    for pattern, template, need in (row for name in languages for row in forms.STATED[name]):
        if need != "choice" and not there[need]:
            continue
        found = _pattern(pattern).fullmatch(bare)
        if found and _fits(found, need):
            rule = found.expand(template)
            pointing = _pattern(forms.TRANSIENT).search(rule)
            return "" if pointing else _checked(rule, of_products=not (lasting or noted))
    return ""


def _fits(found: re.Match[str], need: str) -> bool:
    verb = found.groupdict().get("verb")
    return (verb is None or verb.casefold() in forms.VERBS) and (need != "choice" or _choice(found))


def _without(sentence: str, words: str, unspaced: str, *, ends: bool) -> tuple[str, bool]:
    """Take a frame from the beginning of a sentence, or from its end."""
    found = _pattern(rf"^(?:{words}\b|{unspaced})[\s,:，：、–—-]*").match(sentence)
    if found:
        return sentence[found.end() :], True
    return _ending(sentence, rf"[,\s]+{words}") if ends else (sentence, False)


def _ending(sentence: str, words: str) -> tuple[str, bool]:
    found = _pattern(rf"{words}$").search(sentence)
    return (sentence[: found.start()], True) if found else (sentence, False)


def _choice(found: re.Match[str]) -> bool:
    """Tell whether the last two things a sentence names are ones of which a project follows one."""
    from improve.lexicon.look import FAMILIES, concept_of

    def families(name: str | None) -> set[str]:
        words = [concept_of(word.strip("`'\",.").casefold()) for word in (name or "").split()]
        return {family for word in words for family, _ in FAMILIES.get(word, ())}

    groups = found.groups()
    return bool(families(groups[-2]) & families(groups[-1]))


def _checked(rule: str, *, of_products: bool) -> str:
    """Give the rule in good form, or nothing where it would be none."""
    rule = " ".join(rule.split()).strip(" ,.;:!`")
    rule = rule[:1].upper() + rule[1:]
    for short in ("Don't ", "Dont "):
        rule = f"Do not {rule[len(short) :]}" if rule.startswith(short) else rule
    words = rule.split()
    blanks = rule.isascii() or len(words) > 2
    if len(rule) > _LONGEST or (blanks and (len(rule) < _SHORTEST or not _FEWEST <= len(words) <= _MOST)):
        return ""
    verb = next((word.casefold() for word in words if word.casefold() not in ("always", "never", "only")), "")
    if of_products and verb in forms.OF_PRODUCTS:
        return ""
    if words[-1].casefold() in ("to", "the", "a", "and", "or", "of", "in", "with", "not", "for", "und", "et", "y", "e"):
        return ""
    return _accepted(rule)


def _accepted(rule: str) -> str:
    from improve.wording import check_rule

    try:
        return check_rule(rule)
    except Refused:
        return ""

"""How a rule's words part into what it forbids and what it wants, in several languages. Pure."""

from __future__ import annotations

import re

_NEVER = (
    r"(?:never|do not|don'?t|dont|must not|mustn'?t|should not|shouldn'?t|cannot|can'?t|avoid|stop|no|not|forbidden"
    r"|nie|niemals|nicht|kein|keine|keinen|jamais|ne|pas de|nunca|jamás|no|evita|evite|não|mai|non|никогда|не"
    r"|不要|禁止|别|不得|不能|不可|严禁|请勿|切勿|不用|不许|避免)"
)
_INSTEAD = r"(?:instead of|rather than|in place of|over|anstatt|anstelle von|statt|au lieu de|plutôt que|en lugar de"
_INSTEAD += r"|en vez de|em vez de|invece di|вместо|而不是|代替|而非)"
FORBIDS = re.compile(rf"(?:(?<!\w){_NEVER}(?!\w)|不要|禁止|别|不得|不能|不可|严禁|请勿|切勿|不用|不许|避免)", re.I)
INSTEADS = re.compile(rf"(?<!\w){_INSTEAD}(?!\w)|而不是|代替|而非", re.I)
_SPLIT = re.compile(
    r"(?:[,;:—–!?。，；、：]|(?<=\w)\.(?=\s|$)|\s-\s|\s+(?:but|and use|sondern|aber|mais|sino)\s+)", re.I
)
_ALLOWS = re.compile(
    r"(?<!\w)(?:unless|except|without|before|until|when|if|while|außer|sauf|salvo|excepto|ohne|sans|sin|outside|between|separately|only"
    r"|directly to)(?!\w)|除非",
    re.I,
)
_GOES_ON = re.compile(r"\s*(?:(?:or|nor|oder|ou|o)\s|(?:(?:and|und|et|y)\s+)?`\d+`\s*(?:\(|$))")
"""The next of several things that are forbidden: `, or docs/zh`, `, docs/ko`."""
CODE = re.compile(r"`([^`\n]{1,120})`")
_LIMITS = re.compile(
    r"(?<!\w)(?:only (?:allowed|permitted|ok|okay|fine|acceptable|in|for|when|if)|except\w*|unless|other than"
    r"|(?:is|are) (?:fine|ok|okay|allowed|permitted|acceptable) (?:in|for|when|if)"
    r"|in (?:these|the following) files?)(?!\w)",
    re.I,
)
"""Says elsewhere in a rule that its ban does not hold everywhere; a check could not tell where."""
_SCOPED = re.compile(r"^[^,;:.]*(?<!\w)(?:in|under|inside|within)\s+`[^`]*/[^`]*`")
"""Begins with what it is about: `Evals in apps/web must be run with …`."""
_WHEN = re.compile(
    r"\W*(?:when(?:ever)?|if|while|during|after|before|once|until|wenn|falls|beim|bevor|nachdem|si|cuando|quand|lorsque|se"
    r"|quando|al)(?!\w)|\W*(?:如果|当|若|在.{1,20}时)",
    re.I,
)
"""Begins a sentence that holds under a condition."""
_WHERE = re.compile(
    r"(?<!\w)(?:in|under|inside|within|on|with|from|against|via|as)\s+(?!(?:this|our|all|any|these|every|general|code"
    r"|the(?=\s+(?:repo|project|code|monorepo|whole|entire|shell|terminal|command))|commands?|your|a|favou?r)(?!\w)"
    r"|strict|typescript|javascript|python)[`\w./*]+"
    r"|(?<!\w)in the (?!repo|project|code|monorepo)",
    re.I,
)
"""A place that a command is banned in, which its words do not tell."""
_FOR = re.compile(
    r"(?<!\w)for\s+(?!(?:packages?|dependenc\w+|projects?|anything|any|all|this|python|node|javascript|install\w*|local|the"
    r"|our|now)(?!\w))",
    re.I,
)
_WHY = re.compile(
    r"(?<!\w)to\s+(?:fix|revert|solve|resolve|silence|hide|undo|discard|test|debug|check|verify|inspect|read|clean|reset"
    r"|get|make|force|work|update|upgrade|edit|change|modify|delete|move|find|search|format)(?!\w)",
    re.I,
)
"""A purpose that a command is banned for, which nothing in it tells."""


def conditional(text: str) -> bool:
    """Tell whether a ban holds under a condition, or in some places only, as another part of the rule says."""
    sentences = re.split(r"(?<=[.!?。])\s*", text)
    if any(_WHEN.match(each) and (FORBIDS.search(each) or INSTEADS.search(each)) for each in sentences):
        return True
    return _LIMITS.search(text) is not None


def about(text: str) -> bool:
    """Tell whether a rule begins with the place that it is about: `Evals in apps/web must be run with …`."""
    return _SCOPED.search(text) is not None


def purposeful(said: str, at: int = 0) -> bool:
    """Tell whether something is banned for a purpose alone: `… to revert files of others`."""
    return _WHY.search(said, at) is not None


def narrowed(said: str, at: int = 0) -> bool:
    """Tell whether a command is banned in a place, with something or for something alone."""
    return any(limit.search(said, at) is not None for limit in (_WHERE, _FOR, _WHY))


def parted(text: str) -> tuple[list[str], list[str]]:
    """Part a rule into what it forbids and what it wants; what is only a condition is neither."""
    marks: list[str] = []

    def keep(found: re.Match[str]) -> str:
        marks.append(found[0])
        return f"`{len(marks) - 1}`"

    plain = CODE.sub(keep, text.replace("’", "'"))
    banned: list[str] = []
    wanted: list[str] = []

    def back(part: str) -> str:
        return re.sub(r"`(\d+)`", lambda found: marks[int(found[1])], part)

    before = False
    for clause in _SPLIT.split(plain):
        clause, *limits = _ALLOWS.split(clause, maxsplit=1)
        if limits and FORBIDS.search(clause):
            return [], [back(plain)]
        head, *instead = INSTEADS.split(clause, maxsplit=1)
        found = FORBIDS.search(head)
        goes_on = before and not found and _GOES_ON.match(head)
        before = bool(found or goes_on)
        if found:
            wanted.append(back(head[: found.start()]))
            banned.append(back(head[found.end() :]))
            wanted += [back(part) for part in instead]  # "not npm instead of pnpm"
            continue
        if goes_on and banned:
            banned[-1] += f", {back(head)}"
        else:
            wanted.append(back(head))
        banned += [back(part) for part in instead]
    return [part for part in banned if part.strip()], [part for part in wanted if part.strip()]

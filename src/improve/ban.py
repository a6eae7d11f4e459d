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
_INSTEADS = re.compile(rf"(?<!\w){_INSTEAD}(?!\w)|而不是|代替|而非", re.I)
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
        head, *instead = _INSTEADS.split(clause, maxsplit=1)
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

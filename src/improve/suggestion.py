"""What a rule's own words say that can be checked: the command, text or files it forbids. Pure.

A rule gets a check only where it names something that a program can tell: a command, a word in code marks, a path.
What it recommends is never in it. Where nothing is named, the vague words are given instead of a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from improve.check import hits, problem
from improve.rule import Check
from improve.session import EDIT, SHELL, Call


class Suggested(NamedTuple):
    """A check, or why there is none."""

    check: Check | None
    why: str
    recommended: tuple[str, ...] = ()
    """Commands and words that the rule wants."""


def _set(table: str) -> frozenset[str]:
    return frozenset(table.split())


_NEVER = (
    r"(?:never|do not|don'?t|dont|must not|mustn'?t|should not|shouldn'?t|cannot|can'?t|avoid|stop|no|not|forbidden"
    r"|nie|niemals|nicht|kein|keine|keinen|jamais|ne|pas de|nunca|jamás|no|evita|evite|não|mai|non|никогда|не"
    r"|不要|禁止|别|不得|不能|不可|严禁|请勿|切勿|不用|不许|避免)"
)
_INSTEAD = r"(?:instead of|rather than|in place of|over|anstatt|anstelle von|statt|au lieu de|plutôt que|en lugar de"
_INSTEAD += r"|en vez de|em vez de|invece di|вместо|而不是|代替|而非)"
_FORBIDS = re.compile(rf"(?:(?<!\w){_NEVER}(?!\w)|不要|禁止|别|不得|不能|不可|严禁|请勿|切勿|不用|不许|避免)", re.I)
_INSTEADS = re.compile(rf"(?<!\w){_INSTEAD}(?!\w)|而不是|代替|而非", re.I)
_SPLIT = re.compile(
    r"(?:[,;:—–!?。，；、：]|(?<=\w)\.(?=\s|$)|\s-\s|\s+(?:but|and use|sondern|aber|mais|sino)\s+)", re.I
)
_ALLOWS = re.compile(
    r"(?<!\w)(?:unless|except|without|before|until|when|if|while|außer|sauf|salvo|excepto|ohne|sans|sin|outside|between|separately|only"
    r"|directly to)(?!\w)|除非",
    re.I,
)
_CODE = re.compile(r"`([^`\n]{1,120})`")
_TOKEN = re.compile(r"[\w./@+:*-]+", re.ASCII)
_PROGRAMS = _set("""
pip pip3 uv poetry pipenv pdm conda npm npx pnpm yarn bun bunx deno git gh docker podman kubectl helm terraform
cargo rustc maven mvn gradle sudo rm curl wget brew apt apt-get make pytest unittest tox jest vitest mocha
eslint prettier black flake8 pylint ruff mypy tsc node python python3 sed awk grep rg find kill killall pkill
chmod chown ssh scp rsync psql mysql sqlite3 redis-cli aws gcloud az vercel netlify heroku composer rake
docker-compose podman-compose ts-node tslint bower gulp grunt nodemon pip-compile isort autopep8
ansible virtualenv pipx easy_install nohup crontab systemctl service shutdown reboot dd mkfs eval
""")
_PLAIN = frozenset(["make", "find", "service", "node", "kill", "black", "eval", "az", "dd"])
"""Programs whose names are common words: they must stand in code marks or have an argument that tells."""
_LEADS = _set("""
use using uses used run running call calling invoke execute type suggest recommend prefer reach for slower older plain
raw bare a an the any ever manually directly just simply tools alternatives like with via by to of as command commands
tool verwende verwenden nutze nutzen benutze benutzen utilise utiliser utilises uses usar usa utiliza mehr pas plus root
用 使用 运行 执行
""")
"""Words between a ban and the command that it bans."""
_JOINS = _set("or and nor oder und ou et o y e")
_AFTER = _set("in for here to as directly anywhere commands command verwenden nutzen benutzen alone at on from is")
"""Words after a program that still leave it what is banned."""
_ALIASES = {"pip": "pip|pip3|pip3.*", "apt": "apt|apt-get", "apt-get": "apt-get|apt", "python": "python"}
_VERBS = _set("""
install add remove uninstall run push commit merge rebase reset checkout stash publish prune apply delete exec
build start test amend clean init upgrade update deploy destroy tag
""")
_SAYINGS: tuple[tuple[str, Check], ...] = (
    (
        r"force[- ]?push|push(?:es|ing)? (?:with )?(?:--)?force(?!-with)|push -f\b|强制推送|強制プッシュ",
        Check("shell", ("git push --force|-f", "git push +*"), ("git push --force-with-lease",)),
    ),
    (r"amend(?:ing)?\b.*\bcommit|commit(?:s)?\b.*\bamend|--amend", Check("shell", ("git commit --amend",))),
    (
        r"skip(?:ping)? (?:the )?(?:git |pre-commit |commit )*hooks|--no-verify"
        r"|bypass(?:ing)? (?:the )?(?:git |pre-commit )*hooks",
        Check("shell", ("git commit|push|merge --no-verify", "git commit -n")),
    ),
    (r"git add (?:-a|\.|--all)(?!\w)", Check("shell", ("git add -A|--all", "git add ."))),
    (r"rm -rf|rm -fr", Check("shell", ("rm -r -f", "rm --recursive --force"))),
)  # fmt: skip
_CODES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"`any`|\bany type|type any\b|: any\b", r"/(?::\s*|<|\bas\s+)any\b/", ("**/*.ts", "**/*.tsx")),
    (r"@ts-ignore", "@ts-ignore", ()),
    (r"`?console\.log`?", "console.log(", ("**/*.{js,jsx,ts,tsx,mjs,cjs,vue,svelte}",)),
    (r"`var`", r"/\bvar\s+\w/", ("**/*.{js,jsx,ts,tsx,mjs,cjs}",)),
    (r"\b[Ee]m[- ]dash(?:es)?\b(?!.*permit)", "—", ()),
    (r"eslint-disable", "eslint-disable", ()),
    (r"# ?type: ?ignore", "type: ignore", ("**/*.py",)),
)  # fmt: skip
_EDITS = re.compile(
    r"(?<!\w)(?:edit|modify|change|touch|alter|write to|overwrite|bearbeite\w*|ändere?\w*"
    r"|modifi\w+|edita\w*|modifica\w*)(?!\w)|修改|编辑|改动",
    re.I,
)
_PATH = re.compile(
    r"(?<![\w/~.])(?:\.{0,2}/)?(?:[\w.@*-]+/)+[\w.*@-]*|(?<![\w/])\.env[\w.*]*"
    r"|(?<!\w)[\w*-]+\.(?:lock|json|ya?ml|toml|proto|sql|md|snap|xml)(?:\.\w+)*(?!\w)"
)


def suggest(text: str) -> Suggested:
    """Derive a check from the words of a rule.

    >>> suggest("Use uv, never pip install").check
    Check(tool='shell', deny=('pip|pip3|pip3.* install',), unless=(), paths=())
    """
    banned, wanted = _parts(text)
    likes = tuple(dict.fromkeys(_named(" ; ".join(wanted))))
    if not banned and _FORBIDS.search(text):
        return Suggested(None, "nothing checkable: whether its condition holds is not to be seen in a call", ())
    if not banned:
        return Suggested(None, "it forbids nothing that a program could see; it only says what to do", likes)
    said = " ; ".join(banned)
    for check in _derived(said, banned):
        if not problem(check) and not contradicts(check, likes):
            return Suggested(check, f"it forbids {said.strip()[:120]!r}", likes)
    words = ", ".join(re.findall(r"[^\W\d_]{4,}", said)[:8])
    return Suggested(None, f"nothing checkable: no command, code or path is named in {words or said.strip()!r}", likes)


def contradicts(check: Check, wanted: Sequence[str]) -> str:
    """Give what a rule recommends and a check would hit; empty when there is none."""
    for command in wanted:
        call = Call("", "", SHELL, command)
        edit = Call("", "", EDIT, "", {"content": command})
        if hits(check, call) or (check.deny and hits(check._replace(paths=()), edit)):
            return command
    return ""


def recommended(text: str) -> tuple[str, ...]:
    """List the commands that a rule wants."""
    return tuple(dict.fromkeys(_named(" ; ".join(_parts(text)[1]))))


def _parts(text: str) -> tuple[list[str], list[str]]:
    """Part a rule into what it forbids and what it wants; what is only a condition is neither."""
    marks: list[str] = []

    def keep(found: re.Match[str]) -> str:
        marks.append(found[0])
        return f"`{len(marks) - 1}`"

    plain = _CODE.sub(keep, text.replace("’", "'"))
    banned: list[str] = []
    wanted: list[str] = []

    def back(part: str) -> str:
        return re.sub(r"`(\d+)`", lambda found: marks[int(found[1])], part)

    before = False
    for clause in _SPLIT.split(plain):
        clause, *limits = _ALLOWS.split(clause, maxsplit=1)
        if limits and _FORBIDS.search(clause):
            return [], [back(plain)]
        head, *instead = _INSTEADS.split(clause, maxsplit=1)
        found = _FORBIDS.search(head)
        goes_on = before and not found and re.match(r"\s*(?:or|nor|oder|ou|o)\s", head)
        before = bool(found or goes_on)
        if found:
            wanted.append(back(head[: found.start()]))
            banned.append(back(head[found.end() :]))
            wanted += [back(part) for part in instead]  # "not npm instead of pnpm"
            continue
        (banned if goes_on else wanted).append(back(head))
        banned += [back(part) for part in instead]
    return [part for part in banned if part.strip()], [part for part in wanted if part.strip()]


def _derived(said: str, banned: Sequence[str]) -> Iterator[Check]:
    """Yield what may be meant, surest first."""
    for pattern, check in _SAYINGS:
        if re.search(pattern, said, re.I):
            yield check
    edits = _EDITS.search(said)
    if edits and (paths := tuple(dict.fromkeys(_globs(said)))):
        yield Check("any", (), (), paths)
        return
    for pattern, deny, where in _CODES:
        if re.search(pattern, said):
            yield Check("any", (deny,), (), where)
    commands = list(dict.fromkeys(command for part in banned for command in _named(_at_once(part))))
    if commands and not edits:
        yield Check("shell", tuple(_pattern(command) for command in commands))


def _at_once(part: str) -> str:
    """Give a forbidden part when it names its command at once, as in `never use npm`; else nothing of it.

    In `never leave changes out of git` the program is only spoken of.
    """
    words = [word for code, word in re.findall(r"(`[^`]*`)|([^\s`]+)", part) for word in (code or word,)]
    for at, word in enumerate(words):
        bare = word.strip("`.,()\"'")
        first = bare.split()[0] if bare.split() else ""
        if first in _PROGRAMS:
            follows = words[at + 1].strip(".,") if at + 1 < len(words) else ""
            talks = (
                "`" not in word
                and "`" not in follows
                and re.fullmatch(r"[a-z]{3,}", follows)
                and not (follows in _VERBS or follows in _JOINS)
            )
            return "" if talks and at + 2 < len(words) and follows not in _AFTER else " ".join(words[at:])
        if word.lower().strip("`.,:()\"'*") not in _LEADS:
            return ""
    return ""


def _globs(said: str) -> Iterator[str]:
    for path in _PATH.findall(said):
        bare = path.rstrip(".,:;")
        if bare in ("and/or", "he/she", "/") or bare.count("*") > 6:
            continue
        last = bare.rstrip("/").rpartition("/")[2]
        yield bare if "." in last.lstrip(".") or last.startswith(".") or "*" in last else bare.rstrip("/") + "/**"


def _named(said: str) -> Iterator[str]:
    """Yield the commands that a text names: in code marks, or a known program with the words that belong to it."""
    for code in _CODE.findall(said):
        words = code.split()
        if words and words[0] in _PROGRAMS:
            yield " ".join(words)
    plain = _CODE.sub(" ; ", said)
    for part in re.split(r"[;,()]|\w+\|\w+", plain):
        tokens = _TOKEN.findall(part)
        for at, token in enumerate(tokens):
            name = token.rstrip(".:")
            if name not in _PROGRAMS:
                continue
            rest = []
            for word in tokens[at + 1 : at + 4]:
                if word.rstrip(".") in _VERBS or re.fullmatch(r"--?[a-zA-Z][\w-]*|\d{3}", word):
                    rest.append(word.rstrip("."))
                else:
                    break
            if name in _PLAIN and not rest:
                continue
            yield " ".join((name, *rest))


def _pattern(command: str) -> str:
    """Write a command as a pattern; placeholders and what differs from call to call are left out."""
    words = [word for word in command.split() if not re.search(r"[<>\[\]{}$\"'&;()…]|^\.\.\.$", word)]
    name, *rest = words or [command]
    return " ".join((_ALIASES.get(name, name), *rest))

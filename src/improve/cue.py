"""May a typed prompt hold a correction, a preference, a complaint about repetition or a wish to remember?

A net, not a verdict: what it lets through is looked at closely later, what it drops is gone, so it would rather keep
too much. It runs inside a hook while a person waits, so it is a walk over tables of words: each cue found gives
points, each opening of a plain task takes some away, and enough points name the likeliest signal. Pure.
"""

from __future__ import annotations

from improve.phrase import HINTS, OPENINGS, SCRIPTS, SIGNS, TASKS
from improve.stamp import MISSING_BEGINS, RECURRING_BEGINS, STAMP

_OUR_LINES = (
    "improve accept", "improve dismiss", "improve escalate", "improve guard", "improve inbox", "improve observe",
    "improve restore", "improve retire", "improve split", "improve: ", "none of them → improve",
    "RECORDED (count=", "new rule ", "matched ", "settled: ", "CONTRADICTS ",
    MISSING_BEGINS, RECURRING_BEGINS,
    "More rules apply here: ", "Confirmed (hard rules):", "Tentative (apply, do not enforce):",
    "Confirmed rules (hard rules)", "Tentative rules (apply, do not enforce)", "ESCALATE TO: ",
    "decision: in-session (", "decision: project (", "decision: each-project (", "decision: global (",
    "ok     ", "WRONG  ", "note   ", "global   ", "local    ", "Undone: ",
    "No active rule", "No correction waits", "no suggestion: its evidence", "No correction was found",
    "Nothing new.", "Corrected, the most worth a rule first", "Asked again, the most worth a rule first",
    "Nothing was written. Next:", "One at a time: improve review", "For each: would a careful assistant want",
    "Settle all of them with one call of each", "kind           accepted dismissed",
    "yes → one English imperative", "no (a task, a question, something", "Keep it as a rule? [", "Counted for ",
    "Dismissed: C", "Scheduled every night", "Scheduled every Sunday", "Scheduled with ", "Nothing is scheduled. With",
    "A candidate of a kind waits only when", "No guard is on.", "deny     ", "warn     ", "observe  ",
    "off      ", "only a person turns a guard on or off",
    "Recurring (hard rules that are written", "Recurring rules (hard rules that are written", "Archived: ",
    "Nothing has held for ", "In the archive: ", "What might leave first", "Nothing was measured yet for ",
    "recurring        ", "held             ", "not enough data  ", "Verified ",
    "not written where it happens: ", "not loaded there: ", "cut off by a cap: ", "contradicted: ",
    "too vague to check: ", "loaded and clear, but ignored", "nothing more: ", "it may well work: it came up in ",
    "You corrected your agents ", "The whole report as a page: ",
    "A check that is tried", "The calls it hits, the newest first", "No rule has a check yet",
    "No check for ", "It would have hit ", "A person keeps it with: ", "If you know one: improve check",
)  # fmt: skip
"""How lines begin that we print, without what stands before the first word."""
_OUR_WORDS = (
    "with: improve ", "as a rule: improve ", "of them: improve ", "here: improve ", " yet: improve inbox",
    "/bin/improve ", " → improve ", ", for a session that starts in ", ": improve review", ": improve inbox --stats",
    " may hold a correction that a rule should keep", " per 1,000 calls (95 %: ",
    " transcripts read now, ", " transcript read now, ", "nothing new was read, for improve", ", or improve retire ",
)  # fmt: skip
_BESIDE = (
    "rule: ", "check: ", "guard: ", "domain: ", "count: ", "escalation: ", "decision: ", "mentioned: ", "+",
    "loaded  ", "hidden  ", "scoped  ", "later   ", "cut     ", "off     ",
    "the agent had: ", "as a rule: ", "near: ", "said in ", "agent: ", "person: ", "phrased: ",
)  # fmt: skip
"""How lines begin that are ours in a text which has one of those."""
LONGEST = 4_000
"""Characters; what is longer was pasted."""
_READ = 900
"""Characters of a person's own words in which cues are looked for; a correction says so early, or at the very end."""
_TAIL = 300
_ENOUGH = 3
_ONE_MORE_PER, _MOST_MORE = 200, 4
"""A longer text needs more points, for any text of some length has a few common words among the hints."""
_RANK = ("remember", "frustration", "preference", "correction")
"""What is named when two signals have as many points."""

_SIGNALS = (
    *_RANK, "denial", "interrupt", "tool-failure", "contradicted", "waste", "admission", "repeated-ask",
)  # fmt: skip
"""What candidates are called in our lists."""

_WRAPPERS = (
    "system-reminder", "hook_context", "hook_output", "task-notification", "command-message", "command-name",
    "command-contents", "command-args", "local-command-caveat", "local-command-stdout", "local-command-stderr",
    "session_context", "environment_context", "user_instructions", "instructions", "ide_opened_file", "ide_selection",
    "ide_diagnostics", "system_instruction", "user-prompt-submit-hook", "open_and_recently_viewed_files", "timestamp",
    "additional_context", "bash-input", "bash-stdout", "bash-stderr", "turn_aborted", "subagent_notification", "skill",
)  # fmt: skip
_COMMANDS = ("command-name", "command-message", "bash-input", "bash-stdout", "task-notification", "turn_aborted")
"""A text that begins with one of these was typed by nobody, or as a command."""
_AROUND = ("user_query", "user_message", "user-message", "prompt")
"""What a host puts around a person's words."""
_TAG = 48
"""Characters of the longest tag."""
_NOT_TYPED = (
    "[request interrupted", "this session is being continued", "caveat: the messages below", "stop hook feedback",
    "base directory for this skill", "# agents.md instructions", "[tool result", "traceback (most recent call last)",
)  # fmt: skip
_LINE = "\n"
_SENTENCE_ENDS = f"!?{_LINE}\r…。！？"
"""A dot is one before a blank only: `CLAUDE.md` is one thing."""
APOSTROPHES = "'’‘`´"


class _Plain(dict[int, str]):
    """Map letters to themselves, ends of sentences to a dot of its own, and all else to a blank."""

    def __missing__(self, point: int) -> str:
        char = chr(point)
        to = char if char.isalnum() or is_mark(char) else " "
        if char in _SENTENCE_ENDS:
            to = " . "
        elif char in APOSTROPHES:
            to = ""
        self[point] = to
        return to


def is_mark(char: str) -> bool:
    """Say whether it is an accent or a vowel sign, which is part of a word."""
    return "\u0300" <= char <= "\u036f" or "\u0900" <= char <= "\u0eff"


_PLAIN = _Plain()


def signal_of(text: str) -> str:
    """Name the signal a typed prompt may hold, or give the empty string.

    >>> signal_of("No, I said pnpm, not npm"), signal_of("Add a login page")
    ('correction', '')
    """
    if len(text) > LONGEST or is_ours(text):
        return ""
    words = words_only(text)
    if typed_by_nobody(words):
        return ""
    said = spoken(words)
    if len(said) > _READ + _TAIL:
        said = f"{said[:_READ]}\n{said[-_TAIL:]}"
    points = _points(said)
    best = max(_RANK, key=lambda signal: (points[signal], -_RANK.index(signal)))
    total = sum(points.values())
    return best if total >= _ENOUGH + min(len(said) // _ONE_MORE_PER, _MOST_MORE) else ""


def is_ours(text: str) -> bool:
    """Tell whether a text is what we print: it has our stamp, or all its lines are lines of ours."""
    if STAMP in text:
        return True
    lines = list(filter(str.strip, text.split(_LINE)))
    told = all(_is_our_line(line) or _is_beside(line) for line in lines)
    return told and (not lines or any(map(_is_our_line, lines)))


def _not_ours(lines: list[str]) -> list[str]:
    """Leave out the lines that we print, and what stands beside them in our output."""
    left = [line for line in lines if not _is_our_line(line)]
    return left if len(left) == len(lines) else [line for line in left if not _is_beside(line)]


def _is_our_line(line: str) -> bool:
    """Tell a line that only we print."""
    if line[4:5] == "-" and line[10:11] == "T" and line[13:18:3] == ": " and line[:4].isdigit():  # of the log
        return True
    bare = line.strip(" \t\r-*•→`$>#")
    _, told, counted = bare.rpartition(" (said ")
    if told and counted.endswith(")") and ("once, " in counted or " times, last " in counted):
        return True
    _, told, day = bare.rstrip(")").rpartition("since ")  # of a rule, `(since DAY)` or `3× since DAY`
    if told and len(day) == 10 and day.replace("-", "").isdigit():
        return True
    if _is_of_the_inbox(bare) or (bare.startswith("read ") and " transcript" in bare):
        return True
    count, several, where = bare.partition("× in ")  # of the first look
    if several and count[-1:].isdecimal() and where.partition(" ")[2].startswith("session"):
        return True
    return bare.startswith(_OUR_LINES) or any(words in line for words in _OUR_WORDS)


def _is_of_the_inbox(bare: str) -> bool:
    """Tell the head of a candidate, also as `review` and `status` have it."""
    head = bare.partition(") ")[2] if bare.startswith("(") else bare
    number, _, rest = head.partition("  ")
    named = rest.partition("  ")[0].partition(",")[0]
    return number[:1] == "C" and number[1:].isdecimal() and named in _SIGNALS


def _is_beside(line: str) -> bool:
    """Tell a line that is ours where others are: an id, a quotation, a line of a diff, details."""
    bare = line.strip()
    if bare.startswith(_BESIDE) or line.startswith("       ") or (bare[:1] == '"' and line[:1] == " "):
        return True
    if bare[:5].removesuffix("-").isdecimal() and bare[7:8] == "-" and bare.endswith('"'):  # a day and its words
        return True
    if bare.startswith("and ") and bare[4:5].isdecimal() and " more" in bare:
        return True
    if bare[:1] == "-" and (bare[1:2] != " " or bare.endswith("`")):
        return True
    return "-" in bare and bare.isascii() and bare == bare.lower() and bare.replace("-", "").isalnum()


def typed_by_nobody(words: str) -> bool:
    """Tell what no person wrote as a message: nothing, a slash command, what a host or a tool put in their name."""
    return not words or _is_command(words) or words[:48].casefold().startswith(_NOT_TYPED)


def _is_command(words: str) -> bool:
    """Tell `/compact` and `!ls` from a path and from `!!!`."""
    first = words.split(None, 1)[0]
    return (first[0] == "/" and first.count("/") == 1) or (first[0] == "!" and first[1:2].isalnum())


def _points(said: str) -> dict[str, int]:
    """Add up what the cues of a text say for each signal; the hints alone speak for a correction."""
    low = said.casefold()
    plain = f" . {' '.join(f'{low} '.replace('. ', '! ').replace(f'.{_LINE}', '!').translate(_PLAIN).split())} "
    points = {signal: 3 * sum(cue in plain for cue in cues) for signal, cues in SIGNS.items()}
    for signal, marks in SCRIPTS.items():
        points[signal] += 3 * sum(mark in low for mark in marks)
    points["correction"] += sum(cue in plain for cue in HINTS)
    points["correction"] += 2 * sum(cue in plain for cue in OPENINGS)
    points["frustration"] += 2 * _shouted(said)
    points["task"] = -2 * any(plain.startswith(cue) for cue in TASKS)
    return points


def _shouted(said: str) -> bool:
    letters = [c for c in said if c.isalpha() and (c.isupper() or c.islower())]
    loud = sum(map(str.isupper, letters))
    return (loud > 20 and loud > 0.6 * len(letters)) or "!!" in said or "?!" in said


def words_only(text: str) -> str:
    """Give the person's own words: without the blocks that hosts and hooks put before, after or around them.

    >>> words_only("<system-reminder>be brief</system-reminder> use tabs")
    'use tabs'
    """
    text = text.strip("\ufeff \t\r\n").strip()
    if text.startswith(tuple(f"<{name}>" for name in _COMMANDS)):
        return ""
    begin, end, before = 0, len(text), (-1, -1)
    while (begin, end) != before:
        before = begin, end = _trimmed(text, begin, end)
        opened, closed = _opened(text, begin, end), _closed(text, begin, end)
        if opened in _AROUND and opened == closed and text.startswith(f"<{opened}>", begin):
            begin, end = begin + len(opened) + 2, end - len(opened) - 3
        elif opened in _WRAPPERS and (behind := _behind(text, opened, begin, end)) > begin:
            begin = behind
        elif closed in _WRAPPERS and (at := text.rfind(f"<{closed}", begin, end)) >= 0:
            end = at
    return text[begin:end]


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """Pass over blanks at both ends."""
    while begin < end and (text[begin].isspace() or text[begin] == "\ufeff"):
        begin += 1
    while begin < end and (text[end - 1].isspace() or text[end - 1] == "\ufeff"):
        end -= 1
    return begin, end


def _opened(text: str, begin: int, end: int) -> str:
    """Name the tag that a text begins with."""
    if not text.startswith("<", begin, end):
        return ""
    name, mark, _ = text[begin + 1 : min(end, begin + _TAG)].replace(" ", ">", 1).partition(">")
    return name if mark else ""


def _closed(text: str, begin: int, end: int) -> str:
    """Name the tag that is closed at the end of a text."""
    return text[max(begin, end - _TAG) : end - 1].rpartition("</")[2] if text.endswith(">", begin, end) else ""


def _behind(text: str, name: str, begin: int, end: int) -> int:
    """Find the end of a block; one that is never closed is all block, but `<skill> is …` is none."""
    closing = f"</{name}>"
    at = text.find(closing, begin, end)
    if at >= 0:
        return at + len(closing)
    return begin if text.startswith("> ", begin + len(name) + 1, end) else end


def spoken(words: str) -> str:
    """Leave out what was pasted: fenced code, quoted lines, lines of code or of a log."""
    kept, fenced = [], False
    for line in _not_ours(words.splitlines()):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        elif bare and not fenced and not _pasted(line, bare):
            kept.append(bare)
    return "\n".join(kept)


def _pasted(line: str, bare: str) -> bool:
    if bare.startswith((">", "$ ", "❯", "➜", "at ", 'File "', "+++", "---", "@@", "|", "//", "#!", "{", "}", "<")):
        return True
    if line.startswith(("    ", "\t")) and bare[-1:] in "{};,()":
        return True
    if len(bare) <= 20:
        return False
    signs, digits = _counted(bare)
    return signs > len(bare) // 7 or digits > len(bare) // 4


_SIGNS: dict[int, None] = {}
"""The signs that code and logs are full of, to be taken away; made when the first long line comes."""
_DIGITS = dict.fromkeys(map(ord, "0123456789"))


def _counted(bare: str) -> tuple[int, int]:
    """Count the signs and the digits of a line."""
    if not _SIGNS:
        plain = ".,!?'\"-’…"
        _SIGNS.update((n, None) for n in range(0x300) if not (chr(n).isalnum() or chr(n).isspace() or chr(n) in plain))
    return len(bare) - len(bare.translate(_SIGNS)), len(bare) - len(bare.translate(_DIGITS))

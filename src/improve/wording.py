"""What a person or an agent may say: check a rule and its labels, clean evidence, name and render a rule."""

from __future__ import annotations

from improve import redact
from improve.character import BLANKS, TOO_MANY_MARKS, faults, within
from improve.errors import Refused
from improve.ignorable import MARKS, VISIBLE
from improve.inline import as_bullet, plain
from improve.sensitive import is_sensitive

__all__ = [
    "as_bullet",
    "check_destination",
    "check_evidence",
    "check_label",
    "check_rule",
    "is_sensitive",
    "plain",
    "slug",
]

LONGEST_RULE = 1_000
LONGEST_LABEL = 200
LONGEST_EVIDENCE = 280
_EVIDENCE_READ = 4_096
_LONGEST_SLUG = 80
_TEXT_FILES = (".md", ".mdc", ".mdx", ".markdown", ".txt", "/.cursorrules", "/.windsurfrules", "/.clinerules")
_NO_PLACES = frozenset((".git", ".ssh", ".gnupg", ".aws", ".agent-improvement"))
"""Directories whose files are read by programs, or kept from everybody."""
_TOKEN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.%"
_JOINERS = "\u200c\u200d\ufe0f"
_QUESTIONS = ("?", "？", "؟", "⁇", "⁈")
_MARKERS = ("<!--", "-->", "]]>")
_SLUG_ASCII = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def check_rule(text: str) -> str:
    """Return the rule as one clean line: outer blanks stripped, NFC; or raise Refused saying what is wrong.

    >>> check_rule("  Use uv, never pip.\\n")
    'Use uv, never pip.'
    """
    return _checked(text, what="rule", longest=LONGEST_RULE, advice="Say the rule in one plain sentence.")


def check_said(text: str) -> str:
    """Return words that somebody said once as a rule, or raise Refused.

    A question is none, and neither is what a credential was taken from.
    """
    if "[redacted:" in text:
        raise Refused("a credential was taken out of them; nothing was recorded")
    if text.rstrip(" \t\r\n\"'”’»)]}!.…").endswith(_QUESTIONS):
        raise Refused("they ask a question; nothing was recorded")
    return check_rule(text)


def check_label(text: str, what: str) -> str:
    """Return a project name, section, session id, host or domain as one clean line, or raise Refused.

    Args:
        what: What the label names, for the message; a `domain` must be one word: letters, digits, `-`, `_`.
    """
    label = _checked(text, what=what, longest=LONGEST_LABEL, advice=f"Give the {what} as a short plain name.")
    if what == "domain" and not _is_word(label):
        raise Refused(
            f'The domain "{label}" is not one word; nothing was recorded. '
            "Use letters, digits, - and _ only, as in git-practices."
        )
    return label


def check_destination(path: str) -> str:
    """Return the path of a file that a rule may be written to: Markdown or plain text; or raise Refused.

    A line in a shell's start-up file, a script or a list of keys would be run or trusted, not read.
    """
    label = _checked(path, what="file", longest=LONGEST_RULE, advice="Name the file by its path.")
    if not f"/{label.lower()}".endswith(_TEXT_FILES):
        raise Refused(
            f'The file "{label}" is no Markdown or text file; nothing was recorded. '
            "Name an instruction file or a runbook, such as docs/deploy.md."
        )
    private = _NO_PLACES.intersection(label.replace("\\", "/").split("/"))
    if private:
        raise Refused(
            f'The file "{label}" is in {min(private)}, where no rules belong; nothing was recorded. '
            "Name an instruction file or a runbook, such as docs/deploy.md."
        )
    return label


def check_evidence(text: str) -> str:
    """Make a quotation safe to keep: one line of at most 280 characters, secrets redacted, nothing invisible.

    Never refuses: what a rule may not hold is shown as `\\u{202e}`, a line break as ` ⏎ `, a cut as `…`.

    >>> check_evidence("no!\\r\\nuse \\x1b[1muv")
    'no! ⏎ use \\\\u{1b}[1muv'
    """
    text = redact.redact(_beginning(text)).replace("\t", " ")
    lines = (line.strip(BLANKS) for line in text.splitlines())
    text = " ⏎ ".join(line for line in lines if line)
    if faulty := {index for index, _ in faults(text)}:
        text = "".join(f"\\u{{{ord(c):x}}}" if index in faulty else c for index, c in enumerate(text))
    return _shortened(text)


def slug(text: str) -> str:
    """Name a rule: lower-case words joined by `-`, at most 80 characters; never empty.

    A text whose letters are all ASCII gets the id that version 1 gave it; any other keeps its letters.

    >>> slug("Use uv, never pip!"), slug("说中文。"), slug("🚀")
    ('use-uv-never-pip', '说中文', 'rule-ebbc0b28')
    """
    if any(not char.isascii() and char.isalpha() for char in text):
        kept = _spelled(_folded(text).strip())
    else:
        kept = [char for char in text.lower().strip() if char in _SLUG_ASCII or char.isspace()]
    name = "".join("-" if char.isspace() else char for char in kept)
    while "--" in name:
        name = name.replace("--", "-")
    cut = _LONGEST_SLUG
    while 0 < cut < len(name) and within(MARKS, name[cut]):
        cut -= 1  # a letter goes with the marks on it
    return name[:cut].strip("-") or _numbered(text)


def _checked(text: str, *, what: str, longest: int, advice: str) -> str:
    start = len(text) - len(text.lstrip(BLANKS))
    text = text.strip(BLANKS)
    if not text:
        raise Refused(f"The {what} is empty; nothing was recorded. {advice}")
    composed = text if len(text) > longest or text.isascii() else _composed(text)
    if len(composed) > longest:
        size = f"{len(composed):,} characters long, {longest:,} is the most"
        raise Refused(f"The {what} is {size}; nothing was recorded. {advice}")
    for index, fault in faults(text):
        if fault != TOO_MANY_MARKS:
            raise Refused(_complaint(what, fault, text[index], start + index))
    for index, fault in faults(composed):
        raise Refused(_complaint(what, fault, composed[index], start + index))
    _refuse_marker(composed, what, start)
    _refuse_secret(composed, what, start)
    return composed


def _composed(text: str) -> str:
    from unicodedata import normalize

    return normalize("NFC", text)


def _complaint(what: str, fault: str, char: str, index: int) -> str:
    return (
        f"The {what} has {fault}, U+{ord(char):04X} at column {index + 1}; nothing was recorded. "
        "Say it in one line without that character."
    )


def _refuse_marker(text: str, what: str, start: int) -> None:
    for marker in _MARKERS:
        if marker in text:
            raise Refused(
                f"The {what} has the comment marker {marker} at column {start + text.index(marker) + 1}; "
                "nothing was recorded. Say it without that marker."
            )


def _refuse_secret(text: str, what: str, start: int) -> None:
    for secret in redact.find(text):
        raise Refused(
            f"The {what} has what looks like a secret ({secret.kind}) at column {start + secret.start + 1}; "
            "nothing was recorded. Say where the secret is kept instead of the secret."
        )


def _beginning(text: str) -> str:
    """Cut a long quotation, and drop the word the cut went through: half a secret is not recognized."""
    if len(text) <= _EVIDENCE_READ:
        return text
    text = text[:_EVIDENCE_READ]
    whole = text.rstrip(_TOKEN)
    return whole if len(whole) > _EVIDENCE_READ // 2 else text


def _shortened(text: str) -> str:
    if len(text) <= LONGEST_EVIDENCE:
        return text
    head = text[: LONGEST_EVIDENCE - 1]
    for opening, closing in (("[redacted:", "]"), ("\\u{", "}")):  # neither is cut in two
        at = head.rfind(opening, LONGEST_EVIDENCE - 40)
        if at >= 0 and closing not in head[at:]:
            head = head[:at]
    return head.rstrip(BLANKS + _JOINERS) + "…"


def _folded(text: str) -> str:
    from unicodedata import normalize

    return normalize("NFKC", normalize("NFKC", text).casefold())


def _spelled(text: str) -> list[str]:
    """Keep blanks, letters and digits; of marks those on a letter that needs them (not the accent of `x̂`)."""
    kept: list[str] = []
    for char in text:
        on_letter = bool(kept) and not kept[-1].isascii()
        if char == "-" or char.isspace() or (_spells(char) and (on_letter or not within(MARKS, char))):
            kept.append(char)
    return kept


def _spells(char: str) -> bool:
    """Tell whether a character is part of words: a letter, a digit, or a mark on one."""
    if char.isascii():
        return char.isalnum()
    from unicodedata import category

    return category(char)[0] in "LMN" and within(VISIBLE, char)


def _is_word(label: str) -> bool:
    return any(map(str.isalnum, label)) and all(char in "-_" or _spells(char) for char in label)


def _numbered(text: str) -> str:
    from hashlib import sha256

    return "rule-" + sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:8]

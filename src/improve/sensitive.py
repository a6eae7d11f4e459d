"""Flag rules that weaken safety, so that a person looks at them. A flag only: wording is no defence."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_GUARDS = (
    r"(?:(?:unit|integration|e2e|end-to-end|failing|flaky|slow|all|any|the|our|your|every|code|type|security"
    r"|host|ssl|tls|certificate|commit|input|signature|user|permission|safety|ssh|git|gpg|auth|ci|pre-commit"
    r"|pre-push|hook)[ -]){0,4}"
    r"(?:tests?|test suite|type[- ]?check(?:s|ing|er)?|lint(?:s|ing|er|ers)?|ci|checks|hooks?|pre-?commit"
    r"|reviews?|validation|verification|sign(?:ing|atures?)|certificates?|ssl|tls|https"
    r"|auth(?:entication|orization)?|sandbox(?:ing)?|2fa|mfa|firewall|selinux|csrf|cors|confirmations?"
    r"|approvals?|permissions?|guardrails?|safety|security|branch protection|audit(?:s|ing)?)\b"
)
_DOING = r"(?:run|ask|wait|check|confirm|test|review|verif)(?:n?ing|y|ying)?\b"
_DO_NOT = r"\b(?:never|don'?t|do not) (?:ever )?"

# Words that make a look worthwhile, the reason to give, what to find, and whether `never` turns it round.
_SIGNS: tuple[tuple[str, str, str, bool], ...] = (
    (
        "ignor disregard forget overrid bypass",
        "asks to ignore other instructions",
        r"\b(?:ignor|disregard|forget|overrid|bypass)\w*\b[^.;\n]{0,24}"
        r"\b(?:previous|prior|earlier|above|other|existing|system|safety)\b[^.;\n]{0,20}"
        r"\b(?:instruction|rule|prompt|guideline|message|polic|constraint)",
        True,
    ),
    (
        "curl wget iwr irm webrequest pipe piping",
        "runs a download in a shell",
        r"\b(?:curl|wget|iwr|irm|invoke-webrequest)\b[^|\n]{0,200}\|[ ]{0,4}(?:sudo )?"
        r"(?:(?:ba|z|da|k|fi)?sh|iex|python3?|node)\b"
        r"|(?:<\(|\$\()(?:curl|wget)\b|\bpip(?:e|es|ing)\b[^.;\n]{0,60}\b(?:shell|(?:ba|z)?sh)\b",
        True,
    ),
    (
        "skip bypass disabl omit turn switch without suppress circumvent comment",
        "turns off a check",
        rf"\b(?:skip|bypass|disabl|omit|suppress|circumvent)(?:e|s|es|ping|ing)? {_GUARDS}"
        rf"|\b(?:turn|switch)(?:ing)? off {_GUARDS}|\bwithout {_GUARDS}|\bwithout (?:first )?{_DOING}"
        r"|\bcomment(?:ing)? out (?:the )?(?:failing )?tests?\b",
        True,
    ),
    (
        "--no- -insecure false reject_unauthorized skip-permissions yolo 777 stricthostkey -privileged"
        " -allow-all bypasspermissions",
        "turns off a check",
        r"--no-(?:verify|gpg-sign|sandbox|check-certificate)\b|--insecure\b|\bverify ?= ?false"
        r"|tls_reject_unauthorized|--(?:allow-)?dangerously-\w|skip-permissions|bypasspermissions|--yolo\b"
        r"|\bchmod (?:-r )?0?777|stricthostkeychecking[ =]no|--privileged\b|--allow-all\b",
        True,
    ),
    (
        "ask confirm prompt wait permission approval",
        "keeps the person out",
        rf"(?:{_DO_NOT}|\bno need to |\bstop )(?:ask(?:ing)?\b|prompt(?:ing)? (?:me|the user|for)\b"
        r"|wait(?:ing)? for (?:my |the |user )?(?:approval|confirmation|permission|review)\b"
        r"|(?:seek|request)(?:ing)? (?:approval|confirmation|permission)\b|confirm(?:ing)? with\b)",
        False,
    ),
    (
        "approv accept allow trust merg grant",
        "approves by itself",
        r"\b(?:always|automatically|auto|blindly|silently)[ -]?(?:approv|accept|allow|trust|grant|merg)"
        r"(?:e|es|ing|s)?\b",
        True,
    ),
    (
        "never don't dont not",
        "turns off a check",
        rf"{_DO_NOT}(?:run|verify|validate|check|sign|review|sanitize|require|enforce) {_GUARDS}"
        r"(?=$|[.,;!)]| (?:before|unless|when|after|until|on|for|locally|anymore))",
        False,
    ),
    ("://", "holds a URL", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s`]", False),
)
_NOT = (
    r"\b(?:never|not|don'?t|doesn'?t|can'?t|cannot|won'?t|avoid|no|nor|neither|refuse|forbid|forbidden"
    r"|prohibited|nothing)\b"
)
_FORBIDDEN = (
    r"[^.;\n]{0,60}\b(?:(?:is|are|was|be)(?: strictly| absolutely)?"
    r" (?:never|not|forbidden|prohibited|banned|unacceptable|disallowed)"
    r"|not (?:allowed|acceptable|an option)|forbidden|prohibited)\b"
)
_LONGEST_CODE = 40
_patterns: dict[str, re.Pattern[str]] = {}


def is_sensitive(text: str) -> str | None:
    """Say why a person should confirm this rule, or None. English only; None proves nothing.

    >>> is_sensitive("Commit with --no-verify"), is_sensitive("Never commit with --no-verify")
    ('turns off a check', None)
    """
    lower = text.lower().replace("’", "'")
    for words, reason, pattern, turns in _SIGNS:
        if any(word in lower for word in words.split()):
            for match in _pattern(pattern).finditer(lower):
                if not (turns and _forbidden(lower, match.start(), match.end())):
                    return reason
    return "holds encoded data" if _encoded(text) else None


def _pattern(source: str) -> re.Pattern[str]:
    if source not in _patterns:
        import re

        _patterns[source] = re.compile(source)
    return _patterns[source]


def _forbidden(lower: str, start: int, end: int) -> bool:
    """Tell whether the sentence around a match says not to do it."""
    before = _pattern(r"[.;!?](?=\s|$)|[\n—]|, then |, but | instead ").split(lower[max(0, start - 300) : start])[-1]
    return bool(_pattern(_NOT).search(before) or _pattern(_FORBIDDEN).match(lower, end))


def _encoded(text: str) -> bool:
    """Tell base64 from long words, paths and commits: it mixes both cases and digits all along."""
    if max(map(len, text.split()), default=0) < _LONGEST_CODE:
        return False
    for run in _pattern(r"[A-Za-z0-9+/_-]{40,}={0,2}").findall(text):
        kinds = (
            any(c.isupper() for c in run),
            any(c.islower() for c in run),
            sum(c.isdigit() for c in run) > 2,
        )
        if all(kinds) and run.count("/") + run.count("-") + run.count("_") <= len(run) // 16:
            return True
    return False

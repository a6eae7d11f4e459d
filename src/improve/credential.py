"""Recognize a credential in one reading of a text: by vendor, by its key, in a URL, a header or PEM."""

from __future__ import annotations

from improve.vendor import EMBEDDED, PREFIXED

# Importing typing, functools and re costs more than all else here, and most texts need none of them.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

Found = tuple[int, int, str]
"""Start, end, kind."""

_patterns: dict[str, re.Pattern[str]] = {}

# What values are assigned to; the kind it becomes. The longest that fits must come first.
_KEYS = (
    ("passphrase", "password"), ("password", "password"), ("passwort", "password"), ("passwd", "password"),
    ("pwd", "password"), ("pass", "password"), ("mot de passe", "password"), ("contraseña", "password"),
    ("senha", "password"), ("пароль", "password"), ("密码", "password"), ("密碼", "password"),
    ("パスワード", "password"), ("비밀번호", "password"),
    ("api key", "api-key"), ("apikey", "api-key"), ("api_key", "api-key"), ("api-key", "api-key"),
    ("access key", "api-key"), ("accesskey", "api-key"), ("access_key", "api-key"), ("access-key", "api-key"),
    ("account_key", "api-key"), ("accountkey", "api-key"), ("auth_key", "api-key"), ("authkey", "api-key"),
    ("private_key", "private-key"), ("privatekey", "private-key"), ("private-key", "private-key"),
    ("signing_key", "private-key"), ("encryption_key", "private-key"), ("master_key", "private-key"),
    ("secret", "secret"), ("credential", "secret"), ("authorization", "token"), ("token", "token"),
)  # fmt: skip

_BARE = r"(?:[^\s\"'`,;&<>\\]|\\(?![nrt\"'\\])){6,}+"
# After the key: what may close its name, what assigns, the value in quotes or up to the next blank.
_ASSIGNED = (
    r"(?i)(?:[_-]?(?:access|key|base|id|value|text|hash)){0,3}[\"'`\])]{0,3}"
    r"(?:[ \t]{0,8}(?:=>|:=|={1,3}|[:：>])\s{0,8}|[ \t]{1,4}(?:is|was|ist|es|est)[ \t]{1,4}:?[ \t]{0,2})"
    r"(?:(?:bearer|token|basic|apikey|bot)[ ]{1,4})?"
    r"(?:\"(?P<double>[^\"\r\n]{6,600})\"|'(?P<single>[^'\r\n]{6,600})'|`(?P<tick>[^`\r\n]{6,600})`"
    r"|[\"'`]?(?P<bare>" + _BARE + r"))"
)
_SIGNS = ("=", ":", "：", ">", " is ", " was ", " ist ", " es ", " est ")
_FLAG = r"(?:[= ]|[ ]{1,4})[\"']?(?P<bare>" + _BARE + r")"
_TEMPLATE = (
    r"\$(?:[{(]|env:|[A-Za-z_]\w*$|\d$)|<[^>]*>?$|\{\{|\{[\w.]*\}|%(?:\(|[A-Za-z_]+%$|[sdv]$)|[*•.…]{3}|[xX]{6}"
    r"|\.{0,2}/[\w.-]|~/|[\[(]|process\.env|os\.environ"
)
_ALGORITHM = (
    r"(?i)(?<![0-9A-Za-z])(?:hmac|rsa|hs|rs|es|ps|sha|aes|md|argon|pbkdf|oauth|base|bcrypt|utf|ed|x|http|v|ipv|web|s|k|p)"
    r"[-_]?\d{1,5}(?![0-9A-Za-z])"
)
_CAMEL = r"[A-Z]?[a-z]*(?:[A-Z]{1,4}[a-z]{2,})*[A-Z]{0,4}$|[A-Z]+$"
_LONGEST_KEY = 20_000
_LONG_RUN = 100
_MOST_TRIES = 8
"""Keys inside one long run of characters that are looked at: `token=token=…` must not cost its square."""

_WORDS = (
    "|password|passwords|passwort|required|optional|undefined|disabled|enabled|string|strings|boolean|number|"
    "unknown|hashed|encrypted|plaintext|changeme|placeholder|incorrect|invalid|missing|username|redacted|"
)
_ABOUT = (
    "|required|require|requires|must|mandatory|optional|invalid|incorrect|wrong|missing|enter|your|please|characters|"
    "chars|digits|forgot|reset|default|example|change|confirm|see|stored|hashed|encrypted|expired|here|"
)
"""Words of messages and placeholders that stand where a passphrase could."""
_LITTLE = "|a|an|the|is|are|be|was|to|of|for|with|and|or|not|in|on|at|it|this|that|has|have|can|if|no|"
_CODE = r"[{}<>]|\$\w|%[sdv]|^[\"'` ]|[\"'` ]$|[\"'`] ?\+|\w\("
"""Code between two quotes that do not belong together, or a template."""


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: most texts need none of them."""
    known = _patterns.get(pattern)
    if known is None:
        import re

        known = _patterns[pattern] = re.compile(pattern)
    return known


def in_text(text: str) -> Iterator[Found]:
    """Yield the credentials in one reading of a text, the most exactly known kinds first."""
    yield from _by_vendor(text)
    yield from _private_keys(text)
    yield from _in_urls(text)
    lower = text.lower()
    if len(lower) != len(text):  # İ becomes two characters
        lower = "".join(c.lower() if c.isascii() else c for c in text)
    yield from _in_headers(text, lower)
    yield from _assigned(text, lower)
    yield from _in_commands(text)


def example(secret: str) -> bool:
    """Tell an example of the documentation from a credential: `…EXAMPLE`, `ghp_xxxxxxxx`."""
    tail = secret[-12:]
    return secret.endswith(("EXAMPLE", "EXAMPLEKEY")) or (len(tail) > 5 and set(tail) <= set("xX*.…-_"))


def longest_run(text: str) -> int:
    """Count the characters of the longest run without a blank."""
    return max(map(len, text.split()), default=0)


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _after(text: str, searched: str, part: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Match a pattern after each occurrence of `part`, going on behind what matched."""
    at = searched.find(part)
    while at >= 0:
        match = pattern.match(text, at + len(part))
        if match:
            yield at, match
        at = searched.find(part, match.end() if match else at + 1)


def _inside_word(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isascii() and text[at - 1].isalnum()


def _by_vendor(text: str) -> Iterator[Found]:
    for kind, beginnings, rest in PREFIXED:
        for beginning in beginnings.split():
            if beginning in text:
                yield from _prefixed(text, kind, beginning, rest)
    longest = longest_run(text)
    for kind, part, whole, least in EMBEDDED:
        if longest >= least and part in text:
            for match in compiled(whole).finditer(text):
                group = "secret" if match.re.groupindex else 0
                if not example(match[group]):
                    yield match.start(group), match.end(group), kind


def _prefixed(text: str, kind: str, beginning: str, rest: str) -> Iterator[Found]:
    # What goes on after the longest known form belongs to the token too: no piece of it may stay.
    pattern = compiled(rest + (r"[\w+/-]*+={0,2}" if "+/" in rest else r"[\w-]*+"))
    for at, match in _after(text, text, beginning, pattern):
        if not _inside_word(text, at) and not example(text[at : match.end()]):
            yield at, match.end(), kind


def _private_keys(text: str) -> Iterator[Found]:
    if "PRIVATE" not in text and "Private-Lines" not in text:
        return
    head = compiled(
        r"-{3,5}[ +]?BEGIN[ +](?:[A-Z0-9]{2,12}[ +]){0,3}PRIVATE[ +]KEY(?:[ +]BLOCK)?[ +]?-{3,5}"
        r"|Private-Lines:[ ]?\d{1,3}"
    )
    reached = stop = 0
    for match in head.finditer(text):
        if match.start() < reached:
            continue
        if 0 <= stop < match.end():
            stop = text.find("END", match.end())
        near = 0 < stop < match.end() + _LONGEST_KEY
        end = _foot(text, stop) if near and _random(text[match.end() : stop]) else 0
        end = end or _lines(text, match.end())
        if end:
            reached = end
            yield match.start(), end, "private-key"


def _foot(text: str, stop: int) -> int:
    match = compiled(r"END[ +][A-Z0-9 +]{0,40}KEY(?:[ +]BLOCK)?[ +]?-{3,5}").match(text, stop)
    return match.end() if match else 0


def _lines(text: str, start: int) -> int:
    """Find the end of the base64 after a head whose foot was cut off; 0 when it is prose about keys."""
    gap = r"(?:[\s\"',>|#*\\]|\\[nr]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]{0,80})*+"
    match = compiled(rf"(?:{gap}[A-Za-z0-9+/=]{{10,}}+){{1,400}}+(?:{gap}[A-Za-z0-9+/]{{0,60}}={{1,2}})?").match(
        text, start
    )
    return match.end() if match and _random(match[0]) else 0


def _random(body: str) -> bool:
    letters = compiled(r"\\[nr]|[^A-Za-z0-9+/]").sub("", body)
    digits = sum(c.isdigit() for c in letters)
    return len(letters) >= 24 and digits >= 2 and not letters.islower() and not letters.isupper()


def _in_urls(text: str) -> Iterator[Found]:
    if "@" not in text:
        return
    for at in _places(text, "://"):
        match = compiled(
            r"(?P<user>[^\s/:@\"'`<>]{0,128}):(?!\d{1,5}(?:[/?#]|$))(?P<secret>[^\s/\"'`<>]{1,256}|[^\s@\"'`<>]{1,128})@"
        ).match(text, at + 3)
        if match and not compiled(_TEMPLATE).match(match["secret"]) and not example(match["secret"]):
            yield match.start("secret"), match.end("secret"), "url-password"
            continue
        match = compiled(r"(?=[A-Za-z_-]{0,40}\d)([\w.~-]{20,256})@").match(text, at + 3)
        if match:
            yield match.start(1), match.end(1), "url-token"


def _in_headers(text: str, lower: str) -> Iterator[Found]:
    if "bearer" not in lower and "basic" not in lower:
        return
    bearer = compiled(r"[ +:=]{1,4}[\"']?(?=[A-Za-z._~+/-]{0,60}\d)([\w.~+/-]{16,}+={0,2})")
    for _, match in _after(text, lower, "bearer", bearer):
        if not example(match[1]):
            yield match.start(1), match.end(1), "bearer-token"
    for _, match in _after(text, lower, "basic", compiled(r"[ +:=]{1,4}[\"']?([A-Za-z0-9+/_-]{6,}+={0,2})")):
        if ":" in decoded(match[1]):
            yield match.start(1), match.end(1), "basic-auth"


def decoded(run: str) -> str:
    """Decode base64 to printable text, or to nothing."""
    from binascii import Error, a2b_base64

    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = a2b_base64(run + "=" * (-len(run) % 4)).decode()
    except (Error, UnicodeDecodeError):
        return ""
    return text if "".join(text.split()).isprintable() else ""


def _in_commands(text: str) -> Iterator[Found]:
    if "curl" in text or "wget" in text:
        user = r"(?:\s-u|--user)[ =]{0,2}[\"']?[^\s:\"']{1,64}:([^\s\"']{4,200})"
        for match in compiled(user).finditer(text):
            if not compiled(_TEMPLATE).match(match[1]):
                yield match.start(1), match.end(1), "password"
    if "machine" in text and "login" in text:  # .netrc
        netrc = r"login\s{1,9}\S{1,100}\s{1,9}password\s{1,9}([^\s\[]{4,200})"
        for match in compiled(netrc).finditer(text):
            yield match.start(1), match.end(1), "password"


def _assigned(text: str, lower: str) -> Iterator[Found]:
    for key, kind in _KEYS:
        if key in lower:
            yield from _assigned_to(text, lower, key, kind)


def _assigned_to(text: str, lower: str, key: str, kind: str) -> Iterator[Found]:
    reached = tries = 0
    at = lower.find(key)
    while at >= 0:
        end = at + len(key)
        match = None if len(key) < 5 and _another_word(text, at, end) else _value(text, lower, at, end)
        if match and match.lastgroup:
            value = match[match.lastgroup]
            tries = tries + 1 if at < reached and len(value) > _LONG_RUN else 0
            reached = match.end()
            quoted = match.lastgroup != "bare"
            between = text[end : match.start(match.lastgroup)]
            if _phrase(value, kind, between) if quoted and " " in value else _worth_hiding(value, kind, quoted):
                yield match.start(match.lastgroup), match.end(match.lastgroup), kind
                end = reached
        at = lower.find(key, reached if tries >= _MOST_TRIES else end)


def _value(text: str, lower: str, at: int, end: int) -> re.Match[str] | None:
    if lower.startswith(" ", end) and "--" in lower[max(0, at - 24) : at]:
        return compiled(_FLAG).match(text, end)
    near = lower[end : end + 40]
    if not any(sign in near for sign in _SIGNS):
        return None
    return compiled(_ASSIGNED).match(text, end)


def _another_word(text: str, at: int, end: int) -> bool:
    """Tell `bypass`, `passage` and a test runner's `PASS:` from the key `pass`."""
    return text[at - 1 : at].isalpha() or text[end : end + 1].isalpha() or text[at : end + 1] == "PASS:"


def _made_up(value: str) -> bool:
    return "[redacted:" in value or compiled(_TEMPLATE).match(value) is not None or example(value)


def _phrase(value: str, kind: str, between: str) -> bool:
    """Tell a passphrase in quotes from code and from a sentence about passwords."""
    lower = value.lower()
    words = [f"|{word.strip('.,:;!?()')}|" for word in lower.split()]
    about = any(key in lower for key, meant in _KEYS if meant == "password" and len(key) > 4)
    if about or len(words) < 2 or _made_up(value) or compiled(_CODE).search(value) or any(w in _ABOUT for w in words):
        return False
    if "=" in between and " " not in between:  # as a shell assigns
        return kind in ("password", "secret")
    odd = compiled(r"[A-Za-z]\d+[A-Za-z]").search(value) is not None
    return kind == "password" and (odd or (len(words) > 2 and not any(word in _LITTLE for word in words)))


def _worth_hiding(value: str, kind: str, quoted: bool) -> bool:
    """Tell a credential from code, a template, a type, a path or prose."""
    if value.isalpha() and not quoted and (kind != "password" or compiled(_CAMEL).match(value)):
        return False
    if " " in value or _made_up(value):
        return False
    if not quoted:
        value = value.rstrip(".:!?)]}")
        if compiled(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+$").match(value):
            return False
    _, dot, ending = value[-5:].rpartition(".")
    if "://" in value or "[a-z" in value or "\\s" in value or "\\w" in value or (dot and ending.isalpha()):
        return False
    if compiled(r"[A-Z]+(?:_[A-Z0-9]+)+$|(?i:your|my|some|the|insert|replace|put)[-_ ]").match(value):
        return False
    return _strong(value[:200], kind, quoted)


def _strong(value: str, kind: str, quoted: bool) -> bool:
    password = kind == "password"
    core = compiled(_ALGORITHM).sub("", value)
    digits = sum(c.isdigit() for c in core)
    letters = sum(c.isalpha() for c in core)
    mixed = not (core.islower() or core.isupper())
    symbols = sum(c in "!@#$%^&*+=/?~" for c in core)
    if len(value) < 8 and not (password and digits and letters):
        return False
    if digits and letters:
        return digits > 1 or mixed or symbols > 0 or password
    if password and not letters:
        return value.isdigit() and len(value) >= 8
    if symbols and letters and mixed and (password or len(value) >= 20):
        return True
    return password and value.isascii() and value.isalpha() and (quoted or mixed) and f"|{value.lower()}|" not in _WORDS

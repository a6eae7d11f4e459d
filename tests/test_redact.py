"""Credentials are found in every form they are pasted in, and nothing else is."""

from __future__ import annotations

import base64
import binascii
import html
import json
import random
import re
import string
import time
import uuid
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.credential import compiled
from improve.redact import Secret, find, redact
from improve.vendor import PREFIXED

DATA = Path(__file__).parent / "data" / "redact"
FORMATS = json.loads((DATA / "formats.json").read_text(encoding="utf-8"))
HARMLESS = (DATA / "harmless.txt").read_text(encoding="utf-8").splitlines()
ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "dash": string.ascii_letters + string.digits + "-_",
    "strong": string.ascii_letters + string.digits + "!#%^*",
    "upper": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "digits": "123456789",
}


def b64(text: str) -> str:
    """Encode text in base64."""
    return base64.b64encode(text.encode()).decode()


# Ways a credential is pasted: twelve encodings, and eight more that people and programs use.
ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda s: s,
    "sentence": lambda s: f"I used {s}, and it failed.",
    "double quotes": lambda s: f'x = "{s}";',
    "single quotes": lambda s: f"x = '{s}'",
    "code span": lambda s: f"use `{s}` here",
    "environment": lambda s: f"env\nexport X={s}\nY=2",
    "JSON": lambda s: json.dumps({"context": f"said: {s}\nthen"}),
    "JSON in JSON": lambda s: json.dumps(json.dumps({"a": "\n" + s})),
    "URL": lambda s: f"https://x.example/?q={quote(s, safe='')}&b=1",
    "HTML": lambda s: f"<p>{html.escape(s)}</p>",
    "CRLF": lambda s: "a\r\n" + s.replace("\n", "\r\n") + "\r\nb",
    "base64": lambda s: "blob " + b64(f"start {s} end"),
    "base64 for URLs": lambda s: base64.urlsafe_b64encode(f"start {s}".encode()).decode().rstrip("="),
    "every byte in a URL": lambda s: "".join(f"%{byte:02X}" for byte in s.encode()),
    "\\u escapes": lambda s: "".join(f"\\u{ord(c):04x}" if c in "=<>&\"'-_:" else c for c in s),
    "zero width": lambda s: s[: len(s) // 2] + "\u200b" + s[len(s) // 2 :],
    "YAML block": lambda s: "key: |\n  " + s.replace("\n", "\n  "),
    "diff": lambda s: "+" + s.replace("\n", "\n+"),
    "quotation": lambda s: "> " + s.replace("\n", "\n> "),
    "pragma": lambda s: f"{s} # pragma: allowlist secret",
}


def made(parts: list[str], source: random.Random) -> tuple[str, list[str]]:
    """Build a fake credential from its parts; give it and its random pieces."""
    pieces: list[str] = []

    def fill(match: re.Match[str]) -> str:
        name, size = match[1], int(match[2])
        if name == "pem":
            rows = ["".join(source.choices(ALPHABETS["alnum"] + "+/", k=64)) for _ in range(size)]
            pieces.extend(rows)
            return "\n".join(rows)
        piece = "".join(source.choices(ALPHABETS[name if name != "basic" else "alnum"], k=size))
        pieces.append(piece)
        return b64(f"admin:{piece}") if name == "basic" else piece

    return re.sub(r"\{(\w+):(\d+)\}", fill, "".join(parts)), pieces


def readings(text: str) -> list[str]:
    """Give everything a reader could make of a text: as it stands, unescaped, decoded."""
    bare = text.replace("\u200b", "")
    read = [bare, unquote(bare), html.unescape(bare), re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), bare)]
    for run in re.findall(r"[A-Za-z0-9+/_-]{12,}", bare):
        try:
            read.append(base64.urlsafe_b64decode(run.replace("+", "-").replace("/", "_") + "==").decode("latin-1"))
        except binascii.Error:
            continue
    return read


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_format_is_found_in_every_encoding(encoding: str) -> None:
    """Nothing of the random part of a credential is left, however it was pasted."""
    source = random.Random(encoding)
    for form in FORMATS:
        text, pieces = made(form["parts"], source)
        clean = redact(ENCODINGS[encoding](text))
        assert "[redacted:" in clean, (form, text)
        windows = {piece[at : at + 8] for piece in pieces for at in range(max(1, len(piece) - 7))}
        left = [window for window in windows for read in readings(clean) if window in read]
        assert not left, (form, clean)
        assert redact(clean) == clean


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form["kind"])
def test_the_kind_is_named(form: dict[str, list[str]]) -> None:
    """A plain credential is found once, under the name of its kind."""
    for seed in range(20):
        text, _ = made(form["parts"], random.Random(seed))
        assert [secret.kind for secret in find(text)] == [form["kind"]], text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_credential_stays(text: str) -> None:
    """Commits, ids, paths, code, templates, examples and prose are not touched."""
    assert redact(text) == text
    assert find(text) == []


def test_random_identifiers_stay() -> None:
    """Commits, digests, UUIDs and paths are never taken for credentials, in prose or alone."""
    source = random.Random(5)
    for _ in range(500):
        for size in (7, 12, 40, 64):
            digest = "".join(source.choices("0123456789abcdef", k=size))
            assert find(f"fixed in {digest}, see {digest}") == []
        assert find(f"session {uuid.UUID(int=source.getrandbits(128))} ended") == []
        words = ["".join(source.choices(string.ascii_lowercase, k=source.randint(2, 12))) for _ in range(6)]
        assert find("/" + "/".join(words) + ".py:120") == []
        assert find(" ".join(words)) == []


def test_spans_point_at_the_credential() -> None:
    """Found places are those of the given text, in order, even when the credential was escaped in it."""
    token = "npm" + "_" + "a1B2c3D4e5F6" * 3
    text = f"one {token} two"
    assert find(text) == [Secret(4, 4 + len(token), "npm-token")]
    escaped = "x\\n" + token[:4] + "\u200b" + token[4:] + "\\ny"
    (secret,) = find(escaped)
    assert escaped[secret.start : secret.end].replace("\u200b", "") == token
    assert [s.kind for s in find(f"{text} password=hunter2x https://a:b1c2d3@h/")] == [
        "npm-token",
        "password",
        "url-password",
    ]


def test_only_the_value_is_replaced() -> None:
    """The key, the user and the host stay readable around the redaction."""
    assert redact("export DB_PASSWORD='c0rrect-h0rse'") == "export DB_PASSWORD='[redacted:password]'"
    assert redact("psql postgres://app:t0p-s3cret@db/app") == "psql postgres://app:[redacted:url-password]@db/app"
    assert redact("Authorization: Basic " + b64("user:pass")) == "Authorization: Basic [redacted:basic-auth]"


@pytest.mark.parametrize(
    "text",
    [
        "PASSWORD='correct horse battery'",
        'DB_PASSWORD="S3cret pass phrase"',
        "export PGPASSWORD='the quick brown fox'",
        'login(user="me", password="blue moon over lima")',
        'password: "correct horse battery staple"',
        'password = "correct horse battery"',
        '{"password": "tr0ub4dor and three"}',
        "the passphrase is 'window apple seven boat'",
        "Passwort: `Kuh Mond Leiter Zange`",
        "CLIENT_SECRET='grey owl nine lamps'",
        'MOTDEPASSE_PASSWORD="l\'ours blanc dort"',
    ],
)
def test_a_passphrase_goes_up_to_its_closing_quote(text: str) -> None:
    """Blanks do not end a value in quotes: no word of it stays, and what stands around does."""
    clean = redact(text)
    [secret] = find(text)
    quote_at = text[secret.start - 1]
    assert text[secret.end] == quote_at and quote_at in "\"'`"
    assert " " not in clean[secret.start : clean.index("]", secret.start)]
    assert redact(f"before {text} after") == f"before {clean} after"


def test_a_token_longer_than_known_leaves_no_rest() -> None:
    """A vendor may make its tokens longer: what goes on after the known length is redacted too."""
    for kind, beginnings, _ in PREFIXED:
        for beginning in beginnings.split():
            clean = redact(f"x {beginning}{'A1b2c3d4' * 60} y")
            if "[redacted:" in clean:
                assert clean == f"x [redacted:{kind}] y" or "d4A1" not in clean, beginning


HEAD = "-----BEGIN PRIVATE KEY-----"
ADVERSARIAL = [
    *("sk-", "a", "'", "password = ", "eyJ", "-eyJ", "eyJaaaaaaaaaa.", "%41", "\\", "\\n", "&amp;", "://a:", "://a@"),
    *("bearer ", "bearer+1", "basic aaaaaa ", "token is ", "token=", "AccountKey=", "curl --user ", " ", "\u200b"),
    *("machine login a password ", "QUJD", "0123456789abcdef", "M" + "a" * 24 + ".", "AKIA", "1", HEAD),
]
ONCE_THEN_MANY = [
    *((HEAD + "\n", "MIIEabcd1234567890\n"), (HEAD, "\\n"), (HEAD, "END "), (HEAD, "Proc-Type:"), ("https://", "a:")),
    *(("://", "a"), ("secret", "_key"), ("password=", "a1"), ("Bearer ", "a"), ("Basic ", "QUJD"), ("eyJ", "a.")),
]


BEGINNINGS = sorted({beginning for _, row, _ in PREFIXED for beginning in row.split()})
REPEATED = [
    *(("", piece) for piece in ADVERSARIAL),
    *ONCE_THEN_MANY,
    *(("", beginning + end) for beginning in BEGINNINGS for end in ("", "-", "a1 ")),
]


@pytest.mark.parametrize("part", range(8))
def test_no_input_makes_it_slow(part: int) -> None:
    """64,000 characters of anything take about 30 ms; the limit leaves room for a machine five times slower."""
    for first, piece in REPEATED[part::8]:
        text = (first + piece * 64_000)[:64_000]
        times = []
        while len(times) < 3 and min(times, default=1.0) >= 0.15:
            start = time.process_time()
            redact(text)
            times.append(time.process_time() - start)
        assert min(times) < 0.15, (first, piece)


@given(st.text(st.characters(exclude_categories=()) | st.sampled_from("ab1=:/@%\\\"'&;-_. \n\u200b")))
def test_redacting_twice_changes_nothing(text: str) -> None:
    """Any text, lone surrogates included, is redacted without an error, and a second time without effect."""
    once = redact(text)
    assert redact(once) == once
    secrets = find(text)
    assert all(a.end <= b.start for a, b in pairwise(secrets))


PIECES = [
    *(
        "password",
        "token",
        "secret=",
        " = ",
        ": ",
        '"',
        "'",
        "\\",
        "\\n",
        "%3D",
        "&quot;",
        "hunter22x",
        "eyJ",
        ".",
        " ",
    ),
    *("A1b2C3d4E5f6G7h8", "gh" + "p_", "s" + "k-", "AKI" + "A", "://", "@", "Bearer ", "Basic ", b64("user:pass")),
    *(
        HEAD,
        "-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0",
        "[redacted:token]",
        "EXAMPLE",
        "xxxxxx",
        "curl -u a:",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_pieces_of_credentials_in_any_order_are_stable(text: str) -> None:
    """What is left after redacting holds no further credential, whatever stood beside it."""
    once = redact(text)
    assert redact(once) == once
    assert find(once) == []


def test_patterns_are_compiled_when_needed() -> None:
    """A pattern is compiled once, and an ordinary text needs none."""
    assert compiled("a{2}b") is compiled("a{2}b")

"""Remote URLs: one key per repository, and never a credential in it."""

from __future__ import annotations

import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from improve import remote


def _table() -> list[tuple[str, str]]:
    """Read tests/data/remotes.txt into (key, spelling)."""
    rows: list[tuple[str, str]] = []
    key = ""
    for line in (Path(__file__).parent / "data/remotes.txt").read_text("utf-8").splitlines():
        if line.startswith("= "):
            key = line[2:]
        elif line and not line.startswith("#"):
            spelled = line.encode("latin-1", "backslashreplace").decode("unicode_escape") if "\\" in line else line
            rows.append((key, spelled))
    return rows


NAMED = [row for row in _table() if row[0] != "none"]
NAMELESS = [spelled for key, spelled in _table() if key == "none"]


@pytest.mark.parametrize(("key", "spelled"), NAMED)
def test_every_spelling_gives_the_same_key(key: str, spelled: str) -> None:
    """Protocol, port, credentials, `.git`, slashes and letter case make no difference."""
    assert remote.normalize(spelled) == key


@pytest.mark.parametrize("spelled", NAMELESS)
def test_what_names_no_repository_gives_none(spelled: str) -> None:
    """Relative paths, helpers that run a program, broken hosts and hidden passwords give no key."""
    assert remote.normalize(spelled) is None


@pytest.mark.parametrize("key", sorted({key for key, _ in NAMED}))
def test_a_key_is_its_own_key(key: str) -> None:
    """Normalizing a key changes nothing."""
    assert remote.normalize(key) == key


def test_ten_thousand_characters_are_no_url() -> None:
    """A URL longer than any server takes is not read at all."""
    assert remote.normalize("https://github.com/acme/" + "r" * 10_000) is None
    assert remote.normalize("/" * 10_000) is None
    assert remote.normalize("") is None


@pytest.mark.parametrize(
    ("given_", "name"),
    [
        ("https://github.com/Acme/Rocket.git", "Rocket"),
        ("git@gitlab.com:a/b/MyApp.git", "MyApp"),
        ("github.com/acme/rocket", "rocket"),
        ("path:/srv/git/App", "App"),
        ("https://dev.azure.com/org/_git/Repo", "Repo"),
        ("C:\\src\\App.git", "App"),
        ("rocket", "rocket"),
        ("acme/rocket", "rocket"),
        ("unknown", "unknown"),
        ("ロケット", "ロケット"),
        ("", ""),
        ("/", ""),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("https://jo:hunter2@bad host", "bad host"),
    ],
)
def test_the_name_is_the_last_part_in_its_own_letter_case(given_: str, name: str) -> None:
    """A name is for people: last part, case kept, without a URL around it and without a password."""
    assert remote.name_of(given_) == name


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/home/jo/src/App", "path:/home/jo/src/App"),
        ("/home/jo/src/cafe\u0301", "path:/home/jo/src/café"),
        ("/home/jo/a b", "path:/home/jo/a b"),
        ("/home/jo/a\nb", "path:/home/jo/a\\nb"),
        ("/home/jo/a\udcffb", "path:/home/jo/a\\udcffb"),
        ("/home/jo/\u202eb", "path:/home/jo/\\u202eb"),
        ("C:\\Users\\Jo\\App", "path:C:/Users/Jo/App"),
        ("/", "path:/"),
    ],
)
def test_a_directory_has_a_key_on_one_line(path: str, key: str) -> None:
    """A path key is readable, in NFC, and holds nothing that a terminal or a file would choke on."""
    assert remote.of_path(path) == key


@pytest.mark.parametrize("url", ["../app.git", "app", "./app", "sub/app.git", "a/b:c"])
def test_a_path_below_the_repository_is_relative(url: str) -> None:
    """Git reads a URL without a colon before the first slash as a path."""
    assert remote.is_relative(url)


@pytest.mark.parametrize("url", ["/srv/app", "https://h/a", "git@h:a/b", "h:a", "C:\\app", "file:///a"])
def test_everything_else_is_not_relative(url: str) -> None:
    """Absolute paths, URLs and the scp form stand for themselves."""
    assert not remote.is_relative(url)


_SEGMENT = st.text(string.ascii_letters + string.digits + "-_.éßΣ程ı%ſ ~", min_size=1, max_size=8)
_HOSTS = st.sampled_from(
    [
        *(
            "github.com",
            "GitLab.com",
            "dev.azure.com",
            "ssh.dev.azure.com",
            "org.visualstudio.com",
            "bücher.example",
        ),
        *("www.a.example", "[::1]", "localhost", "ssh.github.com", "github.com-work"),
    ]
)
_WORDS = st.sampled_from(["_git", "v3", "scm", "ſcm", "DefaultCollection", ".git", "~", ".", "a.git", "_full"])
_PATHS = st.lists(_SEGMENT | _WORDS, min_size=1, max_size=6).map("/".join)
_SHAPES = st.sampled_from(
    [
        "https://{h}/{p}",
        "ssh://git@{h}:22/{p}",
        "git@{h}:{p}",
        "{h}/{p}",
        "/{p}",
        "file:///{p}",
        "C:\\{p}",
        "path:/{p}",
    ]
)
_URLS = st.builds(lambda shape, h, p: shape.format(h=h, p=p), _SHAPES, _HOSTS, _PATHS)


@given(st.text(max_size=60) | _URLS)
@example("https://dev.azure.com/scm/_git/x")
@example("https://dev.azure.com/.git/_git")
@example("git@host:~/~/x")
@example("/a/...git")
@example("https://host/ſcm/a/b")
@example("path:/a .git")
def test_normalizing_is_total_and_idempotent(url: str) -> None:
    """Any text gives None or one printable line that is its own key and has a name."""
    key = remote.normalize(url)
    if key is not None:
        assert key.isprintable()
        assert key == key.strip()
        assert remote.normalize(key) == key
        assert remote.name_of(key)
    assert remote.name_of(url).isprintable()


@given(st.text(max_size=40))
def test_every_directory_has_a_key(path: str) -> None:
    """A path key is printable and, when it names more than a root, its own key."""
    key = remote.of_path("/" + path)
    assert key.startswith(remote.LOCAL)
    assert key.isprintable()
    assert remote.normalize(key) in (key, None)


_USER = st.text(string.ascii_letters + string.digits + "-_.~!$&'()*+,;=", max_size=12)
_SECRET = st.text(string.printable.strip() + "éß程", min_size=1, max_size=24).map(lambda text: f"SECRET{text}TERCES")


@given(_USER, _SECRET, _HOSTS, _PATHS, st.sampled_from(["https", "ssh", "git", "http", "file", "git+ssh"]))
@example("jo", "SECRET/12TERCES", "github.com", "a/b", "https")
@example("12", "SECRET?TERCES", "github.com", "a/b", "https")
def test_no_credential_survives(user: str, secret: str, host: str, path: str, scheme: str) -> None:
    """Whatever stands before the host, escaped or not, is in no key and in no name."""
    for login in (
        f"{user}:{secret}",
        secret,
        f"{secret}:{user}",
        f"{user}:12/{secret}",
        f"{user}:{secret}/x",
    ):
        url = f"{scheme}://{login}@{host}/{path}"
        for shown in (remote.normalize(url) or "", remote.name_of(url)):
            assert "secret" not in shown.lower()
            assert "terces" not in shown.lower()


def test_the_module_imports_nothing_heavy() -> None:
    """Reading a plain URL loads neither `re` nor `urllib`."""
    source = str(Path(remote.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {source!r}); from improve import remote; "
    code += "remote.normalize('git@h:a/b'); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert "improve.remote" in run.stdout.split()
    assert not {"re", "urllib.parse", "ipaddress", "unicodedata"} & set(run.stdout.split())

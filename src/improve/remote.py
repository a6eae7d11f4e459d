"""The key of a git remote: the same one however its URL is spelled. Pure.

Keys are read by people: `github.com/owner/repo` for a server, `path:/srv/git/app` for a directory. Letter
case is folded in the first on every server (forges ignore it, and two repositories that differ in nothing
else are not met in practice) and kept in the second; `name_of` gives the last part as it was spelled.
`insteadOf` and aliases of ssh belong to a person's own set-up and are not followed.
No `re` here: compiling would cost more than reading.
"""

from __future__ import annotations

LOCAL = "path:"
"""What the key of a repository without a server begins with."""

_MAX = 4096
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+.-")
_HEX = frozenset("0123456789abcdefABCDEF")
# ssh over the https port, for networks that let nothing else out:
# https://docs.github.com/en/authentication/troubleshooting-ssh/using-ssh-over-the-https-port
_SAME_HOST = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
# People with two accounts write `github.com-work` for an alias of ssh; no such top-level domain can exist.
_FORGES = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
# A token pasted into the path instead of before the host: such a URL gives no key at all.
_TOKENS = (
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "gldt-",
    "atbb",
    "atctt",
    "hf_",
    "xox",
)
_TOKEN_LENGTH = 20
_AZURE_SSH = ("ssh.dev.azure.com", "vs-ssh.visualstudio.com")
_AZURE_WORDS = ("_git", "_optimized", "_full")


def normalize(url: str) -> str | None:
    """Give the key of a remote URL, or None for what names no repository; no credentials survive.

    >>> normalize("https://me:secret@GitHub.com:443/Owner/Repo.git/")
    'github.com/owner/repo'
    >>> normalize("git@ssh.github.com:owner/repo")
    'github.com/owner/repo'
    """
    found = _read(url)
    if found is None:
        return None
    place, parts = found
    if place.startswith(LOCAL):
        return place + "/".join(parts)
    return _fold("/".join((place, *parts)))


def name_of(key: str) -> str:
    """Give the last part of a key or a URL, in its own letter case, for display."""
    found = _read(key)
    if found is not None:
        return found[1][-1]
    return printable(key.rstrip("/").rpartition("/")[2].rpartition("@")[2])


def of_path(path: str) -> str:
    """Give the key of a directory that no remote names: total, in NFC, on one line."""
    text = printable(nfc(path))
    found = _local(text)
    return LOCAL + text if found is None else found[0] + "/".join(found[1])


def is_relative(url: str) -> bool:
    """Tell whether git takes this URL for a path below the repository: no colon before the first slash."""
    colon, slash = url.find(":"), url.find("/")
    return not _is_local(url) and (colon < 0 or 0 <= slash < colon)


def printable(text: str) -> str:
    """Show control, invisible and undecodable characters as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def nfc(text: str) -> str:
    """Compose accents, so that a name from macOS equals the same name typed."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def _read(url: str) -> tuple[str, list[str]] | None:
    """Split a URL or a key into where it is (a host, or `path:/`) and the parts of its path."""
    text = nfc(url.strip()) if len(url) <= _MAX else ""
    if not text.isprintable():
        return None
    text = _without_helper(text)
    if text.startswith(LOCAL):
        return _local(text[len(LOCAL) :])
    scheme, mark, rest = text.partition("://")
    if mark and scheme and set(scheme.lower()) <= _SCHEME:
        return _file_url(rest) if scheme.lower() == "file" else _network_url(rest)
    return _local(text) if _is_local(text) else _bare(text)


def _without_helper(text: str) -> str:
    """Cut `helper::`, which names a program to run (https://git-scm.com/docs/gitremote-helpers)."""
    helper, mark, rest = text.partition("::")
    return rest if mark and helper and set(helper.lower()) <= _SCHEME else text


def _network_url(rest: str) -> tuple[str, list[str]] | None:
    """Read what follows `scheme://`."""
    end = min((i for i in map(rest.find, "/?#") if i >= 0), default=len(rest))
    authority, path = rest[:end].rpartition("@")[2], rest[end:]
    if "@" in path:
        return None  # a password with a slash in it looks like this
    path = path.partition("?")[0].partition("#")[0]
    if authority.startswith("["):
        host, _, port = authority.rpartition("]")
        host, port = host + "]", port.removeprefix(":")
    else:
        host, _, port = authority.partition(":")
    decoded = _decoded(path)
    if port.strip("0123456789") or decoded is None:
        return None
    return _placed(host, decoded)


def _bare(text: str) -> tuple[str, list[str]] | None:
    """Read `user@host:path` as ssh does, or `host/path`: a key we gave ourselves."""
    colon, slash = text.find(":"), text.find("/")
    start, bracket, path = text.partition("]")
    if bracket and "[" in start and "/" not in start:
        inside = start.partition("[")[2].rpartition("@")[2]
        # git reads [host:port]:path too
        host = inside.partition(":")[0] if inside.count(":") == 1 else f"[{inside}]"
        return _placed(host, path[1:]) if path[:1] in (":", "/") else None
    if colon > 0 and (slash < 0 or colon < slash):
        host, path = text[:colon].rpartition("@")[2], text[colon + 1 :]
        # the one server whose scp form is percent-encoded
        decoded = _decoded(path) if host.lower() in _AZURE_SSH else path
        return None if decoded is None else _placed(host, decoded)
    if slash > 0:
        return _placed(text[:slash].rpartition("@")[2], text[slash + 1 :])
    return None


def _placed(host: str, path: str) -> tuple[str, list[str]] | None:
    """Bring host and path to their one form."""
    place = _host(host)
    # `~` alone is the home directory a path of ssh starts from anyway
    parts = _without_git([part.strip() for part in path.split("/") if part.strip() not in ("", ".", "~")])
    if not place or not parts or ".." in parts or "@" in path or any(map(_is_token, parts)):
        return None
    return _forge(place, parts)


def _host(host: str) -> str:
    """Give the host in lower case without `www.` and aliases, or nothing when it is none."""
    if host.startswith("["):
        return _address(host[1:-1]) if host.endswith("]") else ""
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return ""
    host = host.rstrip(".").lower()
    if not host.strip(".-_") or not set(host) <= _HOST or host.startswith(".") or ".." in host:
        return ""
    while host.startswith("www.") and host.count(".") > 1:
        host = host[4:]
    host = next((forge for forge in _FORGES if host.startswith(forge + "-")), host)
    return _SAME_HOST.get(host, host)


def _address(text: str) -> str:
    import ipaddress

    try:
        return f"[{ipaddress.IPv6Address(text.partition('%')[0])}]"
    except ValueError:
        return ""


def _forge(host: str, parts: list[str]) -> tuple[str, list[str]]:
    """Undo what some servers put into the path of one protocol and not of the other."""
    first = _fold(parts[0])
    # https://learn.microsoft.com/azure/devops/repos/git/use-ssh-keys-to-authenticate: v3/org/project/repo
    if host in _AZURE_SSH and first == "v3" and len(parts) > 1:
        host, parts = "dev.azure.com", parts[1:]
    elif host.endswith(".visualstudio.com") and host not in _AZURE_SSH:
        skip = first == "defaultcollection" and len(parts) > 1
        host, parts = "dev.azure.com", [host.removesuffix(".visualstudio.com"), *parts[skip:]]
    if host == "dev.azure.com":
        rest = _without_git([part for part in parts if part.lower() not in _AZURE_WORDS])
        # a repository called like its project may leave the project out
        short = len(rest) == 2 and len(rest) < len(parts)
        return host, [*rest, rest[-1]] if short else rest or parts
    # https://confluence.atlassian.com/bitbucketserver: https has /scm/project/repo, ssh /project/repo
    if len(parts) == 3 and first == "scm":
        parts = parts[1:]
    return host, parts


def _is_local(text: str) -> bool:
    return text.startswith(("/", "\\\\")) or _has_drive(text)


def _has_drive(text: str) -> bool:
    return len(text) > 2 and text[0].isascii() and text[0].isalpha() and text[1] == ":" and text[2] in "/\\"


def _file_url(rest: str) -> tuple[str, list[str]] | None:
    """Read what follows `file://`; a host of another machine becomes the first part, as in UNC."""
    authority, _, path = rest.partition("/")
    decoded = _decoded(path)
    if decoded is None:
        return None
    if authority.lower() not in ("", "localhost"):
        return None if "@" in decoded else _local(f"/{authority.rpartition('@')[2]}/{decoded}")
    return _local(decoded if _has_drive(decoded) else "/" + decoded)


def _local(path: str) -> tuple[str, list[str]] | None:
    """Read an absolute path of any system, without asking the disk."""
    path = path.removeprefix("\\\\?\\").strip()
    if path.startswith("\\\\") or _has_drive(path):
        path = path.replace("\\", "/")
    place = LOCAL + "/"
    if _has_drive(path):
        place, path = f"{LOCAL}{path[0].upper()}:/", path[2:]
    if not path.startswith("/"):
        return None
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    parts = _without_git(parts)
    return (place, parts) if parts else None


def _without_git(parts: list[str]) -> list[str]:
    """Cut `.git` from the end, as often as it stands there."""
    while parts:
        last = parts[-1].rstrip()
        while last.lower().endswith(".git"):
            last = last[:-4].rstrip()
        if last not in ("", ".", ".."):
            return [*parts[:-1], last]
        parts = parts[:-1]
    return parts


def _is_token(part: str) -> bool:
    return len(part) >= _TOKEN_LENGTH and _fold(part).startswith(_TOKENS)


def _decoded(path: str) -> str | None:
    """Undo percent-encoding; None when that gives no plain text."""
    if "%" not in path:
        return path
    first, *pieces = path.split("%")
    out = bytearray(first.encode())
    for piece in pieces:
        code = piece[:2]
        plain = len(code) < 2 or not set(code) <= _HEX
        out += ("%" + piece).encode() if plain else bytes((int(code, 16),)) + piece[2:].encode()
    try:
        text = nfc(out.decode())
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())

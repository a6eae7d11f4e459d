"""A short name for a text: the first hexadecimal digits of its SHA-256."""

from __future__ import annotations

# hashlib loads OpenSSL, 3 ms on every prompt; `random` in the standard library goes around it the same way
try:
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]  # Python 3.12 and newer
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from hashlib import sha256


def fingerprint(text: str, digits: int) -> str:
    """Give the name; half a character, which Python can hold, has one too.

    >>> fingerprint("a", 8)
    'ca978112'
    """
    name: str = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return name[:digits]

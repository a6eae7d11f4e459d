"""demo: play the whole loop with the real commands in a throw-away home and two throw-away repositories."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Act:
    """One step of the story."""

    tells: str
    where: str = ""
    argv: tuple[str, ...] = ()
    session: str = ""


PNPM = "Use pnpm for JavaScript packages, never npm install"
ERRORS = "Return API errors as problem+json with a request id"
ACTS: tuple[Act, ...] = (
    Act(
        'Monday, repository shop. The agent ran `npm install`; the user: "we use pnpm here, not npm".',
        "shop",
        ("observe", PNPM, "--domain", "tool-usage", "--context", "user stopped an npm install"),
        "monday",
    ),
    Act(
        "Tuesday, shop, a new session. The same correction again: that is no accident.",
        "shop",
        ("observe", PNPM, "--context", "again npm install"),
        "tuesday",
    ),
    Act("What would be written? A preview changes nothing.", "shop", ("escalate",)),
    Act("End of the session: write it.", "shop", ("escalate", "--apply")),
    Act(
        "Wednesday, another repository, blog: the same correction. The domain is general, so it belongs everywhere.",
        "blog",
        ("observe", PNPM, "--context", "npm install in the blog"),
        "wednesday",
    ),
    Act("One run moves it to the global file and removes the copy from shop.", "blog", ("escalate", "--apply")),
    Act(
        "A rule of a project-specific domain, seen in both repositories …",
        "shop",
        ("observe", ERRORS, "--domain", "api-design"),
        "thursday",
    ),
    Act("… stays in each of them,", "blog", ("observe", ERRORS, "--domain", "api-design"), "friday"),
    Act("and one run writes both files, wherever it is started.", "blog", ("escalate", "--apply")),
    Act("The next session in blog begins with what is known.", "blog", ("status",)),
    Act("Not what you wanted? One step back.", "blog", ("undo",)),
)


def play(base: str) -> Iterator[tuple[Act, str]]:
    """Make the home and the repositories under *base*, then run the acts; yields each with what it printed."""
    env = _stage(base)
    for act in ACTS:
        yield act, "".join(_lines(base, env, act)).rstrip("\n")


def story(base: str) -> Iterator[str]:
    """Play, and tell it line by line."""
    for act, printed in play(base):
        yield f"\n# {act.tells}"
        yield f"{act.where}$ improve {shlex.join(act.argv)}"
        yield printed
    yield "\n# Everything above happened in a temporary directory; nothing of yours was touched."


def _stage(base: str) -> dict[str, str]:
    home = os.path.join(base, "home")
    os.makedirs(os.path.join(home, ".config", "opencode"))
    kept = {
        k: v
        for k, v in os.environ.items()
        if k in ("PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG", "PYTHONPATH", "NO_COLOR")
    }
    env = {
        **kept,
        "HOME": home,
        "USERPROFILE": home,
        "XDG_CONFIG_HOME": os.path.join(home, ".config"),
        "XDG_CACHE_HOME": os.path.join(home, ".cache"),
        "XDG_STATE_HOME": os.path.join(home, ".local", "state"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    for name in ("shop", "blog"):
        root = os.path.join(base, name)
        _git(env, "init", "-q", root)
        _git(env, "-C", root, "remote", "add", "origin", f"https://github.com/example/{name}.git")
    with open(os.path.join(base, "shop", "AGENTS.md"), "w", encoding="utf-8") as file:
        file.write("# Shop\n\nA web shop.\n\n## Testing\n\n- Run the whole suite before a commit.\n")
    return env


def _git(env: dict[str, str], *args: str) -> None:
    subprocess.run(["git", *args], env=env, check=True, capture_output=True)


def _lines(base: str, env: dict[str, str], act: Act) -> Iterator[str]:
    session = ("--session", act.session) if act.session else ()
    argv = [sys.executable, "-P", "-m", "improve", *act.argv, *session]
    done = subprocess.run(
        argv,
        env={**env, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=os.path.join(base, act.where),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    yield _shortened(done.stdout, base)
    yield _shortened(done.stderr, base)


def _shortened(text: str, base: str) -> str:
    """Leave out the temporary directory, in the headings of a diff too."""
    for side in ("a", "b"):
        text = text.replace(f"{side}{base}{os.sep}", f"{side}/")
    return text.replace(base + os.sep, "")

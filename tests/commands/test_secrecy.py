"""A credential of the person's own file stays in that file."""

from __future__ import annotations

from pathlib import Path

import pytest
from git import Repo

from commands.conftest import Improve, Repository

PNPM = "Use pnpm, never npm install"
TOKEN = "ghp_" + "0aB1cD2eF3" * 3 + "gHiJkL"


def leaks(home: Path) -> list[str]:
    """List what of the store holds the token: files, and every object of its git history."""
    found = [str(path) for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    if (home / ".git").exists():
        repo = Repo(home)
        found += [line for line in repo.git.log("-p", "--all").splitlines() if TOKEN in line]
    return found


@pytest.mark.parametrize(
    "before",
    [
        f"# Shop\n\nexport GH={TOKEN}\n",
        f"export GH={TOKEN}\n",
        f"export GH={TOKEN}",
        f"# Shop\r\n\r\nexport GH={TOKEN}\r\n",
        f"# Shop\n\n## Tool usage\n\n- export GH={TOKEN}\n",
        f"# Shop\n\n## Tool usage\n\n- export GH={TOKEN}\n\n## After\n\n{TOKEN}\n",
    ],
)
def test_a_token_beside_our_lines_reaches_neither_journal_nor_history(
    improve: Improve, repository: Repository, rules: Path, before: str
) -> None:
    """Written, retired, undone and undone again: the store never holds the line beside ours."""
    root = repository("shop", agents=before)
    for _ in range(2):
        improve("observe", PNPM, "--domain", "tool-usage", cwd=root)
    improve("escalate", "--apply", cwd=root)
    written = (root / "AGENTS.md").read_bytes()
    assert PNPM.encode() in written
    improve("retire", "use-pnpm-never-npm-install", "--because", "enough", cwd=root)
    improve("escalate", "--apply", cwd=root)
    assert (root / "AGENTS.md").read_bytes() == before.encode()
    assert leaks(rules.parent) == []
    improve("undo")
    assert (root / "AGENTS.md").read_bytes() == written
    assert leaks(rules.parent) == []


def test_a_change_of_a_line_that_holds_a_token_is_refused(tmp_path: Path) -> None:
    """What changes must stand in the journal to be taken back, so such a line is left alone."""
    from improve.errors import Refused
    from improve.workflow.changes import FileChange

    before = f"# Shop\n- ours {TOKEN}\n".encode()
    with pytest.raises(Refused, match="credential") as caught:
        FileChange(str(tmp_path / "AGENTS.md"), before, b"# Shop\n", existed=True).record()
    assert TOKEN not in str(caught.value)

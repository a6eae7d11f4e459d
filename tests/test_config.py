"""config.yaml: defaults for what is not there, a line for everything that is wrong, and edits that touch one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import config, settings
from improve.config import Config
from improve.errors import NeedsRepair, Refused
from improve.escalate import Thresholds
from improve.route import FIELDS, Route
from improve.workflow.settings import changed

ROUTE = Route("docs/testing.md", domain="testing")


def loaded(tmp_path: Path, data: bytes) -> Config:
    """Load a config with this content."""
    (tmp_path / "config.yaml").write_bytes(data)
    return config.load(str(tmp_path / "config.yaml"))


# --- the table ---


def test_the_table_and_the_nouns_say_the_same() -> None:
    """Every setting and every key of a route is in both, with the same default."""
    assert Config._fields == settings.NAMES
    assert Config() == Config(**{setting.name: setting.default for setting in settings.SETTINGS})
    assert Config().thresholds == Thresholds()
    assert set(FIELDS) == set(Route._fields)


@pytest.mark.parametrize("setting", settings.SETTINGS, ids=lambda s: s.name)
def test_every_setting_says_what_it_is_for(setting: settings.Setting) -> None:
    """One sentence, what it may be, and a default that it may be itself."""
    assert setting.doc.endswith(".")
    assert setting.allowed
    given = [] if setting.kind == "routes" else str(setting.default).lower()
    assert settings.parse(setting, given) == (setting.default, [])


# --- reading ---


def test_a_missing_file_means_defaults(tmp_path: Path) -> None:
    """Without a file the table of the decision tree holds, and git is on."""
    assert config.load(str(tmp_path / "config.yaml")) == Config()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", Config()),
        (b"# only\n\n", Config()),
        (b"git: false\n", Config(git=False)),
        (b"git: False # off", Config(git=False)),
        (b"\xef\xbb\xbfgit: false\r\ntrust: verified\r\n", Config(git=False, trust="verified")),
        (b'"git": "false"\n', Config(git=False)),
        (b"{git: false, trust: verified}\n", Config(git=False, trust="verified")),
        (b"---\nthreshold_project: 3\n", Config(threshold_project=3)),
        (b"threshold_several_projects: 10\n  # note\n", Config(threshold_several_projects=10)),
        (b"brief_characters: 500\n", Config(brief_characters=500)),
        (b"least_severity: 1\n", Config(least_severity=1)),
        (b"routes:\ngit: false\n", Config(git=False)),
        (b"routes: []\n", Config()),
        (b"routes:\n# - file: x.md\n", Config()),
        (b"routes:\n- domain: testing\n  file: docs/testing.md\n", Config(routes=(ROUTE,))),
        (
            b"routes:\r\n  - domain: testing\r\n    file: docs/testing.md\r\ngit: false",
            Config(git=False, routes=(ROUTE,)),
        ),
        (b"routes: [{domain: testing, file: docs/testing.md}]\n", Config(routes=(ROUTE,))),
        (b"routes:\n  - {domain: testing, file: docs/testing.md}\n", Config(routes=(ROUTE,))),
    ],
)
def test_settings_are_read_in_every_style(tmp_path: Path, data: bytes, found: Config) -> None:
    """Each key alone changes its own setting."""
    assert loaded(tmp_path, data) == found


ONE_EACH: dict[str, tuple[str, Any]] = {
    "git": ("git: false", False),
    "trust": ("trust: verified", "verified"),
    "threshold_project": ("threshold_project: 7", 7),
    "threshold_several_projects": ("threshold_several_projects: 8", 8),
    "brief_characters": ("brief_characters: 900", 900),
    "least_severity": ("least_severity: 3", 3),
    "half_life": ("half_life: 30", 30),
    "archive_held": ("archive_held: true", True),
    "routes": ("routes:\n- domain: testing\n  file: docs/testing.md", (ROUTE,)),
}


@given(st.sets(st.sampled_from(settings.NAMES)))
def test_a_partial_file_loses_no_default(names: set[str]) -> None:
    """Whatever is given, each other setting has its default; also with the plain reader passed by."""
    text = "".join(f"{ONE_EACH[name][0]}\n" for name in sorted(names))
    wanted = Config()._replace(**{name: ONE_EACH[name][1] for name in names})
    plain = config._plain(text)
    assert plain is not None
    assert Config(**settings.check(plain)[0]) == wanted
    assert config.understood(text.encode()).config == wanted


@pytest.mark.parametrize("key", sorted(set(FIELDS) - {"file"}))
def test_a_partial_route_loses_no_default(key: str) -> None:
    """A route that gives one more key than its file has the defaults of all others."""
    value: Any = ["tests/**"] if key == "paths" else "word"
    values, problems = settings.check({"routes": [{"file": ".claude/rules/x.md", key: value}]})
    assert not problems
    assert values["routes"] == (
        Route(".claude/rules/x.md")._replace(**{key: ("tests/**",) if key == "paths" else value}),
    )


WORDS = st.sampled_from(["testing", "docs/a.md", "uv pip", "a # b", "x: y", "'q'", '"j"', "[1]", "#c", "~", "", "1e3"])


@given(
    st.lists(
        st.dictionaries(st.sampled_from([*FIELDS, "odd"]), WORDS | st.just('["tests/**", "a/*.md"]'), min_size=1),
        max_size=3,
    ),
    st.sampled_from(["", "  "]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_the_plain_reader_is_right_or_leaves_it_to_yaml(routes: list[dict[str, str]], indent: str, end: str) -> None:
    """Lines that it reads mean the same to a YAML parser."""
    lines = ["git: false", "routes:"]
    for route in routes:
        body = [f"{key}: {value}".rstrip() for key, value in route.items()]
        lines += [f"{indent}- {body[0]}", *(f"{indent}  {line}" for line in body[1:])]
    text = config._decoded(end.join([*lines, "trust: verified"]).encode())
    plain = config._plain(text)
    if plain is not None and not settings.check(plain)[1]:
        found = config.understood(text.encode())
        assert found.problems == []
        assert found.config == Config(**settings.check(plain)[0])


def test_plain_lines_need_no_yaml(tmp_path: Path) -> None:
    """Loading imports neither a YAML parser nor anything else that takes long; routes with plain lines too."""
    path = tmp_path / "config.yaml"
    path.write_text(
        'trust: verified\nroutes:\n  - domain: testing\n    file: .claude/rules/t.md\n    paths: ["tests/**"]\n'
    )
    source = Path(config.__file__).parents[1]
    code = f"import sys\nsys.path.insert(0, {str(source)!r})\nfrom improve import config\n"
    code += f"print(config.load({str(path)!r}))"
    first, names = modules_after(code)
    assert "tests/**" in first
    assert not {"ruamel", "ruamel.yaml", "click", "subprocess"} & set(names.split())
    path.write_text("trust: verified\n")
    first, names = modules_after(code)
    assert "verified" in first
    assert not {"json", "improve.escalate", "improve.wording"} & set(names.split())


def modules_after(code: str) -> list[str]:
    """Run code in an interpreter without site packages; what it printed, and the modules it imported."""
    command = [sys.executable, "-S", "-c", f"{code}\nprint(*sys.modules)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


# --- what is wrong ---


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"git: maybe\n", ["line 1: git"]),
        (b"\ngit:\n", ["line 2: git"]),
        (b"git: true\ngit: false\n", ["line 2: the key 'git' is here twice (first 1 line above)"]),
        (
            b"colour: red\ntrust: nobody\nthreshold_project: 0\n",
            ["line 1: colour", "line 2: trust", "line 3: threshold"],
        ),
        (b"threshold_project: -1\n", ["line 1: threshold"]),
        (b"threshold_project: 1001\n", ["line 1: threshold"]),
        (b"threshold_project: 0000000019999999\n", ["line 1: threshold"]),
        (b"threshold_project: 1" + b"0" * 30 + b"\n", ["line 1: threshold"]),
        (b"threshold_project: [2]\n", ["line 1: threshold"]),
        (b"brief_characters: 499\n", ["line 1: brief_characters"]),
        (b"brief_characters: 8001\n", ["line 1: brief_characters"]),
        (b"git: \xff\n", ["line 1"]),
        (b"git: false\0\n", ["line 1"]),
        (b"- git\n", ["line 1: expected settings"]),
        (b"hello\n", ["line 1: expected settings"]),
        (b"git: &x false\n", ["line 1: anchors"]),
        (b"git: true\n<<<<<<< HEAD\ntrust: agent\n=======\n>>>>>>> b\n", ["line"]),
        (b"git: true\ngit: false\ntrust: nobody\n", ["line 2: the key 'git'", "line 3: trust"]),
        (b"gti: true\n", ["line 1: gti: no such setting; did you mean git?"]),
        (b"routes: docs/a.md\n", ["line 1: routes: expected a list of routes"]),
        (b"routes:\n  - docs/a.md\n", ["line 2: routes.1: expected a route"]),
        (b"routes:\n  - domain: testing\n", ["line 2: routes.1: a route needs a file"]),
        (
            b"routes:\n  - file: docs/a.md\n    domian: testing\n",
            ["line 3: routes.1.domian: no such key of a route; did"],
        ),
        (b"routes:\n  - file: deploy.sh\n", ["line 2: routes.1.file: The file"]),
        (b"routes:\n  - file: ../a.md\n", ["line 2: routes.1.file: '../a.md' leads out"]),
        (b"routes:\n  - file: docs/../../a.md\n", ["line 2: routes.1.file: 'docs/../../a.md' leads out"]),
        (b"routes:\n  - file: ~/.ssh/config.md\n", ["line 2: routes.1.file: The file"]),
        (b"routes:\n  - file: .git/info/a.md\n", ["line 2: routes.1.file: The file"]),
        (
            b"routes:\n  - file: docs/a.md\n    paths: [tests/**]\n",
            ["line 2: routes.1.file: 'docs/a.md' is loaded for no"],
        ),
        (
            b"routes:\n  - file: .claude/rules/a.md\n    paths: [/tests]\n",
            ["line 3: routes.1.paths: the glob '/tests'"],
        ),
        (b"routes:\n  - file: .claude/rules/a.md\n    paths: {a: b}\n", ["line 3: routes.1.paths: expected a list"]),
        (b'routes:\n  - file: docs/a.md\n    section: "a\\nb"\n', ["line 3: routes.1.section: The section has"]),
        (
            b"git: x\nroutes:\n  - file: a.py\n  - match: [a]\n    file: a.md\n  - {}\ntrust: y\n",
            ["line 1: git", "line 3: routes.1.file", "line 4: routes.2.match", "line 6: routes.3", "line 7: trust"],
        ),
    ],
)
def test_everything_wrong_is_named_with_its_line(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    """All mistakes at once; nothing is guessed."""
    with pytest.raises(NeedsRepair) as caught:
        loaded(tmp_path, data)
    assert len(caught.value.problems) == len(lines), caught.value.problems
    for problem, line in zip(caught.value.problems, lines, strict=True):
        assert problem.startswith(line)


# --- changing one setting ---

FILES = st.sampled_from(
    [
        "",
        "# only a comment",
        "# a\n\n# b\n",
        "git: true   # why\n",
        "# head\ngit: 'true' # why\n\n# mid\ntrust: \"agent\"\n# tail",
        "{git: true, trust: agent}\n",
        "{trust: agent}",
        "---\ntrust: agent\n...\n",
        "---\n# a\n...\n",
        "trust: agent\nroutes:\n  # one\n  - domain: a # x\n    file: docs/t.md\n\n  - file: docs/u.md\n# end\n",
        "routes: [{file: docs/t.md}]\ntrust: verified",
        "routes:\ngit: true\n",
        "brief_characters: 900",
        "# a\nbrief_characters: |\n  900",
    ]
)
CHOICES = st.sampled_from(
    [
        ("git", True),
        ("git", False),
        ("trust", "verified"),
        ("threshold_project", 9),
        ("brief_characters", 600),
        ("routes", []),
        ("routes", [{"file": "docs/new.md", "domain": "testing"}]),
        (
            "routes",
            [{"file": "docs/t.md", "domain": "testing"}, {"file": ".claude/rules/x.md", "paths": ["a/**", "b"]}],
        ),
        *((name, None) for name in settings.NAMES),
    ]
)


@given(FILES, CHOICES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_one_setting_changes_and_nothing_else(text: str, choice: tuple[str, Any], end: str, bom: bool) -> None:
    """The other settings, every comment outside the value, line ends and the mark at the start stay."""
    name, value = choice
    data = (b"\xef\xbb\xbf" if bom else b"") + text.replace("\n", end).encode()
    after = changed("config.yaml", data, name, value)
    before, now = config.understood(data), config.understood(after)
    assert now.problems == []
    assert now.config._replace(**{name: None}) == before.config._replace(**{name: None})
    assert settings.as_data(getattr(now.config, name)) == (
        settings.as_data(getattr(Config(), name)) if value is None else value
    )
    assert (name in now.lines) == (value is not None)
    assert after.startswith(b"\xef\xbb\xbf") == bom
    assert not (end == "\n" and b"\r" in after)
    assert not (end == "\r\n" and "\n" in text and b"\n" in after.replace(b"\r\n", b""))
    for comment in ("# head", "# mid", "# tail", "# end", "# only a comment", "# a", "# b"):
        assert (comment in text) == (comment.encode() in after)


def test_lines_of_others_stay_to_the_byte() -> None:
    """Setting one key is one line of difference, and resetting it gives the first bytes again."""
    data = b"# mine\ntrust:   'agent'   # odd\n\nthreshold_project: 4\n"
    after = changed("c", data, "git", False)
    assert after == data + b"git: false\n"
    assert changed("c", after, "git", None) == data
    assert changed("c", data, "trust", "verified") == data.replace(b"'agent'", b"verified")


@pytest.mark.parametrize(
    "data", [b"git: maybe\n", b"trust: agent\ngit: [\n", b"- a\n", b"# \xff\ngit: true\n", b"odd: 1\n"]
)
def test_a_broken_file_is_not_changed(data: bytes) -> None:
    """Whatever is wrong with it, a person has to look first."""
    with pytest.raises(NeedsRepair):
        changed("config.yaml", data, "git", False)


def test_what_cannot_be_changed_in_place_is_refused() -> None:
    """A shape that no edit fits is an error with a way out, never another file."""
    data = b"? git\n: true\n"
    try:
        after = changed("config.yaml", data, "git", False)
    except (Refused, NeedsRepair):
        return
    assert config.understood(after).config == Config(git=False)


def test_the_schema_agrees_with_the_reader() -> None:
    """Names, defaults, choices and ranges of the schema are those of the table."""
    schema = settings.schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert tuple(schema["properties"]) == settings.NAMES
    assert not schema["additionalProperties"]
    for setting in settings.SETTINGS:
        described = schema["properties"][setting.name]
        assert described["default"] == settings.as_data(setting.default)
        for word in described.get("enum", []):
            assert settings.parse(setting, word) == (word, [])
        for edge, step in (("minimum", -1), ("maximum", 1)):
            if edge in described:
                assert not settings.parse(setting, str(described[edge]))[1]
                assert settings.parse(setting, str(described[edge] + step))[1]
    assert set(schema["properties"]["routes"]["items"]["properties"]) == set(FIELDS)

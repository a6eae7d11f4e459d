"""Time whole commands against the bare interpreter, and against reading and writing rules.yaml with YAML libraries.

    python benchmarks/speed.py [--rules 10000] [--runs 15]

Every figure is a ratio of medians measured side by side in this run; milliseconds are shown only to give a feeling.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VERBS = ["use", "prefer", "write", "keep", "run", "check", "avoid", "add", "name", "test", "document", "log", "cache"]
NOUNS = [
    "pnpm",
    "tests",
    "types",
    "commits",
    "branches",
    "imports",
    "errors",
    "logs",
    "queries",
    "handlers",
    "fixtures",
]
NOUNS += ["schemas", "routes", "tokens", "layouts", "modules", "helpers", "hooks", "flags", "configs", "secrets"]
NOUNS += ["widgets", "tables", "indexes", "caches", "workers", "timers", "buffers", "parsers"]
PLACES = ["in the api", "in the browser", "before a commit", "after a merge", "in every module", "for new code"]
PLACES += ["in tests", "on windows", "in scripts", "per request"]


def sentences(count: int) -> list[str]:
    """Make different imperative sentences."""
    chance = random.Random(7)
    made: dict[str, None] = {}
    while len(made) < count:
        a, b = chance.sample(NOUNS, 2)
        made[f"{chance.choice(VERBS).title()} {a} with {b} {chance.choice(PLACES)} ({len(made)})"] = None
    return list(made)


def make_store(home: Path, count: int, *, guards: int = 0) -> None:
    """Write a rules.yaml of so many rules, one in four seen twice and half of those written.

    Args:
        guards: so many of them, all through the file, deny a command of the shell everywhere.
    """
    from improve import document, entry
    from improve.rule import Check, Observation, Rule, Written

    domains = ["testing", "code-style", "api-design", "unknown"]
    rules = []
    for number, text in enumerate(sentences(count)):
        twice = number % 4 == 0
        seen = tuple(
            Observation(
                f"github.com/acme/p{(number + n) % 40}",
                "2026-10-01",
                "user corrected it",
                f"2026-10-01T10:00:0{n}+00:00",
                "claude-code",
                f"s{number}-{n}",
                provenance="agent",
                oid=f"{number:08x}{n:04x}",
            )
            for n in range(2 if twice else 1)
        )
        written = (Written("/nowhere/AGENTS.md", "2026-10-02", "Testing", text, "global"),) if number % 8 == 0 else ()
        rules.append(
            Rule(f"rule-{number}", text, domains[number % 4], "2026-10-01", "2026-10-01", seen, written_to=written)
        )
    for number in range(guards):
        at = number * (count // guards)
        given = Check("shell", ("pip install",) if number == guards // 2 else (f"tool-{number} install|add",))
        rules[at] = rules[at]._replace(check=given, guard="deny", explicit_scope="global")
    body = "".join(entry.render(rule) for rule in rules).encode()
    home.mkdir(parents=True)
    (home / "rules.yaml").write_bytes(document.template().replace(b"rules: []\n", b"rules:\n") + body)


def environment(base: Path, name: str) -> dict[str, str]:
    """Give a throw-away home."""
    return {
        **os.environ,
        "HOME": str(base / name),
        "AGENT_IMPROVEMENT_HOME": str(base / name / "store"),
        "XDG_CACHE_HOME": str(base / name / "cache"),
        "XDG_STATE_HOME": str(base / name / "state"),
    }


def once(argv: list[str], env: dict[str, str], cwd: Path) -> float:
    """Run a process and return its wall time in seconds."""
    begin = time.perf_counter()
    done = subprocess.run(argv, env=env, cwd=cwd, capture_output=True, check=False)
    spent = time.perf_counter() - begin
    if done.returncode:
        raise SystemExit(f"{argv}: exit {done.returncode}\n{done.stderr.decode()}")
    return spent


def peak_memory(argv: list[str], env: dict[str, str], cwd: Path) -> float:
    """Return the peak resident size of a process, MB."""
    code = (
        "import resource,subprocess,sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, *argv], env=env, cwd=cwd, capture_output=True, text=True, check=True
    )
    return int(out.stdout) / 1024


def yaml_round_trip(path: Path, library: str) -> float:
    """Load and dump a file in process; returns seconds."""
    text = path.read_text(encoding="utf-8")
    begin = time.perf_counter()
    if library == "ruamel":
        import io

        from ruamel.yaml import YAML

        yaml = YAML()
        yaml.dump(yaml.load(text), io.StringIO())
    else:
        import yaml as pyyaml

        pyyaml.dump(
            pyyaml.load(text, Loader=pyyaml.SafeLoader), default_flow_style=False, sort_keys=False, allow_unicode=True
        )
    return time.perf_counter() - begin


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--skip-yaml", action="store_true", help="leave out the slow comparison with YAML libraries")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options)


def measure(base: Path, options: argparse.Namespace) -> None:
    """Run everything interleaved, so that a slow moment of the machine hits all alike."""
    repo = base / "repo"
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    subprocess.run(["git", "-C", str(repo), "remote", "add", "origin", "https://github.com/acme/p1.git"], check=True)
    small, large = environment(base, "small"), environment(base, "large")
    make_store(base / "small" / "store", 10)
    make_store(base / "large" / "store", options.rules)
    improve = [str(Path(sys.executable).with_name("improve"))]
    known = sentences(5)[4]
    series = {
        "python -c pass": ([sys.executable, "-c", "pass"], small),
        "observe, known wording": ([*improve, "observe", known], large),
        "observe, new wording": ([*improve, "observe", "{new}"], large),
        "observe, new wording, 10 rules": ([*improve, "observe", "{new}"], small),
        "status": ([*improve, "status"], large),
        "due": ([*improve, "due"], large),
    }
    begin = time.perf_counter()
    once([*improve, "status"], large, repo)
    first = time.perf_counter() - begin
    once([*improve, "status"], small, repo)
    for env in (small, large):
        once([*improve, "observe", "Warm up the caches"], env, repo)
    times: dict[str, list[float]] = {name: [] for name in series}
    fresh = iter(sentences(options.rules + 10 * options.runs + 50)[options.rules :])
    for _ in range(options.runs):
        for name, (argv, env) in series.items():
            times[name].append(once([next(fresh) if part == "{new}" else part for part in argv], env, repo))
    middle = {name: statistics.median(values) for name, values in times.items()}
    bare = middle["python -c pass"]
    print(f"{options.rules} rules, medians of {options.runs} runs, side by side\n")
    print(f"{'command':<34}{'ms':>8}{'× bare interpreter':>22}")
    for name, value in middle.items():
        print(f"{name:<34}{value * 1000:>8.1f}{value / bare:>22.1f}")
    print(
        f"\nobserve at {options.rules} rules / at 10 rules: "
        f"{middle['observe, new wording'] / middle['observe, new wording, 10 rules']:.2f}"
    )
    print(f"first command ever on that file (no index yet): {first:.2f} s")
    rules = base / "large" / "store" / "rules.yaml"
    data = rules.read_bytes()
    rules.write_bytes(data.replace(b"user corrected it", b"user corrected this", 1))
    print(f"status right after a hand edit of one rule: {once([*improve, 'status'], large, repo):.2f} s")
    for name in ("observe, new wording", "status", "due"):
        argv, env = series[name]
        print(
            f"peak memory, {name}: {peak_memory([next(fresh) if p == '{new}' else p for p in argv], env, repo):.0f} MB"
        )
    if not options.skip_yaml:
        compare_yaml(rules, middle["observe, known wording"])


def compare_yaml(rules: Path, observe: float) -> None:
    """Compare with what the program this replaces had to do for each observation."""
    for library in ("pyyaml", "ruamel"):
        try:
            spent = yaml_round_trip(rules, library)
        except ImportError:
            print(f"{library}: not installed, not compared")
            continue
        print(f"load + dump of the same file with {library}: {spent:.1f} s = {spent / observe:.0f}× one whole observe")


if __name__ == "__main__":
    main()

"""Commands, hand edits, damage and crashes in any order: the answers are those of rules.yaml, no byte is lost."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from improve import document, entry, escalate, match
from improve.document import Place
from improve.rule import Observation, Rule, Written
from styles import SHAPES, fixtures, oracle, oracle_rules
from test_store import NOW, Crash, damage, home_in, put, read, shaped, store, told, write

WORDS = st.text(
    st.sampled_from("abAB 0:#-'\"\\[]{},&*!|>%@`?~\té日\u200b\u2028\x85\x7f😀\n"), min_size=1, max_size=12
).filter(lambda t: t != "~")  # which the other reader takes for nothing
TEXT = WORDS.filter(lambda t: t.strip() != "")
OBSERVATION = st.builds(
    lambda project, date, context, session, oid: Observation(project, date, context, session=session, oid=oid),
    st.sampled_from(["p", "github.com/acme/shop", "unknown"]),
    st.sampled_from(["2026-11-30", "1999-01-01"]),
    WORDS,
    st.sampled_from(["", "s1", "s2"]),
    st.sampled_from(["", "a", "b"]),
)


class Hands(RuleBasedStateMachine):
    """Commands and hand edits in any order, beside a plain dict that says what must be there."""

    @initialize(
        name=st.sampled_from([*fixtures("editable"), *fixtures("empty")]), shape=st.sampled_from(sorted(SHAPES))
    )
    def begin(self, name: str, shape: str) -> None:
        self.base = Path(tempfile.mkdtemp())
        self.home = home_in(self.base)
        data = shaped(name, shape)
        write(self.home, data)
        self.model = oracle_rules(data)
        self.comments = 0
        self.other = store(self.home)

    def teardown(self) -> None:
        if hasattr(self, "base"):
            shutil.rmtree(self.base)

    # commands

    @rule(text=TEXT, seen=OBSERVATION)
    def observe(self, text: str, seen: Observation) -> None:
        name = f"r{len(self.model)}"
        assume(name not in self.model)
        self.model[name] = Rule(name, text, observations=(seen,))
        put(self.home, self.model[name])

    @precondition(lambda self: self.model)
    @rule(data=st.data(), seen=OBSERVATION)
    def reinforce(self, data: st.DataObject, seen: Observation) -> None:
        known = data.draw(st.sampled_from(sorted(self.model)))
        old = self.model[known]
        new = old._replace(observations=(*old.observations, seen), last_reinforced=seen.date)
        self.model[known] = new
        with self.other.edit(NOW) as edit:
            assert edit.view.rule(known) == old
            edit.put(new)
            edit.commit({"event": "observed"})

    @precondition(lambda self: self.model)
    @rule(data=st.data(), text=TEXT)
    def change(self, data: st.DataObject, text: str) -> None:
        known = data.draw(st.sampled_from(sorted(self.model)))
        old = self.model[known]
        new = data.draw(
            st.sampled_from(
                [
                    old._replace(aliases=(*old.aliases, text)),
                    old._replace(retired=not old.retired),
                    old._replace(written_to=(*old.written_to, Written("/x", "2026-11-30", text=text, scope="global"))),
                    old._replace(written_to=old.written_to[1:], aliases=old.aliases[:-1]),
                    old._replace(observations=old.observations[1:], text=text),
                    old._replace(explicit_scope="", severity=0, near=(), destination=None),
                    old._replace(domain="testing", severity=3, near=("x",), escalation="global"),
                ]
            )
        )
        self.model[known] = new
        put(self.home, new, event="set")

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        gone = data.draw(st.sampled_from(sorted(self.model)))
        del self.model[gone]
        with self.other.edit(NOW) as edit:
            edit.drop(gone)
            edit.commit({"event": "merged"})

    @rule(key=st.sampled_from(["p", "github.com/acme/shop", "a: b"]), root=st.sampled_from(["/a", "/b: c"]))
    def register(self, key: str, root: str) -> None:
        with store(self.home).edit(NOW) as edit:
            edit.place(key, Place("n", "", (root,)))
            edit.commit({"event": "observed"})
        assert store(self.home).view().head.projects[key] == Place("n", "", (root,))

    # a person

    @rule(data=st.data())
    def comment(self, data: st.DataObject) -> None:
        lines = read(self.home).split(b"\n")
        starts = [n for n, line in enumerate(lines) if line.startswith((b"- ", b"rules:", b"version"))]
        at = data.draw(st.sampled_from(starts)) if starts else 0
        assume(not (at == 0 and lines[0].startswith(b"\xef\xbb\xbf")))
        self.comments += 1
        end = b"\r" if lines[0].endswith(b"\r") else b""
        lines.insert(at, b"# note %d of mine" % self.comments + end)
        write(self.home, b"\n".join(lines))

    @rule(data=st.data())
    def rearrange(self, data: st.DataObject) -> None:
        spans, whole = self.spans()
        assume(len(spans) > 1 and whole.endswith(b"\n"))
        order = data.draw(st.permutations(range(len(spans))))
        body = b"".join(whole[spans[n].start : spans[n].end] for n in order)
        write(self.home, whole[: spans[0].start] + body + whole[spans[-1].end :])
        self.model = {name: self.model[name] for name in oracle_rules(read(self.home))}

    @rule()
    def indent(self) -> None:
        spans, whole = self.spans()
        assume(spans and b"|" not in whole and b">" not in whole and b"rules" in oracle_keys(whole))
        body = whole[spans[0].start : spans[-1].end]
        lines = [b"  " + line if line.strip() else line for line in body.split(b"\n")]
        new = whole[: spans[0].start] + b"\n".join(lines) + whole[spans[-1].end :]
        assume(oracle_rules(new) == self.model)  # folded texts may come out otherwise
        write(self.home, new)

    @rule()
    def windows(self) -> None:
        whole = read(self.home)
        assume(b"\r" not in whole)
        write(self.home, whole.replace(b"\n", b"\r\n"))

    @rule(data=st.data())
    def delete_by_hand(self, data: st.DataObject) -> None:
        spans, whole = self.spans()
        assume(len(spans) > 1)
        span = data.draw(st.sampled_from(spans))
        assume(b"# note" not in whole[span.start : span.end])
        write(self.home, whole[: span.start] + whole[span.end :])
        self.model = oracle_rules(read(self.home))

    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        plain = [name for name in self.model if read(self.home).count(b"id: " + name.encode()) == 1 and len(name) < 4]
        assume(plain)
        old = data.draw(st.sampled_from(plain))
        assume(f"by-hand-{old}" not in self.model)
        write(self.home, read(self.home).replace(b"id: " + old.encode(), b"id: by-hand-" + old.encode()))
        self.model = oracle_rules(read(self.home))

    @rule(text=TEXT)
    def append_by_hand(self, text: str) -> None:
        spans, whole = self.spans()
        assume(spans and whole[: spans[-1].end].endswith(b"\n"))
        name = f"hand{len(self.model)}"
        assume(name not in self.model)
        indent = len(whole[spans[0].start :]) - len(whole[spans[0].start :].lstrip(b" "))
        pad, end = b" " * indent, b"\r\n" if b"\r\n" in whole else b"\n"
        mine = (
            pad + b"- id: " + name.encode() + end + pad + b"  rule: " + entry.scalar(text).encode() + b"  # hand" + end
        )
        write(self.home, whole[: spans[-1].end] + mine + whole[spans[-1].end :])
        self.model[name] = Rule(name, text)

    def spans(self) -> tuple[tuple[document.Span, ...], bytes]:
        whole = read(self.home)
        return document.outline(whole).entries, whole

    # the world

    @rule(at=st.integers(0, 1 << 20), bit=st.integers(0, 7))
    def flip(self, at: int, bit: int) -> None:
        assume((Path(self.home.cache) / "index.sqlite").exists())
        damage(self.home, lambda d: d[: at % len(d)] + bytes([d[at % len(d)] ^ (1 << bit)]) + d[at % len(d) + 1 :])

    @rule(keep=st.floats(0, 1))
    def cut(self, keep: float) -> None:
        assume((Path(self.home.cache) / "index.sqlite").exists())
        damage(self.home, lambda d: d[: int(len(d) * keep)])

    @rule()
    def lose_cache(self) -> None:
        shutil.rmtree(self.home.cache, ignore_errors=True)

    @rule(
        text=TEXT, where=st.sampled_from(["improve.edit.files.replace", "improve.edit.Edit._note", "improve.seal.put"])
    )
    def crash(self, text: str, where: str) -> None:
        name = f"r{len(self.model)}"
        assume(name not in self.model)

        def gone(*_: object, **__: object) -> None:
            raise Crash

        with pytest.MonkeyPatch.context() as patch:
            told(self.home)  # so that it is the commit that meets the crash
            patch.setattr(where, gone)
            with contextlib.suppress(Crash):
                put(self.home, Rule(name, text))
        if "replace" not in where:
            self.model[name] = Rule(name, text)

    # what must hold

    @invariant()
    def answers_are_those_of_the_file(self) -> None:
        if not hasattr(self, "base"):
            return
        data = read(self.home)
        assert oracle_rules(data) == self.model
        assert told(self.home) == self.model
        index = store(self.home).view().index
        assert index.count() == len(self.model)
        taxonomy = store(self.home).view().taxonomy
        due = {r.id for r in self.model.values() if escalate.is_due(r, escalate.decide(r, taxonomy))}
        assert {row.rule.id for row in index.due()} == due
        for found in list(self.model.values())[:3]:
            same = index.same_wording(match.normalize(found.text)) if match.normalize(found.text) else None
            assert same is None or match.normalize(found.text) in {
                match.normalize(t) for t in (same.rule.text, *same.rule.aliases)
            }
        for number in range(1, self.comments + 1):
            assert b"# note %d of mine" % number in data


def oracle_keys(data: bytes) -> set[bytes]:
    """Give the top keys of a file."""
    return {key.encode() for key in oracle(data)}


Hands.TestCase.settings = settings(
    max_examples=12,
    phases=[Phase.reuse, Phase.generate],
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
TestHands = Hands.TestCase


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_hands_for_long() -> None:
    """The same machine, longer."""
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        Hands, settings=settings(Hands.TestCase.settings, max_examples=2000, stateful_step_count=60)
    )

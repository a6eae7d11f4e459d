"""Records without `typing`."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from improve.frozen import Frozen


class Point(Frozen):
    """Two numbers and a name."""

    x: int
    y: int = 0
    name: str = ""


class Named(Point):
    """One field more."""

    title: str = "none"


def test_fields_are_given_by_place_or_by_name() -> None:
    """Defaults fill what is not given."""
    assert Point(1) == Point(x=1, y=0) == Point(1, 0, "")
    assert list(Named(1, title="t")) == [1, 0, "", "t"]


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, "a", "b"), {}), ((1,), {"z": 3})])
def test_what_does_not_fit_is_refused(values: tuple[object, ...], named: dict[str, object]) -> None:
    """A missing, a surplus and an unknown field are mistakes of the caller."""
    with pytest.raises(TypeError):
        Point(*values, **named)  # type: ignore[arg-type]


def test_a_record_never_changes() -> None:
    """Setting a field is refused; `_replace` gives another record and leaves the first."""
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    assert (point._replace(x=2), point) == (Point(2), Point(1))


def test_records_are_equal_by_kind_and_fields() -> None:
    """A record of another kind with the same values is another thing, and equal ones have equal hashes."""
    assert Point(1) != Named(1)
    assert hash(Point(1)) == hash(Point(1))
    assert pickle.loads(pickle.dumps(Point(1))) == Point(1)


def test_it_costs_no_typing() -> None:
    """Importing it loads neither `typing` nor `re`."""
    code = "import sys; sys.path[:0] = [sys.argv[1]]; import improve.frozen; print({'typing', 're'} & set(sys.modules))"
    source = __import__("improve").__path__[0].rpartition("/")[0]
    out = subprocess.run([sys.executable, "-I", "-S", "-c", code, source], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"

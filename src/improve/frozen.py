"""Records for the paths that run on every prompt.

`typing` alone takes as long to import as Python takes to start, and `NamedTuple` and `dataclass` need it or more.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        """Stand in for what only type checkers need."""
        return lambda record: record


@dataclass_transform(frozen_default=True, eq_default=True)
class Frozen:
    """A record that never changes: annotations name its fields, class attributes are their defaults.

    >>> class Point(Frozen):
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, y=0), Point(1)._replace(y=2)
    (Point(x=1, y=0), True, Point(x=1, y=2))
    """

    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *cls.__annotations__)

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self._fields, values, strict=False)) | named
        missing = [field for field in self._fields if field not in given and not hasattr(type(self), field)]
        if missing or len(values) > len(self._fields) or given.keys() - set(self._fields):
            raise TypeError(
                f"{type(self).__name__} has the fields {', '.join(self._fields)}; given: {', '.join(given)}"
            )
        self.__dict__.update(given)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {field} stays as it is")

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, field) for field in self._fields)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and tuple(other) == tuple(self)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{field}={value!r}' for field, value in self._asdict().items())})"

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**(self._asdict() | changes))

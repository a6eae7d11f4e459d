"""The layout of a JSON text: where it breaks lines, how it indents, what stands around its colons and commas."""

from __future__ import annotations

import json

from improve.jsonspan import WHITE, Box, Source, first_in, top


class Style:
    """How a text is laid out, so that what is added looks as if it had always been there."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.newline = "\r\n" if "\r\n" in source.text else "\n"
        self._root = top(source)
        self._first = first_in(source.plain, self._root)

    def breaks(self, box: Box) -> bool:
        """Tell whether a new part goes on a line of its own: as the last one does, or as all do outside."""
        if not box.parts:
            return self._first is None or "\n" in self._source.text[self._root : self._first.start]
        start = box.parts[-2].end if len(box.parts) > 1 else box.start
        return "\n" in self._source.text[start : box.parts[-1].start]

    def margin(self, at: int) -> str:
        """Give the white space that the line of a place begins with."""
        start = self._source.text.rfind("\n", 0, at) + 1
        line = self._source.text[start:at].removeprefix("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def indent(self, box: Box, outer: str) -> str:
        """Give the white space before a new part: that of the last one, or one step more than outside."""
        if box.parts and self.breaks(box):
            return self.margin(box.parts[-1].start)
        return outer + self._step()

    def _step(self) -> str:
        first = self._first
        return self.margin(first.start) if first and "\n" in self._source.text[self._root : first.start] else "  "

    def marks(self) -> tuple[str, str]:
        """Give colon and comma as the text writes them on one line."""
        close = self._first is not None and self._source.text[self._first.value - 1] not in WHITE
        return (":", ",") if close else (": ", ", ")

    def flat(self, key: str | None, value: object) -> str:
        """Write a part on one line."""
        colon, comma = self.marks()
        body = json.dumps(value, ensure_ascii=False, separators=(comma, colon))
        return body if key is None else json.dumps(key, ensure_ascii=False) + colon + body

    def tall(self, key: str | None, value: object, indent: str) -> str:
        """Write a part on several lines."""
        body = json.dumps(value, ensure_ascii=False, indent=self._step()).replace("\n", self.newline + indent)
        return body if key is None else json.dumps(key, ensure_ascii=False) + ": " + body

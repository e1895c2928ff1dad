# SPDX-License-Identifier: Apache-2.0
"""A program's text, read into operations and blocks."""

from __future__ import annotations

import re
from typing import NamedTuple

_OPERATION = re.compile(
    r"^ +(?:(?P<results>%[^=\n]*) = )?(?P<name>[A-Za-z_][\w.]*\.\w+)"
    r"\((?P<operands>[^)\n]*)\)")
_RETURN = re.compile(r"^ +builtin\.return\(")
_ENTRY = re.compile(r'(%[^\s,():]+): (?:(feed|state) ("(?:[^"\\]|\\.)*") )?')
_RETURNED = re.compile(r'("(?:[^"\\]|\\.)*") = (%[^\s,()]+)')
_VALUE = re.compile(r"%[^\s,():]+")
_ESCAPE = re.compile(r'\\(x[0-9a-fA-F]{2}|.)')
_LETTERS = {"n": "\n", "t": "\t"}
# A text in quotes, a bracket, what parts items.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[<\[({>\])}]|, ')
_OPENING, _CLOSING = "<[({", ">])}"
# The names of the blocks of control flow, as explain names them.
_BLOCKS = {"cf.if": ("then", "else"), "cf.while": ("condition", "body")}


class Operation(NamedTuple):
    """An operation: a line of the text.

    ``results`` are (value, type). ``block`` is the block that it lies in, and
    ``captured`` are the values from outside that its own blocks use.
    """

    name: str
    results: list[tuple[str, str]]
    operands: list[str]
    attributes: str
    block: int
    captured: list[str]


class Block(NamedTuple):
    """A block: the program's (``owner`` is -1) or one of an operation's."""

    owner: int
    title: str
    arguments: list[tuple[str, str]]


class Port(NamedTuple):
    """A feed, state, result or new state: its name and value."""

    role: str
    name: str
    value: str
    type: str


class Parts(NamedTuple):
    """The parts of a text. Operations are in its order, the first block is the
    program's."""

    operations: list[Operation]
    blocks: list[Block]
    ports: list[Port]


def unquoted(text: str) -> str:
    """The text in quotes, as the IR quotes."""
    def plain(found):
        word = found[1]
        if len(word) == 3:
            return chr(int(word[1:], 16))
        return _LETTERS.get(word, word)
    return _ESCAPE.sub(plain, text[1:-1])


def length_of(text: str, end: str) -> int:
    """How long the part before ``end`` is, a comma with its space or a bracket
    outside of quotes and brackets; all of the text if there is none."""
    depth = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        if depth == 0 and token == end:
            return found.start()
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
    return len(text)


def split(text: str) -> list[str]:
    """The items between commas that stand outside of quotes and brackets."""
    items = []
    while text:
        length = length_of(text, ", ")
        items.append(text[:length])
        text = text[length + 2:]
    return items


def _attributes_and_types(rest):
    """(attributes, types) of what follows the operands."""
    attributes = ""
    if rest.startswith(" {"):
        length = length_of(rest[2:], "}")
        attributes, rest = rest[2:2 + length], rest[3 + length:]
    rest = rest.removesuffix(" region {")
    return attributes, split(rest[3:]) if rest.startswith(" : ") else []


class _Reader:
    """Goes through the lines."""

    def __init__(self):
        self.operations, self.ports = [], []
        self.blocks = [Block(-1, "", [])]
        self.around = [0]  # Blocks, the innermost last.
        self.types = {}
        self.block_of = {}  # Of a value: the block where it is made.
        self.entry = []  # The lines of the entry's arguments.

    def read(self, text):
        lines = text.splitlines()
        for line in lines:
            bare = line.lstrip()
            if self.entry or bare.startswith("^entry("):
                self.entry.append(bare)
                if bare.endswith("):"):
                    self._end_entry()
            elif bare.startswith("^("):
                self._arguments(bare)
            elif bare.startswith("}"):
                if len(self.around) > 1:
                    owner = self.blocks[self.around.pop()].owner
                    if bare.endswith(" region {"):
                        self._open(owner)
            elif _RETURN.match(line):
                self._return(bare)
            else:
                self._operation(line)
        return Parts(self.operations, self.blocks, self.ports)

    def _end_entry(self):
        text = " ".join(self.entry)
        self.entry = []
        for item in split(text[text.find("(") + 1:-2].strip()):
            found = _ENTRY.match(item)
            if found is not None:
                self._know(found[1], item[found.end():], 0)
                if found[2]:
                    self.ports.append(Port(found[2], unquoted(found[3]),
                                           found[1], item[found.end():]))

    def _know(self, value, kind, block):
        self.types[value] = kind
        self.block_of[value] = block

    def _arguments(self, bare):
        block = self.around[-1]
        for item in split(bare[2:-2]):
            value, _, kind = item.partition(": ")
            self.blocks[block].arguments.append((value, kind))
            self._know(value, kind, block)

    def _open(self, owner):
        name = self.operations[owner].name
        number = sum(block.owner == owner for block in self.blocks)
        names = _BLOCKS.get(name, ())
        title = names[number] if number < len(names) else f"block {number}"
        self.blocks.append(Block(owner, title, []))
        self.around.append(len(self.blocks) - 1)

    def _return(self, bare):
        fetched, _, written = bare.partition(") state(")
        for role, part in (("fetch", fetched), ("update", written)):
            for name, value in _RETURNED.findall(part):
                self.ports.append(Port(role, unquoted(name), value,
                                       self.types.get(value, "")))

    def _operation(self, line):
        found = _OPERATION.match(line)
        if found is None:
            return
        attributes, types = _attributes_and_types(line[found.end():])
        values = _VALUE.findall(found["results"] or "")
        types += [""] * (len(values) - len(types))
        operands = _VALUE.findall(found["operands"])
        block = self.around[-1]
        self._capture(operands)
        for value, kind in zip(values, types):
            self._know(value, kind, block)
        self.operations.append(Operation(
            found["name"], list(zip(values, types)), operands, attributes,
            block, []))
        if line.endswith(" region {"):
            self._open(len(self.operations) - 1)

    def _capture(self, operands):
        """Notes what comes from outside in the operations around."""
        for value in operands:
            for inner in reversed(self.around):
                if inner == 0 or self.block_of.get(value, 0) == inner:
                    break
                captured = self.operations[self.blocks[inner].owner].captured
                if value not in captured:
                    captured.append(value)


def parts_of(text: str) -> Parts:
    """The parts of a program's text, of any stage."""
    return _Reader().read(text)

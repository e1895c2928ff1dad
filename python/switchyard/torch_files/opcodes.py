# SPDX-License-Identifier: Apache-2.0
"""Reads the list of opcodes in a file of torch.save (protocols 2 to 4 of
Python's pickles) without Python's pickle module: it makes numbers, texts,
tuples, lists, dicts and sets, calls only the functions that it is given, and
refuses every other name. Depth and memory are bounded."""

from __future__ import annotations

import struct
import sys

_MOST_DEPTH = 200
# Bytes beside those of the input, and what an entry of a list, a dict and a new
# container count for.
_MOST_BYTES = 56 << 20
_ENTRY, _PAIR, _CONTAINER = 40, 100, 160
_MARK = object()


class Interpreter:
    """Runs one list of opcodes.

    ``called`` and ``constants``: what names stand for. ``foreign(name)`` raises
    for all others. ``persistent(id)``: the object of an id. ValueError for a
    list that is damaged.
    """

    def __init__(self, data, called, constants, persistent, foreign):
        self._data, self._at = bytes(data), 0
        self._called, self._constants = called, constants
        self._persistent, self._foreign = persistent, foreign
        self._stack, self._memo = [], {}
        self._depths = {}  # Of containers, by id; all of them are alive.
        self._alive = []
        self._left = _MOST_BYTES + len(self._data)

    def run(self):
        """The object that is made."""
        while True:
            opcode = self._take(1)[0]
            if opcode == _STOP:
                if len(self._stack) != 1:
                    raise ValueError("has opcodes that leave no single object")
                return self._checked(self._stack[0])
            action = _ACTIONS.get(opcode)
            if action is None:
                raise ValueError(f"has the opcode {bytes([opcode])!r}, which "
                                 "torch.save does not write")
            action(self)

    # The input and the stack.

    def _take(self, count):
        if count > len(self._data) - self._at:
            raise ValueError("has opcodes that are cut off")
        self._at += count
        return self._data[self._at - count:self._at]

    def _number(self, form):
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _text(self, count):
        try:
            return self._take(count).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise ValueError("has a text that is no UTF-8") from None

    def _line(self):
        end = self._data.find(b"\n", self._at)
        if end < 0:
            raise ValueError("has opcodes that are cut off")
        text = self._text(end - self._at)
        self._at = end + 1
        return text

    def _charge(self, count):
        self._left -= count
        if self._left < 0:
            raise ValueError(f"has objects that take more than "
                             f"{_MOST_BYTES >> 20} MiB beside its tensors")

    def _push(self, value):
        self._charge(_ENTRY if isinstance(value, (int, float, bool, type(None)))
                     else _ENTRY + sys.getsizeof(value))
        self._stack.append(value)

    def _pop(self):
        if not self._stack or self._stack[-1] is _MARK:
            raise ValueError("has opcodes that take more than there is")
        return self._stack.pop()

    def _top(self, kind):
        if not self._stack or not isinstance(self._stack[-1], kind):
            raise ValueError("has opcodes that add to what is no container")
        return self._stack[-1]

    def _to_mark(self):
        for i in range(len(self._stack) - 1, -1, -1):
            if self._stack[i] is _MARK:
                items = self._stack[i + 1:]
                del self._stack[i:]
                return items
        raise ValueError("has opcodes that take more than there is")

    # Containers, whose depth is checked as they grow.

    def _grown(self, container, items):
        depth = 1 + max((self._depths.get(id(item), 0) for item in items),
                        default=0)
        if depth > _MOST_DEPTH:
            raise ValueError(f"has containers more than {_MOST_DEPTH} deep")
        if id(container) not in self._depths:
            self._alive.append(container)
            self._charge(_CONTAINER)
        self._depths[id(container)] = max(depth,
                                          self._depths.get(id(container), 0))
        return container

    def _push_tuple(self, items):
        self._push(self._grown(tuple(items), items))

    def _append(self, items):
        self._charge(len(items) * _ENTRY)
        self._grown(self._top(list), items).extend(items)

    def _set_items(self, items):
        if len(items) % 2:
            raise ValueError("has a dict with a key without a value")
        self._charge(len(items) * _PAIR)
        target = self._grown(self._top(dict), items)
        for key, value in zip(items[::2], items[1::2]):
            target[_key(key)] = value

    def _add_items(self, items):
        self._charge(len(items) * _PAIR)
        self._top(set).update(map(_key, items))

    def _checked(self, value):
        """The value, after a walk that finds one that contains itself."""
        path, done, work = set(), set(), [(value, False)]
        while work:
            item, leave = work.pop()
            if not isinstance(item, (dict, list, tuple)):
                continue
            if leave:
                path.discard(id(item))
                done.add(id(item))
                continue
            if id(item) in path:
                raise ValueError("has a container that contains itself")
            if id(item) in done:
                continue
            if len(path) >= _MOST_DEPTH:
                raise ValueError(f"has containers more than {_MOST_DEPTH} deep")
            path.add(id(item))
            work.append((item, True))
            work += [(part, False) for part in
                     (item.values() if isinstance(item, dict) else item)]
        return value

    # Names and calls.

    def _name(self, module, name):
        full = f"{module}.{name}"
        if full in self._constants:
            return self._constants[full]
        if full not in self._called:
            self._foreign(full)
        return self._called[full]

    def _global(self):
        module = self._line()
        self._push(self._name(module, self._line()))

    def _stack_global(self):
        name, module = self._pop(), self._pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise ValueError("has a name that is no text")
        self._push(self._name(module, name))

    def _reduce(self):
        arguments, function = self._pop(), self._pop()
        if not isinstance(arguments, tuple) or not callable(function):
            raise ValueError("has a call of what is no function")
        try:
            made = function(*arguments)
        except (TypeError, OverflowError):
            raise ValueError("has a call with wrong arguments") from None
        self._push(self._grown(made, _parts(made))
                   if isinstance(made, (dict, list, tuple)) else made)

    def _build(self):
        """Attributes of a dict (a state dict's versions) are left out."""
        self._pop()
        self._top(dict)

    # The memo.

    def _put(self, number):
        if not self._stack:
            raise ValueError("has opcodes that take more than there is")
        self._charge(_PAIR)
        self._memo[number] = self._stack[-1]

    def _get(self, number):
        if number not in self._memo:
            raise ValueError("has opcodes that take what was not made")
        self._push(self._memo[number])

    def _long(self, count):
        self._push(int.from_bytes(self._take(count), "little", signed=True))


def _parts(container):
    return container.values() if isinstance(container, dict) else container


_PLAIN = (str, int, float, bytes, type(None))


def _key(key):
    # A tuple of tuples may take for ever to compare.
    parts = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(part, _PLAIN) for part in parts):
        raise ValueError(f"has a {type(key).__name__} for a key, which must be "
                         "plain")
    return key


def _of(constant):
    return lambda self: self._push(constant)


def _tuple_of(count):
    return lambda self: self._push_tuple(
        [self._pop() for _ in range(count)][::-1])


def _pairs_at_mark(self):
    items = self._to_mark()
    self._push({})
    self._set_items(items)


def _list_at_mark(self):
    items = self._to_mark()
    self._push([])
    self._append(items)


def _one_append(self):
    self._append([self._pop()])


def _one_item(self):
    value = self._pop()
    self._set_items([self._pop(), value])


_STOP = ord(".")
_ACTIONS = {ord(letter) if isinstance(letter, str) else letter: action
            for letter, action in {
    0x80: lambda self: self._take(1),  # The protocol.
    0x95: lambda self: self._take(8),  # A frame's length.
    "(": lambda self: self._push(_MARK),
    "0": lambda self: self._pop(),
    "N": _of(None), 0x88: _of(True), 0x89: _of(False),
    "J": lambda self: self._push(self._number("<i")),
    "K": lambda self: self._push(self._number("<B")),
    "M": lambda self: self._push(self._number("<H")),
    0x8A: lambda self: self._long(self._number("<B")),
    "G": lambda self: self._push(self._number(">d")),
    "X": lambda self: self._push(self._text(self._number("<I"))),
    0x8C: lambda self: self._push(self._text(self._number("<B"))),
    0x8D: lambda self: self._push(self._text(self._number("<Q"))),
    "U": lambda self: self._push(self._text(self._number("<B"))),
    "B": lambda self: self._push(self._take(self._number("<I"))),
    "C": lambda self: self._push(self._take(self._number("<B"))),
    ")": lambda self: self._push(()), 0x85: _tuple_of(1), 0x86: _tuple_of(2),
    0x87: _tuple_of(3),
    "t": lambda self: self._push_tuple(self._to_mark()),
    "]": lambda self: self._push([]), "l": _list_at_mark, "a": _one_append,
    "e": lambda self: self._append(self._to_mark()),
    "}": lambda self: self._push({}), "d": _pairs_at_mark, "s": _one_item,
    "u": lambda self: self._set_items(self._to_mark()),
    0x8F: lambda self: self._push(set()),
    0x90: lambda self: self._add_items(self._to_mark()),
    "c": lambda self: self._global(), 0x93: lambda self: self._stack_global(),
    "R": lambda self: self._reduce(), 0x81: lambda self: self._reduce(),
    "b": lambda self: self._build(),
    "Q": lambda self: self._push(self._persistent(self._pop())),
    "q": lambda self: self._put(self._number("<B")),
    "r": lambda self: self._put(self._number("<I")),
    0x94: lambda self: self._put(len(self._memo)),
    "h": lambda self: self._get(self._number("<B")),
    "j": lambda self: self._get(self._number("<I")),
}.items()}

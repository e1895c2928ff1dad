# SPDX-License-Identifier: Apache-2.0
"""Which operations of a program belong together: groups for a picture.

A layer's operations are those that use its states: a state is called
"encoder.0.weight", so its layer is "encoder.0". What uses none lies between
two that do, and belongs to what both belong to. Each block of control flow is a
group. What is still long is cut where few values cross.
"""

from __future__ import annotations

import re

LIMIT = 64  # Members of a group; more are cut in parts.
_LEAST = 3  # A layer of fewer operations is no group.
_SEPARATOR = re.compile(r"[./]")


class Group:
    """A part of the picture. ``members``: operations (numbers) and groups, in
    order; ``owner`` is the operation of control flow that it shows, or -1."""

    def __init__(self, title: str, owner: int = -1):
        self.title, self.owner = title, owner
        self.members: list[int | Group] = []

    def operations(self):
        """All numbers below, in order."""
        for member in self.members:
            if isinstance(member, Group):
                yield from member.operations()
            else:
                yield member


def _common(one, other):
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def _paths(parts, states, numbers):
    """{operation: layers around it} of those in a block."""
    own = {}
    for number in numbers:
        for operand in parts.operations[number].operands:
            path = tuple(_SEPARATOR.split(states.get(operand, "")))[:-1]
            if path:
                own[number] = path
                break
    paths, before = {}, None
    waiting = []
    for number in numbers:
        if number not in own:
            waiting.append(number)
            continue
        shared = () if before is None else _common(before, own[number])
        paths.update((other, shared) for other in waiting)
        waiting, before = [], own[number]
        paths[number] = before
    paths.update((other, ()) for other in waiting)
    return paths


def _by_layer(group, numbers, paths, depth, made):
    """Adds the operations to a group: those of an inner layer as a group."""
    start = 0
    while start < len(numbers):
        path = paths[numbers[start]]
        end = start + 1
        if len(path) > depth:
            while (end < len(numbers) and
                   paths[numbers[end]][:depth + 1] == path[:depth + 1]):
                end += 1
        inner = numbers[start:end]
        if len(path) > depth and len(inner) >= _LEAST:
            layer = Group(path[depth])
            _by_layer(layer, inner, paths, depth + 1, made)
            only = layer.members[0] if len(layer.members) == 1 else None
            if isinstance(only, Group) and only.owner < 0:
                only.title = f"{layer.title}.{only.title}"
                layer = only
            group.members.append(layer)
        else:
            group.members += [made.get(number, number) for number in inner]
        start = end


def _crossing(members, uses):
    """How many values cross the place before each member."""
    place = {}
    for i, member in enumerate(members):
        numbers = (member.operations() if isinstance(member, Group)
                   else [member])
        place.update((number, i) for number in numbers)
        if isinstance(member, Group) and member.owner >= 0:
            place[member.owner] = i
    width = [0] * (len(members) + 1)
    for producer, consumers in uses.items():
        if producer in place:
            last = max((place[number] for number in consumers
                        if number in place), default=place[producer])
            width[place[producer] + 1] += 1
            width[last + 1 if last > place[producer]
                  else place[producer] + 1] -= 1
    for i in range(1, len(width)):
        width[i] += width[i - 1]
    return width


def _cut(group, uses):
    """Cuts a long group in parts, and those of it."""
    for member in group.members:
        if isinstance(member, Group):
            _cut(member, uses)
    while len(group.members) > LIMIT:
        members = group.members
        width = _crossing(members, uses)
        count = -(-len(members) * 4 // (LIMIT * 3))
        step = len(members) / count
        places = [0]
        for i in range(1, count):
            middle = int(i * step)
            reach = range(max(places[-1] + 1, middle - int(step / 4)),
                          min(len(members), middle + int(step / 4)) + 1)
            places.append(min(reach, default=middle, key=lambda at: (
                width[at], abs(at - middle))))
        places.append(len(members))
        group.members = []
        for i, (begin, end) in enumerate(zip(places, places[1:])):
            part = Group(f"part {i + 1} of {count}")
            part.members = members[begin:end]
            group.members.append(part)


def groups_of(parts, hidden) -> Group:
    """The root of the groups. ``hidden``: operations that are not shown at
    first; each joins the group of the first operation that uses it."""
    states = {port.value: port.name for port in parts.ports
              if port.role == "state"}
    maker = {value: number
             for number, operation in enumerate(parts.operations)
             for value, _ in operation.results}
    uses: dict[int, list[int]] = {}
    for number, operation in enumerate(parts.operations):
        for value in [*operation.operands, *operation.captured]:
            if value in maker:
                uses.setdefault(maker[value], []).append(number)
    inside: list[list[int]] = [[] for _ in parts.blocks]
    for number, operation in enumerate(parts.operations):
        if number not in hidden:
            inside[operation.block].append(number)
    made: dict[int, int | Group] = {}
    # Inner blocks come after the one around them.
    roots = [Group(block.title) for block in parts.blocks]
    for i in reversed(range(len(parts.blocks))):
        numbers = inside[i]
        _by_layer(roots[i], numbers, _paths(parts, states, numbers), 0, made)
        owner = parts.blocks[i].owner
        if owner >= 0:
            control = made.setdefault(
                owner, Group(parts.operations[owner].name, owner))
            control.members.insert(0, roots[i])
    _cut(roots[0], uses)
    _place_hidden(roots[0], sorted(hidden, reverse=True), uses)
    return roots[0]


def _place_hidden(root, hidden, uses):
    home = {}

    def note(group):
        for member in group.members:
            if isinstance(member, Group):
                if member.owner >= 0:
                    home[member.owner] = group
                note(member)
            else:
                home[member] = group

    note(root)
    for number in hidden:  # Users of one come after it.
        group = home.get(min(uses.get(number, [-1])), root)
        group.members.insert(0, number)
        home[number] = group

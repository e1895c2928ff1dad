# SPDX-License-Identifier: Apache-2.0
"""The modules inside of a module, at any depth."""

from __future__ import annotations


def nested(module, prefix=""):
    """(name, module, True) of a module and all inside, outermost first, and each
    once more with False after those that are inside of it.

    Not by calls of itself: modules may be nested deeper than Python's calls.
    ValueError where a module contains itself.
    """
    yield prefix, module, True
    inside, path = [(prefix, module, _children(module))], {id(module)}
    while inside:
        outer, current, rest = inside[-1]
        name, child = next(rest, (None, None))
        if child is None:
            path.discard(id(current))
            inside.pop()
            yield outer, current, False
            continue
        name = f"{outer}.{name}" if outer else name
        if id(child) in path:
            raise ValueError(f"{type(child).__name__}: a module must not contain "
                             f"itself, got it as {name!r}")
        yield name, child, True
        path.add(id(child))
        inside.append((name, child, _children(child)))


def _children(module):
    return iter(list(module._modules.items()))

# SPDX-License-Identifier: Apache-2.0
"""Tuples, lists and dicts of feeds and results, by the names of their leaves."""

from __future__ import annotations

import functools


def leaves(name, structure):
    """(name, leaf) of all: "x"; "x0", "x1" of a sequence; "x_key" of a dict."""
    if isinstance(structure, dict):
        for key, value in structure.items():
            yield from leaves(f"{name}_{key}", value)
    elif isinstance(structure, (tuple, list)):
        for i, value in enumerate(structure):
            yield from leaves(f"{name}{i}", value)
    else:
        yield name, structure


def rebuilt(name, structure, values):
    """The structure with ``values[name]`` for each leaf."""
    if isinstance(structure, dict):
        return {key: rebuilt(f"{name}_{key}", value, values)
                for key, value in structure.items()}
    if isinstance(structure, (tuple, list)):
        items = [rebuilt(f"{name}{i}", value, values)
                 for i, value in enumerate(structure)]
        return tuple(items) if isinstance(structure, tuple) else items
    return values[name]


@functools.lru_cache(maxsize=128)
def _name_of(dtype):
    """NumPy spells a dtype by code of Python, which takes longer than all else here."""
    return str(dtype)


def signature(name, structure):
    """The facts that a trace of such data depends on: names, dtypes, and all
    extents except the first."""
    facts = []
    for leaf_name, leaf in leaves(name, structure):
        shape = tuple(getattr(leaf, "shape", ()))
        facts.append((leaf_name, _name_of(getattr(leaf, "dtype", type(leaf))),
                      getattr(leaf, "kind", "dense"), len(shape), shape[1:]))
    return tuple(facts)

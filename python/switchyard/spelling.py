# SPDX-License-Identifier: Apache-2.0
"""Arguments under PyTorch's names: ``dim`` for ``axis``, ``eps``, ``lr``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import functools
import inspect
from typing import Any, TypeVar

OTHER_NAMES = {"collate_fn": "collate", "dim": "axis", "end_dim": "stop_axis",
               "eps": "epsilon", "lr": "learning_rate", "start_dim": "start_axis"}

_F = TypeVar("_F", bound=Callable[..., Any])


def named_here(given: dict, own: Iterable[str]) -> dict:
    """Keyword arguments by our names, unless they are among ``own``, those that
    there are; TypeError for one that is given twice."""
    named: dict = {}
    for name, value in given.items():
        name = name if name in own else OTHER_NAMES.get(name, name)
        if name in named:
            raise TypeError(f"got two values for {name!r}")
        named[name] = value
    return named


def spelled(function: _F) -> _F:
    """A function that takes keyword arguments by PyTorch's names, too."""
    own = frozenset(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if kwargs and not own.issuperset(kwargs):
            kwargs = named_here(kwargs, own)
        return function(*args, **kwargs)
    return call  # type: ignore[return-value]

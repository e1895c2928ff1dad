# SPDX-License-Identifier: Apache-2.0
"""sy.plugins: kernels and operators from shared libraries (docs/plugins.md).

    plugin = sy.plugins.load("libshort_softmax.so")
    print(plugin)

From then on its kernels are candidates as any others: for eager calls, for
programs that are traced or loaded later, in ``sy.explain``; its operators are
functions of ``sy.ops``.
"""

from __future__ import annotations

import dataclasses
import os

from switchyard import _core
from switchyard import ops


__all__ = ["Kernel", "Plugin", "load", "loaded"]


def __dir__():
    return __all__


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of a plugin."""
    op: str
    name: str
    backend: str
    dtype: str
    file: str
    line: int

    def __str__(self):
        named = "" if self.name == self.op else f" {self.name}"
        return (f"{self.op}{named} on {self.backend} for {self.dtype} "
                f"({self.file}:{self.line})")


@dataclasses.dataclass(frozen=True)
class Plugin:
    """A plugin that is loaded."""
    name: str
    version: str
    path: str
    abi: tuple[int, int]  # The version of the interface that it was built for.
    kernels: tuple[Kernel, ...]
    operators: tuple[str, ...] = ()  # Those that it brings, gradients too.

    def __str__(self):
        lines = [f"{self.name} {self.version}, for version "
                 f"{self.abi[0]}.{self.abi[1]} of the interface"]
        lines += [f"  operator {name}" for name in self.operators]
        lines += [f"  kernel {kernel}" for kernel in self.kernels]
        return "\n".join(lines)


def _plugin_of(words):
    kernels = tuple(Kernel(**kernel) for kernel in words["kernels"])
    return Plugin(**{**words, "kernels": kernels,
                     "operators": tuple(words["operators"])})


def load(path: str | os.PathLike[str]) -> Plugin:
    """Loads the shared library at ``path`` and puts its kernels in force.

    It is never unloaded. Where it can't be used, nothing has changed:
    FileNotFoundError if there is no such file; ValueError if it is no plugin,
    is cut off, or registers what can't be; RuntimeError if it is for another
    version of the interface, lacks a symbol, throws while it registers, or has
    the name of something that is there. A plugin that aborts ends the process;
    ``./sy plugin check`` tries one in a process of its own.
    """
    words, functions = _core.load_plugin(os.fspath(path))
    for name, function in functions.items():
        setattr(ops, name, function)
    return _plugin_of(words)


def loaded() -> list[Plugin]:
    """The plugins in force, in the order in which they came."""
    return [_plugin_of(words) for words in _core.loaded_plugins()]

# SPDX-License-Identifier: Apache-2.0
"""Modules that hold modules."""

from __future__ import annotations

from collections.abc import Iterable

from switchyard.nn.module import Module


class Sequential(Module):
    """Modules one after another; indexable, numbered from 0."""

    def __init__(self, *layers: Module):
        super().__init__()
        for layer in layers:
            self.append(layer)

    def append(self, layer):
        """Adds a module at the end."""
        name = str(len(self))
        setattr(self, name, self._checked(name, layer))
        return self

    def _checked(self, name, layer):
        if not isinstance(layer, Module):
            raise TypeError(f"{type(self).__name__}: layer {name} must be a "
                            f"Module, got {type(layer).__name__}")
        return layer

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return self.children()

    def __getitem__(self, i):
        layers = list(self._modules.values())
        return type(self)(*layers[i]) if isinstance(i, slice) else layers[i]

    def __setitem__(self, i, layer):
        name = list(self._modules)[i]
        setattr(self, name, self._checked(name, layer))

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x


class ModuleList(Sequential):
    """A list of modules that are inside; the owner says how they are called."""

    def __init__(self, layers: Iterable[Module] = ()):
        super().__init__(*layers)

    def __getitem__(self, i):
        layers = list(self._modules.values())
        return type(self)(layers[i]) if isinstance(i, slice) else layers[i]

    def forward(self, *args):
        raise NotImplementedError("ModuleList is no function: call its modules")

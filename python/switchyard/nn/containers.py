# SPDX-License-Identifier: Apache-2.0
"""Modules that hold modules."""

from switchyard.nn.module import Module


class Sequential(Module):
    """Modules one after another; indexable, numbered from 0."""

    def __init__(self, *layers):
        super().__init__()
        for i, layer in enumerate(layers):
            setattr(self, str(i), layer)

    def append(self, layer):
        """Adds a module at the end."""
        setattr(self, str(len(self)), layer)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return self.children()

    def __getitem__(self, i):
        layers = list(self._modules.values())
        return type(self)(*layers[i]) if isinstance(i, slice) else layers[i]

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x


class ModuleList(Sequential):
    """A list of modules that are inside; the owner says how they are called."""

    def __init__(self, layers=()):
        super().__init__(*layers)

    def __getitem__(self, i):
        layers = list(self._modules.values())
        return type(self)(layers[i]) if isinstance(i, slice) else layers[i]

    def forward(self, *args):
        raise NotImplementedError("ModuleList is no function: call its modules")

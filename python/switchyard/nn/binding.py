# SPDX-License-Identifier: Apache-2.0
"""The values that stand in for a module's tensors while a program is traced."""

from __future__ import annotations


class Bound:
    """The graph's value of a tensor, while a program is traced."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Binding:
    """The values of a module's tensors while a program is traced."""

    def __init__(self, values, bound, by_tensor):
        self._values, self._bound = values, bound
        self._by_tensor = by_tensor  # By the tensors' ids.

    def __call__(self):
        """{name: value} of what was written since."""
        return {name: self._bound[name].value
                for name, value in self._values.items()
                if self._bound[name].value is not value}

    def __contains__(self, tensor):
        return id(tensor) in self._by_tensor

    def read(self, tensor):
        """The value that stands for one of the module's tensors now."""
        return self._by_tensor[id(tensor)].value

    def write(self, tensor, value):
        """Has it stand for the tensor from now on."""
        self._by_tensor[id(tensor)].value = value

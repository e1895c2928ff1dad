# SPDX-License-Identifier: Apache-2.0
"""Parameter and Buffer: the places of a module for its tensors."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import checked


class Parameter:
    """A named place of a module for a trainable ``Tensor``."""

    __slots__ = ("tensor",)
    trainable = True
    persistent = True  # Whether it is in ``state_dict()``.

    def __init__(self, tensor):
        if not isinstance(tensor, _core.Tensor):
            tensor = _core.tensor(tensor)
        if self.trainable:
            if tensor.requires_grad and not tensor.is_leaf:
                tensor = tensor.detach()
            tensor.requires_grad = True
        self.tensor = tensor

    def convert(self, dtype, place, made):
        """Takes a tensor of another dtype or on another place, where they are
        not None: in ``made``, {id: (old, new)}, those that other slots share."""
        old = self.tensor
        if dtype in (None, old.dtype) and place in (None, old.place):
            return
        if id(old) not in made:
            new = old.detach()
            if dtype not in (None, new.dtype):
                new = _core.ops.cast(new, dtype)
            if place not in (None, new.place):
                new = _core.ops.copy(new, place)
            new.requires_grad = old.requires_grad
            made[id(old)] = (old, new)
        self.tensor = made[id(old)][1]
        _core.note_change()


class Buffer(Parameter):
    """A named place for a tensor that is state but not trained.

    ``self.running_mean = tensor`` writes it: into the tensor's memory, or, while
    a program is traced, as the program's new state. ``persistent``: whether it is
    in ``state_dict()``.
    """

    __slots__ = ("persistent",)
    trainable = False

    @checked()
    def __init__(self, tensor, persistent: bool = True):
        super().__init__(tensor)
        self.persistent = persistent

    def write(self, value):
        """Gives the buffer new elements."""
        captures = _core.captures_of(self.tensor)
        if captures is not None:
            captures.copy(self.tensor, value)
        elif not isinstance(value, _core.Tensor):
            raise TypeError("a buffer takes a tensor, "
                            f"got {type(value).__name__}")
        else:
            self.tensor.copy_(value.detach())

# SPDX-License-Identifier: Apache-2.0
"""Parameter and Buffer, and the places of a module for their tensors."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import checked, flag
from switchyard.nn.dtypes import FLOATING


class _OfTensors(type):
    """The class of a class whose instances are tensors that have its mark."""

    def __instancecheck__(cls, thing):
        return _core.is_parameter(thing)


class Parameter(metaclass=_OfTensors):
    """A tensor that the module trains which has it as an attribute.

    ``Parameter(data)`` is a ``Tensor``, a leaf, for all that takes one: ``data``
    itself where that is a leaf, else over its memory; of numbers or an array a new
    one. ``requires_grad``: whether its gradient is recorded. In a module it is in
    ``parameters()`` and in the state; ``isinstance(x, nn.Parameter)`` holds for
    these tensors alone.
    """

    def __new__(cls, data, requires_grad: bool = True):
        flag("Parameter", "requires_grad", requires_grad)
        tensor = data if isinstance(data, _core.Tensor) else _core.tensor(data)
        if tensor.requires_grad and not tensor.is_leaf:
            tensor = tensor.detach()
        if requires_grad or tensor.requires_grad:
            tensor.requires_grad = bool(requires_grad)
        _core.mark_parameter(tensor)
        return tensor


class Slot:
    """A named place of a module for a trainable tensor."""

    __slots__ = ("tensor",)
    trainable = True
    persistent = True  # Whether it is in ``state_dict()``.

    def __init__(self, tensor):
        self.tensor = tensor

    def convert(self, dtype, place, made):
        """Takes a tensor of another dtype, if it is floating, or on another place,
        where they are not None: in ``made``, {id: (old, new)}, those that other
        slots share."""
        old = self.tensor
        dtype = dtype if old.dtype in FLOATING else None
        if dtype in (None, old.dtype) and place in (None, old.place):
            return
        if id(old) not in made:
            new = old.detach()
            if dtype not in (None, new.dtype):
                new = _core.ops.cast(new, dtype)
            if place not in (None, new.place):
                new = _core.ops.copy(new, place)
            new.requires_grad = old.requires_grad
            if _core.is_parameter(old):
                _core.mark_parameter(new)
            made[id(old)] = (old, new)
        self.tensor = made[id(old)][1]
        _core.note_change()


class Pending:
    """A named place of a module for a tensor that its first call makes."""

    __slots__ = ("_name", "trainable", "persistent", "_target")

    def __init__(self, name, like):
        self._name, self._target = name, (None, None)
        self.trainable, self.persistent = like.trainable, like.persistent

    @property
    def tensor(self):
        """RuntimeError: there is none."""
        raise RuntimeError(f"{self._name} is made by the first call: call the model "
                           "once, then make its optimizer, state or program")

    def convert(self, dtype, place, made):
        """Remembers which dtype and place the tensor shall have."""
        del made
        before = self._target
        self._target = dtype or before[0], place or before[1]

    def settle(self, slot):
        """Gives a slot with a tensor what was asked for before."""
        slot.convert(*self._target, {})


class Buffer(Slot):
    """A named place for a tensor that is state but not trained.

    ``self.running_mean = tensor`` writes it: into the tensor's memory, or, while
    a program is traced, as the program's new state. ``persistent``: whether it is
    in ``state_dict()``.
    """

    __slots__ = ("persistent",)
    trainable = False

    @checked()
    def __init__(self, tensor, persistent: bool = True):
        super().__init__(tensor if isinstance(tensor, _core.Tensor)
                         else _core.tensor(tensor))
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

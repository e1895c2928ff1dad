# SPDX-License-Identifier: Apache-2.0
"""Layers that put something around sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard.checks import NUMBER, checked, listed, whole
from switchyard.nn.functional import pad
from switchyard.nn.module import Module


class _Pad(Module):
    """x [n, channels, *extents], or without n, with more around its extents.

    ``padding``: one number for all sides, or pairs (before, after), the last
    extent's first. Negative ones take away, except of modes that mirror.
    """

    axes = 0
    mode = "constant"
    value = 0.0

    def __init__(self, padding: int | Sequence[int]):
        super().__init__()
        name, count = type(self).__name__, 2 * self.axes
        several = [padding] * count if hasattr(padding, "__index__") else listed(
            name, "padding", padding, 64)
        if len(several) != count:
            raise ValueError(f"{name}: padding must be a number or {count} of them, "
                             f"got {len(several)}")
        self.padding = tuple(whole(name, "padding", each) for each in several)

    def forward(self, x):
        if len(x.shape) not in (self.axes + 1, self.axes + 2):
            raise ValueError(f"{type(self).__name__}: x must have {self.axes + 1} or "
                             f"{self.axes + 2} axes, got {len(x.shape)}")
        return pad(x, self.padding, self.mode, self.value)

    def extra_repr(self):
        return str(self.padding)


class _Constant(_Pad):
    """Base: with ``value`` around."""

    @checked(value=NUMBER)
    def __init__(self, padding: int | Sequence[int], value: float):
        super().__init__(padding)
        self.value = value

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1D(_Constant):
    __doc__ = f"``value`` around sequences.\n\n{_Pad.__doc__}"

    axes = 1


class ConstantPad2D(_Constant):
    __doc__ = f"``value`` around images.\n\n{_Pad.__doc__}"

    axes = 2


class ConstantPad3D(_Constant):
    __doc__ = f"``value`` around volumes.\n\n{_Pad.__doc__}"

    axes = 3


class ZeroPad1D(_Pad):
    __doc__ = f"Zeros around sequences.\n\n{_Pad.__doc__}"

    axes = 1


class ZeroPad2D(_Pad):
    __doc__ = f"Zeros around images.\n\n{_Pad.__doc__}"

    axes = 2


class ZeroPad3D(_Pad):
    __doc__ = f"Zeros around volumes.\n\n{_Pad.__doc__}"

    axes = 3


class ReflectionPad1D(_Pad):
    __doc__ = f"Sequences mirrored at their ends.\n\n{_Pad.__doc__}"

    axes, mode = 1, "reflect"


class ReflectionPad2D(_Pad):
    __doc__ = f"Images mirrored at their edges.\n\n{_Pad.__doc__}"

    axes, mode = 2, "reflect"


class ReflectionPad3D(_Pad):
    __doc__ = f"Volumes mirrored at their faces.\n\n{_Pad.__doc__}"

    axes, mode = 3, "reflect"


class ReplicationPad1D(_Pad):
    __doc__ = f"Sequences whose ends go on.\n\n{_Pad.__doc__}"

    axes, mode = 1, "replicate"


class ReplicationPad2D(_Pad):
    __doc__ = f"Images whose edges go on.\n\n{_Pad.__doc__}"

    axes, mode = 2, "replicate"


class ReplicationPad3D(_Pad):
    __doc__ = f"Volumes whose faces go on.\n\n{_Pad.__doc__}"

    axes, mode = 3, "replicate"


class CircularPad1D(_Pad):
    __doc__ = f"Sequences that begin again.\n\n{_Pad.__doc__}"

    axes, mode = 1, "circular"


class CircularPad2D(_Pad):
    __doc__ = f"Images that begin again.\n\n{_Pad.__doc__}"

    axes, mode = 2, "circular"


class CircularPad3D(_Pad):
    __doc__ = f"Volumes that begin again.\n\n{_Pad.__doc__}"

    axes, mode = 3, "circular"

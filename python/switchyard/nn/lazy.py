# SPDX-License-Identifier: Apache-2.0
"""Layers whose number of inputs is that of the first tensor that they get."""

from __future__ import annotations

from collections.abc import Callable
import warnings

from switchyard import _core
from switchyard.checks import FROM_1, whole
from switchyard.nn.conv import Conv2D
from switchyard.nn.conv_nd import (Conv1D, Conv1DTranspose, Conv2DTranspose, Conv3D,
                                   Conv3DTranspose)
from switchyard.nn.linear import Linear
from switchyard.nn.module import Module
from switchyard.nn.norm import (BatchNorm1D, BatchNorm2D, BatchNorm3D,
                                InstanceNorm1D, InstanceNorm2D, InstanceNorm3D)
from switchyard.nn.parameter import Pending


class _Lazy(Module):
    """Makes parameters and buffers at the first call, which has to be eager, or when
    a state is loaded; from then on the layer is one of the class ``becomes``. Until
    then parameters can't be read: make optimizers and programs afterwards. What is
    set before (``to``, ``eval``, hooks) holds.
    """

    becomes: type
    is_lazy = True

    def _wait(self, least, **given):
        """Keeps the arguments; errors are those of a layer of ``least`` inputs."""
        Module.__init__(self)  # The layer is made later.
        random = _core.rng_state()
        trial = self.becomes(least, **given)
        _core.set_rng_state(*random)
        object.__setattr__(self, "_given", given)
        for kind in ("_parameters", "_buffers"):
            for name, slot in getattr(trial, kind).items():
                getattr(self, kind)[name] = Pending(
                    f"{type(self).__name__}: {name}", slot)

    def forward(self, x):
        self._make_for(x)
        return self.forward(x)

    def _make_for(self, x):
        if isinstance(x, _core.Value):
            raise RuntimeError(f"{type(self).__name__}: the first call must be "
                               "eager: call it once before it is traced")
        axis = self._axis(x)
        if not -len(x.shape) <= axis < len(x.shape):
            raise ValueError(f"{type(self).__name__}: x must have an axis {axis}, "
                             f"got shape {tuple(x.shape)}")
        self._make(x.shape[axis])

    def make_like(self, shapes):
        """Makes the layer of a state's shapes, {name: shape}, if they tell."""
        count = self._count_of(shapes)
        if count is not None:
            self._make(count)

    def _make(self, count):
        with warnings.catch_warnings():  # The constructor has warned.
            warnings.simplefilter("ignore")
            made = self.becomes(count, **self._given)
        for kind in ("_parameters", "_buffers"):
            for name, pending in getattr(self, kind).items():
                pending.settle(getattr(made, kind)[name])
        for name, value in vars(made).items():
            if name not in ("_hooks", "training"):
                object.__setattr__(self, name, value)
        object.__delattr__(self, "_given")
        self.__class__ = self.becomes
        _core.note_change()

    def extra_repr(self):
        return ", ".join(f"{name}={value!r}" for name, value in self._given.items()
                         if value is not None)


def _checked(layer, groups):
    return whole(type(layer).__name__, "groups", groups, FROM_1)


class LazyLinear(_Lazy, Linear):
    __doc__ = f"Linear of the first x's last extent.\n\n{_Lazy.__doc__}"

    becomes = Linear

    def __init__(self, out_features: int, bias: bool = True,
                 weight_init: Callable | None = None,
                 bias_init: Callable | None = None):
        self._wait(1, out_features=out_features, bias=bias, weight_init=weight_init,
                   bias_init=bias_init)

    def _axis(self, x):
        return -1

    def _count_of(self, shapes):
        return shapes["weight"][0] if "weight" in shapes else None


class _LazyConv(_Lazy):
    def __init__(self, out_channels: int, kernel_size, stride=1, padding=0,
                 dilation=1, groups: int = 1, bias: bool = True,
                 weight_init: Callable | None = None,
                 bias_init: Callable | None = None, padding_mode: str = "zeros"):
        self._wait(_checked(self, groups), out_channels=out_channels,
                   kernel_size=kernel_size, stride=stride, padding=padding,
                   dilation=dilation, groups=groups,
                   bias=bias, weight_init=weight_init, bias_init=bias_init,
                   padding_mode=padding_mode)

    def _axis(self, x):
        return 1

    def _count_of(self, shapes):
        found = shapes.get("weight")
        return None if found is None else found[1] * self._given["groups"]


class LazyConv1D(_LazyConv, Conv1D):
    __doc__ = f"Conv1D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = Conv1D


class LazyConv2D(_LazyConv, Conv2D):
    __doc__ = f"Conv2D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = Conv2D


class LazyConv3D(_LazyConv, Conv3D):
    __doc__ = f"Conv3D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = Conv3D


class _LazyConvTranspose(_Lazy):
    def __init__(self, out_channels: int, kernel_size, stride=1, padding=0,
                 output_padding=0, groups: int = 1, bias: bool = True, dilation=1,
                 weight_init: Callable | None = None,
                 bias_init: Callable | None = None):
        self._wait(_checked(self, groups), out_channels=out_channels,
                   kernel_size=kernel_size, stride=stride, padding=padding,
                   output_padding=output_padding,
                   groups=groups, bias=bias, dilation=dilation,
                   weight_init=weight_init, bias_init=bias_init)

    def forward(self, x, output_size=None):
        """The result's extents are ``output_size``, if it is given."""
        self._make_for(x)
        return self.forward(x, output_size)

    def _axis(self, x):
        return 1

    def _count_of(self, shapes):
        return shapes["weight"][0] if "weight" in shapes else None


class LazyConv1DTranspose(_LazyConvTranspose, Conv1DTranspose):
    __doc__ = f"Conv1DTranspose of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = Conv1DTranspose


class LazyConv2DTranspose(_LazyConvTranspose, Conv2DTranspose):
    __doc__ = f"Conv2DTranspose of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = Conv2DTranspose


class LazyConv3DTranspose(_LazyConvTranspose, Conv3DTranspose):
    __doc__ = f"Conv3DTranspose of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = Conv3DTranspose


class _LazyNorm(_Lazy):
    def _axis(self, x):
        return 1

    def _count_of(self, shapes):
        for name in ("weight", "running_mean"):
            if name in shapes:
                return shapes[name][0]
        return None


class _LazyBatchNorm(_LazyNorm):
    def __init__(self, momentum: float = 0.9, epsilon: float = 1e-05,
                 affine: bool = True, track_running_stats: bool = True):
        self._wait(1, momentum=momentum, epsilon=epsilon, affine=affine,
                   track_running_stats=track_running_stats)


class LazyBatchNorm1D(_LazyBatchNorm, BatchNorm1D):
    __doc__ = f"BatchNorm1D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = BatchNorm1D


class LazyBatchNorm2D(_LazyBatchNorm, BatchNorm2D):
    __doc__ = f"BatchNorm2D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = BatchNorm2D


class LazyBatchNorm3D(_LazyBatchNorm, BatchNorm3D):
    __doc__ = f"BatchNorm3D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = BatchNorm3D


class _LazyInstanceNorm(_LazyNorm):
    def __init__(self, epsilon: float = 1e-05, affine: bool = False,
                 track_running_stats: bool = False, momentum: float = 0.9,
                 bias: bool = True):
        self._wait(1, epsilon=epsilon, affine=affine, momentum=momentum,
                   track_running_stats=track_running_stats, bias=bias)

    def _axis(self, x):
        return 0 if len(x.shape) == self.axes + 1 else 1


class LazyInstanceNorm1D(_LazyInstanceNorm, InstanceNorm1D):
    __doc__ = f"InstanceNorm1D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = InstanceNorm1D


class LazyInstanceNorm2D(_LazyInstanceNorm, InstanceNorm2D):
    __doc__ = f"InstanceNorm2D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = InstanceNorm2D


class LazyInstanceNorm3D(_LazyInstanceNorm, InstanceNorm3D):
    __doc__ = f"InstanceNorm3D of the first x's channels.\n\n{_Lazy.__doc__}"

    becomes = InstanceNorm3D

# SPDX-License-Identifier: Apache-2.0
"""Convolutions as functions, for nn/functional.py."""

from __future__ import annotations

from switchyard import _core
from switchyard.nn.conv_nd import over_one_row
from switchyard.nn.dtypes import common_half
from switchyard.nn.extents import per_extent
from switchyard.functions.arguments import check_list, tensor_of
from switchyard.nn.max_windows import batched, unbatched
from switchyard.nn.windows import conv_padding

_ops = _core.ops


def _convolve(name, operator, axes, x, weight, bias, groups, **extents):
    """The operator of ``axes`` extents; of one as an image one row high."""
    given = {key: per_extent(value, axes, f"{name}: {key}")
             for key, value in extents.items()}
    given["groups"] = groups
    return _biased(operator, axes, x, weight, bias, given)


def _biased(operator, axes, x, weight, bias, given):
    """The operator's result, with the bias that is given for its channels; x may
    lack the axis of batches."""
    x, alone = batched(x, axes)
    run = _run if getattr(x, "dtype", "") not in _INEXACT else _of_parts
    half = None
    if bias is not None:
        bias = tensor_of(bias)
        half = common_half(x, weight, bias)
    if half is not None:
        x, weight, bias = (_ops.cast(v, "float32") for v in (x, weight, bias))
    y = run(operator, axes, x, weight, given)
    if bias is not None:
        check_list("bias", bias, y.shape[1])
        y = _ops.add(y, _ops.reshape(bias, [1, -1] + [1] * axes))
    return unbatched(y if half is None else _ops.cast(y, half), alone)


def _run(operator, axes, x, weight, given):
    return (over_one_row(operator, x, weight, given) if axes == 1 else
            operator(x, weight, **given))


# Dtypes that the operators have not.
_INEXACT = ("complex64", "complex128", "int8", "int16", "int32", "int64", "uint8")


def _of_parts(operator, axes, x, weight, given):
    """Convolves complex numbers by their parts, and integers in float64, which
    holds sums below 2**53."""
    if not x.dtype.startswith("complex"):
        wide = _run(operator, axes, _ops.cast(x, "float64"),
                    _ops.cast(weight, "float64"), given)
        return _ops.cast(_ops.round(wide), x.dtype)
    a, b = _ops.real(x), _ops.imag(x)
    c, d = _ops.real(weight), _ops.imag(weight)
    (ac, bd), (ad, bc) = ([_run(operator, axes, u, v, given) for u, v in pairs]
                          for pairs in (((a, c), (b, d)), ((a, d), (b, c))))
    return _ops.complex(_ops.subtract(ac, bd), _ops.add(ad, bc))


def _windowed(operator, axes, x, weight, bias, stride, padding, dilation,
              groups):
    """A convolution that is not transposed; ``padding`` may be a word."""
    name = f"conv{axes}d"
    stride = per_extent(stride, axes, f"{name}: stride")
    dilation = per_extent(dilation, axes, f"{name}: dilation")
    if not isinstance(padding, str):
        padding = per_extent(padding, axes, f"{name}: padding")
    x, alone = batched(x, axes)
    paddings, algorithm = conv_padding(
        name, x, getattr(weight, "shape", ())[2:], stride, padding, dilation)
    given = {"strides": stride, "paddings": paddings, "dilations": dilation,
             "padding_algorithm": algorithm, "groups": groups}
    return unbatched(_biased(operator, axes, x, weight, bias, given), alone)


def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1,
           groups: int = 1):
    """The convolution that Conv1D makes."""
    return _windowed(_ops.conv2d, 1, x, weight, bias, stride, padding, dilation,
                     groups)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1,
           groups: int = 1):
    """The convolution that Conv2D makes."""
    return _windowed(_ops.conv2d, 2, x, weight, bias, stride, padding, dilation,
                     groups)


def conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1,
           groups: int = 1):
    """The convolution that Conv3D makes."""
    return _windowed(_ops.conv3d, 3, x, weight, bias, stride, padding, dilation,
                     groups)


def _transposed(operator, axes, x, weight, bias, stride, padding, output_padding,
                groups, dilation):
    more = ({} if output_padding in (0, [0] * axes, (0,) * axes) else
            {"output_padding": output_padding})
    return _convolve(f"conv_transpose{axes}d", operator, axes, x, weight, bias,
                     groups, strides=stride, paddings=padding,
                     dilations=dilation, **more)


def conv_transpose1d(x, weight, bias=None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1):
    """The convolution that Conv1DTranspose makes."""
    return _transposed(_ops.conv2d_transpose, 1, x, weight, bias, stride, padding,
                       output_padding, groups, dilation)


def conv_transpose2d(x, weight, bias=None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1):
    """The convolution that Conv2DTranspose makes."""
    return _transposed(_ops.conv2d_transpose, 2, x, weight, bias, stride, padding,
                       output_padding, groups, dilation)


def conv_transpose3d(x, weight, bias=None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1):
    """The convolution that Conv3DTranspose makes."""
    return _transposed(_ops.conv3d_transpose, 3, x, weight, bias, stride, padding,
                       output_padding, groups, dilation)

# SPDX-License-Identifier: Apache-2.0
"""Layers and losses as functions, with the names of torch.nn.functional."""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, SHARE, listed, real, refuse, whole
from switchyard.functions import gelu, hardsigmoid, hardtanh, leaky_relu
from switchyard.native import nn_functional
from switchyard.native.nn_functional import *
from switchyard.functions.arguments import axis_in, fitting, tensor_of
from switchyard.nn import pooling
from switchyard.nn.attention import scaled_dot_product_attention
from switchyard.nn.conv import checked_mode, cropped
from switchyard.nn.conv_functions import (conv1d, conv2d, conv3d,
                                          conv_transpose1d, conv_transpose2d,
                                          conv_transpose3d)
from switchyard.nn.extents import per_extent
from switchyard.nn.dropout import Dropout2D
from switchyard.nn.loss_functions import (cross_entropy, nll_loss, mse_loss,
    l1_loss, smooth_l1_loss, huber_loss, binary_cross_entropy,
    binary_cross_entropy_with_logits, kl_div, triplet_margin_loss,
    cosine_embedding_loss, ctc_loss)
from switchyard.nn.norm import (check_count, check_epsilon, extents_of,
                                first_of, over_last, over_root_mean_square,
                                warn_of_momentum)
from switchyard.nn.resampling import interpolate
from switchyard.nn.vectors import cosine_similarity, normalize
from switchyard.spelling import spelled

_ops = _core.ops

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity",
    "cross_entropy", "ctc_loss", "dropout", "dropout2d", "embedding", "gelu",
    "glu", "group_norm", "hardsigmoid", "hardtanh", "huber_loss",
    "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "linear", "max_pool1d", "max_pool2d", "max_pool3d",
    "mse_loss", "nll_loss", "normalize", "pad", "prelu", "rms_norm",
    "scaled_dot_product_attention", "smooth_l1_loss", "triplet_margin_loss",
]
__all__ += nn_functional.__all__


def __dir__():
    return __all__


def linear(x, weight, bias=None):
    """x @ weight + bias, weight [inputs, outputs] as Linear stores it."""
    y = _ops.matmul(x, weight)
    return y if bias is None else _ops.add(y, bias)


def max_pool1d(x, kernel_size: int, stride: int | None = None, padding: int = 0,
               ceil_mode: bool = False):
    """The maximum of windows."""
    return pooling.MaxPool1D(kernel_size, stride, padding, ceil_mode)(x)


def avg_pool1d(x, kernel_size: int, stride: int | None = None, padding: int = 0,
               ceil_mode: bool = False, exclusive: bool = True):
    """The mean of windows; of the padding too, unless ``exclusive``."""
    return pooling.AvgPool1D(kernel_size, stride, padding, ceil_mode,
                             exclusive)(x)


def _pool2d(kind, x, kernel_size, stride, padding, ceil_mode, exclusive=True):
    name = f"{kind}_pool2d"
    kernel = per_extent(kernel_size, 2, f"{name}: kernel_size")
    stride = kernel if stride is None else per_extent(
        stride, 2, f"{name}: stride")
    return pooling.pool(name, kind, x, kernel, stride,
                        per_extent(padding, 2, f"{name}: padding"), ceil_mode,
                        exclusive)


def max_pool2d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False):
    """The maximum of windows."""
    return _pool2d("max", x, kernel_size, stride, padding, ceil_mode)


def avg_pool2d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               exclusive: bool = True):
    """The mean of windows; of the padding too, unless ``exclusive``."""
    return _pool2d("avg", x, kernel_size, stride, padding, ceil_mode, exclusive)


def adaptive_avg_pool2d(x, output_size):
    """The mean of windows that give ``output_size``; an extent None is x's."""
    return pooling.adaptive_pool(
        "avg", x, per_extent(output_size, 2, "adaptive_avg_pool2d: output_size"))


def adaptive_max_pool2d(x, output_size):
    """The maximum of windows that give ``output_size``; an extent None is x's."""
    return pooling.adaptive_pool(
        "max", x, per_extent(output_size, 2, "adaptive_max_pool2d: output_size"))


def max_pool3d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False):
    """The maximum of windows of volumes."""
    return pooling.MaxPool3D(kernel_size, stride, padding, ceil_mode)(x)


def avg_pool3d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               exclusive: bool = True):
    """The mean of windows of volumes; of the padding too, unless ``exclusive``."""
    return pooling.AvgPool3D(kernel_size, stride, padding, ceil_mode,
                             exclusive)(x)


def adaptive_avg_pool1d(x, output_size):
    """The mean of windows that give ``output_size``."""
    return pooling.AdaptiveAvgPool1D(output_size)(x)


def adaptive_max_pool1d(x, output_size):
    """The maximum of windows that give ``output_size``."""
    return pooling.AdaptiveMaxPool1D(output_size)(x)


def adaptive_avg_pool3d(x, output_size):
    """The mean of windows that give ``output_size``; an extent None is x's."""
    return pooling.AdaptiveAvgPool3D(output_size)(x)


def adaptive_max_pool3d(x, output_size):
    """The maximum of windows that give ``output_size``; an extent None is x's."""
    return pooling.AdaptiveMaxPool3D(output_size)(x)


def pad(x, pad, mode: str = "constant", value: float = 0.0):
    """x with more around it: ``pad`` has pairs (before, after), the last axis's
    first, as PyTorch's does; ``sy.pad`` has NumPy's. Negative ones take away.

    ``mode``: "constant" (``value``), or, of the axes after the first two,
    "reflect", "replicate" or "circular".
    """
    x = tensor_of(x)
    rank = len(x.shape)
    x, pad = cropped(x, [whole("pad", "pad", each) if not isinstance(
        each, (_core.Symbol, _core.Value)) else each
        for each in listed("pad", "pad", pad, 64)])
    pairs = [tuple(pad[i:i + 2]) for i in range(0, len(pad), 2)]
    if len(pad) % 2 or len(pairs) > rank:
        raise ValueError(f"pad: pad must be pairs for at most {rank} axes, got "
                         f"{pad}")
    if mode == "constant":
        fitting("pad", "value", value, x.dtype)
        first = [0, 0] * (rank - len(pairs))
        return _ops.pad(x, first + [n for both in reversed(pairs) for n in both],
                        value)
    if mode == "zeros" or not isinstance(mode, str):
        refuse("pad", "mode", "'constant', 'reflect', 'replicate' or 'circular'",
               mode, ValueError)
    checked_mode("pad", mode)
    if not 3 <= rank <= 5 or len(pairs) != rank - 2:
        raise ValueError(f"pad: pad must be {rank - 2} pairs for {mode!r} of x of "
                         f"{rank} axes (3 to 5), got {pad}")
    missing = list(range(2, 7 - rank))
    wide = _ops.unsqueeze(x, missing) if missing else x
    y = _ops.pad3d(wide, [*pad, *[0, 0] * len(missing)], mode)
    return _ops.squeeze(y, missing) if missing else y


def prelu(x, weight):
    """x where x > 0, else weight * x, one slope or one for each channel."""
    weight = tensor_of(weight)
    one = weight.shape == (1,)
    return _ops.prelu(x, weight, mode="all" if one else "channel")


def dropout(x, p: float = 0.5, training: bool = True):
    """x with elements zeroed with probability p, the rest scaled to match."""
    if not isinstance(p, float) or not 0.0 <= p <= 1.0:
        p = real("dropout", "p", p, SHARE)
    return _ops.dropout(x, p=p) if training and p > 0.0 else x


def dropout2d(x, p: float = 0.5, training: bool = True):
    """Dropout of whole channels of x [n, channels, ...]."""
    return Dropout2D(p)(tensor_of(x)) if training else x


def embedding(x, weight, padding_idx: int | None = None, sparse: bool = False):
    """Rows of ``weight`` by the indices x."""
    padding = -1
    if padding_idx is not None:
        weight = tensor_of(weight)
        rows = weight.shape[0] if weight.shape else 0
        padding = whole("embedding", "padding_idx", padding_idx)
        if isinstance(rows, int):
            if not -rows <= padding < rows:
                raise ValueError(f"embedding: padding_idx must be in [{-rows}, "
                                 f"{rows}), got {padding}")
            padding %= rows
    return _ops.embedding(x, weight, padding_idx=padding, sparse=sparse)


def _last_axes(name, x, normalized_shape):
    """x as a tensor, and how many of its last axes have the extents that
    ``normalized_shape`` says; ValueError if they have others."""
    x = tensor_of(x)
    extents = extents_of(name, normalized_shape)
    last = list(x.shape[-len(extents):])
    if len(extents) > len(x.shape) or any(
            isinstance(a, int) and a != b for a, b in zip(last, extents)):
        raise ValueError(f"{name}: normalized_shape must be the last extents of x, "
                         f"{tuple(x.shape)}, got {tuple(extents)}")
    return x, len(extents)


@spelled
def layer_norm(x, normalized_shape, weight=None, bias=None,
               epsilon: float = 1e-05):
    """The last axes of x to mean 0, variance 1; times weight, plus bias."""
    check_epsilon("layer_norm", epsilon)
    x, count = _last_axes("layer_norm", x, normalized_shape)
    parts = [None if part is None else _ops.reshape(part, [-1])
             for part in (weight, bias)]
    return over_last(x, *parts, epsilon, len(x.shape) - count)


@spelled
def group_norm(x, num_groups: int, weight=None, bias=None,
               epsilon: float = 1e-05):
    """Groups of channels to mean 0, variance 1; times weight, plus bias."""
    check_epsilon("group_norm", epsilon)
    return first_of(_ops.group_norm(x, weight, bias, epsilon=epsilon,
                                    groups=num_groups))


@spelled
def instance_norm(x, weight=None, bias=None, epsilon: float = 1e-05):
    """Each channel of each item to mean 0, variance 1; times weight, plus bias."""
    check_epsilon("instance_norm", epsilon)
    return first_of(_ops.instance_norm(x, weight, bias, epsilon=epsilon))


@spelled
def rms_norm(x, normalized_shape, weight=None, epsilon: float = 1e-06):
    """The last axes of x divided by the root of their mean square; times
    weight."""
    check_epsilon("rms_norm", epsilon)
    x, count = _last_axes("rms_norm", x, normalized_shape)
    y = over_root_mean_square(x, count, epsilon)
    return y if weight is None else _ops.multiply(y, weight)


@spelled
def batch_norm(x, running_mean, running_var, weight=None, bias=None,
               training: bool = False, momentum: float = 0.9,
               epsilon: float = 1e-05):
    """Each channel by the running mean and variance; times weight, plus bias.

    Where ``training``, by the batch's own mean and variance (of more than one
    value, else ValueError), which also move the running ones: new = momentum *
    old + (1 - momentum) * batch's. These may be None then.
    """
    check_epsilon("batch_norm", epsilon)
    real("batch_norm", "momentum", momentum, SHARE)
    if not training:
        return first_of(_ops.batch_norm(x, running_mean, running_var, weight,
                                        bias, is_test=True, epsilon=epsilon))
    warn_of_momentum("batch_norm", momentum)
    check_count("batch_norm", x, training)
    size = [x.shape[1]]
    dtype = "float64" if x.dtype == "float64" else "float32"
    before = [_ops.full(size, 0.0, dtype) if running is None else running
              for running in (running_mean, running_var)]
    y, *after = _ops.batch_norm(x, *before, weight, bias, momentum=momentum,
                                epsilon=epsilon)
    with no_grad():
        for running, new in zip((running_mean, running_var), after):
            if running is not None:
                running.copy_(new)
    return y


@spelled
def glu(x, axis: int = -1):
    """The first half of x times the sigmoid of the second, along ``axis``."""
    x = tensor_of(x)
    axis = axis_in("glu", axis, len(x.shape))
    half = x.shape[axis] // 2
    first, second = _ops.split(x, [half, half], axis)
    return _ops.multiply(first, _ops.sigmoid(second))

# SPDX-License-Identifier: Apache-2.0
"""Layers and losses as functions, with the names of torch.nn.functional."""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import SHARE, listed, real, refuse, whole
from switchyard.functions import gelu, hardsigmoid, hardtanh, leaky_relu
from switchyard.native import nn_functional
from switchyard.native.nn_functional import *
from switchyard.functions.arguments import axis_in, fitting, tensor_of
from switchyard.functions.lengths import over_root_mean_square
from switchyard.nn.attention import scaled_dot_product_attention
from switchyard.nn.conv import checked_mode, cropped, moved_edges
from switchyard.nn.conv_functions import (conv1d, conv2d, conv3d,
                                          conv_transpose1d, conv_transpose2d,
                                          conv_transpose3d)
from switchyard.nn.bags import embedding_bag
from switchyard.nn.drop_functions import (alpha_dropout, dropout, dropout1d, dropout2d,
                                          dropout3d, feature_alpha_dropout)
from switchyard.nn.image_functions import (
    affine_grid, channel_shuffle, fold, grid_sample, pixel_unshuffle, unfold, upsample_bilinear, upsample_nearest)
from switchyard.nn.in_place import (celu_, elu_, hardtanh_, leaky_relu_, relu_,
                                    rrelu_, selu_, threshold_)
from switchyard.nn.linear import bilinear
from switchyard.nn.loss_functions import (cross_entropy, nll_loss, mse_loss,
    l1_loss, smooth_l1_loss, huber_loss, binary_cross_entropy,
    binary_cross_entropy_with_logits, kl_div, triplet_margin_loss,
    cosine_embedding_loss, ctc_loss, gaussian_nll_loss, hinge_embedding_loss,
    linear_cross_entropy, margin_ranking_loss, multi_margin_loss, multilabel_margin_loss,
    multilabel_soft_margin_loss, poisson_nll_loss, soft_margin_loss,
    triplet_margin_with_distance_loss)
from switchyard.nn.fractional import fractional_max_pool2d, fractional_max_pool3d
from switchyard.nn.lookup import bounded, by_frequency, rows_of
from switchyard.nn.pool_functions import (
    adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d,
    adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, avg_pool1d,
    avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d, max_unpool1d,
    max_unpool2d, max_unpool3d)
from switchyard.nn.norm import (check_count, check_epsilon, first_of, item_statistics,
                                moved, over_groups, over_items, over_last,
                                warn_of_momentum)
from switchyard.nn.norm_shapes import extents_of, settled
from switchyard.nn.response import local_response_norm
from switchyard.nn.power_pool import lp_pool1d, lp_pool2d, lp_pool3d
from switchyard.nn.resampling import interpolate, upsample
from switchyard.nn.shrinking import (gumbel_softmax, rrelu, softmin, tanhshrink,
                                     threshold)
from switchyard.nn.vectors import (cosine_similarity, normalize, pairwise_distance,
                                   pdist)
from switchyard.spelling import spell_all, spelled

_ops = _core.ops

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm",
    "lp_pool1d", "lp_pool2d", "lp_pool3d", "upsample",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity",
    "cross_entropy", "ctc_loss", "dropout", "dropout2d", "embedding", "gelu",
    "glu", "group_norm", "hardsigmoid", "hardtanh", "huber_loss",
    "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "max_pool1d", "max_pool2d", "max_pool3d",
    "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "mse_loss", "nll_loss", "normalize", "pad", "prelu", "rms_norm",
    "scaled_dot_product_attention", "smooth_l1_loss", "triplet_margin_loss",
    "affine_grid", "alpha_dropout", "bilinear", "channel_shuffle", "dropout1d",
    "dropout3d", "embedding_bag", "feature_alpha_dropout", "fold",
    "fractional_max_pool2d", "fractional_max_pool3d", "gaussian_nll_loss",
    "grid_sample", "gumbel_softmax", "linear_cross_entropy", "hinge_embedding_loss",
    "local_response_norm", "margin_ranking_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "pairwise_distance",
    "pdist", "pixel_unshuffle", "poisson_nll_loss", "rrelu", "soft_margin_loss",
    "softmin", "tanhshrink", "threshold", "triplet_margin_with_distance_loss",
    "unfold", "upsample_bilinear", "upsample_nearest", "celu_", "elu_", "hardtanh_",
    "leaky_relu_", "relu_", "rrelu_", "selu_", "threshold_",
]
__all__ += nn_functional.__all__


def __dir__():
    return __all__


def pad(x, pad, mode: str = "constant", value: float = 0.0):
    """x with more around it: ``pad`` has pairs (before, after), the last axis's
    first, as PyTorch's does; ``sy.pad`` has NumPy's. Negative ones take away.

    ``mode``: "constant" (``value``), or, of the axes after the first two,
    "reflect", "replicate" or "circular".
    """
    x = tensor_of(x)
    rank = len(x.shape)
    pad = [whole("pad", "pad", each) if not isinstance(
        each, (_core.Symbol, _core.Value)) else each
        for each in listed("pad", "pad", pad, 64)]
    if mode == "replicate":
        x, pad = moved_edges(x, pad)
    x, pad = cropped(x, pad)
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
    count = len(pairs)
    if not 1 <= count <= 3 or rank not in (count + 1, count + 2):
        raise ValueError(f"pad: pad must be one to three pairs, as many as x has axes "
                         f"after its channels, for {mode!r}, got {pad} for {rank} axes")
    missing = list(range(rank - count, rank - count + 3 - count))
    lead = [0] * (rank == count + 1)
    wide = _ops.unsqueeze(x, lead + [each + len(lead) for each in missing]) if (
        lead or missing) else x
    y = _padded(wide, [*pad, *[0, 0] * len(missing)], mode)
    added = lead + [each + len(lead) for each in missing]
    return _ops.squeeze(y, added) if added else y


def _padded(x, pad, mode):
    """pad3d, which has no kernels for some dtypes."""
    if x.dtype.startswith("complex"):
        return _ops.complex(*(_ops.pad3d(part(x), pad, mode)
                              for part in (_ops.real, _ops.imag)))
    if x.dtype in ("bool", "uint8", "int8", "int16"):
        return _ops.cast(_ops.pad3d(_ops.cast(x, "int32"), pad, mode), x.dtype)
    return _ops.pad3d(x, pad, mode)


@spelled
def prelu(x, weight):
    """x where x > 0, else weight * x: one slope, or one for each channel (axis 1 of
    x)."""
    x, weight = tensor_of(x), tensor_of(weight)
    if weight.shape == () or weight.shape == (1,):
        if len(x.shape) < 2:
            slope = _ops.reshape(weight, [])
            return _ops.where(_ops.greater_than(x, 0.0), x, _ops.multiply(x, slope))
        return _ops.prelu(x, _ops.reshape(weight, [1]), mode="all")
    if len(weight.shape) != 1:
        refuse("prelu", "weight", "one slope, or a list of one a channel", weight,
               ValueError)
    return _ops.prelu(x, weight, mode="channel")


@spelled
def embedding(x, weight, padding_idx: int | None = None, sparse: bool = False, *,
              max_norm: float | None = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False):
    """Rows of ``weight`` by the indices x.

    ``max_norm``: rows whose norm of order ``norm_type`` is above it are divided so
    that it is that, in ``weight`` itself. ``scale_grad_by_freq``: the gradient of a
    row is divided by how often it is looked up.
    """
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
    bounded("embedding", weight, x, max_norm, norm_type)
    found = rows_of("embedding", x, weight, padding, sparse)
    return by_frequency("embedding", found, x, weight.shape[0], scale_grad_by_freq)


def _last_axes(name, x, normalized_shape):
    """x as a tensor, and how many of its last axes have the extents that
    ``normalized_shape`` says; ValueError if they have others."""
    x = tensor_of(x)
    extents = extents_of(name, normalized_shape, symbols=True)
    last = list(x.shape[-len(extents):])
    if len(extents) > len(x.shape) or any(
            (isinstance(a, int) or isinstance(b, _core.Symbol)) and a != b
            for a, b in zip(last, extents)):
        raise ValueError(f"{name}: normalized_shape must be the last extents of x, "
                         f"{tuple(x.shape)}, got {tuple(extents)}")
    return settled(x, len(x.shape) - len(extents), extents), len(extents)


def _check_of_last(argument, given, normalized_shape):
    """ValueError for a weight or bias of another shape, as far as it is known."""
    wanted = tuple(extents_of("layer_norm", normalized_shape, symbols=True))
    if given is not None and (len(given.shape) != len(wanted) or any(
            a != b for a, b in zip(given.shape, wanted) if isinstance(b, int))):
        raise ValueError(f"{argument} must have the shape normalized_shape, {wanted}, "
                         f"got {tuple(given.shape)}")


@spelled
def layer_norm(x, normalized_shape, weight=None, bias=None,
               epsilon: float = 1e-05):
    """The last axes of x to mean 0, variance 1; times weight, plus bias."""
    check_epsilon("layer_norm", epsilon)
    x, count = _last_axes("layer_norm", x, normalized_shape)
    for part, given in (("weight", weight), ("bias", bias)):
        _check_of_last(f"layer_norm: {part}", given, normalized_shape)
    parts = [None if part is None else _ops.reshape(part, [-1])
             for part in (weight, bias)]
    return over_last(x, *parts, epsilon, len(x.shape) - count)


@spelled
def group_norm(x, num_groups: int, weight=None, bias=None,
               epsilon: float = 1e-05):
    """Groups of channels to mean 0, variance 1; times weight, plus bias."""
    check_epsilon("group_norm", epsilon)
    return over_groups(tensor_of(x), num_groups, weight, bias, epsilon)


@spelled
def instance_norm(x, *, weight=None, bias=None, epsilon: float = 1e-05,
                  running_mean=None, running_var=None,
                  use_input_stats: bool = True, momentum: float = 0.9):
    """Each channel of each item to mean 0, variance 1; times weight, plus bias.

    ``running_mean`` and ``running_var`` become momentum * old + (1 - momentum) *
    the mean over the items of theirs; unless ``use_input_stats`` x is normalised by
    them instead. PyTorch's order is another: arguments after x go by their names.
    """
    check_epsilon("instance_norm", epsilon)
    real("instance_norm", "momentum", momentum, SHARE)
    if not use_input_stats:
        return first_of(_ops.batch_norm(x, running_mean, running_var, weight, bias,
                                        is_test=True, epsilon=epsilon))
    x = tensor_of(x)
    if running_mean is not None or running_var is not None:
        _move_statistics(x, running_mean, running_var, momentum)
    return over_items(x, weight, bias, epsilon)


def _move_statistics(x, running_mean, running_var, momentum):
    """Moves running statistics towards the means over the items of x of theirs."""
    warn_of_momentum("instance_norm", momentum)
    with no_grad():
        for running, now in zip((running_mean, running_var), item_statistics(x)):
            if running is not None:
                running.copy_(moved(running, now, momentum))


@spelled
def rms_norm(x, normalized_shape, weight=None, epsilon: float = 1e-06):
    """The last axes of x divided by the root of their mean square; times
    weight."""
    check_epsilon("rms_norm", epsilon)
    x, count = _last_axes("rms_norm", x, normalized_shape)
    _check_of_last("rms_norm: weight", weight, normalized_shape)
    y = over_root_mean_square(x, list(range(-count, 0)), epsilon)
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
    x = tensor_of(x)
    if len(x.shape) < 2:
        raise ValueError("batch_norm: x must have 2 axes or more, got "
                         f"{len(x.shape)}")
    check_count("batch_norm", x, training)
    size = [x.shape[1]]
    dtype = "float64" if x.dtype == "float64" else "float32"
    before = [_ops.full(size, 0.0, dtype) if running is None else running
              for running in (running_mean, running_var)]
    untracked = running_mean is None and running_var is None
    y, *after = _ops.batch_norm(x, *before, weight, bias, momentum=momentum,
                                epsilon=epsilon, trainable_statistics=untracked)
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


spell_all(globals(), __all__)

# SPDX-License-Identifier: Apache-2.0
"""Normalisation."""

from __future__ import annotations

from collections.abc import Sequence
import math
import sys
import warnings

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import (FROM_0, FROM_1, NUMBER, SHARE, checked, level_outside,
                               real)
from switchyard.functions.lengths import over_root_mean_square
from switchyard.nn import init
from switchyard.nn.dtypes import check_dtype
from switchyard.nn.module import Buffer, Module, Parameter
from switchyard.nn.norm_shapes import ending_in, extents_of, of_channels
from switchyard.nn.response import local_response_norm

_ops = _core.ops


# The lines that were warned of, which Python forgets as soon as any filter of
# warnings changes; functions are called at each step.
_warned = set()


def warn_of_momentum(name, momentum):
    """Warns of a momentum that looks like PyTorch's, once a line of the caller."""
    if real(name, "momentum", momentum, SHARE) < 0.5:
        level = level_outside()
        frame = sys._getframe(level - 1)
        line = (name, frame.f_code.co_filename, frame.f_lineno)
        if line in _warned:
            return
        warnings.warn(
            f"{name}: momentum is the share of the old mean that stays, got "
            f"{momentum}: PyTorch's momentum={momentum} is "
            f"momentum={1.0 - momentum:g} here", stacklevel=level)
        _warned.add(line)


class _BatchNorm(Module):
    """Each channel of x [n, channels, ...] to mean 0 and variance 1.

    In training by the batch's own mean and variance (of more than one value,
    else ValueError), which also move ``running_mean`` and ``running_var``: new =
    momentum * old + (1 - momentum) * batch's. In evaluation by the running ones.
    Then times ``weight`` plus ``bias``, [channels] each, unless ``affine`` is
    False. A momentum below 0.5 warns: PyTorch's is the share of the batch. Without
    ``track_running_stats`` the batch's own are taken in evaluation, too.
    """

    ranks = ()
    keeps_float32 = True

    @checked(num_features=FROM_1, momentum=SHARE, epsilon=FROM_0)
    def __init__(self, num_features: int, momentum: float = 0.9,
                 epsilon: float = 1e-05, affine: bool = True,
                 track_running_stats: bool = True):
        super().__init__()
        warn_of_momentum(type(self).__name__, momentum)
        self.num_features = num_features
        self.momentum, self.epsilon = momentum, epsilon
        self.weight = Parameter(init.Ones()([num_features])) if affine else None
        self.bias = Parameter(init.Zeros()([num_features])) if affine else None
        tracked = track_running_stats
        self.running_mean = Buffer(init.Zeros()([num_features])) if tracked else None
        self.running_var = Buffer(init.Ones()([num_features])) if tracked else None

    def forward(self, x):
        mean, variance = self.running_mean, self.running_var
        if self.weight is not None:
            check_dtype(self, x, self.weight)
        if len(x.shape) not in self.ranks:
            raise ValueError(f"{type(self).__name__}: x must have "
                             f"{' or '.join(map(str, self.ranks))} axes, got "
                             f"{len(x.shape)}")
        tracked = mean is not None
        by_batch = self.training or not tracked
        check_count(type(self).__name__, x, by_batch)
        if not tracked:
            dtype = "float64" if x.dtype == "float64" else "float32"
            mean = _ops.full([self.num_features], 0.0, dtype)
            variance = _ops.ones_like(mean)
        y, mean, variance, *_ = _ops.batch_norm(
            x, mean, variance, self.weight, self.bias, is_test=not by_batch,
            momentum=self.momentum, epsilon=self.epsilon,
            trainable_statistics=not tracked)
        if self.training and tracked:
            self.running_mean, self.running_var = mean, variance
        return y

    def extra_repr(self):
        return (f"{self.num_features}, momentum={self.momentum}, "
                f"epsilon={self.epsilon}")


def check_count(name, x, training):
    """ValueError for one value a channel of x in training: it is its own mean,
    and has no variance."""
    extents = [x.shape[0], *x.shape[2:]]
    if training and all(isinstance(n, int) and n == 1 for n in extents):
        raise ValueError(f"{name}: x must have more than one value a channel in "
                         f"training, got shape {tuple(x.shape)}")


class BatchNorm1D(_BatchNorm):
    __doc__ = f"Of rows [n, channels] or sequences.\n\n{_BatchNorm.__doc__}"

    ranks = (2, 3)


class BatchNorm2D(_BatchNorm):
    __doc__ = f"Of images.\n\n{_BatchNorm.__doc__}"

    ranks = (4,)


class BatchNorm3D(_BatchNorm):
    __doc__ = f"Of volumes.\n\n{_BatchNorm.__doc__}"

    ranks = (5,)


class GroupNorm(Module):
    """Groups of successive channels of x [n, channels, ...] to mean 0 and
    variance 1, each of each item; then times ``weight`` plus ``bias``, [channels]
    each, unless ``affine``, or ``bias``, is False."""

    @checked(num_groups=FROM_1, num_channels=FROM_1, epsilon=FROM_0)
    def __init__(self, num_groups: int, num_channels: int,
                 epsilon: float = 1e-05, affine: bool = True, bias: bool = True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"GroupNorm: num_groups must divide num_channels "
                             f"{num_channels}, got {num_groups}")
        self.num_groups, self.num_channels = num_groups, num_channels
        self.epsilon = epsilon
        self.weight = Parameter(init.Ones()([num_channels])) if affine else None
        self.bias = (Parameter(init.Zeros()([num_channels]))
                     if affine and bias else None)

    def forward(self, x):
        if self.weight is not None:
            check_dtype(self, x, self.weight)
        x = of_channels("GroupNorm", x, self.num_channels)
        return over_groups(x, self.num_groups, self.weight, self.bias,
                           self.epsilon)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, epsilon={self.epsilon}"


def check_epsilon(name, epsilon):
    """ValueError or TypeError unless it is a number from 0."""
    if type(epsilon) is not float or not epsilon >= 0.0:
        real(name, "epsilon", epsilon, FROM_0)


def first_of(results):
    """The one result that counts."""
    return results[0] if isinstance(results, tuple) else results


def over_last(x, weight, bias, epsilon, first):
    """Layer normalisation of the axes of x from ``first`` on; of all of them as
    of one row."""
    alone = first == 0
    y = first_of(_ops.layer_norm(
        _ops.unsqueeze(x, [0]) if alone else x, weight, bias, epsilon=epsilon,
        begin_norm_axis=max(first, 1)))
    return _ops.squeeze(y, [0]) if alone else y


def over_groups(x, groups, weight, bias, epsilon):
    """Group normalisation: each item's channels, ``groups`` of them apart."""
    return first_of(_ops.group_norm(x, weight, bias, epsilon=epsilon,
                                    groups=groups))


def over_items(x, weight, bias, epsilon):
    """Instance normalisation: each channel of an item is a group."""
    return first_of(_ops.instance_norm(x, weight, bias, epsilon=epsilon))


class LocalResponseNorm(Module):
    """x [n, channels, ...] divided by (k + alpha * the mean of squares of ``size``
    channels around) ** beta."""

    @checked(size=FROM_1, alpha=NUMBER, beta=NUMBER, k=NUMBER)
    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75,
                 k: float = 1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, x):
        return local_response_norm(x, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class InstanceNorm(Module):
    """Each channel of each item of x [n, channels, ...] to mean 0, variance 1.

    Then times ``weight`` plus ``bias``, [channels] each, if ``affine``; without the
    latter unless ``bias``. Where
    ``track_running_stats``, ``running_mean`` and ``running_var`` become momentum *
    old + (1 - momentum) * the mean over the items of theirs in training, and take
    their place in evaluation; a momentum below 0.5 warns, as BatchNorm's.
    """

    axes = 0  # Those after the channels; 0 for any number, with n.

    @checked(num_features=FROM_1, epsilon=FROM_0, momentum=SHARE)
    def __init__(self, num_features: int, epsilon: float = 1e-05,
                 affine: bool = False, track_running_stats: bool = False,
                 momentum: float = 0.9, bias: bool = True):
        super().__init__()
        if track_running_stats:
            warn_of_momentum(type(self).__name__, momentum)
        self.num_features, self.epsilon = num_features, epsilon
        self.momentum = momentum
        self.weight = Parameter(init.Ones()([num_features])) if affine else None
        self.bias = (Parameter(init.Zeros()([num_features]))
                     if affine and bias else None)
        tracked = track_running_stats
        self.running_mean = Buffer(init.Zeros()([num_features])) if tracked else None
        self.running_var = Buffer(init.Ones()([num_features])) if tracked else None

    def forward(self, x):
        if self.weight is not None:
            check_dtype(self, x, self.weight)
        alone = self.axes and len(x.shape) == self.axes + 1
        if self.axes and not alone and len(x.shape) != self.axes + 2:
            raise ValueError(f"{type(self).__name__}: x must have {self.axes + 1} or "
                             f"{self.axes + 2} axes, got {len(x.shape)}")
        y = self._normalized(_ops.unsqueeze(x, [0]) if alone else x)
        return _ops.squeeze(y, [0]) if alone else y

    def _normalized(self, x):
        if self.running_mean is None:
            return over_items(x, self.weight, self.bias, self.epsilon)
        x = of_channels(type(self).__name__, x, self.num_features)
        if not self.training:
            return first_of(_ops.batch_norm(
                x, self.running_mean, self.running_var, self.weight, self.bias,
                is_test=True, epsilon=self.epsilon))
        self.running_mean, self.running_var = (
            moved(running, now, self.momentum) for running, now in zip(
                (self.running_mean, self.running_var), item_statistics(x)))
        return over_items(x, self.weight, self.bias, self.epsilon)

    def extra_repr(self):
        tracked = "" if self.running_mean is None else (
            f", track_running_stats=True, momentum={self.momentum}")
        return f"{self.num_features}, epsilon={self.epsilon}{tracked}"


def item_statistics(x):
    """The means over the items of x [n, channels, ...] of each channel's mean and
    variance in float64, without gradients."""
    with no_grad():
        axes = list(range(2, len(x.shape)))
        wide = _ops.cast(x, "float64")
        mean = _ops.mean(wide, axes, True)
        spread = _ops.mean(_ops.square(_ops.subtract(wide, mean)), axes, True)
        return [_ops.reshape(_ops.mean(each, [0]), [-1]) for each in (mean, spread)]


def moved(running, now, momentum):
    """momentum * running + (1 - momentum) * now, rounded once. What has no share is
    not read: 0 times an infinite variance is NaN."""
    with no_grad():
        if momentum == 1:
            return _ops.assign(running)
        if momentum == 0:
            return _ops.cast(now, running.dtype)
        running, dtype = _ops.cast(running, "float64"), running.dtype
        return _ops.cast(_ops.add(
            _ops.scale(running, momentum),
            _ops.scale(_ops.cast(now, "float64"), 1.0 - momentum)), dtype)


class InstanceNorm1D(InstanceNorm):
    __doc__ = f"Of sequences, with or without n.\n\n{InstanceNorm.__doc__}"

    axes = 1


class InstanceNorm2D(InstanceNorm):
    __doc__ = f"Of images, with or without n.\n\n{InstanceNorm.__doc__}"

    axes = 2


class InstanceNorm3D(InstanceNorm):
    __doc__ = f"Of volumes, with or without n.\n\n{InstanceNorm.__doc__}"

    axes = 3


class RMSNorm(Module):
    """The last axes of x, of shape ``normalized_shape``, divided by the root of
    their mean square; then times ``weight``, of that shape, unless
    ``elementwise_affine`` is False."""

    @checked(epsilon=FROM_0)
    def __init__(self, normalized_shape: int | Sequence[int],
                 epsilon: float = 1e-06, elementwise_affine: bool = True):
        super().__init__()
        self.normalized_shape = extents_of(type(self).__name__, normalized_shape)
        self.epsilon = epsilon
        self.weight = (Parameter(init.Ones()(self.normalized_shape))
                       if elementwise_affine else None)

    def forward(self, x):
        if self.weight is not None:
            check_dtype(self, x, self.weight)
        x = ending_in("RMSNorm", x, self.normalized_shape)
        y = over_root_mean_square(
            x, list(range(-len(self.normalized_shape), 0)), self.epsilon)
        return y if self.weight is None else _ops.multiply(y, self.weight)

    def extra_repr(self):
        return f"{tuple(self.normalized_shape)}, epsilon={self.epsilon}"


class LayerNorm(Module):
    """The last axes of x, of shape ``normalized_shape``, to mean 0, variance 1.

    Then times ``weight`` plus ``bias``, their elements in one row both; without
    them where ``elementwise_affine`` is False, without the latter where ``bias``
    is.
    """

    keeps_float32 = True

    @checked(epsilon=FROM_0)
    def __init__(self, normalized_shape: int | Sequence[int],
                 epsilon: float = 1e-05, elementwise_affine: bool = True,
                 bias: bool = True):
        super().__init__()
        self.normalized_shape = extents_of(type(self).__name__, normalized_shape)
        self.epsilon = epsilon
        size = [math.prod(self.normalized_shape)]
        self.weight = Parameter(init.Ones()(size)) if elementwise_affine else None
        self.bias = (Parameter(init.Zeros()(size))
                     if elementwise_affine and bias else None)

    def forward(self, x):
        if self.weight is not None:
            check_dtype(self, x, self.weight)
        x = ending_in("LayerNorm", x, self.normalized_shape)
        return over_last(x, self.weight, self.bias, self.epsilon,
                         len(x.shape) - len(self.normalized_shape))

    def extra_repr(self):
        return f"{tuple(self.normalized_shape)}, epsilon={self.epsilon}"

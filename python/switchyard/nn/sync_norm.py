# SPDX-License-Identifier: Apache-2.0
"""SyncBatchNorm: a batch norm of all shards of a step."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.function import Function
from switchyard.functions.arguments import narrowed, widened
from switchyard.nn.dtypes import check_dtype
from switchyard.nn.lockstep import meeting
from switchyard.nn.module import Module
from switchyard.nn.norm import _BatchNorm, moved

_ops = _core.ops


def _sums(x, meet):
    """The sums of each channel over all shards, and how many values they are of."""
    axes = [axis for axis in range(len(x.shape)) if axis != 1]
    values = _ops.sum(_ops.cast(x, "float64"), axes)
    count = np.float64(x.size // max(x.shape[1], 1))
    total = meet(np.append(values.to("cpu").numpy(), count))
    return total[:-1], total[-1]


def _by_channel(values, like):
    shape = [1, -1] + [1] * (len(like.shape) - 2)
    return _core.tensor(values, like.dtype).to(like.place).reshape(shape)


class _Standardized(Function):
    """(x - mean) / root, whose gradient is of the mean and the root, too."""

    @staticmethod
    def forward(ctx, x, mean, inverse, meet):
        y = _ops.multiply(_ops.subtract(x, mean), inverse)
        ctx.save_for_backward(y, inverse)
        ctx.meet = meet
        return y

    @staticmethod
    def backward(ctx, grad):
        y, inverse = ctx.saved_tensors
        with no_grad():
            plain, count = _sums(grad, ctx.meet)
            along, _ = _sums(_ops.multiply(grad, y), ctx.meet)
            rest = _ops.subtract(grad, _by_channel(plain / count, grad))
            rest = _ops.subtract(rest, _ops.multiply(y, _by_channel(along / count,
                                                                    grad)))
            return _ops.multiply(rest, inverse), None, None, None


class SyncBatchNorm(_BatchNorm):
    """BatchNorm of any number of axes whose mean and variance in training are those of
    the whole batch of ``sy.distributed.DataParallel.backward``, not of a shard. They
    are sums by the tree of shards, so bits don't depend on the number of processes;
    their gradient is exact and has none of its own. Elsewhere it is a BatchNorm.
    """

    ranks = range(2, 10)

    def forward(self, x):
        meet = meeting()
        tracked = self.running_mean is not None
        if meet is None or (tracked and not self.training):
            return super().forward(x)
        if self.weight is not None:
            check_dtype(self, x, self.weight)
        if len(x.shape) < 2:
            raise ValueError("SyncBatchNorm: x must have 2 axes or more, got "
                             f"{len(x.shape)}")
        wide = widened(x)
        with no_grad():
            total, count = _sums(wide, meet)
            if not count > 1:
                raise ValueError("SyncBatchNorm: x must have more than one value a "
                                 f"channel in training, got shape {tuple(x.shape)}")
            mean = total / count
            apart = _ops.subtract(_ops.cast(wide, "float64"), _by_channel(
                mean, _ops.cast(wide, "float64")))
            variance = _sums(_ops.square(apart), meet)[0] / count
        inverse = 1.0 / np.sqrt(variance + self.epsilon)
        y = _Standardized.apply(wide, _by_channel(mean, wide),
                                _by_channel(inverse, wide), meet)
        if tracked and self.training:
            self.running_mean, self.running_var = (
                moved(running, _core.tensor(now).to(running.place), self.momentum)
                for running, now in ((self.running_mean, mean),
                                     (self.running_var, variance)))
        shape = [1, -1] + [1] * (len(x.shape) - 2)
        if self.weight is not None:
            y = _ops.multiply(y, _ops.reshape(self.weight, shape))
        if self.bias is not None:
            y = _ops.add(y, _ops.reshape(self.bias, shape))
        return narrowed(y, x.dtype)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group=None) -> Module:
        """The module with a SyncBatchNorm in the place of each BatchNorm inside, of
        the same parameters and buffers; of a BatchNorm itself its SyncBatchNorm."""
        if process_group is not None:
            raise ValueError("convert_sync_batchnorm: process_group must be None: the "
                             "shards are those of DataParallel")
        if isinstance(module, _BatchNorm) and not isinstance(module, cls):
            made = cls(module.num_features, max(module.momentum, 0.5), module.epsilon)
            for name, value in vars(module).items():
                object.__setattr__(made, name, value)
            _core.note_change()
            return made
        for name, child in list(module.named_children()):
            new = cls.convert_sync_batchnorm(child)
            if new is not child:
                setattr(module, name, new)
        return module

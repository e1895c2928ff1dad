# SPDX-License-Identifier: Apache-2.0
"""AdaptiveLogSoftmaxWithLoss: a softmax of many classes, most of them rare."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_1, POSITIVE, checked, listed, whole
from switchyard.functions.arguments import WHOLE, tensor_of
from switchyard.nn.containers import ModuleList, Sequential
from switchyard.nn.linear import Linear
from switchyard.nn.module import Module

_ops = _core.ops

AdaptiveOutput = namedtuple("AdaptiveOutput", "output loss")


class AdaptiveLogSoftmaxWithLoss(Module):
    """The logarithm of a softmax of ``n_classes``, sorted from frequent to rare, in
    which rare ones cost less (Grave and others, 2017).

    The first ``cutoffs[0]`` classes are in the head, [in_features]; those up to each
    further cutoff, and the rest, in clusters of their own, of which the head has the
    probabilities and whose layers are ``div_value`` times narrower each time. Its
    call takes x [n, in_features] and classes [n], int64, and returns ``output`` [n],
    their logarithms, and ``loss``, minus the mean of these. x of one row may lack the
    first axis. Clusters are computed for the rows that have such a class alone.
    """

    @checked(in_features=FROM_1, n_classes=FROM_1, div_value=POSITIVE)
    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence[int],
                 div_value: float = 4.0, head_bias: bool = False):
        super().__init__()
        cuts = [whole("AdaptiveLogSoftmaxWithLoss", "cutoffs", each, FROM_1) for each in
                listed("AdaptiveLogSoftmaxWithLoss", "cutoffs", cutoffs)]
        if not cuts or cuts != sorted(set(cuts)) or cuts[-1] > n_classes - 1:
            raise ValueError("AdaptiveLogSoftmaxWithLoss: cutoffs must be one or more "
                             f"ascending numbers below n_classes {n_classes}, got {cuts}")
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs, self.div_value = [*cuts, n_classes], div_value
        self.shortlist_size, self.n_clusters = cuts[0], len(cuts)
        self.head = Linear(in_features, cuts[0] + self.n_clusters, bias=head_bias)
        self.tail = ModuleList([Sequential(
            Linear(in_features, max(1, int(in_features // div_value**(i + 1))),
                   bias=False),
            Linear(max(1, int(in_features // div_value**(i + 1))), end - begin,
                   bias=False)) for i, (begin, end) in enumerate(
                       zip(self.cutoffs, self.cutoffs[1:]))])

    def forward(self, x, label):
        x, label = tensor_of(x), tensor_of(label)
        alone = len(x.shape) == 1
        if alone:
            x, label = _ops.unsqueeze(x, [0]), _ops.reshape(label, [1])
        if len(x.shape) != 2 or len(label.shape) != 1:
            raise ValueError("AdaptiveLogSoftmaxWithLoss: x must be [n, in_features] and "
                             f"label [n], got {tuple(x.shape)} and {tuple(label.shape)}")
        self._check(label)
        if label.dtype not in WHOLE or label.dtype == "bool":
            raise TypeError("AdaptiveLogSoftmaxWithLoss: label must be integers, got "
                            f"{label.dtype}")
        label = _ops.cast(label, "int64")
        head = _ops.log_softmax(self.head(x), -1)
        column = _ops.minimum(label, _core.tensor(np.array(self.shortlist_size - 1)))
        for i, begin in enumerate(self.cutoffs[:-1]):
            column = _ops.where(label >= begin, _core.tensor(np.array(
                self.shortlist_size + i)), column)
        found = _ops.squeeze(_ops.take_along_axis(head, _ops.unsqueeze(column, [1]), 1),
                             [1])
        for i, (begin, end) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            inside = _ops.logical_and(label >= begin, label < end)
            rows = _ops.reshape(_ops.nonzero(inside), [-1])
            if isinstance(rows, _core.Tensor) and not rows.size:
                continue
            logs = _ops.log_softmax(self.tail[i](_ops.index_select(x, rows, 0)), -1)
            place = _ops.unsqueeze(_ops.index_select(label, rows, 0) - begin, [1])
            logs = _ops.squeeze(_ops.take_along_axis(logs, place, 1), [1])
            found = _ops.index_add(found, rows, logs, axis=0)
        loss = _ops.scale(_ops.mean(found, [0]), -1.0)
        return AdaptiveOutput(_ops.squeeze(found, [0]) if alone else found, loss)

    def _check(self, label):
        """IndexError for classes that are none, where their elements are known."""
        if isinstance(label, _core.Tensor) and label.size:
            elements = label.numpy()
            if elements.min() < 0 or elements.max() >= self.n_classes:
                raise IndexError("AdaptiveLogSoftmaxWithLoss: label must be in [0, "
                                 f"{self.n_classes}), got {elements.min()} to "
                                 f"{elements.max()}")

    def log_prob(self, x):
        """The logarithms of all classes, [n, n_classes]."""
        x = tensor_of(x)
        head, count = _ops.log_softmax(self.head(x), -1), self.shortlist_size
        parts = [_ops.slice(head, [1], [0], [count])]
        for i, layer in enumerate(self.tail):
            cluster = _ops.slice(head, [1], [count + i], [count + i + 1])
            parts.append(_ops.add(_ops.log_softmax(layer(x), -1), cluster))
        return _ops.concat(parts, 1)

    def predict(self, x):
        """The likeliest class of each row, [n], int64."""
        return _ops.argmax(self.log_prob(x), -1)

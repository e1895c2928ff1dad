# SPDX-License-Identifier: Apache-2.0
"""Layers that compare two vectors."""

from __future__ import annotations

from switchyard.checks import FROM_0, checked
from switchyard.nn.vectors import cosine_similarity, pairwise_distance
from switchyard.nn.module import Module
from switchyard.pytorch_names import FORWARDS


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``axis``; their lengths count
    as at least ``epsilon``."""

    _forward_names = FORWARDS["Pairs"]

    @checked(epsilon=FROM_0)
    def __init__(self, axis: int = 1, epsilon: float = 1e-08):
        super().__init__()
        self.axis, self.epsilon = axis, epsilon

    def forward(self, x, y):
        return cosine_similarity(x, y, self.axis, self.epsilon)

    def extra_repr(self):
        return f"axis={self.axis}, epsilon={self.epsilon}"


class PairwiseDistance(Module):
    """The p-norm along the last axis of x - y + epsilon."""

    _forward_names = FORWARDS["Pairs"]

    @checked(p=FROM_0)
    def __init__(self, p: float = 2.0, epsilon: float = 1e-06,
                 keepdim: bool = False):
        super().__init__()
        self.p, self.epsilon, self.keepdim = p, epsilon, keepdim

    def forward(self, x, y):
        return pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self):
        return f"p={self.p}, epsilon={self.epsilon}"

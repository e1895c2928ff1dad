# SPDX-License-Identifier: Apache-2.0
"""Layers that compare two vectors."""

from __future__ import annotations

from switchyard.checks import FROM_0, checked
from switchyard.nn.functional import cosine_similarity
from switchyard.nn.module import Module
from switchyard.spelling import spelled


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``axis``; their lengths count
    as at least ``epsilon``."""

    @spelled
    @checked(epsilon=FROM_0)
    def __init__(self, axis: int = 1, epsilon: float = 1e-08):
        super().__init__()
        self.axis, self.epsilon = axis, epsilon

    def forward(self, x, y):
        return cosine_similarity(x, y, self.axis, self.epsilon)

    def extra_repr(self):
        return f"axis={self.axis}, epsilon={self.epsilon}"

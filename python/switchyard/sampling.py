# SPDX-License-Identifier: Apache-2.0
"""Sampler: which token follows, of the logits of all."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, Range, real, whole

_ops = _core.ops

_FINITE = Range("from 0 and finite", lambda n: 0 <= n < math.inf)
_POSITIVE = Range("positive and finite", lambda n: 0 < n < math.inf)
_ABOVE_0 = Range("in (0, 1]", lambda n: 0 < n <= 1)


class Sampler:
    """Chooses a token for each row of logits [n, words], by ``sy.generate``'s
    arguments of these names. Keeps what each row has had, and its own stream of
    random numbers, if there is a seed."""

    def __init__(self, name, temperature, top_k, top_p, repetition_penalty, seed):
        self._temperature = real(name, "temperature", temperature, _FINITE)
        self._top_k = top_k if top_k is None else whole(name, "top_k", top_k, FROM_1)
        self._top_p = top_p if top_p is None else real(name, "top_p", top_p, _ABOVE_0)
        self._penalty = real(name, "repetition_penalty", repetition_penalty,
                             _POSITIVE)
        self._state = None if seed is None else (whole(name, "seed", seed, FROM_0), 0)
        self._name = name
        self._had = None  # bool [n, words]: the tokens of each row.

    def start(self, rows):
        """Takes what the rows, lists of tokens, begin with."""
        self._begin = rows

    def __call__(self, logits) -> np.ndarray:
        """The tokens [n] that follow; ValueError for logits that hold NaN or of which
        the largest is infinite."""
        scores = self._penalised(logits)
        most = _ops.max(scores, [-1], True)  # NaN, where there is one.
        if not _ops.all(_ops.isfinite(most)).item():
            raise ValueError(f"{self._name}: the model's logits must not be NaN, and "
                             "the largest of each sequence must be finite")
        if self._temperature == 0.0:
            chosen = _ops.argmax(scores, -1)
        else:
            chosen = self._drawn(_ops.subtract(_ops.cast(scores, "float64"),
                                               _ops.cast(most, "float64")))
        chosen = chosen.numpy()
        if self._had is not None:
            self._had[np.arange(len(chosen)), chosen] = True
        return chosen

    def _penalised(self, logits):
        """logits, of which those of tokens that a row has had are divided by the
        penalty, or multiplied if negative."""
        if self._penalty == 1.0:
            return logits
        if self._had is None:
            self._had = np.zeros(logits.shape, bool)
            for had, row in zip(self._had, self._begin):
                had[row] = True
        less = _ops.where(_ops.greater_than(logits, 0.0),
                          _ops.divide(logits, self._penalty),
                          _ops.multiply(logits, self._penalty))
        return _ops.where(_core.tensor(self._had), less, logits)

    def _drawn(self, scores):
        """A token by its probability among those that top_k and top_p leave, of scores
        of which the largest is 0."""
        scores = _ops.divide(scores, self._temperature)
        words, tokens = scores.shape[-1], None
        if self._top_k is not None and self._top_k < words:
            scores, tokens = _ops.topk(scores, self._top_k, -1)
        elif self._top_p is not None:
            scores, tokens = _ops.topk(scores, words, -1)
        weights = _ops.softmax(scores, axis=-1)
        sums = _ops.cumsum(weights, -1)
        if self._top_p is not None:
            # Those before which there is less than top_p: the first, always.
            left = _ops.less_than(_ops.subtract(sums, weights), self._top_p)
            weights = _ops.where(left, weights, _ops.zeros_like(weights))
            sums = _ops.cumsum(weights, -1)
        whole_sum = _ops.slice(sums, [-1], [-1], [2**62])
        share = _ops.multiply(self._uniform(scores.shape[0]), whole_sum)
        at = _ops.sum(_ops.cast(_ops.less_equal(sums, share), "int64"), [-1], "int64",
                      True)
        return _ops.squeeze(
            at if tokens is None else _ops.take_along_axis(tokens, at, -1), [-1])

    def _uniform(self, count):
        """Numbers [count, 1] in [0, 1), of the own stream or of sy.seed's."""
        if self._state is None:
            return _ops.uniform([count, 1], 0.0, 1.0, "float64")
        outer = _core.rng_state()
        _core.set_rng_state(*self._state)
        try:
            drawn = _ops.uniform([count, 1], 0.0, 1.0, "float64")
            self._state = _core.rng_state()
        finally:
            _core.set_rng_state(*outer)
        return drawn

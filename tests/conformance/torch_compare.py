# SPDX-License-Identifier: Apache-2.0
"""Compares a result with PyTorch's: structure, shapes, dtypes, values."""

import numpy as np

from plain_data import Array

# (relative, absolute), those of torch.testing.assert_close.
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}


class Difference(Exception):
    """A difference: ``kind`` is a word, the text says where."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def close(ours, theirs, dtype, tolerance=()):
    """Whether values agree; NaN with NaN."""
    if dtype not in _TOLERANCES:
        return bool(np.array_equal(ours, theirs))
    relative, absolute = _TOLERANCES[dtype]
    if tolerance:
        relative = max(relative, tolerance[0])
        absolute = max(absolute, tolerance[1])
    wide = np.complex128 if np.iscomplexobj(theirs) else np.float64
    return bool(np.allclose(ours.astype(wide), theirs.astype(wide),
                            rtol=relative, atol=absolute, equal_nan=True))


def _worst(ours, theirs):
    wide = np.complex128 if np.iscomplexobj(theirs) else np.float64
    gap = np.abs(ours.astype(wide) - theirs.astype(wide)).reshape(-1)
    gap = np.where(np.isnan(gap), np.inf, gap)
    at = int(np.argmax(gap)) if gap.size else 0
    return (f"{ours.reshape(-1)[at]!r} for {theirs.reshape(-1)[at]!r} at {at}"
            if gap.size else "no elements")


def _agree(ours, theirs, wide, dtype, tolerance):
    """Values near PyTorch's, or near what float64 gives."""
    if close(ours, theirs, dtype, tolerance):
        return True
    return wide is not None and wide.shape == ours.shape and (
        close(ours, wide.astype(theirs.dtype), dtype, tolerance))


def _compare_arrays(ours, theirs, wide, tolerance, by_magnitude, random):
    if not isinstance(ours, Array):
        raise Difference("structure", f"a {type(ours).__name__} for a tensor")
    if ours.elements.shape != theirs.elements.shape:
        raise Difference("shape", f"{ours.elements.shape} for "
                         f"{theirs.elements.shape}")
    if ours.dtype != theirs.dtype:
        raise Difference("dtype", f"{ours.dtype} for {theirs.dtype}")
    if random:
        return
    values = [ours.elements, theirs.elements,
              wide.elements if isinstance(wide, Array) else None]
    if by_magnitude:
        values = [None if each is None else np.abs(each) for each in values]
    if not _agree(*values, theirs.dtype, tolerance):
        raise Difference("value", _worst(*values[:2]))


def compare(ours, theirs, wide, tolerance=(), by_magnitude=False, random=False):
    """Raises a Difference unless both agree."""
    if isinstance(theirs, Array):
        _compare_arrays(ours, theirs, wide, tolerance, by_magnitude, random)
        return
    if isinstance(theirs, (tuple, list)):
        if not isinstance(ours, (tuple, list)) or len(ours) != len(theirs):
            size = len(ours) if isinstance(ours, (tuple, list)) else "a tensor"
            raise Difference("structure", f"{size} for {len(theirs)} results")
        same = isinstance(wide, (tuple, list)) and len(wide) == len(theirs)
        for i, (a, b) in enumerate(zip(ours, theirs)):
            compare(a, b, wide[i] if same else None, tolerance, by_magnitude,
                    random)
        return
    if isinstance(ours, Array):
        if ours.elements.size != 1 or isinstance(theirs, str):
            raise Difference("structure", f"a tensor for {theirs!r}")
        ours = ours.elements.item()  # A scalar is a number, and has a truth.
    if random:
        return
    if isinstance(theirs, (float, complex)):
        same = isinstance(ours, (int, float, complex)) and np.allclose(
            ours, theirs, rtol=1.3e-6, atol=1e-5, equal_nan=True)
    else:
        same = ours == theirs or getattr(theirs, "name", theirs) == ours
    if not same:
        raise Difference("value", f"{ours!r} for {theirs!r}")


def compare_gradients(ours, answer, tolerance):
    """Raises a Difference unless all gradients agree; none is zeros."""
    wide = answer.wide_gradients or [None] * len(ours)
    for i, (a, b, c) in enumerate(zip(ours, answer.gradients, wide)):
        if a is None and b is None:
            continue
        shape = (a or b).elements.shape
        zeros = np.zeros(shape, (b or a).elements.dtype)
        left = zeros if a is None else a.elements
        right = zeros if b is None else b.elements
        if left.shape != right.shape:
            raise Difference("gradient", f"of input {i}: shape {left.shape} for "
                             f"{right.shape}")
        dtype = (b or a).dtype
        if a is not None and b is not None and a.dtype != b.dtype:
            raise Difference("gradient", f"of input {i}: {a.dtype} for {b.dtype}")
        if not _agree(left, right, c and c.elements, dtype, tolerance):
            raise Difference("gradient", f"of input {i}: {_worst(left, right)}")

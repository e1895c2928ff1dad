# SPDX-License-Identifier: Apache-2.0
"""Arguments that are one number for all extents of an image, or one for each, and
extents that a program finds when it runs."""

from __future__ import annotations

from switchyard.checks import shown
from switchyard.functions.arguments import with_extent


def per_extent(value, count, name, least=None):
    """``value`` as a list of ``count`` numbers: one for all, or one each.

    ``name``: "Conv2D: stride". ValueError for another count, or for a number
    below ``least``.
    """
    shape = getattr(value, "shape", None)  # Of a tensor or an array.
    if shape == () or shape is None and (
            hasattr(value, "__index__") or isinstance(value, float)):
        numbers = [value] * count
    else:
        short = hasattr(value, "__len__") and len(value) == count
        numbers = list(value) if short and not isinstance(value, str) else []
    if len(numbers) != count:
        raise ValueError(f"{name} must be a number or a list of {count}, got "
                         f"{shown(value)}")
    if least is not None:
        for number in numbers:
            _check_least(number, name, least)
    return numbers


def _check_least(number, name, least):
    """TypeError unless it is an integer, ValueError if it is below ``least``; what
    a program decides is checked when it runs."""
    if number is None or not hasattr(number, "__index__"):
        raise TypeError(f"{name} must be integers, got {shown(number)}")
    if isinstance(number, int) and number < least:
        raise ValueError(f"{name} must be from {least}, got {number}")


def in_shape(x, shape):
    """x, of as many axes as ``shape``, whose extents are compared when the program
    runs where they are open: one that turns out to be 1 is not to be repeated."""
    axes = [axis for axis, (have, want) in enumerate(zip(x.shape, shape))
            if not _is_one(have, want)]
    for axis in axes:
        x = with_extent(x, axis, shape[axis])
    return x


def _is_one(have, want):
    """Whether two extents are known to be the same."""
    try:
        return have == want
    except TypeError:  # Of open ones.
        return False

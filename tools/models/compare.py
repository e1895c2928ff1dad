# SPDX-License-Identifier: Apache-2.0
"""How far the outputs of two systems are from each other.

A floating output: max|a-b| over max|b|, b the peer's; of boxes (rows of label, score and corners)
each column by itself, rows in the order of their scores, which is free only among scores closer
than 1e-4. Everything else, and shapes and lengths of sequences, must be equal. Of an output that a
quantiser has rounded, `share_of_steps` tells how much of it is rounded to the other side.
"""
import numpy as np

LIMIT = 1e-4
HALF_LIMIT = 2e-3
SHARE_LIMIT = 0.01  # Of a quantised output's elements, which may be one step off.
_NEAR = 1e-4  # Scores closer than this may be in any order.
_COLUMNS_OF_BOXES = 6
_LEVELS = 256  # Of 8 bits.
_LEAST = 1e-38  # Numbers below it, which few systems compute alike, count as 0.


def limit_of(array):
    """The largest difference that counts as none."""
    return HALF_LIMIT if array.dtype == np.float16 else LIMIT


class Unequal(Exception):
    """Two outputs of which no difference can be taken, or that must be equal and are not."""


def are_boxes(array):
    """Whether the rows are label, score and four corners."""
    if array.ndim != 2 or array.shape[1] != _COLUMNS_OF_BOXES or array.dtype.kind != "f":
        return False
    labels, scores = array[:, 0], array[:, 1]
    return bool(len(array) and (labels == np.round(labels)).all() and (labels >= -1).all() and
                (scores <= 1 + 1e-6).all() and (scores >= -1).all())


def _groups(scores):
    """Ranges of neighbours whose scores are near each other."""
    first = 0
    for at in range(1, len(scores) + 1):
        if at == len(scores) or abs(scores[at] - scores[at - 1]) >= _NEAR:
            yield first, at
            first = at


def _matched(ours, theirs):
    """Our rows in the order of theirs, as far as order is free."""
    rows = ours.copy()
    for first, end in _groups(theirs[:, 1]):
        left = list(range(first, end))
        for at in range(first, end):
            # A label weighs more than any distance of corners.
            best = min(left, key=lambda k: (ours[k, 0] != theirs[at, 0],
                                            np.abs(ours[k, 2:] - theirs[at, 2:]).max()))
            rows[at] = ours[best]
            left.remove(best)
    return rows


def relative(ours, theirs):
    """max|a-b| over max|b|; 0 for nothing, infinity where one alone is finite."""
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(theirs)
    if (finite != np.isfinite(ours)).any():
        return np.inf
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return np.inf
    worst = np.abs(ours[finite] - theirs[finite]).max(initial=0)
    largest = np.abs(theirs[finite]).max(initial=0)
    if worst < _LEAST:
        return 0.0
    return worst / largest if largest else np.inf


def difference(ours, theirs):
    """The difference of an output; Unequal says what must be equal and is not."""
    if ours.array.dtype != theirs.array.dtype:
        raise Unequal(f"dtype {ours.array.dtype}, not {theirs.array.dtype}")
    if ours.array.shape != theirs.array.shape:
        raise Unequal(f"shape {list(ours.array.shape)}, not {list(theirs.array.shape)}")
    if (ours.lod or None) != (theirs.lod or None):
        raise Unequal(f"LoD {ours.lod}, not {theirs.lod}")
    if theirs.array.dtype.kind not in "fc":
        unequal = int((ours.array != theirs.array).sum())
        if unequal:
            raise Unequal(f"{unequal} of {theirs.array.size} numbers")
        return 0.0
    if not are_boxes(theirs.array):
        return relative(ours.array, theirs.array)
    rows = _matched(ours.array, theirs.array)
    return max(relative(rows[:, column], theirs.array[:, column])
               for column in range(_COLUMNS_OF_BOXES))


def share_of_steps(ours, theirs):
    """The share of the elements that are one step of the quantiser off, of which the peer's output came; None
    where it came of none, where an element is further off, or where a row's largest is another one.
    """
    if theirs.dtype.kind != "f" or ours.shape != theirs.shape or not np.isfinite(theirs).all():
        return None
    levels = np.unique(theirs.astype(np.float64))
    if not 2 < len(levels) <= min(_LEVELS, theirs.size // 4):
        return None
    step = np.diff(levels).min()
    places = (levels - levels[0]) / step
    steps = np.abs(ours.astype(np.float64) - theirs) / step
    if not max(np.abs(places - np.round(places)).max(), np.abs(steps - np.round(steps)).max()) < 0.01:
        return None
    if np.round(steps).max() > 1 or (theirs.ndim == 2 and (ours.argmax(1) != theirs.argmax(1)).any()):
        return None
    return float(np.round(steps).mean())

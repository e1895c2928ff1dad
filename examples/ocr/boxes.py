# SPDX-License-Identifier: Apache-2.0
"""Boxes of four corners, each (x, y), clockwise from the top left one."""
import numpy as np

_SAME_LINE = 10  # Tops closer than this are of one line of text.


def clockwise(corners):
    """The corners from the top left one on; left are the two of the smaller x."""
    by_x = sorted(np.asarray(corners, np.float32).tolist(), key=lambda corner: corner[0])
    left = sorted(by_x[:2], key=lambda corner: corner[1])
    right = sorted(by_x[2:], key=lambda corner: corner[1])
    return np.array([left[0], right[0], right[1], left[1]], np.float32)


def side_lengths(box):
    """Width at the top and height at the left."""
    return np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[0] - box[3])


def in_reading_order(boxes):
    """Lines from top to bottom, the boxes of a line from left to right."""
    ordered = []
    for box in sorted(boxes, key=lambda one: (one[0, 1], one[0, 0])):
        at = len(ordered)
        while at > 0:
            before = ordered[at - 1]
            if abs(before[0, 1] - box[0, 1]) >= _SAME_LINE or before[0, 0] <= box[0, 0]:
                break
            at -= 1
        ordered.insert(at, box)
    return ordered

# SPDX-License-Identifier: Apache-2.0
"""Finds lines of text in a picture, with a network that says for each pixel whether it is text.

The network's regions are smaller than the text (differentiable binarization): each is grown by its
area over its circumference.
"""
import cv2
import numpy as np
import pyclipper
import shapely.geometry

import boxes

_SHORT_SIDE = 736  # Smaller pictures are enlarged to it.
_STRIDE = 32  # The network halves its input five times.
_TEXT = 0.3  # Probability from which on a pixel is text.
_BOX = 0.5  # Mean probability from which on a region is a line of text.
_MOST_REGIONS = 1000
_LEAST_REGION = 3  # Pixels of the shorter side, before it is grown,
_LEAST_GROWN = 5  # and after.
_LEAST_SIDE = 3  # Pixels of a side in the picture.
_GROWTH = 1.6


def _input_of(picture):
    """The picture in a size and range that the network takes, NCHW."""
    height, width = picture.shape[:2]
    scale = max(1.0, _SHORT_SIDE / min(height, width))
    height, width = (max(1, round(int(extent * scale) / _STRIDE)) * _STRIDE for extent in (height, width))
    resized = cv2.resize(picture, (width, height)).astype(np.float32)
    return ((resized / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None].astype(np.float32)


def _rectangle(points):
    """The smallest rectangle around points, and its shorter side."""
    rectangle = cv2.minAreaRect(points)
    return boxes.clockwise(cv2.boxPoints(rectangle)), min(rectangle[1])


def _mean_inside(probabilities, box):
    height, width = probabilities.shape
    left, top = np.clip(np.floor(box.min(axis=0)).astype(int), 0, (width - 1, height - 1))
    right, bottom = np.clip(np.ceil(box.max(axis=0)).astype(int), 0, (width - 1, height - 1))
    mask = np.zeros((bottom - top + 1, right - left + 1), np.uint8)
    cv2.fillPoly(mask, [(box - (left, top)).astype(np.int32)], 1)
    return cv2.mean(probabilities[top:bottom + 1, left:right + 1], mask)[0]


def _grown(box):
    """The outline of a box, moved outwards; None if nothing is left of it."""
    polygon = shapely.geometry.Polygon(box)
    offset = pyclipper.PyclipperOffset()
    offset.AddPath(box, pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
    outlines = offset.Execute(polygon.area * _GROWTH / polygon.length)
    return np.array(outlines[0]).reshape(-1, 1, 2) if len(outlines) == 1 else None


def _boxes_in(probabilities):
    """Boxes around regions of text, in pixels of the network's output."""
    text = cv2.dilate((probabilities > _TEXT).astype(np.uint8), np.ones((2, 2), np.uint8))
    outlines = cv2.findContours(text * 255, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[-2]
    for outline in outlines[:_MOST_REGIONS]:
        box, side = _rectangle(outline)
        if side < _LEAST_REGION or _mean_inside(probabilities, box) < _BOX:
            continue
        grown = _grown(box)
        if grown is None:
            continue
        box, side = _rectangle(grown)
        if side >= _LEAST_GROWN:
            yield box


class Detector:
    def __init__(self, session):
        self._session = session

    def __call__(self, picture):
        """The boxes of the picture's lines, in reading order. Pixels are BGR."""
        probabilities = self._session(_input_of(picture))[0][0, 0]
        ours = np.array(probabilities.shape[::-1])
        theirs = np.array(picture.shape[1::-1])
        found = []
        for box in _boxes_in(probabilities):
            scaled = np.clip(np.round(box / ours * theirs), 0, theirs)
            box = np.minimum(boxes.clockwise(scaled), theirs - 1).astype(np.float32)
            if min(map(int, boxes.side_lengths(box))) > _LEAST_SIDE:
                found.append(box)
        return boxes.in_reading_order(found)

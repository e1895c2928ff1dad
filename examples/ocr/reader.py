# SPDX-License-Identifier: Apache-2.0
"""Reads lines of text: turns those that are upside down, and recognises their characters."""
import math

import cv2
import numpy as np

import ctc

_HEIGHT = 48  # Of a line in both networks.
_TURN_WIDTH, _READ_WIDTH = 192, 320  # Of the networks' inputs; lines may be longer for reading.
_BATCH = 6
_UPSIDE_DOWN = 0.9  # Probability from which on a line is turned.
_TALL = 1.5  # Height by width from which on a line is taken for a vertical one.


def cut_out(picture, box):
    """The picture inside a box, as a rectangle."""
    width = int(max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[2] - box[3])))
    height = int(max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2])))
    upright = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    line = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(box, upright), (width, height),
                               borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC)
    return np.rot90(line) if height >= _TALL * width else line


def _ratio(line):
    return line.shape[1] / line.shape[0]


def _batches(lines):
    """Positions of lines of similar shape, a list for each batch."""
    order = np.argsort([_ratio(line) for line in lines])
    return [order[at:at + _BATCH] for at in range(0, len(order), _BATCH)]


def _inputs_of(lines, width):
    """Lines of one height, with what is missing of the width filled up, NCHW."""
    inputs = np.zeros((len(lines), 3, _HEIGHT, width), np.float32)
    for line, one in zip(lines, inputs):
        used = min(width, math.ceil(_HEIGHT * _ratio(line)))
        resized = cv2.resize(line, (used, _HEIGHT)).astype(np.float32)
        one[:, :, :used] = (resized.transpose(2, 0, 1) / 255 - 0.5) / 0.5
    return inputs


class Turner:
    """Says which lines are upside down."""

    def __init__(self, session):
        self._session = session

    def __call__(self, lines):
        """The lines, each the right way up."""
        turned = list(lines)
        for batch in _batches(lines):
            probabilities = self._session(_inputs_of([lines[at] for at in batch], _TURN_WIDTH))[0]
            for at, (_, upside_down) in zip(batch, probabilities):
                if upside_down > _UPSIDE_DOWN:
                    turned[at] = cv2.rotate(lines[at], cv2.ROTATE_180)
        return turned


class Reader:
    """Recognises characters. ``characters``: those of the network, without the blank."""

    def __init__(self, session, characters):
        self._session, self._characters = session, ["", *characters]

    def __call__(self, lines):
        """(text, score) of each line."""
        found = [("", 0.0)] * len(lines)
        for batch in _batches(lines):
            widest = max(_READ_WIDTH / _HEIGHT, *(_ratio(lines[at]) for at in batch))
            inputs = _inputs_of([lines[at] for at in batch], int(_HEIGHT * widest))
            for at, probabilities in zip(batch, self._session(inputs)[0]):
                found[at] = ctc.decode(probabilities, self._characters)
        return found



#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the text in a picture: prints score and text of each line, and draws the boxes.

    ocr.py MODELS [PICTURE] [--output BOXES.png] [--json FILE] [--expect LINES.txt]

MODELS is a folder that fetch_models.py made: PP-OCRv4's networks that find lines, turn those that
are upside down, and read them. Without a PICTURE one is drawn. With --expect it fails if the lines
are others than those of a file: in each line a score, which may be off by 0.01, and a text.
"""
import argparse
import json
import pathlib
import sys
from typing import NamedTuple

import cv2
import numpy as np
import PIL.Image
import PIL.ImageDraw

import detector
import reader
from session import Session

_LONGEST_SIDE = 2000  # Larger pictures are made smaller,
_SHORTEST_SIDE = 30  # smaller ones larger, and flat ones
_FLATTEST = 8  # (width by height) get room above and below.
_STRIDE = 32
_LEAST_SCORE = 0.5  # What is read with less is not text.
_SCORE_MAY_BE_OFF = 0.01


class Line(NamedTuple):
    """A line of text. ``box``: four corners (x, y), clockwise from the top left one."""

    text: str
    score: float
    box: list


def _resized(picture, scale):
    sizes = [max(1, round(int(extent * scale) / _STRIDE)) * _STRIDE for extent in picture.shape[1::-1]]
    return cv2.resize(picture, tuple(sizes))


def _fitted(picture):
    """(the picture in a size that lines can be found in, rows added above)"""
    sides = picture.shape[:2]
    if max(sides) > _LONGEST_SIDE:
        picture = _resized(picture, _LONGEST_SIDE / max(sides))
    if min(picture.shape[:2]) < _SHORTEST_SIDE:
        picture = _resized(picture, _SHORTEST_SIDE / min(picture.shape[:2]))
    height, width = picture.shape[:2]
    if height > _SHORTEST_SIDE and width <= _FLATTEST * height:
        return picture, 0
    above = abs(2 * max(width // _FLATTEST, _SHORTEST_SIDE) - height) // 2
    return cv2.copyMakeBorder(picture, above, above, 0, 0, cv2.BORDER_CONSTANT), above


class Ocr:
    """The three networks, one after another. ``models``: the folder that has them."""

    def __init__(self, models):
        text = (models / "characters.txt").read_text(encoding="utf-8")
        self._detect = detector.Detector(Session(models / "detect"))
        self._turn = reader.Turner(Session(models / "turn"))
        self._read = reader.Reader(Session(models / "read"), [*text.strip("\n").split("\n"), " "])

    def __call__(self, picture):
        """The lines of a picture, BGR, in reading order."""
        fitted, above = _fitted(picture)
        boxes = self._detect(fitted)
        lines = self._turn([reader.cut_out(fitted, box) for box in boxes])
        size = np.array(picture.shape[1::-1])
        scale = size / (fitted.shape[1], fitted.shape[0] - 2 * above)
        return [Line(text, score, np.clip((box - (0, above)) * scale, 0, size).tolist())
                for box, (text, score) in zip(boxes, self._read(lines)) if score >= _LEAST_SCORE]


def draw(picture, lines):
    """The picture with the lines' boxes and numbers."""
    drawn = picture.copy()
    for number, line in enumerate(lines, 1):
        corners = np.round(line.box).astype(np.int32)
        cv2.polylines(drawn, [corners], True, (0, 0, 255), 2)
        cv2.putText(drawn, str(number), tuple(map(int, corners[0])), cv2.FONT_HERSHEY_SIMPLEX, 0.6,
                    (255, 0, 0), 2)
    return drawn


def _opened(path):
    with PIL.Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))[:, :, ::-1].copy()


def _made():
    """A page to read where there is no picture."""
    page = PIL.Image.new("RGB", (320, 80), "white")
    for row, text in enumerate(("Switchyard", "25 + 17 = 42")):
        PIL.ImageDraw.Draw(page).text((20, 15 + 30 * row), text, "black")
    return np.asarray(page.resize((1280, 320), PIL.Image.BICUBIC))[:, :, ::-1].copy()


def check(lines, path):
    """Raises ValueError for lines that are not those of a file."""
    wanted = [line.split(" ", 1) for line in path.read_text(encoding="utf-8").splitlines()]
    if [text for _, text in wanted] != [line.text for line in lines]:
        raise ValueError(f"the lines are not those of {path}")
    for line, (score, text) in zip(lines, wanted):
        if abs(line.score - float(score)) > _SCORE_MAY_BE_OFF:
            raise ValueError(f"the score of {text} must be {score} as in {path}, got {line.score:.4f}")


def main():
    parser = argparse.ArgumentParser(prog="ocr.py")
    parser.add_argument("models", metavar="MODELS", type=pathlib.Path)
    parser.add_argument("picture", metavar="PICTURE", type=pathlib.Path, nargs="?")
    parser.add_argument("--output", metavar="BOXES.png", type=pathlib.Path)
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--expect", metavar="LINES.txt", type=pathlib.Path)
    arguments = parser.parse_args()
    picture = _made() if arguments.picture is None else _opened(arguments.picture)
    lines = Ocr(arguments.models)(picture)
    for number, line in enumerate(lines, 1):
        print(f"{number:3} {line.score:.4f} {line.text}")
    if arguments.json:
        arguments.json.write_text(json.dumps([line._asdict() for line in lines], ensure_ascii=False, indent=1),
                                  encoding="utf-8")
    if arguments.output and not cv2.imwrite(str(arguments.output), draw(picture, lines)):
        raise OSError(f"{arguments.output} can't be written")
    if arguments.expect:
        check(lines, arguments.expect)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, RuntimeError, NotImplementedError) as error:
        sys.exit(f"ocr: {error}")

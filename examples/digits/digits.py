# SPDX-License-Identifier: Apache-2.0
"""UCI's optical digits: real handwriting, 1,797 images of 8 x 8 pixels.

Source and licence: data/SOURCE.md.
"""

import gzip
import pathlib

import numpy as np

DATA = pathlib.Path(__file__).parent / "data" / "digits.csv.gz"


def load():
    """((images, labels) to train with, (images, labels) to test with).

    Images are float32 [n, 1, 8, 8] in [0, 1], labels int64 [n].
    """
    with gzip.open(DATA, "rt") as lines:
        rows = np.loadtxt(lines, delimiter=",", dtype=np.int64)
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    images = (rows[:, :64] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    labels = rows[:, 64]
    cut = len(rows) * 4 // 5
    return (images[:cut], labels[:cut]), (images[cut:], labels[cut:])


def draw(path, images, labels, predictions):
    """Writes a sheet of 8 x 5 digits; wrong predictions are framed in red."""
    from PIL import Image, ImageDraw
    cell, columns, rows = 72, 8, 5
    sheet = Image.new("RGB", (columns * cell, rows * (cell + 18)), "white")
    pen = ImageDraw.Draw(sheet)
    for i in range(columns * rows):
        x, y = i % columns * cell, i // columns * (cell + 18)
        pixels = (255 - images[i, 0] * 255).astype(np.uint8)
        digit = Image.fromarray(pixels).resize((cell - 8, cell - 8))
        sheet.paste(digit, (x + 4, y + 4))
        right = predictions[i] == labels[i]
        pen.rectangle((x + 2, y + 2, x + cell - 3, y + cell - 3),
                      outline="lightgray" if right else "red")
        pen.text((x + 6, y + cell), f"says {predictions[i]}",
                 fill="green" if right else "red")
    sheet.save(path)

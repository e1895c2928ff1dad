# SPDX-License-Identifier: Apache-2.0
"""Trains one network on real handwritten digits, eager and static.

Both runs start from the same seed; the table at the end says how they compare,
bit by bit. Writes a picture of test digits with the predictions.

    ./sy demo [--epochs N] [--picture FILE]
"""

import argparse
import gzip
import pathlib
import sys
import time

import numpy as np

import switchyard as sy

DATA = pathlib.Path(__file__).parent / "data" / "digits.csv.gz"
BATCH = 32


def load_digits():
    """Training and test images [n, 64] in [0, 1] and labels [n, 1]."""
    with gzip.open(DATA, "rt") as lines:
        rows = np.loadtxt(lines, delimiter=",", dtype=np.int64)
    order = np.random.default_rng(0).permutation(len(rows))
    images = (rows[order, :64] / 16).astype(np.float32)
    labels = rows[order, 64:]
    cut = len(rows) * 4 // 5
    return (images[:cut], labels[:cut]), (images[cut:], labels[cut:])


def make_network():
    """A small network; dropout shows that both runs draw the same numbers."""
    sy.seed(7)
    return sy.nn.Sequential(
        sy.nn.Linear(64, 128), sy.nn.ReLU(), sy.nn.Dropout(0.2),
        sy.nn.Linear(128, 64), sy.nn.ReLU(), sy.nn.Linear(64, 10))


def batches(images, labels, epoch):
    """Batches of an epoch, in an order that depends on its number only."""
    order = np.random.default_rng(epoch).permutation(len(images))
    for start in range(0, len(order) - BATCH + 1, BATCH):
        chosen = order[start:start + BATCH]
        yield images[chosen], labels[chosen]


class EagerStep:
    """A training step written out: forward, backward, update."""

    def __init__(self, model, loss, optimizer):
        self.model, self.loss, self.optimizer = model, loss, optimizer

    def __call__(self, images, labels):
        self.optimizer.zero_grad()
        loss = self.loss(self.model(sy.tensor(images)), sy.tensor(labels))
        loss.backward()
        self.optimizer.step()
        return loss.numpy()


def predict(model, images):
    """The most likely digit of each image."""
    model.eval()
    with sy.no_grad():
        digits = sy.ops.argmax(model(sy.tensor(images)), axis=1).numpy()
    model.train()
    return digits


def show_progress(name, epoch, epochs, loss, accuracy):
    """One line, rewritten on a terminal."""
    done = 30 * (epoch + 1) // epochs
    end = "\n" if epoch + 1 == epochs or not sys.stdout.isatty() else ""
    start = "\r" if sys.stdout.isatty() else ""
    print(f"{start}{name:7s} [{'#' * done}{'.' * (30 - done)}] "
          f"epoch {epoch + 1:2d}/{epochs}  loss {loss:.4f}  "
          f"accuracy {100 * accuracy:.2f} %", end=end, flush=True)


def train(name, make_step, data, epochs):
    """Trains; returns the model, all losses, accuracy, seconds a step."""
    (images, labels), (test_images, test_labels) = data
    model = make_network()
    optimizer = sy.optim.Momentum(model.named_parameters(), learning_rate=0.1,
                                  momentum=0.9)
    step = make_step(model, sy.nn.CrossEntropyLoss(), optimizer)
    losses, seconds = [], []
    for epoch in range(epochs):
        for batch_images, batch_labels in batches(images, labels, epoch):
            start = time.perf_counter()
            losses.append(np.array(step(batch_images, batch_labels)))
            seconds.append(time.perf_counter() - start)
        accuracy = np.mean(predict(model, test_images) == test_labels[:, 0])
        show_progress(name, epoch, epochs, float(losses[-1]), accuracy)
    return model, np.array(losses).ravel(), accuracy, np.median(seconds)


def same_bits(a, b):
    """Whether two arrays hold the same bits."""
    return a.dtype == b.dtype and a.shape == b.shape and (
        a.tobytes() == b.tobytes())


def draw(path, images, labels, digits):
    """A sheet of 8 x 5 test digits; wrong predictions are framed in red."""
    from PIL import Image, ImageDraw
    cell, columns, rows = 72, 8, 5
    sheet = Image.new("RGB", (columns * cell, rows * (cell + 18)), "white")
    pen = ImageDraw.Draw(sheet)
    for i in range(columns * rows):
        x, y = i % columns * cell, i // columns * (cell + 18)
        pixels = (255 - images[i].reshape(8, 8) * 255).astype(np.uint8)
        digit = Image.fromarray(pixels).resize((cell - 8, cell - 8))
        sheet.paste(digit, (x + 4, y + 4))
        right = digits[i] == labels[i, 0]
        colour = "green" if right else "red"
        pen.rectangle((x + 2, y + 2, x + cell - 3, y + cell - 3),
                      outline="lightgray" if right else "red")
        pen.text((x + 6, y + cell), f"says {digits[i]}", fill=colour)
    sheet.save(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--picture", default="digits.png")
    options = parser.parse_args()
    data = load_digits()
    runs = {name: train(name, make_step, data, options.epochs)
            for name, make_step in (("eager", EagerStep),
                                    ("static", sy.static.train_step))}
    print(f"\n{'':10s}{'accuracy':>10s}{'ms a step':>11s}{'last loss':>11s}")
    for name, (_, losses, accuracy, seconds) in runs.items():
        print(f"{name:10s}{100 * accuracy:8.2f} %{1000 * seconds:11.3f}"
              f"{losses[-1]:11.6f}")
    eager, static = runs["eager"], runs["static"]
    weights = [same_bits(a, b) for a, b in
               zip(eager[0].state_dict().values(),
                   static[0].state_dict().values())]
    losses_equal = same_bits(eager[1], static[1])
    print(f"losses bit-equal: {losses_equal} ({len(eager[1])} steps); "
          f"weights bit-equal: {all(weights)} ({len(weights)} tensors)")

    test_images, test_labels = data[1]
    draw(options.picture, test_images, test_labels,
         predict(static[0], test_images))
    print(f"predictions: {options.picture}")

    print("\nWhy this kernel?")
    with sy.record_selections() as log:
        sy.ops.softmax(sy.tensor(np.zeros((32, 10), np.float32)))
    print("  " + "\n  ".join(log))
    print("  ./sy explain softmax --place cpu --input x=float32[32,10]  "
          "tells the whole story")
    if not (losses_equal and all(weights)):
        sys.exit("eager and static differ")


if __name__ == "__main__":
    main()

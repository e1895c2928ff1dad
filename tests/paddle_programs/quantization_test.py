# SPDX-License-Identifier: Apache-2.0
"""A program of PaddlePaddle that has learned MNIST loses little by integers."""
import gzip
import pathlib
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")


def read(name, header):
    with gzip.open(DATA / "mnist" / name) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


class MnistTest(unittest.TestCase):

    def test_accuracy(self):
        pixels = read("t10k-images-idx3-ubyte.gz", 16).reshape(-1, 1, 28, 28)
        images = pixels.astype(np.float32) / 255 * 2 - 1
        labels = read("t10k-labels-idx1-ubyte.gz", 8)
        program = sy.load(DATA / "models" / "mnist_mlp_scl1323")

        def accuracy(of):
            return np.mean(of(images).numpy().argmax(axis=1) == labels)
        exact = accuracy(program)
        self.assertGreater(exact, 0.97)
        for weights, activations in (("int8", "none"), ("int8", "dynamic"),
                                     ("int8", "static"), ("int4", "none")):
            found = sy.quantize(program, weights, activations, [images[:200]])
            got = accuracy(found.program)
            print(f"{weights}, {activations}: {got:.4f} of {exact:.4f}")
            self.assertEqual(len(found.report), 3)
            if weights == "int8":
                self.assertGreaterEqual(got, exact - 0.01)


if __name__ == "__main__":
    unittest.main()

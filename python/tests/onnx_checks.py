# SPDX-License-Identifier: Apache-2.0
"""Runs single nodes of ONNX by both executors, for tests of operators."""
import os
import tempfile
import unittest

import numpy as np
import onnx_models as onnx

import switchyard as sy

RNG = np.random.default_rng(7)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


class OnnxCase(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def load(self, nodes, feeds, outputs, opset=17, tensors=(), domains=()):
        ports = [onnx.port(name, array.dtype.name, array.shape)
                 for name, array in feeds.items()]
        graph = onnx.graph(nodes, ports, outputs, tensors)
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, opset, domains))
        return sy.load(self.path)

    def run_both(self, nodes, feeds, outputs, **options):
        """The results, which both executors give, bit by bit."""
        program = self.load(nodes, feeds, outputs, **options)
        results = program.run(feeds)
        eager = program.run_eagerly(feeds)
        for name in outputs:
            np.testing.assert_array_equal(results[name], eager[name])
        return [results[name] for name in outputs]

    def one(self, kind, *arrays, outputs=1, domain="", opset=17, **attributes):
        """The results of one node; an array that is None is left out."""
        names = ["" if array is None else f"x{i}"
                 for i, array in enumerate(arrays)]
        feeds = {name: array for name, array in zip(names, arrays) if name}
        made = [f"y{i}" for i in range(outputs)]
        results = self.run_both(
            [onnx.node(kind, names, made, domain, **attributes)], feeds, made,
            opset=opset, domains=[(domain, 1)] if domain else ())
        return results[0] if outputs == 1 else results

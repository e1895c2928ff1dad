# SPDX-License-Identifier: Apache-2.0
"""Rewrites an ONNX file as a better exporter would have written it.

    better_onnx.py FILE.onnx BETTER.onnx 1,3,48,320

Hard-swish, exported as Add, Clip, Mul and Div, becomes one operator. What follows a convolution and maps
each channel by itself (batch norms, products and sums with constants) goes into its weights. Runs both
files on an image of the shape: outputs must agree to 2e-5 of their largest magnitude. Prints how many
operators each has.
"""
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper, version_converter

OPSET = 14  # The first with HardSwish.
BOUND = 2e-5


class Graph:
    """The nodes of a graph, with constants as arrays by name."""

    def __init__(self, graph):
        self.graph = graph
        self.nodes = [node for node in graph.node if node.op_type != "Constant"]
        self.constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant":
                self.constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        self.outputs = {one.name for one in graph.output}

    def users(self, name):
        return [node for node in self.nodes if name in node.input]

    def sole_user(self, name):
        """The node that alone uses a value; None if there are others, or it leaves the graph."""
        users = self.users(name)
        return users[0] if len(users) == 1 and name not in self.outputs else None

    def number(self, name):
        """The number that a constant of one element is; None for any other value."""
        value = self.constants.get(name)
        return float(value.reshape(-1)[0]) if value is not None and value.size == 1 else None

    def other(self, node, name):
        """The operand beside ``name`` of a node of two."""
        return node.input[1] if node.input[0] == name else node.input[0]

    def replace(self, old, new):
        """Puts ``new``, with the results of the last of ``old``, in its place."""
        place = self.nodes.index(old[-1])
        self.nodes[place] = new
        for node in old[:-1]:
            self.nodes.remove(node)

    def save(self):
        del self.graph.node[:]
        del self.graph.initializer[:]
        self.graph.node.extend(self.nodes)
        used = {name for node in self.nodes for name in node.input}
        self.graph.initializer.extend(numpy_helper.from_array(value, name)
                                      for name, value in self.constants.items() if name in used)


def hard_swish(graph, add):
    """The nodes of x * clip(x + 3, 0, 6) / 6, which begins with ``add``, and x; None for anything else."""
    x = next((name for name in add.input if graph.number(graph.other(add, name)) == 3), None)
    clip = graph.sole_user(add.output[0])
    if x is None or clip is None or clip.op_type != "Clip":
        return None
    if [graph.number(name) for name in clip.input[1:]] != [0, 6]:
        return None
    product = graph.sole_user(clip.output[0])
    if product is None or product.op_type != "Mul" or set(product.input) != {x, clip.output[0]}:
        return None
    quotient = graph.sole_user(product.output[0])
    if quotient is None or quotient.op_type != "Div" or graph.number(quotient.input[1]) != 6:
        return None
    return [add, clip, product, quotient], x


def fuse_hard_swish(graph):
    for node in list(graph.nodes):
        found = hard_swish(graph, node) if node.op_type == "Add" else None
        if found:
            nodes, x = found
            graph.replace(nodes, helper.make_node("HardSwish", [x], nodes[-1].output))


def affine(graph, node, x, channels):
    """(factor, addend) of each channel that ``node`` maps ``x`` by; None for anything else."""
    if node.op_type == "BatchNormalization":
        gamma, beta, mean, variance = (graph.constants[name] for name in node.input[1:5])
        epsilon = next((one.f for one in node.attribute if one.name == "epsilon"), 1e-5)
        factor = gamma.astype(np.float64) / np.sqrt(variance.astype(np.float64) + epsilon)
        return factor, beta - mean * factor
    if node.op_type not in ("Mul", "Add"):
        return None
    value = graph.constants.get(graph.other(node, x))
    if value is None or value.size not in (1, channels) or (
            value.size > 1 and (value.ndim < 3 or value.shape[-3] != channels)):
        return None
    value = np.broadcast_to(value.reshape(-1), channels).astype(np.float64)
    return (value, 0 * value) if node.op_type == "Mul" else (np.ones(channels), value)


def fold_affine(graph):
    for conv in [node for node in graph.nodes if node.op_type == "Conv"]:
        weight = graph.constants.get(conv.input[1])
        if weight is None or len(graph.users(conv.input[1])) > 1:
            continue
        channels = weight.shape[0]
        factor, addend = np.ones(channels), np.zeros(channels)
        if len(conv.input) > 2:
            addend = graph.constants[conv.input[2]].astype(np.float64)
        last, nodes = conv, []
        while True:
            user = graph.sole_user(last.output[0])
            found = user is not None and affine(graph, user, last.output[0], channels)
            if not found:
                break
            factor, addend = factor * found[0], addend * found[0] + found[1]
            nodes.append(user)
            last = user
        if not nodes:
            continue
        names = [conv.output[0] + "_weight", conv.output[0] + "_bias"]
        graph.constants[names[0]] = (weight * factor.reshape(-1, 1, 1, 1)).astype(np.float32)
        graph.constants[names[1]] = addend.astype(np.float32)
        folded = helper.make_node("Conv", [conv.input[0], *names], last.output)
        folded.attribute.extend(conv.attribute)
        graph.replace([conv, *nodes], folded)


def image(shape):
    """Lines of strokes. Noise would be amplified by networks that have never seen any."""
    rows, columns = np.meshgrid(*map(np.arange, shape[-2:]), indexing="ij")
    strokes = np.sin(columns * 1.3) + np.sin(columns * 0.37) > 0.4
    lines = (rows % 48 > 12) & (rows % 48 < 36)
    return np.broadcast_to(np.where(strokes & lines, -1, 1), shape).astype(np.float32)


def run(file, shape):
    import onnxruntime
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: image(shape)})


def main():
    source, target, shape = sys.argv[1], sys.argv[2], tuple(map(int, sys.argv[3].split(",")))
    model = version_converter.convert_version(onnx.load(source), OPSET)
    graph = Graph(model.graph)
    before = len(graph.nodes)
    fuse_hard_swish(graph)
    fold_affine(graph)
    graph.save()
    onnx.checker.check_model(model)
    onnx.save(model, target)
    for old, new in zip(run(source, shape), run(target, shape)):
        worst = np.abs(old - new).max() / np.abs(old).max()
        if not worst <= BOUND:
            sys.exit(f"better_onnx: outputs must agree to {BOUND}, got {worst:.1e}")
    print(f"{before} operators became {len(graph.nodes)}")


if __name__ == "__main__":
    main()

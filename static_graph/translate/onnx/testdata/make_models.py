# SPDX-License-Identifier: Apache-2.0
"""Writes the models of the fuzz target: one that loads for each kind of
message, and one for each sentence of an error, which sentences.txt has.

    PYTHONPATH=python/tests python3 make_models.py
"""

import pathlib

import numpy as np
import onnx_models as onnx

HERE = pathlib.Path(__file__).resolve().parent
X = onnx.port("x", "float32", ("n", 4))
W = np.arange(12, dtype=np.float32).reshape(4, 3)


def simple(kind, inputs=("x",), opset=17, domains=(), domain="", tensors=(),
           ports=(X,), outputs=("y",), **attributes):
    graph = onnx.graph([onnx.node(kind, inputs, ["y"], domain, **attributes)],
                       ports, outputs, tensors)
    return onnx.model(graph, opset, domains)


def body(*nodes, ports=(), outputs=("z",)):
    return onnx.graph(nodes, ports, outputs)


def external(location, offset=0):
    entry = lambda key, value: onnx.message(
        13, onnx.message(1, key) + onnx.message(2, value))
    tensor = (onnx.number(1, 2) + onnx.number(2, 1) + onnx.message(8, "w")
              + entry("location", location) + entry("offset", str(offset))
              + onnx.number(14, 1))
    graph = onnx.message(1, onnx.node("Add", ["x", "w"], ["y"])) + onnx.message(
        5, tensor) + onnx.message(11, onnx.port("x", "float32", (2,))) + \
        onnx.message(12, onnx.message(1, "y"))
    return onnx.number(1, 8) + onnx.message(7, graph) + onnx.message(
        8, onnx.number(2, 17))


def bad_tensor(code=1, extent=3, raw=8):
    tensor = (onnx.number(1, extent) + onnx.number(2, code)
              + onnx.message(8, "w") + onnx.message(9, bytes(raw)))
    graph = onnx.message(1, onnx.node("Add", ["x", "w"], ["y"])) + onnx.message(
        5, tensor) + onnx.message(11, X) + onnx.message(
            12, onnx.message(1, "y"))
    return onnx.number(1, 8) + onnx.message(7, graph) + onnx.message(
        8, onnx.number(2, 17))


def sparse(index=2, places=2):
    """A model whose 'w' of four elements is sparse, with two of them."""
    values = onnx.tensor("w", np.float32([1, 2])[:places])
    held = (onnx.message(1, values) + onnx.number(3, 4)
            + onnx.message(2, onnx.tensor("", np.array([0, index]))))
    return onnx.model(onnx.graph([onnx.node("Add", ["x", "w"], ["y"])], [X],
                                 ["y"]) + onnx.message(15, held))


def texts(count=2):
    """A model that adds 'w', two texts, to x."""
    held = (onnx.number(1, count) + onnx.number(2, 8) + onnx.message(8, "w")
            + onnx.message(6, "a") + onnx.message(6, ""))
    return onnx.model(onnx.graph(
        [onnx.node("StringConcat", ["x", "w"], ["y"])],
        [onnx.port("x", "string", (1,))], ["y"]) + onnx.message(5, held), 20)


LOOP_PORTS = [onnx.port("i", "int64", ()), onnx.port("c", "bool", ()),
              onnx.port("s", "float32", (4,))]
LOADS = {
    "loads_network": onnx.model(onnx.graph(
        [onnx.node("MatMul", ["x", "w"], ["p"]),
         onnx.node("Softmax", ["p"], ["y"], axis=-1)], [X], ["y"], [("w", W)])),
    "loads_scan": simple("Scan", ["x"], num_scan_inputs=1, body=body(
        onnx.node("Relu", ["e"], ["z"]), ports=[onnx.port(
            "e", "float32", (4,))])),
    "loads_loop": simple(
        "Loop", ["m", "", "v"], body=body(
            onnx.node("Add", ["s", "s"], ["t"]),
            onnx.node("Identity", ["c"], ["d"]), ports=LOOP_PORTS,
            outputs=["d", "t"]),
        ports=(onnx.port("v", "float32", (4,)), onnx.port("m", "int64", ()))),
    "loads_sequence": onnx.model(onnx.graph(
        [onnx.node("SplitToSequence", ["x"], ["s"]),
         onnx.node("ConcatFromSequence", ["s"], ["y"], axis=0)], [X], ["y"])),
    "loads_sparse": sparse(),
    "loads_texts": texts(),
    "loads_gru": simple(
        "GRU", ["x", "w", "r"], hidden_size=2,
        ports=(onnx.port("x", "float32", (3, 1, 4)),),
        tensors=[("w", np.ones((1, 6, 4), np.float32)),
                 ("r", np.ones((1, 6, 2), np.float32))]),
}
ERRORS = {
    "no_model": (b"\x08\x08", "with a graph"),
    "cut_off": (LOADS["loads_network"][:60], "cut off or damaged"),
    "ir_version": (onnx.number(1, 99) + LOADS["loads_network"][2:],
                   "ir_version must be in [3, 14], got 99"),
    "no_operator": (simple("Relo"), "has no operator of this name"),
    "not_computed": (simple("ImageDecoder", opset=20), "no operator here computes"),
    "opset": (simple("Relu", opset=99), "the opset of ai.onnx must be in"),
    "domain": (simple("Relu", domain="other"), "one that the model imports"),
    "attribute": (simple("Relu", alpha=1.0), "attributes must be those"),
    "no_attribute": (simple("Cast"), "attribute to must be given"),
    "many_inputs": (simple("Relu", ["x", "x"]), "inputs must be at most 1"),
    "no_input": (simple("Add"), "input B must be given"),
    "unwritten": (simple("Relu", ["z"]), "written before it is read"),
    "written_twice": (onnx.model(onnx.graph(
        [onnx.node("Relu", ["x"], ["y"]), onnx.node("Relu", ["x"], ["y"])],
        [X], ["y"])), "written once"),
    "described_twice": (simple("Add", ["x", "w"], tensors=[("w", W)] * 2),
                        "described once"),
    "element_type": (simple("Relu", ports=(onnx.message(1, "x") + onnx.message(
        2, onnx.message(1, onnx.number(1, 99) + onnx.message(2, b""))),)),
                     "element type must be in [1, 27), got 99"),
    "no_shape": (simple("Relu", ports=(onnx.message(1, "x") + onnx.message(
        2, onnx.message(1, onnx.number(1, 1))),)), "described with a shape"),
    "no_tensor": (simple("Relu", ports=(onnx.message(1, "x") + onnx.message(
        2, onnx.message(5, b"")),)), "a sequence of tensors"),
    "few_elements": (bad_tensor(extent=4), "tensor 'w'"),
    "negative_extent": (bad_tensor(extent=-3), "must be"),
    "few_texts": (texts(3), "elements must be 3 texts"),
    "sparse_index": (sparse(4), "indices must be in [0, 4)"),
    "sparse_indices": (sparse(places=1), "indices must be int64"),
    "outside": (external("../w"), "folder"),
    "axis": (simple("Concat", ["x", "x"], axis=7), "axis must be in"),
    "scan": (simple("Scan", ["x"], num_scan_inputs=5, body=body(
        onnx.node("Relu", ["e"], ["z"]), ports=[onnx.port(
            "e", "float32", (4,))])), "num_scan_inputs must be"),
    "activation": (simple(
        "GRU", ["x", "w", "r"], hidden_size=2, direction="sideways",
        ports=(onnx.port("x", "float32", (3, 1, 4)),),
        tensors=[("w", np.ones((1, 6, 4), np.float32)),
                 ("r", np.ones((1, 6, 2), np.float32))]),
                   "direction must be forward, reverse or bidirectional"),
}


def main():
    lines = []
    for name, data in LOADS.items():
        (HERE / f"{name}.onnx").write_bytes(data)
        lines.append(f"{name}: ")
    for name, (data, sentence) in ERRORS.items():
        (HERE / f"{name}.onnx").write_bytes(data)
        lines.append(f"{name}: {sentence}")
    (HERE / "sentences.txt").write_text("\n".join(sorted(lines)) + "\n")


if __name__ == "__main__":
    main()

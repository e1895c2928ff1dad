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


def held(bytes_, field=5, extents=(2,)):
    """A model that adds a tensor 'w' of these bytes to x."""
    graph = onnx.message(1, onnx.node("Add", ["x", "w"], ["y"])) + onnx.message(
        field, bytes_) + onnx.message(11, onnx.port(
            "x", "float32", extents)) + onnx.message(12, onnx.message(1, "y"))
    return onnx.number(1, 8) + onnx.message(7, graph) + onnx.message(
        8, onnx.number(2, 17))


def external(location, offset="0"):
    entry = lambda key, value: onnx.message(
        13, onnx.message(1, key) + onnx.message(2, value))
    return held(onnx.number(1, 2) + onnx.number(2, 1) + onnx.message(8, "w")
                + entry("location", location) + entry("offset", offset)
                + onnx.number(14, 1))


def bad_tensor(code=1, extent=3, raw=8):
    return held(onnx.number(1, extent) + onnx.number(2, code)
                + onnx.message(8, "w") + onnx.message(9, bytes(raw)),
                extents=("n", 4))


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


def nested(depth):
    """A model of branches, one inside another."""
    graph = b""
    for _ in range(depth):
        graph = onnx.graph([onnx.node("If", ["c"], ["y"], then_branch=graph)])
    return onnx.model(graph)


def function(nodes, calls):
    """A model of a function mine.f(x) -> y, which it calls."""
    body = b"".join(
        [onnx.message(1, "f"), onnx.message(4, "x"), onnx.message(5, "y")]
        + [onnx.message(7, node) for node in nodes]
        + [onnx.message(9, onnx.number(2, 17)), onnx.message(
            9, onnx.message(1, "mine") + onnx.number(2, 1)),
           onnx.message(10, "mine")])
    return onnx.model(onnx.graph(calls, [X], ["y"]),
                      domains=[("mine", 1)]) + onnx.message(25, body)


CALL = onnx.node("f", ["x"], ["y"], "mine")
BRANCH = body(onnx.node("Identity", ["x"], ["z"]))
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
    "input_name": (simple("Relu", ports=(onnx.port("", "float32", (2,)),)),
                   "input must be named"),
    "tensor_name": (held(onnx.tensor("", W)), "initializer must be named"),
    "no_type": (simple(""), "node 0 must be of some type"),
    "deep": (nested(40), "graphs must be nested at most 32 deep"),
    "no_tensor_message": (held(onnx.message(8, "w") + b"\x0a\xff"),
                          "its bytes are not a tensor"),
    "no_sparse_message": (held(onnx.message(1, b"") + b"\x0a\xff", 15),
                          "its bytes are not a sparse tensor"),
    "sparse_values": (held(
        onnx.message(1, onnx.tensor("w", W)) + onnx.number(3, 12)
        + onnx.message(2, onnx.tensor("", np.array([0]))), 15),
                      "values must be of one axis"),
    "offset": (external("w", "x"),
               "offset must be a number of bytes"),
    "bool": (held(onnx.number(1, 2) + onnx.number(2, 9) + onnx.message(8, "w")
                  + onnx.message(9, b"\1\2")), "a bool must be 0 or 1"),
    "rank": (held(onnx.number(1, 1) * 99 + onnx.number(2, 1)
                  + onnx.message(8, "w") + onnx.message(9, bytes(4))),
             "rank must be at most"),
    "segment": (held(onnx.tensor("w", W) + onnx.message(3, onnx.number(1, 0))),
                "a tensor must be in one piece"),
    "old_version": (simple("Add", ["x", "x"], opset=5),
                    "must be that of opset 6"),
    "recursion": (function([CALL], [CALL]),
                  "functions must be nested at most 32 deep"),
    "function_inputs": (function([onnx.node("Relu", ["x"], ["y"])], [
        onnx.node("f", ["x", "x"], ["y"], "mine")]),
                        "inputs and outputs must be those of the function"),
    "graph_inputs": (simple("If", ["c"], then_branch=BRANCH, else_branch=body(
        onnx.node("Identity", ["q"], ["z"]), ports=[onnx.port(
            "q", "float32", (4,))]),
                            ports=(X, onnx.port("c", "bool", ()))),
                     "a graph of 0 inputs"),
    "many_outputs": (simple("Loop", ["m", "", "x"], body=body(
        onnx.node("Identity", ["c"], ["d"]), ports=LOOP_PORTS, outputs=["d"]),
                            ports=(X, onnx.port("m", "int64", ()))),
                     "of as many outputs as the loop has"),
    "map": (simple("DictVectorizer", domain="ai.onnx.ml",
                   domains=[("ai.onnx.ml", 1)]), "a map is only a result"),
    "context": (simple("EPContext", domain="com.microsoft",
                       domains=[("com.microsoft", 1)]),
                "it holds what a device's own compiler made"),
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

# SPDX-License-Identifier: Apache-2.0
"""The static cases, for ONNX Runtime. usage: onnxruntime_cases.py THREADS"""

import pathlib
import sys
import time

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from worker import Case, serve


def session(op, nodes):
    """x = op(x) or op(x, y), `nodes` times, on one element; a bound call."""
    graph_nodes, last = [], "x"
    for i in range(nodes):
        following = "out" if i == nodes - 1 else f"t{i}"
        inputs = [last, "y"] if op == "Add" else [last]
        graph_nodes.append(helper.make_node(op, inputs, [following]))
        last = following
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1])
            for name in ("x", "y", "out")]
    graph = helper.make_graph(graph_nodes, "chain", info[:2], info[2:])
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    options = ort.SessionOptions()
    options.intra_op_num_threads = int(sys.argv[1])
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Otherwise relu(relu(x)) is one node.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    runner = ort.InferenceSession(model.SerializeToString(), options,
                                  providers=["CPUExecutionProvider"])
    binding = runner.io_binding()
    one = np.ones(1, np.float32)
    for name in ("x", "y"):
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(one))
    binding.bind_ortvalue_output(
        "out", ort.OrtValue.ortvalue_from_numpy(np.empty_like(one)))
    return lambda: runner.run_with_iobinding(binding)


class NodeCase(Case):
    """The time of a node beyond the first 200 of a chain."""

    def __init__(self, op):
        super().__init__(None)
        self.op, self.runs = op, None

    def nanoseconds(self, seconds):
        if self.runs is None:
            self.runs = [session(self.op, 200), session(self.op, 400)]
            for run in self.runs * 3:
                run()
        beyond, end = [], time.perf_counter() + seconds
        while time.perf_counter() < end or len(beyond) < 5:
            begin = time.perf_counter_ns()
            self.runs[0]()
            middle = time.perf_counter_ns()
            self.runs[1]()
            beyond.append((time.perf_counter_ns() - middle) - (middle - begin))
        return sorted(beyond)[len(beyond) // 2] / 200


CASES = {
    "relu_node": NodeCase("Relu"),
    "add_node": NodeCase("Add"),
    "one_node": Case(lambda: session("Relu", 1)),
}

if __name__ == "__main__":
    serve(CASES)

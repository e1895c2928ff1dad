# SPDX-License-Identifier: Apache-2.0
"""Models of one node, and what ONNX Runtime, ONNX's reference and Switchyard
make of them. Needs `onnx` and `onnxruntime`, which only tests use."""

import os
import tempfile

import numpy as np
import onnx
import onnxruntime
import switchyard as sy
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

OLDEST = 6  # The oldest opset that is read.
_NEWEST_OF_RUNTIME = 26
onnxruntime.set_default_logger_severity(4)


def make(name, version, case):
    """(the model's bytes, its feeds, the names of its outputs)."""
    names, held, feeds = [], [], {}
    for i, array in enumerate(case.inputs):
        if array is None:
            names.append("")
            continue
        array = np.ascontiguousarray(array).reshape(array.shape)
        names.append(f"x{i}")
        if i in case.const:
            held.append(numpy_helper.from_array(array, names[-1]))
        else:
            feeds[names[-1]] = array
    while names and not names[-1]:
        names.pop()
    outputs = [f"y{i}" for i in range(case.outputs)]
    attributes = {
        key: numpy_helper.from_array(value) if isinstance(value, np.ndarray)
        else value for key, value in case.attributes.items()}
    node = helper.make_node(name, names, outputs, **attributes)
    ports = [helper.make_tensor_value_info(
        port, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
             for port, array in feeds.items()]
    graph = helper.make_graph([node], "g", ports,
                              [onnx.ValueInfoProto(name=one)
                               for one in outputs], held)
    model = helper.make_model(
        graph, ir_version=10,
        opset_imports=[helper.make_opsetid("", max(version, OLDEST))])
    return model.SerializeToString(), feeds, outputs


def by_runtime(model, feeds, version):
    """The outputs; None where it does not run the model."""
    if version > _NEWEST_OF_RUNTIME:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    try:
        session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"])
        return session.run(None, feeds)
    except Exception:  # It has many types of errors.
        return None


def by_reference(model, feeds):
    try:
        with np.errstate(all="ignore"):
            return ReferenceEvaluator(onnx.load_from_string(model)).run(
                None, feeds)
    except Exception:  # Whatever NumPy raises.
        return None


def by_switchyard(model, feeds, outputs):
    """The outputs, of both executors if they differ; else an error's text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(model)
        try:
            program = sy.load(path)
            static, eager = program.run(feeds), program.run_eagerly(feeds)
        except Exception as error:  # An answer, too.
            return f"{type(error).__name__}: {error}".replace(path, "model")
    return [[np.asarray(run[name]) for name in outputs]
            for run in (static, eager)]

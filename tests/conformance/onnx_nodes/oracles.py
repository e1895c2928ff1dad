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
# That of models with operators of other domains.
_BESIDE = 17
_NEWEST_OF_RUNTIME = 26
onnxruntime.set_default_logger_severity(4)


def _type_of(value, optional):
    """The type of an input. A list is a sequence, whose elements are of one
    rank."""
    first = value[0] if isinstance(value, list) else value
    element = (onnx.TensorProto.STRING if first.dtype.kind in "OU" else
               helper.np_dtype_to_tensor_dtype(first.dtype))
    kind = helper.make_tensor_type_proto(
        element, [None] * first.ndim if isinstance(value, list)
        else value.shape)
    if isinstance(value, list):
        kind = helper.make_sequence_type_proto(kind)
    return helper.make_optional_type_proto(kind) if optional else kind


def _named(count):
    return [f"y{i}" for i in range(count)] if isinstance(count, int) else count


def _opsets(domain, version):
    if not domain:
        return [helper.make_opsetid("", max(version, OLDEST))]
    return [helper.make_opsetid("", _BESIDE),
            helper.make_opsetid(domain, version)]


def make(name, version, case):
    """(the model's bytes, its feeds, the names of its outputs)."""
    domain, _, name = name.rpartition(".")
    names, held, feeds = [], [], {}
    for i, array in enumerate(case.inputs):
        if array is None:
            names.append("")
            continue
        if not isinstance(array, list):
            array = np.ascontiguousarray(array).reshape(array.shape)
        names.append(f"x{i}")
        if i in case.const:
            held.append(numpy_helper.from_array(array, names[-1]))
        else:
            feeds[names[-1]] = array
    while names and not names[-1]:
        names.pop()
    outputs = _named(case.outputs)
    attributes = {
        key: numpy_helper.from_array(value) if isinstance(value, np.ndarray)
        else value for key, value in case.attributes.items()}
    node = helper.make_node(name, names, outputs, domain=domain, **attributes)
    ports = [helper.make_value_info(
        port, _type_of(array, int(port[1:]) in case.optional))
             for port, array in feeds.items()]
    outputs = [one for one in outputs if one]
    graph = helper.make_graph([node], "g", ports,
                              [onnx.ValueInfoProto(name=one)
                               for one in outputs], held)
    model = helper.make_model(
        graph, ir_version=10, opset_imports=_opsets(domain, version))
    return model.SerializeToString(), feeds, outputs


def _dense(sparse):
    """ONNX Runtime's sparse tensor as an array."""
    sparse = onnxruntime.SparseTensor(sparse)
    array = np.zeros(sparse.dense_shape(), sparse.values().dtype)
    array.reshape(-1)[sparse.as_coo_view().indices().reshape(-1)] = (
        sparse.values())
    return array


def flat(values):
    """Arrays: a sequence as a text of its length and its elements, maps as the
    keys and values of each, texts as NumPy's."""
    arrays = []
    for value in values:
        if isinstance(value, dict):
            keys = sorted(value)
            arrays += [np.asarray(keys), np.asarray(
                [value[key] for key in keys], np.float32)]
        elif isinstance(value, list):
            arrays.append(np.asarray(f"{len(value)} elements"))
            arrays += flat(value)
        else:
            array = (_dense(value) if hasattr(value, "dense_shape")
                     else np.asarray(value))
            texts = array.dtype.kind == "O"
            arrays.append(array.astype(str) if texts else array)
    return arrays


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
        return flat(session.run(None, feeds))
    except Exception:  # It has many types of errors.
        return None


def by_reference(model, feeds):
    try:
        with np.errstate(all="ignore"):
            return flat(ReferenceEvaluator(onnx.load_from_string(model)).run(
                None, feeds))
    except Exception:  # Whatever NumPy raises.
        return None


def _feed(value):
    texts = not isinstance(value, list) and value.dtype.kind in "OU"
    return sy.strings.tensor(value) if texts else value


def _plain(value):
    """A result as an array, or a list of arrays or maps."""
    kind = getattr(value, "kind", "dense")
    if kind == "strings":
        return np.array(value.tolist(), object).reshape(value.shape)
    if kind == "tensor_array":
        return [sy.array_read(value, i).numpy()
                for i in range(int(sy.array_length(value).item()))]
    return value


def by_switchyard(model, feeds, outputs):
    """The outputs, of both executors if they differ; else an error's text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(model)
        try:
            program = sy.load(path)
            feeds = {name: _feed(value) for name, value in feeds.items()}
            static, eager = program.run(feeds), program.run_eagerly(feeds)
        except Exception as error:  # An answer, too.
            return f"{type(error).__name__}: {error}".replace(path, "model")
    return [flat(_plain(run[name]) for name in outputs)
            for run in (static, eager)]

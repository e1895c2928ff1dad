# SPDX-License-Identifier: Apache-2.0
"""A model said otherwise, for ONNX Runtime and ONNX's reference to run
where neither can take it as it is, or both read it otherwise than the
specification does. Each form follows from a sentence of the specification."""

import numpy as np
import onnx
import oracles
import recurrence
from onnx import (helper, numpy_helper, shape_inference, version_converter)

_HALF, _DOUBLE, _SINGLE = 10, 11, 1
_ARITHMETIC = ("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal",
               "Greater", "Less", "Pow")


def _dtypes(model):
    """Those of the outputs, by ONNX's inference: a wider model's results are
    told in them."""
    inferred = shape_inference.infer_shapes(model)
    kinds = [port.type.tensor_type.elem_type for port in inferred.graph.output]
    return [helper.tensor_dtype_to_np_dtype(kind) if kind else None
            for kind in kinds]


def _wider(model, feeds):
    """In float32: neither oracle has all kernels of halves and doubles."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)

    def widen(tensor):
        if tensor.data_type in (_HALF, _DOUBLE):
            array = numpy_helper.to_array(tensor).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))

    for tensor in wide.graph.initializer:
        widen(tensor)
    del wide.graph.value_info[:]  # The converter says the old dtypes.
    for port in wide.graph.output:
        port.ClearField("type")
    for port in wide.graph.input:
        if port.type.tensor_type.elem_type in (_HALF, _DOUBLE):
            port.type.tensor_type.elem_type = _SINGLE
    for attribute in wide.graph.node[0].attribute:
        if attribute.name in ("to", "dtype", "output_dtype", "output_datatype",
                              "stash_type"):
            if attribute.i in (_HALF, _DOUBLE):
                attribute.i = _SINGLE
        elif attribute.type == onnx.AttributeProto.TENSOR:
            widen(attribute.t)
    return wide, {name: array.astype(np.float32)
                  if array.dtype.kind == "f" else array
                  for name, array in feeds.items()}


def _attribute(node, name, default):
    for attribute in node.attribute:
        if attribute.name == name:
            return helper.get_attribute_value(attribute)
    return default


def _drop(node, *names):
    kept = [each for each in node.attribute if each.name not in names]
    del node.attribute[:]
    node.attribute.extend(kept)


def _aligned(model, feeds):
    """Before version 7 the second operand's axes are those of the first from
    `axis` on, and PRelu's slope of more than one element is one a channel:
    version 7 with axes of 1 after it."""
    node = model.graph.node[0]
    if (node.op_type not in _ARITHMETIC + ("PRelu",)
            or model.opset_import[0].version >= 7):
        return None
    x, y = (feeds[name] for name in node.input)
    start = _attribute(node, "axis", 1 if node.op_type == "PRelu" else
                       x.ndim - y.ndim)
    if y.size == 1 and node.op_type == "PRelu":
        start = x.ndim - 1
    new = onnx.ModelProto()
    new.CopyFrom(model)
    _drop(new.graph.node[0], "axis", "broadcast")
    shape = y.shape + (1,) * (x.ndim - y.ndim - start)
    new.opset_import[0].version = 7
    extents = new.graph.input[1].type.tensor_type.shape
    del extents.dim[:]
    for extent in shape:
        extents.dim.add().dim_value = extent
    return new, {**feeds, node.input[1]: y.reshape(shape)}


def _padded(model, feeds):
    """auto_pad as pads: pad_shape[i] = (output_spatial_shape[i] - 1) *
    strides[i] + ((kernel_spatial_shape[i] - 1) * dilations[i] + 1) -
    input_spatial_shape[i], with output_spatial_shape[i] the input's extent
    over the stride, rounded up."""
    node = model.graph.node[0]
    way = _attribute(node, "auto_pad", b"").decode()
    if node.op_type not in ("MaxPool", "AveragePool", "LpPool") or (
            way not in ("SAME_UPPER", "SAME_LOWER")):
        return None
    kernel = _attribute(node, "kernel_shape", None)
    strides = _attribute(node, "strides", [1] * len(kernel))
    dilations = _attribute(node, "dilations", [1] * len(kernel))
    before, after = [], []
    for extent, k, stride, dilation in zip(
            feeds[node.input[0]].shape[2:], kernel, strides, dilations):
        out = -(-extent // stride)
        total = max(0, (out - 1) * stride + (k - 1) * dilation + 1 - extent)
        less, more = total // 2, total - total // 2
        before.append(less if way == "SAME_UPPER" else more)
        after.append(more if way == "SAME_UPPER" else less)
    new = onnx.ModelProto()
    new.CopyFrom(model)
    _drop(new.graph.node[0], "auto_pad", "pads", "ceil_mode")
    new.graph.node[0].attribute.append(
        helper.make_attribute("pads", before + after))
    return new, feeds


def _newer(model, feeds, version):
    """Converts by ONNX's own converter, which forgets how Resize rounded before."""
    if model.opset_import[0].version >= version or (
            model.graph.node[0].op_type in ("Resize", "Upsample")):
        return None
    try:
        return version_converter.convert_version(model, version), feeds
    except Exception:  # It has no rule for the operator.
        return None


def _older(model, feeds):
    """The newest version of some operators is the one before: it takes bfloat16
    as well, or says that another operator should be used."""
    changed = {"MaxRoiPool": (0, 22, 21), "Multinomial": (0, 22, 21),
               "Optional": (0, 28, 21), "RandomNormalLike": (0, 22, 21),
               "RandomUniformLike": (0, 22, 21),
               "TreeEnsembleClassifier": (1, 5, 3),
               "TreeEnsembleRegressor": (1, 5, 3)}
    which, version, before = changed.get(model.graph.node[0].op_type,
                                         (0, 99, 0))
    if model.opset_import[which].version < version:
        return None
    new = onnx.ModelProto()
    new.CopyFrom(model)
    new.opset_import[which].version = before
    return new, feeds


def _looped(model, feeds):
    """Version 1 of Loop holds in opset 10, too, where the operators of its body
    broadcast without an attribute."""
    if (model.graph.node[0].op_type != "Loop"
            or model.opset_import[0].version >= 7):
        return None
    new = onnx.ModelProto()
    new.CopyFrom(model)
    new.opset_import[0].version = 10
    for node in new.graph.node[0].attribute[0].g.node:
        _drop(node, "broadcast")
    return new, feeds


def _said(model, feeds):
    """QLinearReduceMean as its schema says that it is, "Dequantize(Input)
    -> ReduceMean on fp32 data -> Quantize(output)": ONNX Runtime has no kernel
    of it on a CPU."""
    node = model.graph.node[0]
    if node.op_type != "QLinearReduceMean":
        return None
    names = [name for name in node.input] + [""] * (5 - len(node.input))
    new = onnx.ModelProto()
    new.CopyFrom(model)
    del new.graph.node[:]
    new.graph.node.extend([
        helper.make_node("DequantizeLinear", names[:3], ["wide"]),
        helper.make_node("ReduceMean", ["wide"], ["mean"],
                         axes=_attribute(node, "axes", None),
                         keepdims=_attribute(node, "keepdims", 1)),
        helper.make_node("QuantizeLinear", ["mean"] + names[3:], node.output)])
    if not names[4]:
        new.graph.node[2].input[2] = "none"
        dtype = feeds[node.input[0]].dtype
        new.graph.initializer.append(
            numpy_helper.from_array(np.zeros((), dtype), "none"))
    return new, feeds


def _forms(model, feeds):
    """The model itself included."""
    yield model, feeds
    others = [_aligned(model, feeds), _padded(model, feeds),
              _older(model, feeds), _looped(model, feeds),
              _said(model, feeds),
              _newer(model, feeds, 7), _newer(model, feeds, 13)]
    yield from (form for form in others if form is not None)


def _run(model, feeds):
    """Yields the results of those that run a model."""
    data = model.SerializeToString()
    version = model.opset_import[0].version
    for got in (oracles.by_runtime(data, feeds, version),
                oracles.by_reference(data, feeds)):
        if got is not None:
            yield got


def results(model, feeds):
    """Yields the outputs as others say them, one list after another."""
    model = onnx.load_from_string(model)
    if any(isinstance(each, list) for each in feeds.values()):
        older = _older(model, feeds)
        if older is not None:
            yield from _run(*older)
        return
    dtypes = _dtypes(model)
    told = recurrence.outputs(model, feeds)
    if told is not None:
        yield told
    for form, fed in _forms(model, feeds):
        wide, wide_fed = _wider(form, fed)
        runs = [(form, fed)] if form is not model else []
        for each, given in runs + [(wide, wide_fed)]:
            for got in _run(each, given):
                yield [np.asarray(array) if dtype is None else
                       np.asarray(array).astype(dtype)
                       for array, dtype in zip(got, dtypes)]

# SPDX-License-Identifier: Apache-2.0
"""Writes small networks of PyTorch as ONNX models, for rows of docs/models.md.
By hand, where torch, onnx, onnxscript and onnxruntime are:

    VENV/bin/python tools/models/make_torch_models.py FOLDER [classic dynamo quant]

torch_classic_OPSET_NETWORK.onnx are of the exporter that traces, torch_dynamo_*
of the other one, torch_quant_NETWORK_* of onnxruntime.quantization, with static
scales (qdq, qop) and dynamic ones (dyn). What an exporter has no operators for
it says, and there is no file.
"""

import argparse
import logging
import pathlib
import tempfile
import warnings

import numpy as np
import onnx
import torch
from torch_networks import NETWORKS

CLASSIC_OPSETS = (9, 13, 17, 20)
DYNAMO_OPSETS = (18, 23)
QUANTISED = ("conv", "unet", "vit")


def export(model, network, path, **options):
    """Why there is no file, or None."""
    inputs = tuple(network.inputs())
    try:
        torch.onnx.export(model, inputs, path, input_names=network.names,
                          verbose=False, **options)
    except Exception as error:  # Exporters raise what they meet.
        pathlib.Path(path).unlink(missing_ok=True)
        return f"{type(error).__name__}: {str(error).strip()}".split("\n")[0]
    return None


def free_batches(network):
    return {name: {axis: "batch"} for name, axis in
            zip(network.names, network.batch_axes) if axis is not None}


def classic(folder, name, model, network):
    for opset in CLASSIC_OPSETS:
        yield f"classic_{opset}_{name}", export(
            model, network, str(folder / f"torch_classic_{opset}_{name}.onnx"),
            opset_version=opset, dynamo=False,
            dynamic_axes=free_batches(network))


def dynamo(folder, name, model, network):
    batch = torch.export.Dim("batch", min=1, max=64)
    shapes = tuple(None if axis is None else {axis: batch}
                   for axis in network.batch_axes)
    if isinstance(model, torch.jit.ScriptModule):
        return
    for opset in DYNAMO_OPSETS:
        yield f"dynamo_{opset}_{name}", export(
            model, network, str(folder / f"torch_dynamo_{opset}_{name}.onnx"),
            opset_version=opset, dynamo=True, dynamic_shapes=shapes,
            external_data=False)


def quant(folder, name, model, network):
    from onnxruntime import quantization
    if name not in QUANTISED:
        return

    class Reader(quantization.CalibrationDataReader):
        def __init__(self):
            rng = np.random.default_rng(1)
            shapes = [tuple(one.shape) for one in network.inputs()]
            self._left = iter([
                {word: rng.normal(size=shape).astype(np.float32)
                 for word, shape in zip(network.names, shapes)}
                for _ in range(8)])

        def get_next(self):
            return next(self._left, None)

    with tempfile.TemporaryDirectory() as scratch:
        plain = f"{scratch}/plain.onnx"
        why = export(model, network, plain, opset_version=17, dynamo=False,
                     dynamic_axes=free_batches(network))
        if why is not None:
            yield f"quant_{name}", why
            return
        for word, form in (("qdq", quantization.QuantFormat.QDQ),
                           ("qop", quantization.QuantFormat.QOperator)):
            quantization.quantize_static(
                plain, str(folder / f"torch_quant_{name}_{word}.onnx"), Reader(),
                quant_format=form)
            yield f"quant_{name}_{word}", None
        quantization.quantize_dynamic(
            plain, str(folder / f"torch_quant_{name}_dyn.onnx"))
        yield f"quant_{name}_dyn", None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("kinds", nargs="*", default=[])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    makers = {"classic": classic, "dynamo": dynamo, "quant": quant}
    for kind in arguments.kinds or makers:
        for name, network in NETWORKS.items():
            torch.manual_seed(7)
            model = network.make().eval()
            for file, why in makers[kind](arguments.folder, name, model, network):
                if why is None:
                    onnx.checker.check_model(
                        onnx.load(arguments.folder / f"torch_{file}.onnx"))
                print(file, why or "written", flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Runs a model in ONNX Runtime on the cases of a folder; needs nothing of Switchyard.

    VENV/bin/python run_onnxruntime.py MODEL.onnx CASES

As run_paddle.py does.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import case_files  # noqa: E402
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import peer_cases  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("cases", type=pathlib.Path)
    return parser.parse_args()


def session_of(path):
    """The model as it is written: without ONNX Runtime's own passes. Where it multiplies whole numbers, with those
    passes: one of them has products that do not saturate on a processor without VNNI.
    """
    options = onnxruntime.SessionOptions()
    model = pathlib.Path(path).read_bytes()
    if any(name in model for name in (b"MatMulInteger", b"ConvInteger")):
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.add_session_config_entry("session.x64quantprecision", "1")
    else:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def matrix_of(result):
    """A result as an array: the dictionaries of a ZipMap, one a row, are a matrix."""
    if not isinstance(result, list) or not all(isinstance(row, dict) for row in result):
        return result
    return np.array([list(row.values()) for row in result], np.float32)


def main():
    arguments = parse_arguments()
    try:
        session = session_of(arguments.model)
    except Exception as error:  # It has many types of errors.
        case_files.write_reason(arguments.cases, "peer", error)
        return
    names = [port.name for port in session.get_outputs()]

    def run(feeds):
        found = session.run(names, {one.name: one.array for one in feeds})
        return [case_files.NamedArray(name, matrix_of(result)) for name, result in zip(names, found)]

    peer_cases.run_all(arguments.cases, run)


if __name__ == "__main__":
    main()

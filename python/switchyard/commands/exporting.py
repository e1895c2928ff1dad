# SPDX-License-Identifier: Apache-2.0
"""export: a saved program or a PaddlePaddle model as an ONNX model."""

import argparse

from switchyard.commands import COMMANDS, program_of
from switchyard.commands.faults import WrongArgument
from switchyard.static.exporting import export_onnx
from switchyard.static.loading import load


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=program_of(command), description=COMMANDS[command][1],
        allow_abbrev=False)
    add = parser.add_argument
    add("model", metavar="MODEL", help="a folder or a file")
    add("-o", "--output", metavar="FILE.onnx", default="model.onnx",
        help="where the model goes: model.onnx")
    add("--weights", metavar="FILE",
        help="the file of the weights, if it lies elsewhere")
    add("--opset", metavar="N", type=int, default=20, help="17 to 28: 20")
    add("--axis", metavar="NAME:AXIS=WORD", action="append", default=[],
        help="the name of an open extent of an input or output: x:0=batch")
    add("--external-data", action="store_true",
        help="weights go to a file of their own, FILE.onnx.data")
    return parser


def _axes(words):
    axes = {}
    for word in words:
        port, _, name = word.partition("=")
        port, _, axis = port.rpartition(":")
        if not port or not name or not axis.isdigit():
            raise WrongArgument(f"--axis: expected NAME:AXIS=WORD, got '{word}'")
        axes.setdefault(port, {})[int(axis)] = name
    return axes


def main(command, words):
    """Runs the command."""
    arguments = _parser(command).parse_args(words)
    axes = _axes(arguments.axis)
    model = load(arguments.model, weights=arguments.weights, exact=True)
    export_onnx(model, arguments.output, opset=arguments.opset, axes=axes,
                external_data=arguments.external_data or None)
    print(f"{arguments.output}: an ONNX model of opset {arguments.opset}")

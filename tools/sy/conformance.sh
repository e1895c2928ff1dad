#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# conformance torch --peers VENV | onnx FOLDER | export --peers VENV [--json] [--verbose] [--update] [NAME...]: PyTorch's own samples of operators, ONNX's backend tests, or ONNX Runtime on exported models
#
# torch prints a line an operator (samples, how many agree, why others do not) and their sums. NAMEs are operators
# (add, fft.fft) or beginnings ('linalg.*'); without any, all run.
#
#   --peers VENV     a virtual environment with torch, expecttest and scipy; PyTorch's answers are kept there
#   --json           the outcome of every sample as JSON
#   --verbose        every sample that does not agree, with the reason
#   --update         writes the rows of what was run into tests/conformance/torch_results.txt
#   --list           writes the list of samples of the PyTorch that is there
#
# onnx runs the tests in FOLDER, at any depth (a model.onnx beside test_data_set_0), whose names have NAME in them, by
# both executors, and prints why tests do not pass and how many do (docs/onnx.md). It has --json and --verbose.
#
# export writes the cases of python/tests/export_cases.py, the recipes, and with --models FOLDER the models in it as ONNX,
# runs ONNX Runtime on them, and prints what does not agree (docs/onnx_export.md). It has --opset, --json and NAMEs.
source tools/sy/lib.bash

peer=${1:-}
[[ $peer == torch || $peer == onnx || $peer == export ]] ||
  die "conformance: expected torch --peers VENV, onnx FOLDER, or export --peers VENV"
shift
build //python/switchyard:switchyard
exec /usr/bin/python3 -B "tests/conformance/${peer}_conformance.py" --package "$(bazel_bin)/python" "$@"

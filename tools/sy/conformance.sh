#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# conformance torch --peers VENV [--json] [--verbose] [--update] [NAME...]: PyTorch's own samples of operators, through our functions of the same names
#
# Prints a line an operator (samples, how many agree, why others do not) and their sums. NAMEs are operators
# (add, fft.fft) or beginnings ('linalg.*'); without any, all run.
#
#   --peers VENV     a virtual environment with torch, expecttest and scipy; PyTorch's answers are kept there
#   --json           the outcome of every sample as JSON
#   --verbose        every sample that does not agree, with the reason
#   --update         writes the rows of what was run into tests/conformance/torch_results.txt
#   --list           writes the list of samples of the PyTorch that is there
source tools/sy/lib.bash

[[ ${1:-} == torch ]] || die "conformance: torch is the only peer: ./sy conformance torch --peers VENV"
shift
build //python/switchyard:switchyard
exec /usr/bin/python3 -B tests/conformance/torch_conformance.py --package "$(bazel_bin)/python" "$@"

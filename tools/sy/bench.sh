#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench [--peers VENV] [--threads 1,2] [--json FILE] [FILTER...]: measure ours beside the peers
#
# FILTERs are words in the names of cases; without any, all run.
#
#   --peers VENV     a virtual environment with the systems to compare with
#   --threads 1,2    the numbers of threads
#   --json FILE      the figures for programs too
source tools/sy/lib.bash

build //tests/benchmarks:all //python/switchyard:switchyard
exec /usr/bin/python3 tests/benchmarks/bench.py --bin "$(bazel_bin)" "$@"

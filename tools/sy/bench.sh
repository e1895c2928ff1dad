#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench [--peers VENV] [--threads 1,2] [--json FILE] [FILTER...]: measure ours beside the peers
source tools/sy/lib.bash

build //tests/benchmarks:all //python/switchyard:switchyard
exec /usr/bin/python3 tests/benchmarks/bench.py --bin "$(bazel_bin)" "$@"

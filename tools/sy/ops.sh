#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ops [--json] [WORD]: the operators (whose name contains WORD) and the kernels that they have
source tools/sy/lib.bash

build_quietly //docs/ops:generated
exec /usr/bin/python3 tools/sy/list_ops.py "$(bazel_bin)/docs/ops/generated" "$@"

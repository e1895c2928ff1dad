#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# explain OP --place P ...: which kernel runs for these inputs, and why (explain --help)
source tools/sy/lib.bash

build_quietly //phi/selection/tools:explain
binary=$(bazel_bin)/phi/selection/tools/explain
cd "$SY_CALLER_DIR"
exec "$binary" "$@"

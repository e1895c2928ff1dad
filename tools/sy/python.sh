#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# python [SCRIPT|ARGS]: Python with the package `switchyard` on its path
source tools/sy/lib.bash

build_quietly //python/switchyard:switchyard
PYTHONPATH=$(bazel_bin)/python${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
cd "$SY_CALLER_DIR"
exec /usr/bin/python3 "$@"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demo [ARGS]: train on handwritten digits, eager and static, from nothing but a checkout
#
# ARGS: --epochs N (12), --picture FILE (digits.png: test digits with what the network takes them for).
source tools/sy/lib.bash

bash tools/sy/setup.sh
say "demo: building the Python package (the first time takes minutes)"
build //python/switchyard:switchyard
exec bash tools/sy/python.sh "$SY_ROOT/examples/digits/demo.py" "$@"

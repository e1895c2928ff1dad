#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# explain OPERATOR [OPTIONS]: which kernel runs for these inputs, and why (explain --help)
OWN_HELP=1
source tools/sy/lib.bash

binary=$(built //tools/explain tools/explain/explain)
cd "$SY_CALLER_DIR"
exec "$binary" "$@"

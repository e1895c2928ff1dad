#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ledger [OP] [--json|--update]: compares legacy kernels with their functional twins, as in docs/parity.md
#
# Runs all samples of each operator that has both kinds of kernels, forward and backward, and prints for each
# dtype how near the results are and the ratio of times; for a single OP and its gradient also where the kernels are
# and the first result that differs. The exit code is 1 if a row fails.
#
#   --json     prints the same as data
#   --update   also write docs/parity.md
source tools/sy/lib.bash

binary=$(built //tests/parity:ledger tests/parity/ledger)
exec "$binary" "$@"

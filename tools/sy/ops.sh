#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ops [--json] [WORD]: lists the operators, or those whose name contains WORD, with their kernels
#
# The table shows the dtypes of each kernel by backend. An operator without kernels is made of others. If WORD is
# an operator's name, prints more of that one: signature, kernels by backend and dtype, in the order in which selection
# considers those of one backend, legacy names, gradient, samples, and how its tests are run.
#
#   --json   prints all that is generated from the operators' entries
source tools/sy/lib.bash

facts=$(built //docs/ops:generated docs/ops/generated)
exec /usr/bin/python3 -B tools/sy/list_ops.py "$facts" "$@"

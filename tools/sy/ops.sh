#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ops [--json] [WORD]: the operators (whose name contains WORD) and the kernels that they have
#
# The table shows the dtypes of each kernel by backend. An operator without kernels is made of others.
#
#   --json   all that is generated of the operators' entries
source tools/sy/lib.bash

facts=$(built //docs/ops:generated docs/ops/generated)
exec /usr/bin/python3 -B tools/sy/list_ops.py "$facts" "$@"

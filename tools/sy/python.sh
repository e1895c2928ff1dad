#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# python [SCRIPT|ARGS]: starts Python with the package `switchyard` on its path
#
# The arguments are those of /usr/bin/python3; without any it is an interactive session:
#
#   ./sy python -c 'import switchyard as sy; print(sy.arange(3))'
source tools/sy/lib.bash

package=$(built //python/switchyard:switchyard python)
PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
cd "$SY_CALLER_DIR"
exec /usr/bin/python3 "$@"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# inspect MODEL [--ir STAGE] [--dot FILE]: shows what is in a saved program or a PaddlePaddle model
#
# MODEL is a folder or a file. Shows inputs, outputs, operators by type and the sizes of the parameters.
#
#   --weights FILE  the file of the weights, if it lies elsewhere
#   --ir STAGE      the program's text: imported, after PASS, or lowered
#   --dot FILE      write the graph for Graphviz: dot -Tsvg FILE
#   --json          print JSON
source tools/sy/lib.bash

package=$(built //python/switchyard:switchyard python)
PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
cd "$SY_CALLER_DIR"
exec /usr/bin/python3 -B "$SY_ROOT/tools/sy/inspect_model.py" "$@"

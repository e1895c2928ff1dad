#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# plugin check PATH: loads a plugin in a process of its own, and prints what it brings or why it is refused
#
# Exit code: 0 if it can be used, 1 if it can't, also where it ends the process that loads it. docs/plugins.md tells
# how a plugin is written.
source tools/sy/lib.bash

[[ $# == 2 && $1 == check ]] || die "plugin: usage: ./sy plugin check PATH"
package=$(built //python/switchyard:switchyard python)
PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
cd "$SY_CALLER_DIR"
exec /usr/bin/python3 -B "$SY_ROOT/tools/sy/check_plugin.py" "$2"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# launch -n N [--elastic MIN:MAX] SCRIPT [ARGUMENTS]: starts a Python script N times, as the processes of one job (docs/python/distributed.md)
#
# Each process calls switchyard.distributed.init(). They find each other through the loopback interface alone.
# The first process that fails ends the job; its exit code is the job's, 128 and the signal's number where it
# died by one.
#
#   -n, --processes N   how many processes
#   --elastic MIN:MAX   after a failure the job begins again with the processes that are left, at least MIN; the
#                       script goes on from its last checkpoint
#   --restarts N        how often, 10 if not given
source tools/sy/lib.bash

package_command launch "$@"

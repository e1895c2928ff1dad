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
#   --transport NAME    tcp or gloo; for mpi start the script by mpirun
#   --hosts N --host K --meet ADDRESS:PORT
#                       the job runs on N machines: each starts this command with its own K, from 0, and the same
#                       SWITCHYARD_TOKEN; machine 0 listens at the address
source tools/sy/lib.bash

package_command launch "$@"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# migrate OP [--write]: lists what is left to do to move OP from its legacy kernel to a functional one
#
# Prints each step for OP and its gradient with the file and line where it is done or to do: the entry, the legacy
# kernel, ours, the reference, the mapping of names, the gradient, the samples, the rows of the ledger and the list of
# legacy kernels. docs/migrating_a_kernel.md walks one operator through.
#
#   --write   also makes what is missing: a declaration of the kernel, the header and its target if there is none, and
#             its line in the entry
source tools/sy/lib.bash

exec /usr/bin/python3 -B tools/sy/migrate_kernel.py "$@"

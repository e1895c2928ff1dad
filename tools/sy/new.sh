#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# new OP --like OTHER [--legacy TYPE]: starts an operator as a copy of another, and lists what is left to fill in
#
# Copies under the new name, each after the original: the entries of OTHER and of its gradients (ops_gen/ops),
# its functor, reference formula or kernel templates (phi/kernels), the bodies of its gradients (phi/composite)
# and its samples (tests/samples). Nothing is written unless all of it can be.
#
#   --legacy TYPE   keeps the legacy form, as that type; without it the operator has none
source tools/sy/lib.bash

exec /usr/bin/python3 -B tools/sy/new_operator.py "$@"

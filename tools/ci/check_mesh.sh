#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests the dialect of examples/consumer/mesh, a workspace of its own: text, a pass, verification, files,
# lowering. `check_consumer.sh` calls it with the program mesh_opt.
set -euo pipefail
mesh_opt=$1
cd "$(dirname "$0")/../../examples/consumer/mesh/testdata"
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

expect() {  # What a command must print, then the command.
  local got
  got=$("$mesh_opt" "${@:2}" || true)
  [[ $got == "$1" ]] || { echo "mesh_opt ${*:2}: expected"; echo "$1"; echo "got"; echo "$got"; exit 1; }
}

for program in one_device other_axis; do
  expect "$(sed 's/ loc(.*)$//' $program.ir)" print $program.ir
  expect "$(<$program.cancelled.ir)" cancel $program.ir
  "$mesh_opt" save $program.ir "$scratch/saved"
  expect "$(<$program.ir)" load "$scratch/saved"
done
expect "y: 0 2" run one_device.ir
expect "y: 0 2" run one_device.cancelled.ir
expect "error: one: mesh.cut: this image runs on one device, got 2 (at model.py:3)" run two_devices.ir
expect "error: other: mesh.gather: this image runs on one device, got 2" run other_axis.ir
expect "error: 3:61: mesh.placed: extent must be a multiple of 2 devices, got 3" print uneven.ir
built=$("$mesh_opt" build || true)
[[ $built == "$(<built.ir)"$'\n'"error: mesh.gather: operands must be one of type mesh.placed, got others (at "*mesh_opt.cc:1\) ]] ||
  { echo "mesh_opt build: got"; echo "$built"; exit 1; }

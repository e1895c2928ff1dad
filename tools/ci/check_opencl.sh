#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds examples/opencl_device, a workspace of its own, and trains on the device that it brings. Exits with 77, which
# counts as skipped, where Debian's packages of OpenCL are missing (./sy setup --opencl).
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ ! -e /usr/include/CL/cl.h ]] || ! compgen -G "/etc/OpenCL/vendors/*.icd" >/dev/null; then
  echo "opencl: skipped: no OpenCL here; ./sy setup --opencl installs it"
  exit 77
fi
(cd examples/opencl_device && bazel build --ui_event_filters=-info --show_result=0 //:opencl_device.so)
plugin=$(cd examples/opencl_device && bazel info bazel-bin 2>/dev/null)/opencl_device.so
# Compiled kernels of OpenCL are kept in the folder of the tests.
POCL_CACHE_DIR=$PWD/out/opencl
export POCL_CACHE_DIR
mkdir -p "$POCL_CACHE_DIR"
./sy plugin check "$plugin"
./sy python examples/opencl_device/train.py "$plugin"

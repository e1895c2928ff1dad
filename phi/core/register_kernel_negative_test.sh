#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A kernel whose type is not the one that YAML gives its operator does not
# compile, and the compiler's message says which parameter differs and how.
set -u

source_file=phi/core/testdata/kernel_of_wrong_type.cc
failures=0

# compile AXIS_TYPE EXTRA_PARAMETERS: the compiler's messages in $messages.
compile() {
  messages=$("${CXX:-g++}" -std=c++17 -fsyntax-only -I. \
    "-DAXIS=$1" "-DEXTRA=$2" "$source_file" 2>&1)
}

expect_message() {
  if ! grep -qF -- "$1" <<<"$messages"; then
    echo "FAILED: the compiler's message lacks: $1" >&2
    echo "$messages" >&2
    failures=$((failures + 1))
  fi
}

if ! compile int ""; then
  echo "FAILED: a right kernel must compile" >&2
  echo "$messages" >&2
  failures=$((failures + 1))
fi

if compile float ""; then
  echo "FAILED: a float where YAML says int compiled" >&2
  failures=$((failures + 1))
fi
expect_message "KernelParameter<switchyard::phi::SoftmaxSignature, 1, int, float>"
expect_message "this kernel parameter is not of the type that the operator's YAML entry gives it"

if compile int ", bool"; then
  echo "FAILED: a kernel with one parameter too many compiled" >&2
  failures=$((failures + 1))
fi
expect_message "the kernel has another number of parameters than the operator's YAML entry gives it"

exit "$((failures > 0))"

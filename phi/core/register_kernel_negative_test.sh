#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A kernel whose type is not the one that YAML gives its operator does not
# compile, and the compiler's message says which parameter differs and how.
set -u

source_file=phi/core/testdata/kernel_of_wrong_type.cc
failures=0

# compile FLAGS...: the compiler's messages in $messages, spelled as gcc does.
compile() {
  messages=$("$compiler" -std=c++17 -fsyntax-only -I. "$@" "$source_file" 2>&1)
  local status=$?
  messages=$(sed "s/switchyard::phi:://g; s/switchyard:://g; s/ >/>/g; s/long int/long/g
                  s/ \([&*]\)/\1/g" <<<"$messages")
  return "$status"
}

expect() {
  if ! grep -qF -- "$1" <<<"$messages"; then
    echo "FAILED: the message of $compiler lacks: $1" >&2
    failures=$((failures + 1))
  fi
}

# differs OPERATOR PARAMETER EXPECTED GOT: the message must have all four.
differs() {
  expect "KernelParameter<$1Signature::Parameter::$2, Expected<$3>, Got<$4>>"
}

for compiler in "${CXX:-g++}" clang++; do
  if ! command -v "$compiler" >/dev/null; then
    echo "skipped: no $compiler" >&2
    continue
  fi
  if ! compile; then
    echo "FAILED: a right kernel must compile" >&2
    echo "$messages" >&2
    failures=$((failures + 1))
  fi
  failed_before=$failures
  # clang++ would stop after 20 messages.
  case "$compiler" in *clang*) limit=-ferror-limit=0 ;; *) limit=-fmax-errors=0 ;; esac
  if compile -DWRONG "$limit"; then
    echo "FAILED: kernels of wrong types compiled" >&2
    failures=$((failures + 1))
  fi
  differs Type axis int float
  differs First x "const DenseTensor&" "const DenseTensor*"
  differs Last out "DenseTensor*" "const DenseTensor&"
  differs Lacks axis int "DenseTensor*"
  differs LacksLast out "DenseTensor*" ""
  differs None x "const DenseTensor&" ""
  differs More axis int bool
  differs Other axis int long
  expect "KernelParameterAfter<MoreLastSignature::Parameter::out, Expected<>, Got<bool>>"
  entry="the operator's YAML entry"
  expect "this kernel parameter is not of the type that $entry gives it"
  expect "the kernel has another number of parameters than $entry gives it"
  expect "the kernel lacks this parameter of $entry"
  expect "the kernel has a parameter after this one, the last that $entry gives it"
  ((failures == failed_before)) || echo "$messages" >&2
done

exit "$((failures > 0))"

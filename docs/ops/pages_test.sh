#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The checked-in reference pages are what ops_gen generates today.
set -euo pipefail
status=0
for page in docs/ops/generated/*.md; do
  diff -u "docs/ops/$(basename "$page")" "$page" || status=1
done
[[ $status == 0 ]] || echo "Update them: bazel run //docs/ops:update"
exit $status

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copies the generated reference pages into the checkout.
set -euo pipefail
cp --no-preserve=mode docs/ops/generated/*.md "$BUILD_WORKSPACE_DIRECTORY/docs/ops/"

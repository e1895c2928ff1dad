// SPDX-License-Identifier: Apache-2.0
#include "library/include/switchyard.h"

// BUILD.bazel defines it: packages carry the same one.
const char* switchyard_version() { return SWITCHYARD_VERSION; }

// SPDX-License-Identifier: Apache-2.0
// standard.h and GoogleTest, which costs a test more to read than all the rest.
// A test still names the headers that it uses, as with standard.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/bazel/precompiled/standard.h"

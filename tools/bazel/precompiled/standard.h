// SPDX-License-Identifier: Apache-2.0
// The headers of other libraries that nearly every source file includes, for
// gcc to read once (precompiled_header.bzl) instead of once a file. A source
// still names the headers that it uses: other compilers, and gcc where its
// options don't fit the precompiled form, read them one by one. Nothing of ours
// is in here: editing it would compile everything again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/transforms/identity_rules.h"

namespace switchyard::static_graph {
namespace {

constexpr IdentityRule kRules[] = {
    {"op.assign", /*keeps_elements=*/true},
    {"op.cast", /*keeps_elements=*/true},
    {"op.concat"},
    {"op.contiguous", /*keeps_elements=*/true},
    {"op.expand"},
    {"op.reshape", /*keeps_elements=*/true},
    {"op.slice"},
    {"op.transpose", /*keeps_elements=*/true, "perm"},
};

}  // namespace

absl::Span<const IdentityRule> IdentityRules() { return kRules; }

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
// The keys `version` and `upgrades` of an entry, and the exact sentence for
// each malformed rule.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

// An entry with these lines, the tenth and after.
absl::StatusOr<Family> WithUpgrades(const std::string& lines) {
  return ParseFamily("f.yaml", absl::StrCat(R"(- op: scale_by
  args: (Tensor x, Tensor mask, double by = 1.0, int[] axes = {})
  output: Tensor(out), Tensor(count)
  infer_meta: {func: BroadcastInferMeta}
  kernel: {func: scale_by, data_type: x}
  kernels:
    reference: [float32]
    cpu: [float32]
  optional: [mask, count]
)",
                                            lines));
}

TEST(UpgradeParser, ReadsRulesByVersion) {
  const auto family = WithUpgrades(R"(  version: 3
  upgrades:
    - {to: 2, convert_attr: by}
    - {to: 3, add_attr: by, value: 0.5}
    - {to: 3, add_input: mask}
    - {to: 3, add_output: count}
)");
  ASSERT_TRUE(family.ok()) << family.status();
  const Op& op = family->ops[0];
  EXPECT_EQ(op.version, 3);
  ASSERT_EQ(op.upgrades.size(), 4u);
  EXPECT_EQ(op.upgrades[0].kind, Upgrade::Kind::kConvertAttr);
  EXPECT_EQ(op.upgrades[1].to, 3);
  EXPECT_EQ(op.upgrades[1].value, "0.5");
  EXPECT_EQ(op.upgrades[2].kind, Upgrade::Kind::kAddInput);
  EXPECT_EQ(op.upgrades[3].name, "count");
}

TEST(UpgradeParser, ReadsThreeAttributesThatBecameOne) {
  constexpr char kEntry[] = R"(- op: scale_by
  args: (Tensor x, post_ops post_ops = [])
  output: Tensor(out)
  infer_meta: {func: BroadcastInferMeta}
  kernel: {func: scale_by, data_type: x}
  kernels:
    reference: [float32]
    cpu: [float32]
  version: 2
  upgrades:
    - {to: 2, join_post_ops: post_ops, of: [act, a, b]}
)";
  const auto family = ParseFamily("f.yaml", kEntry);
  ASSERT_TRUE(family.ok()) << family.status();
  const Upgrade& rule = family->ops[0].upgrades[0];
  EXPECT_EQ(rule.kind, Upgrade::Kind::kJoinPostOps);
  EXPECT_EQ(rule.joined, (std::vector<std::string>{"act", "a", "b"}));
}

TEST(UpgradeParser, NeedsNoRules) {
  EXPECT_TRUE(WithUpgrades("  version: 2\n").ok());
  EXPECT_EQ(WithUpgrades("")->ops[0].version, 1);
}

TEST(UpgradeParser, RefusesWhatLeadsNowhere) {
  const struct {
    const char* version;
    const char* rules;
    const char* error;
  } cases[] = {
      {"2", "{to: 2, join_post_ops: by, of: [a, b, c]}",
       ".join_post_ops: expected an attribute of the type post_ops, got 'by'"},
      {"2", "{to: 2, convert_attr: by, of: [a, b, c]}",
       ": expected the key 'of' beside 'join_post_ops' only, got it"},
      {"2", "{to: 2, convert_attr: scale}",
       ".convert_attr: expected an attribute, got 'scale'"},
      {"2", "{to: 2, add_input: x}",
       ".add_input: expected an optional input, got 'x'"},
      {"2", "{to: 2, add_output: out}",
       ".add_output: expected an optional output, got 'out'"},
      {"2", "{to: 2, add_attr: by, value: x}",
       ".value: expected a literal of type double, got 'x'"},
      {"2", "{to: 2, add_attr: axes, value: 1}",
       ".value: expected an attribute that is neither a list nor a Scalar, got "
       "'axes'"},
      {"2", "{to: 2, add_attr: by}", ": expected the key 'value', got none"},
      {"2", "{to: 2, convert_attr: by, value: 1}",
       ": expected the key 'value' beside 'add_attr' only, got it"},
      {"2", "{to: 2, convert_attr: by, add_input: mask}",
       ": expected one change, got two"},
      {"2", "{to: 2}", ": expected what it changes, got nothing"},
      {"2", "{to: x, convert_attr: by}",
       ".to: expected a number from 1, got 'x'"},
      {"2", "{to: 1, convert_attr: by}", ": expected a version from 2, got 1"},
      {"3", "{to: 2, convert_attr: by}",
       ": expected rules up to version 3, got 2"},
      {"4", "{to: 2, convert_attr: by}, {to: 4, convert_attr: by}",
       ": expected version 2 or 3 next, got 4"},
  };
  for (const auto& c : cases) {
    const auto family = WithUpgrades(absl::StrCat(
        "  version: ", c.version, "\n  upgrades: [", c.rules, "]\n"));
    ASSERT_FALSE(family.ok()) << c.rules;
    EXPECT_EQ(std::string(family.status().message()),
              absl::StrCat("f.yaml:11: scale_by: upgrades", c.error));
  }
}

}  // namespace
}  // namespace switchyard::ops_gen

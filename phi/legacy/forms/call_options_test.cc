// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/call_options.h"

#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

using testing::HasSubstr;

constexpr OpInfo kOp = {"specimen", {}, {}, {}, nullptr, {}, {}};
constexpr LegacyAttr kAttrs[] = {{"force_cpu", -1, AttrType::kBool},
                                 {"place_type", -1, AttrType::kInt},
                                 {"seed", -1, AttrType::kInt}};
constexpr LegacyForm kForm = {"specimen", &kOp, {}, {}, kAttrs, {}, {}, ""};
constexpr LegacyAttr kGated[] = {{"seed", -1, AttrType::kInt},
                                 {"fix_seed", -1, AttrType::kBool}};
constexpr LegacyForm kGatedForm = {"gated", &kOp, {}, {}, kGated, {}, {}, ""};

using Given = std::vector<LegacyAttrValue>;

// "cpu by force_cpu", or the error.
std::string Asked(const LegacyForm& form, const Given& given) {
  const auto options = ReadCallOptions(form, given);
  if (!options.ok()) return std::string(options.status().message());
  return options->device.empty() ? "nowhere"
                                 : options->device + " by " + options->asked_by;
}

TEST(CallOptions, SayWhereACallShallRun) {
  EXPECT_EQ(Asked(kForm, {}), "nowhere");
  EXPECT_EQ(Asked(kForm, {{"op_device", ""}}), "nowhere");
  EXPECT_EQ(Asked(kForm, {{"op_device", "all"}}), "nowhere");
  EXPECT_EQ(Asked(kForm, {{"op_device", "cpu"}}), "cpu by op_device");
  EXPECT_EQ(Asked(kForm, {{"op_device", "gpu:1"}}), "gpu:1 by op_device");
  EXPECT_EQ(Asked(kForm, {{"force_cpu", false}, {"place_type", -1}}),
            "nowhere");
  EXPECT_EQ(Asked(kForm, {{"force_cpu", true}}), "cpu by force_cpu");
  EXPECT_EQ(Asked(kForm, {{"place_type", 0}}), "cpu by place_type");
  EXPECT_EQ(Asked(kForm, {{"place_type", 1}}), "gpu by place_type");
}

TEST(CallOptions, AskForOnePlace) {
  EXPECT_EQ(Asked(kForm, {{"op_device", "cpu"}, {"force_cpu", true}}),
            "cpu by op_device");
  EXPECT_EQ(Asked(kForm, {{"op_device", "gpu:1"}, {"place_type", 1}}),
            "gpu:1 by op_device");
  EXPECT_EQ(Asked(kForm, {{"op_device", "gpu"}, {"force_cpu", true}}),
            "force_cpu must be for the place that op_device asks for, which is "
            "gpu, got true");
  EXPECT_EQ(Asked(kForm, {{"place_type", 1}, {"force_cpu", true}}),
            "force_cpu must be for the place that place_type asks for, which "
            "is gpu, got true");
}

// "onednn cudnn" as "yes", "no" or "-".
std::string Libraries(const Given& given) {
  const auto options = ReadCallOptions(kForm, given);
  if (!options.ok()) return std::string(options.status().message());
  const auto text = [](std::optional<bool> use) {
    return !use.has_value() ? "-" : *use ? "yes" : "no";
  };
  return std::string(text(options->use_onednn)) + " " +
         text(options->use_cudnn);
}

TEST(CallOptions, AskForLibraries) {
  EXPECT_EQ(Libraries({}), "- -");
  EXPECT_EQ(Libraries({{"use_mkldnn", true}}), "yes -");
  EXPECT_EQ(Libraries({{"use_onednn", false}, {"use_cudnn", true}}), "no yes");
  EXPECT_EQ(Libraries({{"use_mkldnn", 0}, {"use_onednn", false}}), "no -");
  EXPECT_EQ(Libraries({{"use_mkldnn", true}, {"use_onednn", false}}),
            "use_onednn must be true, as use_mkldnn is, got false");
  EXPECT_THAT(Libraries({{"use_cudnn", "always"}}),
              HasSubstr("use_cudnn must be bool, got"));
}

TEST(CallOptions, RefuseWhatIsNoPlace) {
  for (const char* text : {"gpu:all", "GPU", "npu:0", "cpu:0"}) {
    EXPECT_THAT(Asked(kForm, {{"op_device", text}}),
                HasSubstr("op_device must be \"\", \"all\" or a place such as "
                          "\"cpu\" or \"gpu:0\", of a kind that is linked, got "
                          "\""))
        << text;
  }
  EXPECT_EQ(Asked(kForm, {{"op_device", 1}}), "op_device must be str, got int");
  EXPECT_EQ(Asked(kForm, {{"force_cpu", 2}}), "force_cpu must be bool, got 2");
}

// An attribute that the operator lacks is refused by MapAttributes.
TEST(CallOptions, AreThoseOfTheForm) {
  EXPECT_EQ(Asked(kGatedForm, {{"force_cpu", true}}), "nowhere");
}

TEST(CallOptions, AskForSparseGradients) {
  constexpr LegacyAttr kSparse[] = {{"is_sparse", -1, AttrType::kBool}};
  const LegacyForm form = {"table", &kOp, {}, {}, kSparse, {}, {}, ""};
  for (const bool sparse : {false, true}) {
    const auto options = ReadCallOptions(form, {{"is_sparse", sparse}});
    ASSERT_THAT(options, IsOk());
    EXPECT_EQ(options->sparse, sparse);
    EXPECT_THAT(CheckSparse(*options, false), IsOk());
    EXPECT_EQ(CheckSparse(*options, true).message(),
              sparse ? "is_sparse must be false where there is a gradient, "
                       "which is dense, got true"
                     : "");
  }
}

TEST(CallOptions, FixASeed) {
  const auto seed = [](const LegacyForm& form, const Given& given) {
    const auto options = ReadCallOptions(form, given);
    return options.ok() ? options->seed.value_or(-1) : -2;
  };
  EXPECT_EQ(seed(kForm, {}), -1);
  EXPECT_EQ(seed(kForm, {{"seed", 0}}), -1);
  EXPECT_EQ(seed(kForm, {{"seed", 7}}), 7);
  EXPECT_EQ(seed(kGatedForm, {{"seed", 7}}), -1);
  EXPECT_EQ(seed(kGatedForm, {{"seed", 7}, {"fix_seed", false}}), -1);
  EXPECT_EQ(seed(kGatedForm, {{"fix_seed", true}, {"seed", 7}}), 7);
}

}  // namespace
}  // namespace switchyard::phi

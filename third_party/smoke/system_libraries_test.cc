// SPDX-License-Identifier: Apache-2.0
// Every system library compiles, links and runs, each by one call that needs
// its object, if it has one. Not a test of what the libraries do.
#include <google/protobuf/stubs/common.h>
#include <gtest/gtest.h>
#include <hwy/base.h>
#include <lzma.h>
#include <re2/re2.h>
#include <utf8proc.h>
#include <yaml-cpp/yaml.h>
#include <zlib.h>

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <oneapi/dnnl/dnnl.hpp>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "rapidjson/document.h"

namespace switchyard {
namespace {

TEST(SystemLibrariesTest, Abseil) {
  absl::StatusOr<int> result = absl::NotFoundError(absl::StrCat("op ", 1));
  EXPECT_EQ(result.status().message(), "op 1");
}

TEST(SystemLibrariesTest, Protobuf) {
  EXPECT_EQ(google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
            "3.21.12");
}

TEST(SystemLibrariesTest, YamlCpp) {
  EXPECT_EQ(YAML::Load("{op: relu}")["op"].as<std::string>(), "relu");
}

TEST(SystemLibrariesTest, NlohmannJson) {
  EXPECT_EQ(nlohmann::json::parse("[1, 2]").size(), 2u);
}

TEST(SystemLibrariesTest, RapidJson) {
  rapidjson::Document document;
  EXPECT_EQ(document.Parse("[1, 2]").Size(), 2u);
}

TEST(SystemLibrariesTest, OneDnn) {
  EXPECT_EQ(dnnl::engine::get_count(dnnl::engine::kind::cpu), 1u);
}

TEST(SystemLibrariesTest, Highway) { EXPECT_EQ(hwy::CeilLog2(5), 3u); }

TEST(SystemLibrariesTest, Eigen) {
  EXPECT_EQ((Eigen::Matrix2f::Identity() * 2).sum(), 4.0f);
}

TEST(SystemLibrariesTest, Zlib) {
  EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>("a"), 1), 0xe8b7be43u);
}

TEST(SystemLibrariesTest, Xz) {
  EXPECT_EQ(lzma_version_number(), LZMA_VERSION);
}

TEST(SystemLibrariesTest, Re2) { EXPECT_TRUE(RE2::FullMatch("ab", "a.")); }

TEST(SystemLibrariesTest, Utf8proc) { EXPECT_EQ(utf8proc_tolower(0xc9), 0xe9); }

}  // namespace
}  // namespace switchyard

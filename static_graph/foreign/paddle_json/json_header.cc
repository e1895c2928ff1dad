// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_header.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "framework/base/float_text.h"

namespace switchyard::static_graph {
namespace {

// Versions of the form that are in use.
constexpr uint64_t kLastVersion = 4;

}  // namespace

absl::Status CheckJsonHeader(const JsonTree& program) {
  const JsonNode* const header =
      program.size() == 0 ? nullptr : program[0].find("base_code");
  const auto member = [&](const char* key) {
    return header == nullptr ? nullptr : header->find(key);
  };
  const JsonNode* const magic = member("magic");
  if (magic == nullptr || !magic->is_text() || magic->text() != "pir") {
    return ArgumentError("\"magic\" of \"base_code\"", "\"pir\"", "another");
  }
  const JsonNode* const version = member("version");
  const bool number = version != nullptr && version->is_number();
  if (number && version->kind() == JsonNode::Kind::kUnsigned &&
      version->as_unsigned() <= kLastVersion) {
    return absl::OkStatus();
  }
  std::string got = "none";
  if (number) {
    got = version->is_float() ? ShortestText(version->floating())
          : version->kind() == JsonNode::Kind::kSigned
              ? absl::StrCat(version->as_signed())
              : absl::StrCat(version->as_unsigned());
  }
  return ArgumentError("\"version\" of \"base_code\"",
                       absl::StrCat("from 0 to ", kLastVersion), got);
}

}  // namespace switchyard::static_graph

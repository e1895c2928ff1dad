// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

absl::StatusOr<std::string> Contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

absl::StatusOr<std::string> SourceHash(const std::string& root,
                                       const ParityRow& row) {
  uLong hash = crc32(0, nullptr, 0);
  for (const std::string& source : {row.source, row.legacy_source}) {
    SY_ASSIGN_OR_RETURN(const std::string text,
                        Contents(absl::StrCat(root, "/", source)));
    hash = crc32(hash, reinterpret_cast<const Bytef*>(text.data()),
                 static_cast<uInt>(text.size()));
  }
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad8));
}

}  // namespace switchyard

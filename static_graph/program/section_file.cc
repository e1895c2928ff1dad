// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/section_file.h"

#include <zlib.h>

#include "absl/strings/str_cat.h"
#include "static_graph/ir/byte_stream.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kMagic = "SYPROG\r\n";
constexpr uint32_t kVersion = 1;
constexpr uint32_t kMaxSections = 1024;

uint32_t Checksum(std::string_view bytes) {
  // zlib takes an unsigned int: in pieces, for sections over 4 GiB.
  constexpr size_t kPiece = size_t{1} << 30;
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(piece.data()),
                static_cast<uInt>(piece.size()));
    bytes.remove_prefix(piece.size());
  }
  return static_cast<uint32_t>(crc);
}

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(
      absl::StrCat("saved program: ", std::string(what)));
}

}  // namespace

std::string EncodeSections(absl::Span<const Section> sections) {
  ir::ByteWriter writer;
  writer.Bytes(kMagic);
  writer.U32(kVersion);
  writer.U32(static_cast<uint32_t>(sections.size()));
  for (const Section& section : sections) {
    writer.U32(section.kind);
    writer.U32(Checksum(section.bytes));
    writer.U64(section.bytes.size());
  }
  writer.U32(Checksum(writer.bytes()));
  for (const Section& section : sections) writer.Bytes(section.bytes);
  return writer.bytes();
}

absl::StatusOr<std::vector<Section>> DecodeSections(std::string_view bytes) {
  ir::ByteReader reader(bytes);
  if (reader.Bytes(kMagic.size()) != kMagic) {
    return Damaged("the file must begin with SYPROG");
  }
  const uint32_t version = reader.U32();
  const uint32_t count = reader.U32();
  if (!reader.ok() || count > kMaxSections) {
    return Damaged("the header is damaged");
  }
  struct Entry {
    uint32_t kind;
    uint32_t checksum;
    uint64_t size;
  };
  std::vector<Entry> entries;
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    const uint32_t kind = reader.U32();
    const uint32_t checksum = reader.U32();
    entries.push_back({kind, checksum, reader.U64()});
  }
  const size_t header = bytes.size() - reader.rest().size();
  const uint32_t checksum = reader.U32();
  if (!reader.ok() || checksum != Checksum(bytes.substr(0, header))) {
    return Damaged("the header is damaged");
  }
  // Only now: a flipped bit is no other version.
  if (version != kVersion) {
    return absl::UnimplementedError(absl::StrCat(
        "saved program: the version must be ", kVersion, ", got ", version));
  }
  std::vector<Section> sections;
  for (const Entry& entry : entries) {
    const std::string_view content = reader.Bytes(entry.size);
    if (!reader.ok()) return Damaged("the file is too short");
    if (Checksum(content) != entry.checksum) {
      return Damaged(absl::StrCat("section ", sections.size(), " is damaged"));
    }
    sections.push_back({entry.kind, std::string(content)});
  }
  if (!reader.at_end()) return Damaged("the file is too long");
  return sections;
}

}  // namespace switchyard::static_graph

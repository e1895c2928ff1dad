// SPDX-License-Identifier: Apache-2.0
// SectionFile: a file of sections, each with a checksum, such that no flipped
// bit, missing byte or added byte goes unnoticed. It knows nothing of what is
// in the sections; programs are saved_program.h, files framework/base/file.h.
//
// Form, all numbers little-endian:
//   "SYPROG\r\n", version (u32), number of sections (u32),
//   for each section: kind (u32), CRC-32 (u32), size in bytes (u64),
//   CRC-32 of everything before (u32), the sections one after the other.
// A CRC-32 notices every change of one bit, and every burst of 32.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_SECTION_FILE_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_SECTION_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard::static_graph {

// The bytes of one section and their kind, which its user defines.
struct Section {
  uint32_t kind = 0;
  std::string bytes;
};

// Returns the file's bytes.
std::string EncodeSections(absl::Span<const Section> sections);

// Returns the sections; DataLoss saying what is damaged. Any byte string may be
// given. Nothing is allocated for sizes that the input does not have.
absl::StatusOr<std::vector<Section>> DecodeSections(std::string_view bytes);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_SECTION_FILE_H_

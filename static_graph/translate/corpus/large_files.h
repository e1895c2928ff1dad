// SPDX-License-Identifier: Apache-2.0
// Large files: programs whose parts are as small in the file, and as many, as
// they can be. docs/robustness.md has the cost of loading them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_LARGE_FILES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_LARGE_FILES_H_

#include <cstddef>
#include <string>

#include "absl/types/span.h"

namespace switchyard::static_graph {

// How loading a file ends.
enum class LargeEnd {
  kRefused,
  kLoads,       // Whatever its size is.
  kLoadsSmall,  // At 10 MB, not at 40.
};

// A kind of file.
struct LargeFile {
  const char* name;
  const char* extension;  // ".pdmodel" or ".json"
  LargeEnd end;
  bool again;  // Its memory may grow faster than the file: tried at 40 MB, too.
  std::string (*make)(size_t size);  // Of at least `size` bytes, few more.
};

// The kinds of program descriptions, and those of programs in JSON.
absl::Span<const LargeFile> LargePrograms();
absl::Span<const LargeFile> LargeJsonPrograms();

// Returns `part` over and over, as often as `size` bytes take.
std::string Repeated(size_t size, const std::string& part);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_LARGE_FILES_H_

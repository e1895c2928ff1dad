// SPDX-License-Identifier: Apache-2.0
#include "phi/core/digests/kernel_digests.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "framework/base/hash_map.h"

namespace switchyard::phi {
namespace {

std::mutex library_mutex;

// Guarded by library_mutex, and never destroyed.
HashMap<const KernelDef*, uint64_t>& LibraryDigests() {
  static auto* const digests = new HashMap<const KernelDef*, uint64_t>();
  return *digests;
}

}  // namespace

// The table of a binary takes its place.
__attribute__((weak)) absl::Span<const SourceDigest> LinkedSourceDigests() {
  return {};
}

uint64_t KernelDigest(const KernelDef& kernel, std::string_view file) {
  {
    const std::lock_guard<std::mutex> lock(library_mutex);
    const auto found = LibraryDigests().find(&kernel);
    if (found != LibraryDigests().end()) return found->second;
  }
  const absl::Span<const SourceDigest> linked = LinkedSourceDigests();
  const auto found =
      std::lower_bound(linked.begin(), linked.end(), file,
                       [](const SourceDigest& source, std::string_view name) {
                         return source.file < name;
                       });
  return found == linked.end() || found->file != file ? 0 : found->digest;
}

void SetLibraryDigest(absl::Span<const KernelDef* const> kernels,
                      uint64_t digest) {
  const std::lock_guard<std::mutex> lock(library_mutex);
  for (const KernelDef* kernel : kernels) LibraryDigests()[kernel] = digest;
}

uint64_t DigestOf(std::string_view bytes) {
  uint64_t digest = 0xcbf29ce484222325 ^ bytes.size();
  const auto add = [&digest](const char* at, size_t count) {
    uint64_t word = 0;
    std::memcpy(&word, at, count);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15;
    digest ^= digest >> 32;  // The upper half reaches what comes next.
  };
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) add(bytes.data() + at, 8);
  add(bytes.data() + at, bytes.size() - at);
  return digest == 0 ? 1 : digest;
}

}  // namespace switchyard::phi

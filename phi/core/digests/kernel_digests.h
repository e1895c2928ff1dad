// SPDX-License-Identifier: Apache-2.0
// KernelDigest: what a kernel was made of, as a number, which differs from that
// of a changed kernel of the same name. A linked kernel has that of
// its sources, from a table that its kernel set generates
// (phi/core/kernel_set.bzl); a plugin's has that of its library.
#ifndef SWITCHYARD_PHI_CORE_DIGESTS_KERNEL_DIGESTS_H_
#define SWITCHYARD_PHI_CORE_DIGESTS_KERNEL_DIGESTS_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// A file that kernels are written in, as KernelDef names it without the build's
// folder of outputs, and the digest of it and of the kernels' files that it
// includes.
struct SourceDigest {
  std::string_view file;
  uint64_t digest;
};

// The table of the binary, sorted by file. A binary that has none gets an empty
// one.
absl::Span<const SourceDigest> LinkedSourceDigests();

// Returns the digest of the kernel, which `file` is written in; 0 where it is
// not known. Thread-safe.
uint64_t KernelDigest(const KernelDef& kernel, std::string_view file);

// Says what the kernels of a library have as their digest. They live as long as
// the process. Thread-safe.
void SetLibraryDigest(absl::Span<const KernelDef* const> kernels,
                      uint64_t digest);

// Returns a digest of bytes, which a change of one word changes. Never 0.
uint64_t DigestOf(std::string_view bytes);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_DIGESTS_KERNEL_DIGESTS_H_

// SPDX-License-Identifier: Apache-2.0
// TransportInfo: the constant record of what moves bytes between the ranks of a
// group. Reductions are framework/collective/collectives.h, over these
// functions; the sums of a library are there for who asks for them.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_TRANSPORT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_TRANSPORT_H_

#include <cstddef>
#include <cstdint>

#include "framework/base/status.h"

namespace switchyard::collective {

// Says which rank connects, of how many, and over what.
struct LinkOptions {
  int rank = 0;
  int size = 1;
  // The medium of the bytes: see the header of each transport.
  void* medium = nullptr;
};

// Tags are below this, as Open MPI's are.
inline constexpr uint32_t kTagLimit = 0x7fffffff;

// The numbers that libraries sum.
enum class Summand : uint8_t { kFloat, kDouble };

// The functions of a transport. A link is one rank's end; one thread at a time
// uses it. A message is found by (sender, receiver, tag), no two of which are
// alike while in flight; messages may overtake one another. The memory of a
// request belongs to the transport until test() says that it is done or
// cancel() has returned. An error says what became of the peer, as
// "closed the connection"; the caller knows who it is. Its code is Internal
// where the peer may still hear what the caller says of it, Aborted where it is
// this rank's own failure.
struct TransportInfo {
  const char* name;
  // The Debian package that it needs; null if none.
  const char* package;

  absl::StatusOr<void*> (*connect)(const LinkOptions& options);
  absl::StatusOr<void*> (*isend)(void* link, int peer, uint32_t tag,
                                 const void* data, size_t size);
  absl::StatusOr<void*> (*irecv)(void* link, int peer, uint32_t tag, void* data,
                                 size_t size);
  // Moves what can be moved. True if the request is done; it is freed then, and
  // after an error.
  absl::StatusOr<bool> (*test)(void* link, void* request);
  void (*cancel)(void* link, void* request);
  // Returns after this number of microseconds, or before if test() may find
  // more. Null: the caller sleeps.
  void (*wait)(void* link, int microseconds);
  // `failed`: the ranks do not agree any more; nothing is waited for.
  void (*close)(void* link, bool failed);

  // Begins to write the sum of all ranks' `data` to `data`, on each, in an
  // order of the library's own. All ranks make these calls in the same order.
  // An error says what became of this rank where it can't say of which peer.
  // Null: there is no library, or it has none.
  absl::StatusOr<void*> (*isum)(void* link, Summand type, void* data,
                                size_t count);

  // False if messages have sizes alone: collective calls then read and write
  // none of the memory that they were given.
  bool moves_data = true;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_TRANSPORT_H_

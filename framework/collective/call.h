// SPDX-License-Identifier: Apache-2.0
// Call: what one rank says of a collective call; CallHeader: the same in 32
// bytes, which the first message of a call to each peer carries, so that two
// ranks that call differently notice it before a number is wrong.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_CALL_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_CALL_H_

#include <cstdint>
#include <string>

#include "framework/collective/reduce.h"
#include "framework/types/data_type.h"

namespace switchyard::collective {

// The collective calls of framework/collective/collectives.h.
enum class Operator : uint16_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kBarrier,
  kLibraryAllReduce,
};

// A collective call as its caller sees it. Calls of two ranks are the same call
// if all of it is equal except the location: a branch `if rank == 0` may have a
// line of its own for the root of a broadcast.
struct Call {
  Operator op = Operator::kBarrier;
  Reduction reduction = Reduction::kSum;
  DataType dtype = DataType::kUInt8;
  uint64_t count = 0;    // Elements of the tensor that is whole at the end.
  uint32_t detail = 0;   // The root of a broadcast; the shards of a reduction.
  std::string name;      // Of the tensor; may be empty.
  std::string location;  // "train.py:57"; may be empty.

  // Returns "all_reduce(sum) 'fc1.weight' float32[1024] of 8 shards
  // (train.py:57)".
  std::string ToString() const;
};

// A call in the bytes that are sent. They are sent as they lie in memory, since
// the ranks of a group run the same build. Names and locations are hashes: the
// texts are exchanged only when two headers differ, so that the error can show
// them (Group::Differ).
struct CallHeader {
  uint32_t sequence;
  uint16_t op;
  uint8_t dtype;
  uint8_t reduction;
  uint64_t count;
  uint64_t name_hash;
  uint32_t location_hash;
  uint32_t detail;

  // Returns whether two ranks make the same call, as that number.
  bool Matches(const CallHeader& other) const;
  // Returns what is known of the call without its name and line.
  Call Described() const;
};
static_assert(sizeof(CallHeader) == 32, "ranks exchange it");

CallHeader MakeHeader(const Call& call, uint32_t sequence);

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_CALL_H_

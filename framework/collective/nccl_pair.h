// SPDX-License-Identifier: Apache-2.0
// NcclPair: the messages between this rank and another one that NCCL moves. The
// rank of the lower number leads: it puts what both ranks have asked for into
// batches, each of which both give to NCCL as one group. So the ends agree, and
// both directions move at once.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_PAIR_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_PAIR_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/nccl_api.h"
#include "framework/collective/nccl_control.h"
#include "framework/collective/nccl_wire.h"

namespace switchyard::collective {

// One rank's end. The context of the GPU is current in all calls, and one
// thread at a time makes them.
class NcclPair {
 public:
  // Arguments as NcclWire's.
  NcclPair(const NcclApi& nccl, const CudaApi& cuda, void* link, int rank,
           int peer, std::chrono::milliseconds patience)
      : leads_(rank < peer),
        control_(link, peer),
        wire_(nccl, cuda, link, rank, peer, patience) {}
  NcclPair(const NcclPair&) = delete;
  NcclPair& operator=(const NcclPair&) = delete;

  // It connects before there are messages.
  NcclWire& wire() { return wire_; }
  // Begins to move a message, which stays the caller's.
  absl::Status Begin(NcclMessage* message);
  // Moves what can be moved; sets `done` or `error` of messages.
  void Move();
  // Gives up a message that is not done. Its memory is not used any more.
  void GiveUp(NcclMessage* message);
  // Returns whether all that the other rank is to hear has left.
  bool IsSent() { return control_.IsSent(); }

 private:
  using Batch = std::vector<NcclMessage*>;

  absl::Status Hear();
  absl::Status HearOne(const NcclNotice& notice);
  // Batches what both have asked for.
  absl::Status Match();
  // Takes the next step of the first batch. Returns whether there was one.
  absl::StatusOr<bool> Step();
  absl::Status Retire();
  void Acknowledge(uint64_t batch);
  // Ends the pair: all its messages have this error.
  void Fail(const absl::Status& status);
  // Finds a message that was begun and is in no batch.
  NcclMessage* FindOpen(const NcclNotice& notice);

  const bool leads_;
  NcclControl control_;
  NcclWire wire_;
  absl::Status failure_;
  std::list<NcclMessage*> open_;  // In no batch yet.
  std::list<NcclNotice> asked_;   // By the follower.
  Batch assembling_;              // Of the follower.
  std::deque<Batch> batches_;     // That wait; the wire moves the first one.
  std::list<NcclMessage*> sent_;  // That the other has not acknowledged.
  uint64_t batch_count_ = 0;
  uint64_t acknowledged_ = 0;  // All batches up to this one.
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_PAIR_H_

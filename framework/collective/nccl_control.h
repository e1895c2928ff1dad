// SPDX-License-Identifier: Apache-2.0
// NcclControl: what two ranks tell each other about messages that NCCL moves,
// over the transport "tcp". NCCL pairs sends and receives by their order alone,
// and keeps a GPU busy until the other end is there; so nothing is given to it
// before both ranks have asked for it, in an order that one of them sets.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_CONTROL_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_CONTROL_H_

#include <cstdint>
#include <list>

#include "framework/base/status.h"
#include "framework/collective/transport.h"

namespace switchyard::collective {

// A rank's words about a message, or about a batch of them.
struct NcclNotice {
  enum class Kind : uint32_t {
    // The follower has asked for this message.
    kAsked,
    // Both have: it belongs to the batch that the next kLast ends.
    kBatched,
    // All that the teller receives in this batch is there.
    kReceived,
  };
  Kind kind;
  uint32_t tag;
  // Whether the leader receives the message.
  uint32_t to_leader;
  // Whether it is the last of its batch.
  uint32_t last;
  uint64_t size;
  uint64_t batch;
};

// The notices between this rank and another one. They come in the order in
// which they were sent.
class NcclControl {
 public:
  // `link`: of the transport "tcp".
  NcclControl(void* link, int peer) : link_(link), peer_(peer) {}
  ~NcclControl();
  NcclControl(const NcclControl&) = delete;
  NcclControl& operator=(const NcclControl&) = delete;

  absl::Status Send(const NcclNotice& notice);
  // Returns whether there was one.
  absl::StatusOr<bool> Receive(NcclNotice* notice);
  // Returns whether all that was sent has left.
  bool IsSent();

 private:
  struct Sent {
    NcclNotice notice;
    void* request;
  };

  void* const link_;
  const int peer_;
  uint32_t sent_count_ = 0;
  uint32_t received_count_ = 0;
  std::list<Sent> sent_;  // Those that are on their way.
  NcclNotice next_;
  void* receiving_ = nullptr;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_CONTROL_H_

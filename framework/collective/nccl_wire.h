// SPDX-License-Identifier: Apache-2.0
// NcclWire: a communicator of NCCL between this rank and another one, with a
// stream of its own. It moves one batch of messages at a time, as one group.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_WIRE_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_WIRE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/nccl_api.h"

namespace switchyard::collective {

// A message to or from the other rank of a pair. The memory is a GPU's or the
// host's, which is copied to a GPU's.
struct NcclMessage {
  bool receives;
  uint32_t tag;
  char* data;
  size_t size;
  CudaAddress memory = 0;  // While NCCL moves it.
  bool copied = false;     // `memory` is the wire's.
  uint64_t batch = 0;      // The number of its batch, from 1.
  bool done = false;
  absl::Status error = {};
};

// One rank's end. The context of the GPU is current in all calls, and one
// thread at a time makes them. Errors are Internal if they are NCCL's, Aborted
// if they are of this rank's GPU; after one, Abort() is to be called.
class NcclWire {
 public:
  // `link`: of the transport "tcp". A batch may take `patience`: both ranks
  // have asked for it, so neither is late, and NCCL itself would wait for ever.
  NcclWire(const NcclApi& nccl, const CudaApi& cuda, void* link, int rank,
           int peer, std::chrono::milliseconds patience)
      : nccl_(nccl),
        cuda_(cuda),
        link_(link),
        peer_(peer),
        leads_(rank < peer),
        patience_(patience) {}
  ~NcclWire();
  NcclWire(const NcclWire&) = delete;
  NcclWire& operator=(const NcclWire&) = delete;

  // Begins to connect with the other rank.
  absl::Status Start();
  // Returns whether the two are connected.
  absl::StatusOr<bool> IsConnected();

  // Begins to move a batch, the same one as the other rank.
  absl::Status Launch(std::vector<NcclMessage*> batch);
  // Returns whether the batch that was launched is moved: what it received is
  // there, and what it sent may be written again.
  absl::StatusOr<bool> IsDone();
  // Returns whether there is a batch that is not.
  bool is_moving() const { return phase_ != Phase::kIdle; }
  // Ends the communicator. No memory is used afterwards.
  void Abort();

 private:
  enum class Phase { kIdle, kLaunching, kMoving, kCopying };

  absl::Status TakeMemory(NcclMessage& message);
  absl::Status GiveToNccl();
  absl::Status CopyBack();
  void FreeMemory();
  // Returns whether NCCL has done what it was asked for; its error.
  absl::StatusOr<bool> IsIdle();
  absl::StatusOr<bool> IsEventDone();
  // False, or the error that the batch takes too long.
  absl::StatusOr<bool> NotYet() const;
  absl::Status CheckNccl(int result) const;

  const NcclApi& nccl_;
  const CudaApi& cuda_;
  void* const link_;
  const int peer_;
  const bool leads_;
  const std::chrono::milliseconds patience_;
  NcclUniqueId id_;
  void* id_request_ = nullptr;
  NcclComm comm_ = nullptr;
  void* stream_ = nullptr;
  void* event_ = nullptr;
  std::vector<NcclMessage*> batch_;
  Phase phase_ = Phase::kIdle;
  std::chrono::steady_clock::time_point launched_;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_WIRE_H_

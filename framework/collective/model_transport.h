// SPDX-License-Identifier: Apache-2.0
// The transport "model": ranks of a network that is not there, in virtual time.
// Its medium is a ModelWorld. The calls of framework/collective/collectives.h
// run as they are, send the messages that they would, and no byte of a tensor
// moves: framework/collective/predict.h is what asks for it.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_MODEL_TRANSPORT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_MODEL_TRANSPORT_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "framework/collective/transport.h"

namespace switchyard::collective {

extern const TransportInfo kModelTransport;

// The cost of a message from one rank to another, in seconds. It keeps its
// sender, which sends one at a time, for overhead + bytes * per_byte, and
// arrives `latency` later. Receiving costs nothing: ranks receive from several
// others at once.
struct LinkCost {
  double latency = 0;
  double overhead = 0;
  double per_byte = 0;
};

// Ranks [0, ranks_a_host) are on one host, the next ones on another.
struct ModelNetwork {
  LinkCost between_hosts;
  LinkCost within_host;
  int ranks_a_host = 1;
};

// The ranks' clocks and the messages between them. Its ranks are threads, one
// of which runs at a time, in their order, until it waits: so the times are the
// same in each run. It outlives the links. Thread-safe.
class ModelWorld {
 public:
  // ResourceExhausted if there are no addresses for a tensor of `bytes`.
  static absl::StatusOr<std::unique_ptr<ModelWorld>> Make(
      int size, const ModelNetwork& network, size_t bytes);
  ~ModelWorld();
  ModelWorld(const ModelWorld&) = delete;
  ModelWorld& operator=(const ModelWorld&) = delete;

  // Returns the addresses of a tensor: memory that is not there, and that no
  // one may read or write. Messages of it have a size alone.
  void* tensor() const { return tensor_; }
  // Returns the latest of the ranks' clocks, in seconds.
  double seconds() const;
  // Return the number of messages that were sent so far, and of their bytes.
  int64_t messages() const;
  int64_t bytes() const;

  // For the transport. Enter() waits for the rank's turn, Yield() gives it to
  // the next one and waits for its own, Leave() gives it up.
  void Enter(int rank);
  void Yield(int rank);
  void Leave(int rank);
  // Returns when the sender has sent it.
  double Send(int from, int to, uint32_t tag, const void* data, size_t size);
  absl::StatusOr<bool> TryReceive(int from, int to, uint32_t tag, void* data,
                                  size_t size);
  // The rank has waited until then.
  void Advance(int rank, double time);

 private:
  struct Message {
    double arrives;
    size_t size;
    std::vector<char> bytes;  // Empty for a tensor's.
  };
  struct Rank {
    double clock = 0;
    double sends_from = 0;                          // When it may send again.
    std::unordered_map<uint64_t, Message> waiting;  // By sender and tag.
    std::condition_variable turn;
    bool left = false;
  };

  ModelWorld(int size, const ModelNetwork& network, void* tensor, size_t bytes)
      : network_(network),
        tensor_(tensor),
        tensor_bytes_(bytes),
        ranks_(size) {}

  bool IsOfTensor(const void* data) const;
  // Gives the turn to the next rank after `rank` that has not left.
  void PassTurn(int rank);

  const ModelNetwork network_;
  void* const tensor_;
  const size_t tensor_bytes_;
  mutable std::mutex mutex_;
  std::vector<Rank> ranks_;
  int turn_ = 0;  // Of this rank.
  int64_t messages_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_MODEL_TRANSPORT_H_

// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/predict.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/collective/collectives.h"

namespace switchyard::collective {
namespace {

bool Reduces(Operator op) {
  return op == Operator::kAllReduce || op == Operator::kReduceScatter;
}

absl::Status CheckCalls(const std::vector<Call>& calls, int ranks,
                        size_t* most_bytes) {
  if (ranks < 1 || ranks > kMostModelRanks) {
    return ArgumentError("ranks", absl::StrCat("in [1, ", kMostModelRanks, "]"),
                         absl::StrCat(ranks));
  }
  for (const Call& call : calls) {
    const uint64_t size = ElementSize(call.dtype);
    if (call.count > static_cast<uint64_t>(INT64_MAX) / size) {
      return ArgumentError("count", "of elements of less than 2^63 bytes",
                           absl::StrCat(call.count));
    }
    *most_bytes = std::max<size_t>(*most_bytes, call.count * size);
    if (Reduces(call.op) && call.detail < static_cast<uint32_t>(ranks)) {
      return ArgumentError("shards", absl::StrCat("at least ", ranks),
                           absl::StrCat(call.detail));
    }
  }
  return absl::OkStatus();
}

std::vector<uint64_t> SlicesOf(uint64_t count, int ranks) {
  const uint64_t size = static_cast<uint64_t>(ranks);
  const uint64_t each = count / size, left = count % size;
  std::vector<uint64_t> begins;
  for (uint64_t rank = 0; rank <= size; ++rank) {
    begins.push_back(each * rank + std::min(rank, left));
  }
  return begins;
}

absl::Status MakeCall(Group& group, const Call& call, void* tensor) {
  switch (call.op) {
    case Operator::kAllReduce:
    case Operator::kReduceScatter: {
      const ShardTree tree(static_cast<int>(call.detail), group.size());
      const std::vector<const void*> pieces(tree.pieces(group.rank()).size(),
                                            tensor);
      if (call.op == Operator::kAllReduce) {
        return AllReduce(group, call, tree, pieces, tensor);
      }
      return ReduceScatter(group, call, tree, pieces,
                           SlicesOf(call.count, group.size()), tensor);
    }
    case Operator::kAllGather:
      return AllGather(group, call, SlicesOf(call.count, group.size()), tensor);
    case Operator::kBroadcast:
      return Broadcast(group, call, static_cast<int>(call.detail), tensor);
    case Operator::kBarrier:
      return Barrier(group, call);
    case Operator::kLibraryAllReduce:
      return CheckLibrary(group.transport());
  }
  return absl::OkStatus();
}

absl::Status RunRank(const std::vector<Call>& calls, const LinkOptions& link) {
  GroupOptions options;
  // A rank may take any of the machine's time.
  options.deadline = std::chrono::hours(24 * 365);
  SY_ASSIGN_OR_RETURN(const std::unique_ptr<Group> group,
                      Group::Make(kModelTransport, link, std::move(options)));
  for (const Call& call : calls) {
    SY_RETURN_IF_ERROR(MakeCall(
        *group, call, static_cast<ModelWorld*>(link.medium)->tensor()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Prediction> Predict(const std::vector<Call>& calls, int ranks,
                                   const ModelNetwork& network) {
  size_t most_bytes = 0;
  SY_RETURN_IF_ERROR(CheckCalls(calls, ranks, &most_bytes));
  SY_ASSIGN_OR_RETURN(const std::unique_ptr<ModelWorld> world,
                      ModelWorld::Make(ranks, network, most_bytes));
  std::vector<absl::Status> results(ranks);
  std::vector<std::thread> threads;
  absl::Status started;
  for (int rank = 0; rank < ranks; ++rank) {
    try {
      threads.emplace_back([&, rank] {
        results[rank] = RunRank(calls, {rank, ranks, world.get()});
      });
    } catch (const std::system_error& error) {
      // The ranks that are there end by an error, of a rank that left.
      for (int missing = rank; missing < ranks; ++missing) {
        world->Leave(missing);
      }
      started = absl::ResourceExhaustedError(
          absl::StrCat("no thread for rank ", rank, ": ", error.what()));
      break;
    }
  }
  for (std::thread& thread : threads) thread.join();
  SY_RETURN_IF_ERROR(started);
  for (const absl::Status& each : results) SY_RETURN_IF_ERROR(each);
  return Prediction{world->seconds(), world->messages(), world->bytes()};
}

}  // namespace switchyard::collective

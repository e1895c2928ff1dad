// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/collectives.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/collective/reduce.h"

namespace switchyard::collective {
namespace {

// Up to this number of bytes every rank sends all that it has to every other
// one and reduces all itself: one message's way instead of two.
constexpr uint64_t kSmall = 4096;
// Steps of slices that are gathered; those of pieces are from 1 on.
constexpr uint32_t kGathered = 1024;

std::vector<int> OthersOf(const Group& group) {
  std::vector<int> others;
  // Each rank begins with the next one, so that no rank gets all at once.
  for (int i = 1; i < group.size(); ++i) {
    others.push_back((group.rank() + i) % group.size());
  }
  return others;
}

const char* At(const void* data, uint64_t element, size_t size) {
  return static_cast<const char*>(data) + element * size;
}
char* At(void* data, uint64_t element, size_t size) {
  return static_cast<char*>(data) + element * size;
}

// The pieces that the others sent, in the group's memory; null pointers unless
// there is room.
class Received {
 public:
  // Makes room for `count` elements of `size` bytes of every piece.
  absl::Status Allocate(Group& group, const ShardTree& tree, uint64_t count,
                        size_t size) {
    size_t number = 0;
    for (int peer = 0; peer < tree.ranks(); ++peer) {
      if (peer != group.rank()) number += tree.pieces(peer).size();
    }
    bytes_ = count * size;
    if (number == 0 || bytes_ == 0) return absl::OkStatus();
    if (bytes_ > SIZE_MAX / 2 / number) return TooLarge();
    memory_ = group.Room(number * bytes_);
    return memory_ == nullptr ? TooLarge() : absl::OkStatus();
  }
  char* Next() { return memory_ + bytes_ * next_++; }

 private:
  absl::Status TooLarge() const {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for pieces of ", bytes_, " bytes"));
  }

  char* memory_ = nullptr;
  size_t bytes_ = 0;
  size_t next_ = 0;
};

// Sends headers and the elements slice(peer) of the own pieces to every other
// rank, receives those of slice(own rank), and reduces these to `out`.
template <typename Slice>
absl::Status ReduceSlices(Group& group, Exchange& exchange, const Call& call,
                          const ShardTree& tree,
                          const std::vector<const void*>& pieces, Slice slice,
                          void* out) {
  const size_t size = ElementSize(call.dtype);
  const int rank = group.rank();
  const std::pair<uint64_t, uint64_t> own = slice(rank);
  const uint64_t count = own.second - own.first;
  Received received;
  const bool has_data = group.transport().moves_data;
  if (has_data) {
    SY_RETURN_IF_ERROR(received.Allocate(group, tree, count, size));
  }
  const std::vector<int> others = OthersOf(group);
  for (const int peer : others) {
    SY_RETURN_IF_ERROR(exchange.SendHeader(peer));
    const auto [begin, end] = slice(peer);
    for (size_t i = 0; begin < end && i < pieces.size(); ++i) {
      SY_RETURN_IF_ERROR(exchange.Send(peer, static_cast<uint32_t>(1 + i),
                                       At(pieces[i], begin, size),
                                       (end - begin) * size));
    }
  }
  SY_RETURN_IF_ERROR(exchange.CheckHeaders(others));
  std::vector<ShardValues> values;
  for (int peer = 0; peer < tree.ranks(); ++peer) {
    const std::vector<ShardRange>& ranges = tree.pieces(peer);
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (peer == rank) {
        values.push_back({ranges[i], At(pieces[i], own.first, size)});
        continue;
      }
      char* const place = received.Next();
      values.push_back({ranges[i], place});
      if (count == 0) continue;
      SY_RETURN_IF_ERROR(exchange.Receive(peer, static_cast<uint32_t>(1 + i),
                                          place, count * size));
    }
  }
  SY_RETURN_IF_ERROR(exchange.Finish());
  if (has_data) {
    ReduceTree(call.reduction, call.dtype, tree.shards(), values, out, count);
  }
  return absl::OkStatus();
}

// Sends the own slice to every other rank and receives theirs.
absl::Status GatherSlices(Group& group, Exchange& exchange, const Call& call,
                          const std::vector<uint64_t>& begins, void* all) {
  const size_t size = ElementSize(call.dtype);
  const auto bytes = [&](int rank) {
    return (begins[rank + 1] - begins[rank]) * size;
  };
  const int rank = group.rank();
  for (const int peer : OthersOf(group)) {
    if (bytes(rank) > 0) {
      SY_RETURN_IF_ERROR(exchange.Send(
          peer, kGathered, At(all, begins[rank], size), bytes(rank)));
    }
    if (bytes(peer) > 0) {
      SY_RETURN_IF_ERROR(exchange.Receive(
          peer, kGathered, At(all, begins[peer], size), bytes(peer)));
    }
  }
  return exchange.Finish();
}

absl::Status CheckTree(const Group& group, const Call& call,
                       const ShardTree& tree,
                       const std::vector<const void*>& pieces) {
  SY_RETURN_IF_ERROR(CheckReduction(call.reduction, call.dtype));
  if (tree.ranks() != group.size()) {
    return ArgumentError("shards", "spread over the ranks of the group",
                         absl::StrCat(tree.ranks(), " ranks"));
  }
  if (pieces.size() != tree.pieces(group.rank()).size()) {
    return ArgumentError("pieces", "those of the rank",
                         absl::StrCat(pieces.size(), " pieces"));
  }
  return absl::OkStatus();
}

absl::Status CheckSlices(const Group& group, const Call& call,
                         const std::vector<uint64_t>& begins) {
  bool rises = begins.size() == static_cast<size_t>(group.size()) + 1 &&
               begins.front() == 0 && begins.back() == call.count;
  for (size_t i = 1; rises && i < begins.size(); ++i) {
    rises = begins[i - 1] <= begins[i];
  }
  if (rises) return absl::OkStatus();
  return ArgumentError("slices", "one a rank, from 0 to the count", "others");
}

}  // namespace

absl::Status AllReduce(Group& group, Call call, const ShardTree& tree,
                       const std::vector<const void*>& pieces, void* out) {
  SY_RETURN_IF_ERROR(CheckTree(group, call, tree, pieces));
  SY_RETURN_IF_ERROR(group.status());
  call.op = Operator::kAllReduce;
  call.detail = static_cast<uint32_t>(tree.shards());
  Exchange exchange(group, call);
  const uint64_t bytes = call.count * ElementSize(call.dtype);
  if (group.size() == 1 || bytes <= kSmall) {
    const auto whole = [&](int) {
      return std::pair<uint64_t, uint64_t>(0, call.count);
    };
    SY_RETURN_IF_ERROR(
        ReduceSlices(group, exchange, call, tree, pieces, whole, out));
  } else {
    const std::vector<uint64_t> begins = EvenSlices(call.count, group.size());
    const auto slice = [&](int rank) {
      return std::pair<uint64_t, uint64_t>(begins[rank], begins[rank + 1]);
    };
    SY_RETURN_IF_ERROR(
        ReduceSlices(group, exchange, call, tree, pieces, slice,
                     At(out, begins[group.rank()], ElementSize(call.dtype))));
    SY_RETURN_IF_ERROR(GatherSlices(group, exchange, call, begins, out));
  }
  exchange.Done();
  return absl::OkStatus();
}

absl::Status CheckLibrary(const TransportInfo& transport) {
  if (transport.isum != nullptr) return absl::OkStatus();
  return ArgumentError("reduction=library",
                       "on a transport whose library sums, mpi or gloo",
                       transport.name);
}

bool LibraryReduces(const Call& call) {
  return (call.reduction == Reduction::kSum ||
          call.reduction == Reduction::kMean) &&
         (call.dtype == DataType::kFloat32 || call.dtype == DataType::kFloat64);
}

absl::Status LibraryAllReduce(Group& group, Call call, const ShardTree& tree,
                              const std::vector<const void*>& pieces,
                              void* out) {
  SY_RETURN_IF_ERROR(CheckLibrary(group.transport()));
  SY_RETURN_IF_ERROR(CheckTree(group, call, tree, pieces));
  if (!LibraryReduces(call)) {
    return TypeError("dtype", "float32 or float64, summed or averaged",
                     Name(call.dtype));
  }
  SY_RETURN_IF_ERROR(group.status());
  call.op = Operator::kLibraryAllReduce;
  call.detail = static_cast<uint32_t>(tree.shards());
  Exchange exchange(group, call);
  const std::vector<int> others = OthersOf(group);
  for (const int peer : others) {
    SY_RETURN_IF_ERROR(exchange.SendHeader(peer));
  }
  // A library would add what does not belong together.
  SY_RETURN_IF_ERROR(exchange.CheckHeaders(others));
  const uint64_t bytes = call.count * ElementSize(call.dtype);
  size_t first = 0;  // That which `out` is, if it is one.
  for (size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i] == out) first = i;
  }
  if (bytes > 0 && out != pieces[first]) {
    std::memmove(out, pieces[first], bytes);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i == first) continue;
    Combine(Reduction::kSum, call.dtype, out, pieces[i], out, call.count);
  }
  if (call.count > 0) {
    SY_RETURN_IF_ERROR(exchange.Sum(
        call.dtype == DataType::kFloat64 ? Summand::kDouble : Summand::kFloat,
        out, call.count));
  }
  SY_RETURN_IF_ERROR(exchange.Finish());
  // One node, which is all: a mean is divided, and NaNs are one.
  ReduceTree(call.reduction, call.dtype, tree.shards(),
             {{{0, tree.shards()}, out}}, out, call.count);
  exchange.Done();
  return absl::OkStatus();
}

absl::Status ReduceScatter(Group& group, Call call, const ShardTree& tree,
                           const std::vector<const void*>& pieces,
                           const std::vector<uint64_t>& begins, void* out) {
  SY_RETURN_IF_ERROR(CheckTree(group, call, tree, pieces));
  SY_RETURN_IF_ERROR(CheckSlices(group, call, begins));
  SY_RETURN_IF_ERROR(group.status());
  call.op = Operator::kReduceScatter;
  call.detail = static_cast<uint32_t>(tree.shards());
  Exchange exchange(group, call);
  const auto slice = [&](int rank) {
    return std::pair<uint64_t, uint64_t>(begins[rank], begins[rank + 1]);
  };
  SY_RETURN_IF_ERROR(
      ReduceSlices(group, exchange, call, tree, pieces, slice, out));
  exchange.Done();
  return absl::OkStatus();
}

absl::Status AllGather(Group& group, Call call,
                       const std::vector<uint64_t>& begins, void* all) {
  SY_RETURN_IF_ERROR(CheckSlices(group, call, begins));
  SY_RETURN_IF_ERROR(group.status());
  call.op = Operator::kAllGather;
  Exchange exchange(group, call);
  const std::vector<int> others = OthersOf(group);
  for (const int peer : others) {
    SY_RETURN_IF_ERROR(exchange.SendHeader(peer));
  }
  SY_RETURN_IF_ERROR(exchange.CheckHeaders(others));
  SY_RETURN_IF_ERROR(GatherSlices(group, exchange, call, begins, all));
  exchange.Done();
  return absl::OkStatus();
}

absl::Status Broadcast(Group& group, Call call, int root, void* data) {
  if (root < 0 || root >= group.size()) {
    return RangeError("root", absl::StrCat("in [0, ", group.size(), ")"),
                      absl::StrCat(root));
  }
  SY_RETURN_IF_ERROR(group.status());
  call.op = Operator::kBroadcast;
  call.detail = static_cast<uint32_t>(root);
  Exchange exchange(group, call);
  const size_t bytes = call.count * ElementSize(call.dtype);
  const int size = group.size();
  // A binomial tree: the rank at a distance d from the root receives from the
  // one at d without its lowest bit.
  const int distance = (group.rank() - root + size) % size;
  const auto rank_at = [&](int d) { return (d + root) % size; };
  int lowest = 1;
  while (lowest < size && (distance & lowest) == 0) lowest *= 2;
  if (distance != 0) {
    const int parent = rank_at(distance - lowest);
    SY_RETURN_IF_ERROR(exchange.CheckHeaders({parent}));
    SY_RETURN_IF_ERROR(exchange.Receive(parent, 1, data, bytes));
    SY_RETURN_IF_ERROR(exchange.Finish());
  }
  for (int step = lowest / 2; step > 0; step /= 2) {
    if (distance + step >= size) continue;
    const int child = rank_at(distance + step);
    SY_RETURN_IF_ERROR(exchange.SendHeader(child));
    SY_RETURN_IF_ERROR(exchange.Send(child, 1, data, bytes));
  }
  SY_RETURN_IF_ERROR(exchange.Finish());
  exchange.Done();
  return absl::OkStatus();
}

absl::Status Barrier(Group& group, Call call) {
  SY_RETURN_IF_ERROR(group.status());
  call.op = Operator::kBarrier;
  call.count = 0;
  Exchange exchange(group, call);
  const std::vector<int> others = OthersOf(group);
  for (const int peer : others) {
    SY_RETURN_IF_ERROR(exchange.SendHeader(peer));
  }
  SY_RETURN_IF_ERROR(exchange.CheckHeaders(others));
  SY_RETURN_IF_ERROR(exchange.Finish());
  exchange.Done();
  return absl::OkStatus();
}

std::vector<uint64_t> EvenSlices(uint64_t count, int ranks) {
  constexpr uint64_t kUnit = 16;
  const uint64_t units = count / kUnit;
  std::vector<uint64_t> begins;
  for (int rank = 0; rank < ranks; ++rank) {
    begins.push_back(units * static_cast<uint64_t>(rank) /
                     static_cast<uint64_t>(ranks) * kUnit);
  }
  begins.push_back(count);
  return begins;
}

}  // namespace switchyard::collective

// SPDX-License-Identifier: Apache-2.0
// The collective calls of a group. Reductions are ours, over messages between
// two ranks: a library's reduce in an order that depends on size, number of
// ranks, version and network. The bits of a reduction depend on the values of
// the shards and their number alone (framework/collective/shard_tree.h). What
// adds in a library's order has `Library` in its name.
//
// A call names its elements in `call`: dtype, count, and where it is made; the
// functions set the rest. Errors: those of Group, and InvalidArgument before
// anything is sent.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_COLLECTIVES_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_COLLECTIVES_H_

#include <vector>

#include "framework/base/status.h"
#include "framework/collective/group.h"
#include "framework/collective/shard_tree.h"

namespace switchyard::collective {

// Writes the reduction over all shards of all ranks to `out`, on every rank.
// `pieces` are the values of tree.pieces(group.rank()), call.count elements
// each; their memory holds other values afterwards if it is also `out`'s.
absl::Status AllReduce(Group& group, Call call, const ShardTree& tree,
                       const std::vector<const void*>& pieces, void* out);

// OK if the transport sums by a library; InvalidArgument, which names those
// that do, otherwise.
absl::Status CheckLibrary(const TransportInfo& transport);

// True for sums and means of float32 and float64. The others need no library:
// minima, maxima and integers have the same bits in any order, and libraries
// have no halves.
bool LibraryReduces(const Call& call);

// As AllReduce() for these, within the rounding of another order: the sums of
// the ranks' own shards are added by the transport's library. Errors of
// CheckLibrary(), too.
absl::Status LibraryAllReduce(Group& group, Call call, const ShardTree& tree,
                              const std::vector<const void*>& pieces,
                              void* out);

// Writes the elements [begins[rank], begins[rank + 1]) of that reduction to
// `out`, those alone. `begins` has an entry more than there are ranks, from 0
// to call.count, and is the same on all.
absl::Status ReduceScatter(Group& group, Call call, const ShardTree& tree,
                           const std::vector<const void*>& pieces,
                           const std::vector<uint64_t>& begins, void* out);

// Fills `all`, call.count elements, of which this rank's, [begins[rank],
// begins[rank + 1]), are there already, with those of the others.
absl::Status AllGather(Group& group, Call call,
                       const std::vector<uint64_t>& begins, void* all);

// Writes rank `root`'s call.count elements to the others' `data`.
absl::Status Broadcast(Group& group, Call call, int root, void* data);

// Returns when every rank has called it.
absl::Status Barrier(Group& group, Call call);

// Returns the begins of slices of `count` elements, one a rank, whose lengths
// differ by 16 elements at most.
std::vector<uint64_t> EvenSlices(uint64_t count, int ranks);

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_COLLECTIVES_H_

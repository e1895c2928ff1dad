// SPDX-License-Identifier: Apache-2.0
// PyGroup: a group of ranks as Python sees it, its calls over memory of
// Python's buffers. Part of switchyard._collective.
#ifndef SWITCHYARD_PYTHON_BINDINGS_COLLECTIVE_GROUP_H_
#define SWITCHYARD_PYTHON_BINDINGS_COLLECTIVE_GROUP_H_

#define PY_SSIZE_T_CLEAN
#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/call_stream.h"
#include "framework/collective/collectives.h"

namespace switchyard::collective {

// Raises the Python exception for an error; DistributedError for those of a
// group.
void ThrowIfError(const absl::Status& status);
// Makes the type DistributedError; throws a Python exception.
pybind11::handle MakeDistributedError();

// Throw ValueError for a name that is none.
Reduction ReductionOf(const std::string& name);
DataType DtypeOf(const std::string& name);
const TransportInfo& TransportOf(const std::string& name);
// Throws ValueError for fewer shards than ranks.
void CheckShards(int shards, int ranks);

// The contiguous memory of an object with the buffer protocol. Made and
// destroyed with the interpreter's lock.
class Memory {
 public:
  Memory(const pybind11::handle& object, bool writable);
  ~Memory() { PyBuffer_Release(&view_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const { return view_.buf; }
  // Throws unless it has this number of bytes.
  void CheckBytes(uint64_t bytes) const;

 private:
  Py_buffer view_;
};

// A group and its stream of calls. A call gets `said`, the part that is the
// same for all calls: (dtype, count, name, location). With `asynchronous` it
// returns at once, with a ticket for Wait(), and holds its buffers until then;
// without it returns 0 when the call is over.
class PyGroup {
 public:
  using Said = std::tuple<std::string, uint64_t, std::string, std::string>;
  using Slices = std::vector<uint64_t>;

  // The medium: the sockets of "tcp" by rank; for "gloo" the address at which
  // this rank listens, and a function of what it says of that (bytes) that
  // returns what all ranks say, by rank; for "nccl" the sockets and `device`,
  // the number of this rank's GPU. `library`: floating sums are in the order of
  // the transport's library.
  PyGroup(const std::string& transport, int rank, int size,
          std::vector<int> sockets, double deadline, const std::string& host,
          const pybind11::object& exchange, bool library, int device);
  ~PyGroup() { Close(); }

  // Names the ranks in messages.
  void SetMembers(const std::vector<std::string>& hosts,
                  const std::vector<int64_t>& processes);
  int rank() const { return Open().rank(); }
  int size() const { return Open().size(); }
  std::string transport() const { return Open().transport().name; }
  bool failed() const { return group_ == nullptr || stream_->failed(); }
  // Ends the call that is running, and drops those after it.
  void Close();

  uint64_t AllReduceOf(const Said& said, const std::string& reduction,
                       int shards, const pybind11::list& pieces,
                       const pybind11::object& out, bool asynchronous);
  uint64_t ReduceScatterOf(const Said& said, const std::string& reduction,
                           int shards, const pybind11::list& pieces,
                           const Slices& begins, const pybind11::object& out,
                           bool asynchronous);
  uint64_t AllGatherOf(const Said& said, const Slices& begins,
                       const pybind11::object& all, bool asynchronous);
  uint64_t BroadcastOf(const Said& said, int root, const pybind11::object& data,
                       bool asynchronous);
  void BarrierOf(const Said& said);
  // Returns when the call of this ticket is over; raises its error.
  void Wait(uint64_t ticket);

  void StartTrace() { stream_of().StartTrace(); }
  // [(call, bytes, asynchronous, given, begun, ended)], times in nanoseconds of
  // time.monotonic_ns().
  pybind11::list TakeTrace();

 private:
  // The buffers of a call.
  struct Held {
    std::vector<std::unique_ptr<Memory>> memory;
    std::vector<const void*> pieces;
    void* out = nullptr;
  };

  Group& Open() const;
  CallStream& stream_of() const {
    Open();
    return *stream_;
  }
  void CheckSlices(const Slices& begins) const;
  std::unique_ptr<Held> Hold(const pybind11::list& pieces, const Call& call,
                             const pybind11::object& out, uint64_t count) const;
  // Makes the call, at once or asynchronously.
  uint64_t Make(Call call, std::unique_ptr<Held> held, bool asynchronous,
                CallStream::Body body);
  absl::Status MayGoOn() const;
  // Gives back the buffers of the calls up to this one.
  void Release(uint64_t ticket) {
    while (!held_.empty() && held_.front().first <= ticket) held_.pop_front();
  }

  const bool library_;
  std::atomic<bool> closing_{false};
  std::unique_ptr<Group> group_;
  std::unique_ptr<CallStream> stream_;
  std::deque<std::pair<uint64_t, std::unique_ptr<Held>>> held_;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_PYTHON_BINDINGS_COLLECTIVE_GROUP_H_

// SPDX-License-Identifier: Apache-2.0
// switchyard._collective: groups of ranks over memory of Python's buffers. An
// extension of its own, which python/switchyard/distributed imports: a process
// that computes alone loads nothing of it.
#define PY_SSIZE_T_CLEAN
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/collectives.h"
#include "framework/collective/mpi_transport.h"
#include "framework/collective/tcp_transport.h"

namespace switchyard::collective {
namespace {

namespace py = pybind11;

PyObject* distributed_error = nullptr;

[[noreturn]] void Raise(PyObject* type, const absl::Status& status) {
  const std::string text(status.message());
  PyErr_SetString(type, text.c_str());
  throw py::error_already_set();
}

void ThrowIfError(const absl::Status& status) {
  if (status.ok()) return;
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (IsTypeError(status)) Raise(PyExc_TypeError, status);
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      Raise(PyExc_ValueError, status);
    case absl::StatusCode::kOutOfRange:
      Raise(PyExc_IndexError, status);
    case absl::StatusCode::kResourceExhausted:
      Raise(PyExc_MemoryError, status);
    case absl::StatusCode::kFailedPrecondition:
      Raise(PyExc_RuntimeError, status);
    default:
      Raise(distributed_error, status);
  }
}

// The contiguous memory of an object with the buffer protocol, for the length
// of a block.
class Memory {
 public:
  Memory(const py::handle& object, bool writable) {
    if (PyObject_GetBuffer(object.ptr(), &view_,
                           PyBUF_C_CONTIGUOUS | PyBUF_FORMAT |
                               (writable ? PyBUF_WRITABLE : 0)) != 0) {
      throw py::error_already_set();
    }
  }
  ~Memory() { PyBuffer_Release(&view_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const { return view_.buf; }
  // Throws unless it has this number of bytes.
  void CheckBytes(uint64_t bytes) const {
    if (static_cast<uint64_t>(view_.len) == bytes) return;
    throw py::value_error("memory must have " + std::to_string(bytes) +
                          " bytes, got " + std::to_string(view_.len));
  }

 private:
  Py_buffer view_;
};

Reduction ReductionOf(const std::string& name) {
  for (const Reduction each :
       {Reduction::kSum, Reduction::kMean, Reduction::kMin, Reduction::kMax}) {
    if (name == Name(each)) return each;
  }
  throw py::value_error(
      "reduction must be 'sum', 'mean', 'min' or 'max', got '" + name + "'");
}

DataType DtypeOf(const std::string& name) {
  const auto dtype = ParseDataType(name);
  if (!dtype.has_value()) throw py::value_error("no dtype " + name);
  return *dtype;
}

// The part of a call that is the same for all: (dtype, count, name, location).
using Said = std::tuple<std::string, uint64_t, std::string, std::string>;

Call CallOf(const Said& said) {
  Call call;
  call.dtype = DtypeOf(std::get<0>(said));
  call.count = std::get<1>(said);
  call.name = std::get<2>(said);
  call.location = std::get<3>(said);
  return call;
}

void CheckShards(int shards, int ranks) {
  if (shards >= ranks && ranks >= 1) return;
  throw py::value_error("shards must be at least the number of ranks, " +
                        std::to_string(ranks) + ", got " +
                        std::to_string(shards));
}

// Ctrl-C ends a wait.
absl::Status CheckSignals() {
  const py::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() == 0) return absl::OkStatus();
  return absl::AbortedError("was interrupted");
}

const TransportInfo& TransportOf(const std::string& name) {
  for (const TransportInfo* each : {&kTcpTransport, &kMpiTransport}) {
    if (name == each->name) return *each;
  }
  throw py::value_error("transport must be 'tcp' or 'mpi', got '" + name + "'");
}

class PyGroup {
 public:
  PyGroup(const std::string& transport, int rank, int size,
          std::vector<int> sockets, double deadline) {
    const TransportInfo& info = TransportOf(transport);
    GroupOptions options;
    options.deadline =
        std::chrono::milliseconds(static_cast<int64_t>(deadline * 1000));
    options.while_waiting = &CheckSignals;
    auto group = Group::Make(info, {rank, size, &sockets}, std::move(options));
    ThrowIfError(group.status());
    group_ = *std::move(group);
  }

  // Names the ranks in messages.
  void SetMembers(const std::vector<std::string>& hosts,
                  const std::vector<int64_t>& processes) {
    std::vector<Member> members;
    for (size_t i = 0; i < hosts.size() && i < processes.size(); ++i) {
      members.push_back({hosts[i], processes[i]});
    }
    Open().SetMembers(std::move(members));
  }

  int rank() const { return Open().rank(); }
  int size() const { return Open().size(); }
  std::string transport() const { return Open().transport().name; }
  bool failed() const { return group_ == nullptr || !group_->status().ok(); }
  uint32_t calls() const { return Open().calls(); }
  void Close() { group_.reset(); }

  void AllReduceOf(const Said& said, const std::string& reduction, int shards,
                   const py::list& pieces, const py::object& out) {
    Call call = CallOf(said);
    call.reduction = ReductionOf(reduction);
    CheckShards(shards, Open().size());
    const ShardTree tree(shards, group_->size());
    Pieces held(pieces, call);
    const Memory result(out, true);
    result.CheckBytes(BytesOf(call, call.count));
    Run([&] {
      return AllReduce(*group_, call, tree, held.data, result.data());
    });
  }

  void ReduceScatterOf(const Said& said, const std::string& reduction,
                       int shards, const py::list& pieces,
                       const std::vector<uint64_t>& begins,
                       const py::object& out) {
    Call call = CallOf(said);
    call.reduction = ReductionOf(reduction);
    CheckShards(shards, Open().size());
    CheckSlices(begins);
    const ShardTree tree(shards, group_->size());
    Pieces held(pieces, call);
    const Memory result(out, true);
    const size_t rank = static_cast<size_t>(group_->rank());
    result.CheckBytes(BytesOf(call, begins[rank + 1] - begins[rank]));
    Run([&] {
      return ReduceScatter(*group_, call, tree, held.data, begins,
                           result.data());
    });
  }

  void AllGatherOf(const Said& said, const std::vector<uint64_t>& begins,
                   const py::object& all) {
    const Call call = CallOf(said);
    Open();
    CheckSlices(begins);
    const Memory memory(all, true);
    memory.CheckBytes(BytesOf(call, call.count));
    Run([&] { return AllGather(*group_, call, begins, memory.data()); });
  }

  void BroadcastOf(const Said& said, int root, const py::object& data) {
    const Call call = CallOf(said);
    Open();
    const Memory memory(data, true);
    memory.CheckBytes(BytesOf(call, call.count));
    Run([&] { return Broadcast(*group_, call, root, memory.data()); });
  }

  void BarrierOf(const Said& said) {
    const Call call = CallOf(said);
    Open();
    Run([&] { return Barrier(*group_, call); });
  }

 private:
  struct Pieces {
    Pieces(const py::list& pieces, const Call& call) {
      for (const py::handle& each : pieces) {
        memory.push_back(std::make_unique<Memory>(each, false));
        memory.back()->CheckBytes(BytesOf(call, call.count));
        data.push_back(memory.back()->data());
      }
    }
    std::vector<std::unique_ptr<Memory>> memory;
    std::vector<const void*> data;
  };

  static uint64_t BytesOf(const Call& call, uint64_t count) {
    return count * ElementSize(call.dtype);
  }

  Group& Open() const {
    if (group_ == nullptr) throw py::value_error("the group is closed");
    return *group_;
  }

  void CheckSlices(const std::vector<uint64_t>& begins) const {
    if (begins.size() == static_cast<size_t>(group_->size()) + 1) return;
    throw py::value_error("slices must be one a rank");
  }

  template <typename Body>
  void Run(Body body) {
    absl::Status status;
    {
      const py::gil_scoped_release released;
      status = body();
    }
    ThrowIfError(status);
  }

  std::unique_ptr<Group> group_;
};

std::vector<std::pair<int, int>> PiecesOf(int shards, int ranks, int rank) {
  CheckShards(shards, ranks);
  if (rank < 0 || rank >= ranks) throw py::index_error("no such rank");
  const ShardTree tree(shards, ranks);
  std::vector<std::pair<int, int>> pieces;
  for (const ShardRange& piece : tree.pieces(rank)) {
    pieces.emplace_back(piece.begin, piece.end);
  }
  return pieces;
}

void CombineInto(const std::string& reduction, const std::string& dtype_name,
                 const py::object& left, const py::object& right,
                 uint64_t count) {
  const Reduction how = ReductionOf(reduction);
  const DataType dtype = DtypeOf(dtype_name);
  ThrowIfError(CheckReduction(how, dtype));
  const Memory first(left, true), second(right, false);
  first.CheckBytes(count * ElementSize(dtype));
  second.CheckBytes(count * ElementSize(dtype));
  const py::gil_scoped_release released;
  Combine(how, dtype, first.data(), second.data(), first.data(), count);
}

}  // namespace
}  // namespace switchyard::collective

PYBIND11_MODULE(_collective, module) {
  namespace c = switchyard::collective;
  namespace py = pybind11;
  module.doc() = "Groups of processes that compute together.";
  c::distributed_error =
      PyErr_NewExceptionWithDoc("switchyard.distributed.DistributedError",
                                "A collective call failed: a rank is missing, "
                                "or calls otherwise. The message names it.",
                                PyExc_RuntimeError, nullptr);
  if (c::distributed_error == nullptr) throw py::error_already_set();
  module.attr("DistributedError") = py::handle(c::distributed_error);
  py::class_<c::PyGroup>(module, "Group")
      .def(py::init<const std::string&, int, int, std::vector<int>, double>(),
           py::arg("transport"), py::arg("rank"), py::arg("size"),
           py::arg("sockets"), py::arg("deadline"))
      .def("set_members", &c::PyGroup::SetMembers)
      .def_property_readonly("rank", &c::PyGroup::rank)
      .def_property_readonly("size", &c::PyGroup::size)
      .def_property_readonly("transport", &c::PyGroup::transport)
      .def_property_readonly("failed", &c::PyGroup::failed)
      .def_property_readonly("calls", &c::PyGroup::calls)
      .def("close", &c::PyGroup::Close)
      .def("all_reduce", &c::PyGroup::AllReduceOf)
      .def("reduce_scatter", &c::PyGroup::ReduceScatterOf)
      .def("all_gather", &c::PyGroup::AllGatherOf)
      .def("broadcast", &c::PyGroup::BroadcastOf)
      .def("barrier", &c::PyGroup::BarrierOf);
  module.def("pieces", &c::PiecesOf, py::arg("shards"), py::arg("ranks"),
             py::arg("rank"), "The nodes of the tree that a rank holds.");
  module.def("cut", [](int begin, int end) { return c::CutOf({begin, end}); });
  module.def("even_slices", &c::EvenSlices);
  module.def("combine", &c::CombineInto,
             "Reduces `right` into `left`, element by element.");
}

// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/collective_group.h"

#include <chrono>
#include <cstdio>

#include "framework/collective/gloo_transport.h"
#include "framework/collective/mpi_transport.h"
#include "framework/collective/nccl_transport.h"
#include "framework/collective/tcp_transport.h"

namespace switchyard::collective {
namespace {

namespace py = pybind11;

PyObject* distributed_error = nullptr;

// True on the thread of a stream, which no signal interrupts.
thread_local bool on_stream = false;

[[noreturn]] void Raise(PyObject* type, const absl::Status& status) {
  const std::string text(status.message());
  PyErr_SetString(type, text.c_str());
  throw py::error_already_set();
}

// Ctrl-C ends a wait.
absl::Status CheckSignals() {
  const py::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() == 0) return absl::OkStatus();
  if (PyErr_ExceptionMatches(distributed_error) == 0) {
    return absl::AbortedError("was interrupted");
  }
  py::error_already_set raised;  // By a handler, which knows why.
  const std::string sentence = py::str(raised.value());
  raised.restore();
  return absl::CancelledError(sentence);
}

// Asks a function of Python what the ranks say of where they listen.
absl::StatusOr<std::vector<std::string>> Exchanged(const py::object& exchange,
                                                   const std::string& own) {
  try {
    const py::list all = exchange(py::bytes(own));
    std::vector<std::string> places;
    for (const py::handle& each : all) {
      places.push_back(py::cast<std::string>(each));
    }
    return places;
  } catch (py::error_already_set& error) {
    error.restore();  // ThrowIfError() raises it.
    return absl::AbortedError("a function of Python failed");
  }
}

Call CallOf(Operator op, const PyGroup::Said& said) {
  Call call;
  call.op = op;
  call.dtype = DtypeOf(std::get<0>(said));
  call.count = std::get<1>(said);
  call.name = std::get<2>(said);
  call.location = std::get<3>(said);
  return call;
}

uint64_t BytesOf(const Call& call, uint64_t count) {
  return count * ElementSize(call.dtype);
}

int64_t Nanoseconds(CallStream::Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             time.time_since_epoch())
      .count();
}

}  // namespace

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

py::handle MakeDistributedError() {
  distributed_error =
      PyErr_NewExceptionWithDoc("switchyard.distributed.DistributedError",
                                "A collective call failed: a rank is missing, "
                                "or calls otherwise. The message names it.",
                                PyExc_RuntimeError, nullptr);
  if (distributed_error == nullptr) throw py::error_already_set();
  return distributed_error;
}

Reduction ReductionOf(const std::string& name) {
  for (const Reduction each :
       {Reduction::kSum, Reduction::kMean, Reduction::kMin, Reduction::kMax}) {
    if (name == Name(each)) return each;
  }
  throw py::value_error(
      "reduction must be 'sum', 'mean', 'min' or 'max', got '" + name + "'");
}

const TransportInfo& TransportOf(const std::string& name) {
  for (const TransportInfo* each :
       {&kTcpTransport, &kMpiTransport, &kGlooTransport, &kNcclTransport}) {
    if (name == each->name) return *each;
  }
  throw py::value_error(
      "transport must be 'tcp', 'mpi', 'gloo' or 'nccl', got '" + name + "'");
}

DataType DtypeOf(const std::string& name) {
  const auto dtype = ParseDataType(name);
  if (!dtype.has_value()) throw py::value_error("no dtype " + name);
  return *dtype;
}

void CheckShards(int shards, int ranks) {
  if (shards >= ranks && ranks >= 1) return;
  throw py::value_error("shards must be at least the number of ranks, " +
                        std::to_string(ranks) + ", got " +
                        std::to_string(shards));
}

Memory::Memory(const py::handle& object, bool writable) {
  if (PyObject_GetBuffer(object.ptr(), &view_,
                         PyBUF_C_CONTIGUOUS | PyBUF_FORMAT |
                             (writable ? PyBUF_WRITABLE : 0)) != 0) {
    throw py::error_already_set();
  }
}

void Memory::CheckBytes(uint64_t bytes) const {
  if (static_cast<uint64_t>(view_.len) == bytes) return;
  throw py::value_error("memory must have " + std::to_string(bytes) +
                        " bytes, got " + std::to_string(view_.len));
}

PyGroup::PyGroup(const std::string& transport, int rank, int size,
                 std::vector<int> sockets, double deadline,
                 const std::string& host, const py::object& exchange,
                 bool library, int device)
    : library_(library) {
  const TransportInfo& info = TransportOf(transport);
  GroupOptions options;
  options.deadline =
      std::chrono::milliseconds(static_cast<int64_t>(deadline * 1000));
  options.while_waiting = [this] { return MayGoOn(); };
  options.on_long_wait = [](const std::string& sentence) {
    std::fprintf(stderr, "switchyard: %s\n", sentence.c_str());
  };
  GlooMedium meeting{host, options.deadline, [&](const std::string& own) {
                       return Exchanged(exchange, own);
                     }};
  NcclMedium gpus{sockets, device, options.deadline};
  void* medium = &sockets;
  if (&info == &kGlooTransport) medium = &meeting;
  if (&info == &kNcclTransport) medium = &gpus;
  auto group = Group::Make(info, {rank, size, medium}, std::move(options));
  ThrowIfError(group.status());
  group_ = *std::move(group);
  stream_ = std::make_unique<CallStream>(*group_, CallStream::Window(),
                                         [this] { return MayGoOn(); });
}

absl::Status PyGroup::MayGoOn() const {
  if (closing_) return absl::AbortedError("was closed");
  return on_stream ? absl::OkStatus() : CheckSignals();
}

void PyGroup::SetMembers(const std::vector<std::string>& hosts,
                         const std::vector<int64_t>& processes) {
  std::vector<Member> members;
  for (size_t i = 0; i < hosts.size() && i < processes.size(); ++i) {
    members.push_back({hosts[i], processes[i]});
  }
  Open().SetMembers(std::move(members));
}

void PyGroup::Close() {
  closing_ = true;
  {
    const py::gil_scoped_release released;
    stream_.reset();
    group_.reset();
  }
  held_.clear();
}

uint64_t PyGroup::AllReduceOf(const Said& said, const std::string& reduction,
                              int shards, const py::list& pieces,
                              const py::object& out, bool asynchronous) {
  Call call = CallOf(Operator::kAllReduce, said);
  call.reduction = ReductionOf(reduction);
  const bool library = library_ && LibraryReduces(call);
  if (library) call.op = Operator::kLibraryAllReduce;
  call.detail = static_cast<uint32_t>(shards);
  CheckShards(shards, Open().size());
  ThrowIfError(CheckReduction(call.reduction, call.dtype));
  auto held = Hold(pieces, call, out, call.count);
  const Held& use = *held;
  const auto reduce = library ? &LibraryAllReduce : &AllReduce;
  return Make(
      call, std::move(held), asynchronous, [call, &use, reduce](Group& group) {
        const ShardTree tree(static_cast<int>(call.detail), group.size());
        return reduce(group, call, tree, use.pieces, use.out);
      });
}

uint64_t PyGroup::ReduceScatterOf(const Said& said,
                                  const std::string& reduction, int shards,
                                  const py::list& pieces, const Slices& begins,
                                  const py::object& out, bool asynchronous) {
  Call call = CallOf(Operator::kReduceScatter, said);
  call.reduction = ReductionOf(reduction);
  call.detail = static_cast<uint32_t>(shards);
  CheckShards(shards, Open().size());
  ThrowIfError(CheckReduction(call.reduction, call.dtype));
  CheckSlices(begins);
  const size_t rank = static_cast<size_t>(group_->rank());
  auto held = Hold(pieces, call, out, begins[rank + 1] - begins[rank]);
  const Held& use = *held;
  return Make(
      call, std::move(held), asynchronous, [call, begins, &use](Group& group) {
        const ShardTree tree(static_cast<int>(call.detail), group.size());
        return ReduceScatter(group, call, tree, use.pieces, begins, use.out);
      });
}

uint64_t PyGroup::AllGatherOf(const Said& said, const Slices& begins,
                              const py::object& all, bool asynchronous) {
  const Call call = CallOf(Operator::kAllGather, said);
  CheckSlices(begins);
  auto held = Hold(py::list(), call, all, call.count);
  void* const data = held->out;
  return Make(call, std::move(held), asynchronous,
              [call, begins, data](Group& group) {
                return AllGather(group, call, begins, data);
              });
}

uint64_t PyGroup::BroadcastOf(const Said& said, int root,
                              const py::object& data, bool asynchronous) {
  Call call = CallOf(Operator::kBroadcast, said);
  call.detail = static_cast<uint32_t>(root);
  if (root < 0 || root >= Open().size()) {
    throw py::index_error("broadcast: root must be in [0, " +
                          std::to_string(group_->size()) + "), got " +
                          std::to_string(root));
  }
  auto held = Hold(py::list(), call, data, call.count);
  void* const memory = held->out;
  return Make(call, std::move(held), asynchronous,
              [call, root, memory](Group& group) {
                return Broadcast(group, call, root, memory);
              });
}

void PyGroup::BarrierOf(const Said& said) {
  const Call call = CallOf(Operator::kBarrier, said);
  Make(call, std::make_unique<Held>(), /*asynchronous=*/false,
       [call](Group& group) { return Barrier(group, call); });
}

uint64_t PyGroup::Make(Call call, std::unique_ptr<Held> held, bool asynchronous,
                       CallStream::Body body) {
  CallStream& stream = stream_of();
  const uint64_t bytes = BytesOf(call, call.count);
  if (!asynchronous) {
    absl::Status status;
    {
      const py::gil_scoped_release released;
      status = stream.Run(std::move(call), bytes, body);
    }
    ThrowIfError(status);
    return 0;
  }
  absl::StatusOr<uint64_t> ticket = uint64_t{0};
  {
    const py::gil_scoped_release released;
    ticket = stream.Give(std::move(call), bytes, [body](Group& group) {
      on_stream = true;
      return body(group);
    });
  }
  ThrowIfError(ticket.status());
  held_.emplace_back(*ticket, std::move(held));
  return *ticket;
}

void PyGroup::Wait(uint64_t ticket) {
  CallStream& stream = stream_of();
  absl::Status status;
  {
    const py::gil_scoped_release released;
    status = stream.Wait(ticket);
  }
  // An interrupt leaves the call running, with its buffers.
  if (PyErr_Occurred() == nullptr) Release(ticket);
  ThrowIfError(status);
}

py::list PyGroup::TakeTrace() {
  py::list rows;
  for (const CallStream::Record& each : stream_of().TakeTrace()) {
    rows.append(py::make_tuple(each.call.ToString(), each.bytes,
                               !each.inline_call, Nanoseconds(each.given),
                               Nanoseconds(each.begun),
                               Nanoseconds(each.ended)));
  }
  return rows;
}

Group& PyGroup::Open() const {
  if (group_ == nullptr) throw py::value_error("the group is closed");
  return *group_;
}

void PyGroup::CheckSlices(const Slices& begins) const {
  if (begins.size() == static_cast<size_t>(Open().size()) + 1) return;
  throw py::value_error("slices must be one a rank");
}

std::unique_ptr<PyGroup::Held> PyGroup::Hold(const py::list& pieces,
                                             const Call& call,
                                             const py::object& out,
                                             uint64_t count) const {
  auto held = std::make_unique<Held>();
  for (const py::handle& each : pieces) {
    held->memory.push_back(std::make_unique<Memory>(each, false));
    held->memory.back()->CheckBytes(BytesOf(call, call.count));
    held->pieces.push_back(held->memory.back()->data());
  }
  held->memory.push_back(std::make_unique<Memory>(out, true));
  held->memory.back()->CheckBytes(BytesOf(call, count));
  held->out = held->memory.back()->data();
  return held;
}

}  // namespace switchyard::collective

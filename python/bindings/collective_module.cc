// SPDX-License-Identifier: Apache-2.0
// switchyard._collective: groups of ranks over memory of Python's buffers. An
// extension of its own, which python/switchyard/distributed imports: a process
// that computes alone loads nothing of it.
#define PY_SSIZE_T_CLEAN
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/collective/collectives.h"
#include "framework/collective/predict.h"
#include "python/bindings/collective_group.h"

namespace switchyard::collective {
namespace {

namespace py = pybind11;

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

void FinishSum(const std::string& dtype_name, const py::object& values,
               const py::object& out, uint64_t count) {
  const DataType dtype = DtypeOf(dtype_name);
  ThrowIfError(CheckReduction(Reduction::kSum, dtype));
  const Memory from(values, false), to(out, true);
  from.CheckBytes(count * ElementSize(dtype));
  to.CheckBytes(count * ElementSize(dtype));
  const py::gil_scoped_release released;
  ReduceTree(Reduction::kSum, dtype, 1, {{{0, 1}, from.data()}}, to.data(),
             count);
}

Operator OperatorOf(const std::string& name) {
  constexpr std::pair<const char*, Operator> kCalls[] = {
      {"all_reduce", Operator::kAllReduce},
      {"reduce_scatter", Operator::kReduceScatter},
      {"all_gather", Operator::kAllGather},
      {"broadcast", Operator::kBroadcast},
      {"barrier", Operator::kBarrier},
  };
  for (const auto& [known, op] : kCalls) {
    if (name == known) return op;
  }
  throw py::value_error(
      "estimate: a call must be all_reduce, reduce_scatter, all_gather, "
      "broadcast or barrier, got " +
      name);
}

// Calls as (name, dtype, count); links as (latency, overhead, per_byte).
std::tuple<double, int64_t, int64_t> PredictCalls(
    const std::vector<std::tuple<std::string, std::string, uint64_t>>& named,
    int ranks, int shards, const std::tuple<double, double, double>& between,
    const std::tuple<double, double, double>& within, int ranks_a_host) {
  std::vector<Call> calls;
  for (const auto& [name, dtype, count] : named) {
    Call call;
    call.op = OperatorOf(name);
    call.dtype = DtypeOf(dtype);
    call.count = count;
    if (call.op != Operator::kBroadcast) {
      call.detail = static_cast<uint32_t>(shards);
    }
    calls.push_back(call);
  }
  const auto cost = [](const std::tuple<double, double, double>& link) {
    return LinkCost{std::get<0>(link), std::get<1>(link), std::get<2>(link)};
  };
  absl::StatusOr<Prediction> predicted = Prediction();
  {
    const py::gil_scoped_release released;
    predicted =
        Predict(calls, ranks, {cost(between), cost(within), ranks_a_host});
  }
  ThrowIfError(predicted.status());
  return {predicted->seconds, predicted->messages, predicted->bytes};
}

}  // namespace
}  // namespace switchyard::collective

PYBIND11_MODULE(_collective, module) {
  namespace c = switchyard::collective;
  namespace py = pybind11;
  module.doc() = "Groups of processes that compute together.";
  module.attr("DistributedError") = c::MakeDistributedError();
  py::class_<c::PyGroup>(module, "Group")
      .def(py::init<const std::string&, int, int, std::vector<int>, double,
                    const std::string&, const py::object&, bool, int>(),
           py::arg("transport"), py::arg("rank"), py::arg("size"),
           py::arg("sockets"), py::arg("deadline"), py::arg("host") = "",
           py::arg("exchange") = py::none(), py::arg("library") = false,
           py::arg("device") = 0)
      .def("set_members", &c::PyGroup::SetMembers)
      .def_property_readonly("rank", &c::PyGroup::rank)
      .def_property_readonly("size", &c::PyGroup::size)
      .def_property_readonly("transport", &c::PyGroup::transport)
      .def_property_readonly("failed", &c::PyGroup::failed)
      .def("close", &c::PyGroup::Close)
      .def("all_reduce", &c::PyGroup::AllReduceOf, py::arg("said"),
           py::arg("reduction"), py::arg("shards"), py::arg("pieces"),
           py::arg("out"), py::arg("asynchronous") = false)
      .def("reduce_scatter", &c::PyGroup::ReduceScatterOf, py::arg("said"),
           py::arg("reduction"), py::arg("shards"), py::arg("pieces"),
           py::arg("begins"), py::arg("out"), py::arg("asynchronous") = false)
      .def("all_gather", &c::PyGroup::AllGatherOf, py::arg("said"),
           py::arg("begins"), py::arg("all"), py::arg("asynchronous") = false)
      .def("broadcast", &c::PyGroup::BroadcastOf, py::arg("said"),
           py::arg("root"), py::arg("data"), py::arg("asynchronous") = false)
      .def("barrier", &c::PyGroup::BarrierOf)
      .def("wait", &c::PyGroup::Wait)
      .def("start_trace", &c::PyGroup::StartTrace)
      .def("take_trace", &c::PyGroup::TakeTrace);
  module.def("check_library", [](const std::string& transport) {
    c::ThrowIfError(c::CheckLibrary(c::TransportOf(transport)));
  });
  module.def("pieces", &c::PiecesOf, py::arg("shards"), py::arg("ranks"),
             py::arg("rank"), "The nodes of the tree that a rank holds.");
  module.def("cut", [](int begin, int end) { return c::CutOf({begin, end}); });
  module.def("predict", &c::PredictCalls, py::arg("calls"), py::arg("ranks"),
             py::arg("shards"), py::arg("between"), py::arg("within"),
             py::arg("ranks_a_host"),
             "(seconds, messages, bytes) of calls on the transport model.");
  module.def("even_slices", &c::EvenSlices);
  module.def("combine", &c::CombineInto,
             "Reduces `right` into `left`, element by element.");
  module.def("finish_sum", &c::FinishSum, py::arg("dtype"), py::arg("values"),
             py::arg("out"), py::arg("count"),
             "Copies a sum over all shards, each NaN as the one of sums.");
}

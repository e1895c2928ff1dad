// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/feed_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"

namespace switchyard::static_graph {
namespace {

// Returns the error for a tensor that is known not to match `port`.
absl::Status Misfit(const char* what, const ProgramPlan::Port& port,
                    Place place, const TensorBase& tensor) {
  const std::string name = absl::StrCat(what, " ", port.name);
  const std::string expected = SpecText(port.meta);
  if (!tensor.allocated()) {
    return ArgumentError(name, expected, "a tensor without memory");
  }
  if (tensor.dtype() != port.meta.dtype || tensor.kind() != port.meta.kind) {
    return TypeError(name, expected, SpecText(tensor.meta()));
  }
  if (!MayEqual(tensor.shape(), port.meta.shape)) {
    return ArgumentError(name, expected, SpecText(tensor.meta()));
  }
  return ArgumentError(name, absl::StrCat("on ", ToString(place)),
                       absl::StrCat("a tensor on ", ToString(tensor.place())));
}

bool IsSymbolic(const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].symbolic()) return true;
  }
  return false;
}

// Extents that symbols stand for in one run, as they are met.
class SymbolTable {
 public:
  absl::Status Check(const ProgramPlan::Port& port, const Shape& shape) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const Dim dim = port.meta.shape[axis];
      // Elements of an array may differ in an extent.
      if (!dim.symbolic() || !shape[axis].known()) continue;
      const int64_t extent = shape.extent(axis);
      const auto found = std::find_if(
          seen_.begin(), seen_.end(),
          [&](const auto& entry) { return entry.first == dim.symbol(); });
      if (found == seen_.end()) {
        seen_.emplace_back(dim.symbol(), extent);
      } else if (found->second != extent) {
        return ArgumentError(
            absl::StrCat("feed ", port.name),
            absl::StrCat("of extent ", found->second, " on axis ", axis,
                         ", as ", ToString(dim), " elsewhere"),
            absl::StrCat(extent));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::InlinedVector<std::pair<uint32_t, int64_t>, 4> seen_;
};

}  // namespace

absl::Status CheckTensor(const char* what, const ProgramPlan::Port& port,
                         Place place, const TensorBase& tensor) {
  const bool fits = tensor.allocated() && tensor.dtype() == port.meta.dtype &&
                    tensor.kind() == port.meta.kind &&
                    MayEqual(tensor.shape(), port.meta.shape) &&
                    tensor.place() == place;
  if (ABSL_PREDICT_TRUE(fits)) return absl::OkStatus();
  return Misfit(what, port, place, tensor);
}

FeedCheck::FeedCheck(const ProgramPlan* plan) : plan_(*plan) {
  for (const ProgramPlan::Port& feed : plan_.feeds) {
    symbolic_ |= IsSymbolic(feed.meta.shape);
  }
}

absl::Status FeedCheck::Check(absl::Span<const RunValue> feeds) const {
  if (feeds.size() != plan_.feeds.size()) {
    return ArgumentError("feeds", absl::StrCat(plan_.feeds.size(), " tensors"),
                         absl::StrCat(feeds.size()));
  }
  SymbolTable symbols;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].other != nullptr &&
        feeds[i].other->kind() == TensorKind::kDense) {
      return ArgumentError(absl::StrCat("feed ", plan_.feeds[i].name),
                           "RunValue::dense for a dense tensor",
                           "RunValue::other");
    }
    SY_RETURN_IF_ERROR(
        CheckTensor("feed", plan_.feeds[i], plan_.place, feeds[i].base()));
    if (!symbolic_) continue;
    SY_RETURN_IF_ERROR(symbols.Check(plan_.feeds[i], feeds[i].base().shape()));
  }
  return absl::OkStatus();
}

absl::Status FeedCheck::CheckShapes(absl::Span<const Shape> feeds) const {
  if (feeds.size() != plan_.feeds.size()) {
    return ArgumentError("feeds", absl::StrCat(plan_.feeds.size(), " shapes"),
                         absl::StrCat(feeds.size()));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ProgramPlan::Port& port = plan_.feeds[i];
    if (MayEqual(feeds[i], port.meta.shape)) continue;
    return ArgumentError(absl::StrCat("feed ", port.name),
                         ToString(port.meta.shape), ToString(feeds[i]));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph

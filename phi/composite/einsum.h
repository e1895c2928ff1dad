// SPDX-License-Identifier: Apache-2.0
// einsum, written as sums, products and products of matrices. Its equation is
// read by phi/composite/einsum_terms.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_EINSUM_H_
#define SWITCHYARD_PHI_COMPOSITE_EINSUM_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_einsum.h"
#include "phi/composite/einsum_terms.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

namespace einsum {

// A tensor and the labels of its axes.
struct Operand {
  Value value;
  EinsumLabels labels;
};

// The labels of a that are, or are not, among those of b.
inline EinsumLabels Both(const EinsumLabels& a, const EinsumLabels& b) {
  EinsumLabels labels;
  for (const int label : a) {
    if (Has(b, label)) labels.push_back(label);
  }
  return labels;
}

inline EinsumLabels Only(const EinsumLabels& a, const EinsumLabels& b) {
  EinsumLabels labels;
  for (const int label : a) {
    if (!Has(b, label)) labels.push_back(label);
  }
  return labels;
}

inline EinsumLabels Joined(EinsumLabels a, const EinsumLabels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// v with `count` axes of extent 1 put in before axis `at`.
inline Value WithUnitAxes(Ops& ops, const Value& v, size_t at, size_t count) {
  if (count == 0) return v;
  const std::vector<int64_t> axes(count, static_cast<int64_t>(at));
  return op::unsqueeze(ops, v, axes);
}

// The operand with its axes in the order of `labels`, which are the same.
inline Value Ordered(Ops& ops, const Operand& operand,
                     const EinsumLabels& labels) {
  std::vector<int> perm;
  for (const int label : labels) {
    perm.push_back(static_cast<int>(
        std::find(operand.labels.begin(), operand.labels.end(), label) -
        operand.labels.begin()));
  }
  if (std::is_sorted(perm.begin(), perm.end())) return operand.value;
  return op::transpose(ops, operand.value, perm);
}

// Takes the diagonal of axes of one label.
inline void TakeDiagonals(Ops& ops, Operand* operand) {
  EinsumLabels& labels = operand->labels;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto again =
        std::find(labels.begin() + i + 1, labels.end(), labels[i]);
    if (again == labels.end()) continue;
    const int label = labels[i];
    operand->value = op::diagonal(ops, operand->value, 0, static_cast<int>(i),
                                  static_cast<int>(again - labels.begin()));
    labels.erase(again);
    labels.erase(labels.begin() + i);
    labels.push_back(label);
    i = static_cast<size_t>(-1);  // From the front again.
  }
}

// Sums over the axes whose labels nobody else has.
inline void SumOut(Ops& ops, const EinsumLabels& kept, Operand* operand) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < operand->labels.size(); ++i) {
    if (!Has(kept, operand->labels[i])) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return;
  operand->value =
      op::sum(ops, operand->value, axes, DataType::kUndefined, false);
  operand->labels = Both(operand->labels, kept);
}

// The product of a and b where no label is summed over.
inline Operand Product(Ops& ops, const Operand& a, const Operand& b) {
  const EinsumLabels batch = Both(a.labels, b.labels);
  const EinsumLabels own_a = Only(a.labels, b.labels);
  const EinsumLabels own_b = Only(b.labels, a.labels);
  Value left = Ordered(ops, a, Joined(batch, own_a));
  left = WithUnitAxes(ops, left, a.labels.size(), own_b.size());
  Value right = Ordered(ops, b, Joined(batch, own_b));
  right = WithUnitAxes(ops, right, batch.size(), own_a.size());
  return {op::multiply(ops, left, right), Joined(Joined(batch, own_a), own_b)};
}

// The product of a and b, summed over the labels that both have and `kept`
// lacks: a product of matrices. Of each operand's own axes the last is the
// matrix's, the others are repeated for the other operand, so that no shape
// needs to be known.
inline Operand Contracted(Ops& ops, const Operand& a, const Operand& b,
                          const EinsumLabels& kept) {
  const EinsumLabels shared = Both(a.labels, b.labels);
  const EinsumLabels batch = Both(shared, kept), summed = Only(shared, kept);
  if (summed.empty()) return Product(ops, a, b);
  EinsumLabels own_a = Only(a.labels, b.labels);
  EinsumLabels own_b = Only(b.labels, a.labels);
  // a: batch, own ..., own, summed. b: batch, own ..., summed, own.
  Value left = Ordered(ops, a, Joined(Joined(batch, own_a), summed));
  const int rows = static_cast<int>(batch.size() + own_a.size());
  const int count = static_cast<int>(summed.size());
  if (count > 1) left = op::flatten(ops, left, rows, rows + count - 1);
  EinsumLabels last_b;
  EinsumLabels more_b = own_b;
  if (!own_b.empty()) {
    last_b.push_back(own_b.back());
    more_b.pop_back();
  }
  Value right =
      Ordered(ops, b, Joined(Joined(Joined(batch, more_b), summed), last_b));
  const int first = static_cast<int>(batch.size() + more_b.size());
  if (count > 1) right = op::flatten(ops, right, first, first + count - 1);
  if (last_b.empty()) right = WithUnitAxes(ops, right, first + 1, 1);
  if (own_a.empty()) left = WithUnitAxes(ops, left, rows, 1);
  const size_t more_a = own_a.empty() ? 0 : own_a.size() - 1;
  // Axes that broadcasting adds at the front need not be there.
  if (batch.size() + more_a > 0) {
    left = WithUnitAxes(ops, left, batch.size() + more_a, more_b.size());
  }
  if (!batch.empty()) right = WithUnitAxes(ops, right, batch.size(), more_a);
  Operand product = {op::matmul(ops, left, right, false, false), batch};
  const auto matrix =
      static_cast<int64_t>(batch.size() + more_a + more_b.size());
  std::vector<int64_t> units;
  if (own_a.empty()) units.push_back(matrix);
  if (own_b.empty()) units.push_back(matrix + 1);
  if (!units.empty()) product.value = op::squeeze(ops, product.value, units);
  EinsumLabels last_a;
  if (!own_a.empty()) {
    last_a.push_back(own_a.back());
    own_a.pop_back();
  }
  product.labels =
      Joined(Joined(Joined(Joined(batch, own_a), more_b), last_a), last_b);
  return product;
}

// Takes the axes of extent 1 out of the operands whose letter another operand
// has with more, or with an extent that is not known: they broadcast.
inline void DropBroadcast(Ops& ops, std::vector<Operand>* operands) {
  const auto has_more = [&](int label) {
    for (const Operand& operand : *operands) {
      const Shape shape = ops.shape(operand.value);
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (operand.labels[axis] == label && shape[axis] != Dim(1)) return true;
      }
    }
    return false;
  };
  for (Operand& operand : *operands) {
    const Shape shape = ops.shape(operand.value);
    std::vector<int64_t> axes;
    EinsumLabels kept;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int label = operand.labels[axis];
      if (label < kEllipsis && shape[axis] == Dim(1) && has_more(label)) {
        axes.push_back(axis);
      } else {
        kept.push_back(label);
      }
    }
    if (axes.empty()) continue;
    operand.value = op::squeeze(ops, operand.value, axes);
    operand.labels = std::move(kept);
  }
}

// Ends the composite unless axes of one label may have one extent, or 1, which
// broadcasts; those of one operand have one.
inline void CheckExtents(Ops& ops, const List& x, const EinsumTerms& terms) {
  std::map<int, Dim> extents;
  for (size_t i = 0; i < x.size(); ++i) {
    const Shape shape = ops.shape(x[i]);
    std::map<int, Dim> own;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int label = terms.operands[i][axis];
      const bool broadcasts = label >= kEllipsis;
      auto found = own.emplace(label, shape[axis]).first;
      if (shape[axis] != Dim(1) && MayEqual(found->second, shape[axis])) {
        found = extents.emplace(label, shape[axis]).first;
      }
      if (!MayEqual(found->second, shape[axis])) {
        return ops.Fail(ArgumentError(
            "x",
            std::string("of extent ") + ToString(found->second) +
                " along axes of label " +
                (broadcasts ? std::string("...")
                            : std::string(1, static_cast<char>(label))),
            ToString(shape[axis])));
      }
      if (!found->second.known()) found->second = shape[axis];
    }
  }
}

}  // namespace einsum

// The sum of products that the equation says. Gradients are those of what it is
// written as.
inline void Einsum(Ops& ops, const List& x, std::string_view equation,
                   Value* out) {
  if (out == nullptr) return;
  if (x.empty()) {
    return ops.Fail(ArgumentError("x", "at least one tensor", "none"));
  }
  std::vector<int> ranks;
  for (size_t i = 0; i < x.size(); ++i) ranks.push_back(ops.shape(x[i]).rank());
  const absl::StatusOr<EinsumTerms> terms = ParseEinsum(equation, ranks);
  if (!terms.ok()) return ops.Fail(terms.status());
  einsum::CheckExtents(ops, x, *terms);
  std::vector<einsum::Operand> operands;
  for (size_t i = 0; i < x.size(); ++i) {
    operands.push_back({x[i], terms->operands[i]});
    einsum::TakeDiagonals(ops, &operands[i]);
  }
  einsum::DropBroadcast(ops, &operands);
  einsum::Operand product = operands[0];
  for (size_t i = 0; i < operands.size(); ++i) {
    // The labels that the result or an operand further on needs.
    EinsumLabels kept = terms->result;
    for (size_t k = i + 1; k < operands.size(); ++k) {
      kept = einsum::Joined(kept, operands[k].labels);
    }
    if (i > 0) {
      einsum::SumOut(ops, einsum::Joined(kept, product.labels), &operands[i]);
      product = einsum::Contracted(ops, product, operands[i], kept);
    }
    einsum::SumOut(ops, kept, &product);
  }
  const Value ordered = einsum::Ordered(ops, product, terms->result);
  const bool same = x.size() == 1 && product.labels == terms->operands[0] &&
                    product.labels == terms->result;
  *out = same ? op::assign(ops, ordered) : ordered;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EINSUM_H_

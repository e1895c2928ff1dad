// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrite_operators.h"

#include <limits>
#include <string>
#include <string_view>

#include "framework/base/hash_map.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;
using translate::ProgramDesc;

// The first version in which an end of -1 is the last position whatever the
// stride.
constexpr int64_t kEndsFromBehind = 3'000'000;

OpDesc::Attr* FindAttr(OpDesc* op, std::string_view name) {
  for (OpDesc::Attr& attr : *op->mutable_attrs()) {
    if (attr.name() == name) return &attr;
  }
  return nullptr;
}

bool IsNegative(const OpDesc::Attr& strides, int i) {
  return (i < strides.ints_size() && strides.ints(i) < 0) ||
         (i < strides.longs_size() && strides.longs(i) < 0);
}

void RewriteEnds(OpDesc* op) {
  const bool slice =
      op->type() == "strided_slice" || op->type() == "strided_slice_grad";
  const bool set = op->type() == "set_value" || op->type() == "set_value_grad";
  if (!slice && !set) return;
  const OpDesc::Attr* const strides = FindAttr(op, slice ? "strides" : "steps");
  OpDesc::Attr* const ends = FindAttr(op, "ends");
  if (strides == nullptr || ends == nullptr) return;
  for (int i = 0; i < ends->ints_size(); ++i) {
    if (ends->ints(i) == -1 && IsNegative(*strides, i)) {
      ends->set_ints(i, std::numeric_limits<int32_t>::min());
    }
  }
  for (int i = 0; i < ends->longs_size(); ++i) {
    if (ends->longs(i) == -1 && IsNegative(*strides, i)) {
      ends->set_longs(i, std::numeric_limits<int32_t>::min());
    }
  }
}

bool IsOn(OpDesc* op, std::string_view name) {
  const OpDesc::Attr* const attr = FindAttr(op, name);
  return attr != nullptr && attr->b();
}

bool IsSparseGradient(OpDesc* op) {
  return (op->type() == "lookup_table_grad" ||
          op->type() == "lookup_table_v2_grad") &&
         IsOn(op, "is_sparse");
}

// Says what the operators that read a variable take.
struct Readers {
  bool takes_rows = false;  // One that must have SelectedRows.
  bool takes_dense = false;
};

void MakeGradientsDense(ProgramDesc* program) {
  HashMap<std::string, Readers> gradients;
  const auto each = [&](auto visit) {
    for (auto& block : *program->mutable_blocks()) {
      for (OpDesc& op : *block.mutable_ops()) visit(&op);
    }
  };
  each([&](OpDesc* op) {
    if (!IsSparseGradient(op)) return;
    for (const OpDesc::Var& slot : op->outputs()) {
      for (const std::string& name : slot.arguments()) gradients[name] = {};
    }
  });
  if (gradients.empty()) return;
  each([&](OpDesc* op) {
    for (const OpDesc::Var& slot : op->inputs()) {
      for (const std::string& name : slot.arguments()) {
        const auto found = gradients.find(name);
        if (found == gradients.end()) continue;
        const bool rows = op->type() == "adam" || op->type() == "adamw";
        found->second.takes_rows |= rows;
        found->second.takes_dense |= !rows && op->type() != "sgd";
      }
    }
  });
  each([&](OpDesc* op) {
    if (!IsSparseGradient(op)) return;
    for (const OpDesc::Var& slot : op->outputs()) {
      for (const std::string& name : slot.arguments()) {
        const Readers& readers = gradients[name];
        if (readers.takes_rows || !readers.takes_dense) continue;
        FindAttr(op, "is_sparse")->set_b(false);
      }
    }
  });
}

void DropSums(OpDesc* op) {
  if (op->type() != "data_norm_grad") return;
  for (int i = op->outputs_size() - 1; i >= 0; --i) {
    const std::string& name = op->outputs(i).parameter();
    if (name == "BatchSize" || name == "BatchSum" || name == "BatchSquareSum") {
      op->mutable_outputs()->DeleteSubrange(i, 1);
    }
  }
}

}  // namespace

void RewriteOperators(ProgramDesc* program) {
  const bool old = program->version().version() < kEndsFromBehind;
  for (auto& block : *program->mutable_blocks()) {
    for (OpDesc& op : *block.mutable_ops()) {
      if (old) RewriteEnds(&op);
      DropSums(&op);
    }
  }
  MakeGradientsDense(program);
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/layouts.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::phi::selection {
namespace {

bool TakesAnyLayout(const KernelDef& def, const Query& query, int argument) {
  return query.op->inputs[argument].no_need_buffer ||
         (argument < static_cast<int>(def.inputs.size()) &&
          def.inputs[argument].any_layout);
}

// Whether `one` has one element and is strided, so that any order of the
// elements of `other` is right beside it.
bool IsOneBeside(const TensorMeta& one, const TensorMeta& other) {
  return one.kind == TensorKind::kDense && one.layout.strided() &&
         one.shape.known() && one.shape.numel() == 1 &&
         one.shape.rank() <= other.shape.rank();
}

// The layout that all inputs share, if they have one rank and it pads none of
// them; strided otherwise. Inputs of one element may be strided beside it.
LayoutDescriptor CommonLayout(const Query& query) {
  const TensorMeta* first = nullptr;
  for (const TensorMeta* tensor : query.inputs.elements()) {
    if (tensor == nullptr) continue;
    if (first == nullptr) first = tensor;
    if (tensor->layout != first->layout) {
      if (IsOneBeside(*tensor, *first)) continue;
      if (IsOneBeside(*first, *tensor)) first = tensor;
    }
    if (tensor->kind != TensorKind::kDense || tensor->layout != first->layout ||
        !Describes(tensor->layout, tensor->shape) ||
        !IsUnpadded(tensor->layout, tensor->shape)) {
      return {};
    }
  }
  return first == nullptr ? LayoutDescriptor() : first->layout;
}

// Lets inputs of one element that are strided stay so beside others.
void LeaveStrided(const Query& query, TensorLayouts* layouts) {
  for (size_t slot = 0; slot < query.inputs.size(); ++slot) {
    const TensorMeta* const tensor = query.inputs[slot];
    if (tensor != nullptr && tensor->layout.strided()) {
      layouts->inputs[slot] = LayoutDescriptor();
    }
  }
}

// Whether a result has this shape, whatever its unknown extents are.
bool IsOfResult(const Query& query, const Shape& shape) {
  for (size_t slot = 0; slot < query.outputs.size(); ++slot) {
    const TensorSpec* const result = query.outputs[slot];
    if (result != nullptr && result->shape == shape) return true;
  }
  return false;
}

// The slot of an input of unknown shape; -1 if there is none. The batch, the
// first axis of the first input and of inputs with a result's shape, may be
// unknown: no layout depends on its extent.
int UnknownInput(const Query& query) {
  for (size_t slot = 0; slot < query.inputs.size(); ++slot) {
    if (query.inputs[slot] == nullptr) continue;
    const Shape& shape = query.inputs[slot]->shape;
    const size_t first = slot == 0 || IsOfResult(query, shape) ? 1 : 0;
    for (size_t axis = first; axis < shape.dims().size(); ++axis) {
      if (!shape.dims()[axis].known()) return static_cast<int>(slot);
    }
  }
  return -1;
}

// An order of axes follows from ranks and attributes.
bool NeedsShapes(const KernelDef& def) {
  return def.layouts != nullptr && def.key.layout == DataLayout::kBlocked;
}

absl::Status CallFunction(const KernelDef& def, const Query& query,
                          TensorLayouts* layouts) {
  absl::InlinedVector<const Shape*, 4> shapes;
  for (const TensorMeta* tensor : query.inputs.elements()) {
    const size_t slot = shapes.size();
    shapes.push_back(tensor == nullptr ? nullptr : &tensor->shape);
    if (tensor != nullptr) layouts->inputs[slot] = tensor->layout;
  }
  return def.layouts({shapes, query.attrs}, layouts);
}

void SizeLayouts(const Query& query, TensorLayouts* layouts) {
  layouts->inputs.assign(query.inputs.size(), LayoutDescriptor());
  layouts->outputs.assign(
      std::max(query.outputs.size(), query.op->outputs.size()),
      LayoutDescriptor());
}

}  // namespace

Tristate ComputeLayouts(const KernelDef& def, const Query& query,
                        TensorLayouts* layouts) {
  SizeLayouts(query, layouts);
  if (def.layouts != nullptr) {
    if (NeedsShapes(def) && UnknownInput(query) >= 0)
      return Tristate::kUndecided;
    if (!CallFunction(def, query, layouts).ok()) return Tristate::kFalse;
  } else if (def.keeps_layout) {
    const LayoutDescriptor kept = CommonLayout(query);
    std::fill(layouts->inputs.begin(), layouts->inputs.end(), kept);
    std::fill(layouts->outputs.begin(), layouts->outputs.end(), kept);
    if (!kept.strided()) LeaveStrided(query, layouts);
  }
  for (const auto [argument, slot, tensor] : query.inputs) {
    if (tensor == nullptr) {
      layouts->inputs[slot] = LayoutDescriptor();
    } else if (TakesAnyLayout(def, query, argument)) {
      layouts->inputs[slot] = tensor->layout;
    }
  }
  return Tristate::kTrue;
}

bool NeedsReorders(const Query& query, const TensorLayouts& layouts) {
  for (size_t slot = 0; slot < query.inputs.size(); ++slot) {
    const TensorMeta* const tensor = query.inputs[slot];
    if (tensor != nullptr && tensor->layout != layouts.inputs[slot]) {
      return true;
    }
  }
  return std::any_of(layouts.outputs.begin(), layouts.outputs.end(),
                     [](LayoutDescriptor layout) { return !layout.strided(); });
}

Mismatch DescribeLayouts(const KernelDef& def, const Query& query) {
  TensorLayouts layouts;
  SizeLayouts(query, &layouts);
  const int unknown = NeedsShapes(def) ? UnknownInput(query) : -1;
  if (unknown >= 0) {
    return {absl::StrCat("shape(",
                         SlotName(*query.op, query.inputs.segments(), unknown),
                         ")"),
            "known, to choose layouts", ToString(query.inputs[unknown]->shape)};
  }
  if (def.layouts != nullptr) {
    const absl::Status status = CallFunction(def, query, &layouts);
    if (!status.ok()) {
      return {"layouts", "of the kernel's choice",
              std::string(status.message())};
    }
  }
  return {"layouts", "usable without transforms (the policy forbids them)",
          "some that need reorders"};
}

}  // namespace switchyard::phi::selection

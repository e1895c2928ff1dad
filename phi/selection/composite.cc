// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/composite.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/selection/alternatives.h"

namespace switchyard::phi::selection {
namespace {

// The slot of the first input some extent of which is unknown; -1 if none is.
int UnknownInput(const Query& query) {
  for (const auto [argument, slot, input] : query.inputs) {
    if (input != nullptr && !input->shape.known()) {
      return static_cast<int>(slot);
    }
  }
  return -1;
}

// The first attribute that a tensor supplies; -1 if none is.
int SuppliedAttribute(const Query& query) {
  const auto found =
      std::find_if(query.attrs.begin(), query.attrs.end(),
                   [](const AttrRef& attr) { return attr.supplied(); });
  return found == query.attrs.end()
             ? -1
             : static_cast<int>(found - query.attrs.begin());
}

bool PartsAreServed(const OpKernels& op_kernels, const Query& query) {
  const DeviceInfo* const device = FindDevice(query.place.type);
  return std::any_of(
      op_kernels.composed_on.begin(), op_kernels.composed_on.end(),
      [&](const DeviceDtypes& on) {
        return on.device == device &&
               ((on.dtypes >> static_cast<int>(query.dtype)) & 1u) != 0;
      });
}

constexpr CompositeDef kMadeAtRunTime = {"", "", DataTypeSet(), /*alone=*/true};

}  // namespace

const CompositeDef* CompositeOf(const OpKernels& op_kernels,
                                const Query& query) {
  if (!query.composes) return nullptr;
  return op_kernels.composite == nullptr ? &kMadeAtRunTime
                                         : op_kernels.composite;
}

CompositeRequirement MatchComposite(const OpKernels& op_kernels,
                                    const Query& query, const Policy& policy,
                                    bool undecided) {
  using Requirement = CompositeRequirement;
  const CompositeDef& composite = *CompositeOf(op_kernels, query);
  if (!composite.Admits(query.dtype)) return Requirement::kDtype;
  // No condition of an added kernel keeps a program from the operator's own
  // meaning.
  if (undecided && !composite.alone) return Requirement::kDecided;
  if (!policy.allow_fallback || query.place == Place::Cpu()) {
    return Requirement::kNone;
  }
  if (UnknownInput(query) >= 0 || SuppliedAttribute(query) >= 0) {
    return Requirement::kKnown;
  }
  return PartsAreServed(op_kernels, query) ? Requirement::kNone
                                           : Requirement::kParts;
}

Mismatch Describe(CompositeRequirement requirement, const OpKernels& op_kernels,
                  const Query& query) {
  const CompositeDef& composite = *CompositeOf(op_kernels, query);
  switch (requirement) {
    case CompositeRequirement::kDtype: {
      std::vector<std::string_view> admitted;
      for (int i = 1; i < kNumDataTypes; ++i) {
        const DataType dtype = static_cast<DataType>(i);
        if (composite.dtypes.contains(dtype)) admitted.push_back(Name(dtype));
      }
      return {"key dtype", Alternatives(admitted),
              std::string(Name(query.dtype))};
    }
    case CompositeRequirement::kDecided:
      return {"kernels before it", "decided", "one that is not"};
    case CompositeRequirement::kKnown: {
      const int slot = UnknownInput(query);
      if (slot >= 0) {
        return {SlotName(*query.op, query.inputs.segments(), slot),
                "of a known shape", ToString(query.inputs[slot]->shape)};
      }
      return {query.op->attrs[SuppliedAttribute(query)].name, "known",
              "one that a tensor supplies"};
    }
    case CompositeRequirement::kParts:
      return {"parts",
              absl::StrCat("with kernels of ", std::string(Name(query.dtype)),
                           " on ", ToString(query.place)),
              std::string("not all of ") + composite.parts};
    case CompositeRequirement::kNone:
      break;
  }
  return {};
}

}  // namespace switchyard::phi::selection

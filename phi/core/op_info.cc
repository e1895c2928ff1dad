// SPDX-License-Identifier: Apache-2.0
#include "phi/core/op_info.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "phi/core/arg_buffer.h"

namespace switchyard::phi {
namespace {

template <typename Argument>
int IndexOf(absl::Span<const Argument> arguments, std::string_view name) {
  if (name.empty()) return -1;  // No argument's.
  for (size_t i = 0; i < arguments.size(); ++i) {
    // Most names differ in the first character; their lengths take longer.
    const char* const one = arguments[i].name;
    if (*one == name[0] && std::strncmp(one, name.data(), name.size()) == 0 &&
        one[name.size()] == '\0') {
      return static_cast<int>(i);
    }
  }
  return -1;
}

// Returns the size of a list that an attribute gives: its length, or its value.
int64_t SizeSaidBy(AttrRef attr) {
  return VisitAttrType(attr.type(), [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    if constexpr (tag.kList) {
      return static_cast<int64_t>(attr.Get<T>().size());
    } else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, int64_t>) {
      return attr.Get<T>();
    } else {
      return -1;
    }
  });
}

}  // namespace

int OpInfo::input_index(std::string_view input) const {
  return IndexOf(inputs, input);
}

int OpInfo::attr_index(std::string_view attr) const {
  return IndexOf(attrs, attr);
}

absl::Status LayOutOutputs(const OpInfo& info, const ArgSegments& inputs,
                           absl::Span<const AttrRef> attrs, ArgLayout* layout) {
  for (const OutputInfo& output : info.outputs) {
    int64_t size = 1;
    const char* said_by = output.name;
    if (output.list && output.size_of_input >= 0) {
      size = inputs.size(output.size_of_input);
      said_by = info.inputs[output.size_of_input].name;
    } else if (output.list && output.size_of_attr >= 0) {
      size = SizeSaidBy(attrs[output.size_of_attr]);
      said_by = info.attrs[output.size_of_attr].name;
    }
    const int64_t left = kMaxArgElements - static_cast<int64_t>(layout->size());
    if (size < 0 || size > left) {
      return ArgumentError(said_by, absl::StrCat("a size in [0, ", left, "]"),
                           absl::StrCat(size));
    }
    layout->Add(static_cast<size_t>(size));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi

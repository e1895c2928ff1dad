// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/host_call.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::phi::capi {
namespace {

// Returns the attribute; null, with the call's error set, if it is not there
// or of a type that `fits` refuses.
template <typename Fits>
const AttrRef* Attr(SyCall* c, int32_t number, const char* expected,
                    const Fits& fits) {
  auto& call = static_cast<HostCall&>(*c);
  if (!call.IsThere("attribute", number, call.attrs.size())) return nullptr;
  const AttrRef& attr = call.attrs[number];
  if (fits(attr.type()) && !attr.supplied()) return &attr;
  call.Keep(TypeError(absl::StrCat("attribute ", call.info->attrs[number].name),
                      expected,
                      attr.supplied() ? "a tensor" : Name(attr.type())));
  return nullptr;
}

int64_t AttrInt(SyCall* call, int32_t number) {
  const AttrRef* const attr =
      Attr(call, number, "an integer or a bool", [](AttrType type) {
        return type == AttrType::kInt || type == AttrType::kInt64 ||
               type == AttrType::kBool;
      });
  return attr == nullptr ? 0 : attr->Get<int64_t>();
}

double AttrFloat(SyCall* call, int32_t number) {
  const AttrRef* const attr =
      Attr(call, number, "float, double or Scalar", [](AttrType type) {
        return type == AttrType::kFloat || type == AttrType::kDouble ||
               type == AttrType::kScalar;
      });
  if (attr == nullptr) return 0;
  return attr->type() == AttrType::kScalar
             ? attr->Get<const Scalar&>().ToDouble()
             : attr->Get<double>();
}

const AttrRef* IntList(SyCall* call, int32_t number) {
  return Attr(call, number, "a list of integers", [](AttrType type) {
    return type == AttrType::kInts || type == AttrType::kInt64s;
  });
}

int64_t AttrCount(SyCall* call, int32_t number) {
  const AttrRef* const attr = IntList(call, number);
  if (attr == nullptr) return 0;
  return static_cast<int64_t>(
      attr->type() == AttrType::kInts
          ? attr->Get<absl::Span<const int>>().size()
          : attr->Get<absl::Span<const int64_t>>().size());
}

int64_t AttrIntAt(SyCall* call, int32_t number, int64_t index) {
  const int64_t count = AttrCount(call, number);
  if (index < 0 || index >= count) {
    static_cast<HostCall*>(call)->Keep(
        RangeError("the index of an element of a list",
                   absl::StrCat("in [0, ", count, ")"), absl::StrCat(index)));
    return 0;
  }
  const AttrRef& attr = *IntList(call, number);
  return attr.type() == AttrType::kInts
             ? attr.Get<absl::Span<const int>>()[index]
             : attr.Get<absl::Span<const int64_t>>()[index];
}

int32_t AttrIs(SyCall* call, int32_t number, const char* text) {
  const AttrRef* const attr =
      Attr(call, number, "a text, a dtype or a list of functions",
           [](AttrType type) {
             return type == AttrType::kString || type == AttrType::kDataType ||
                    type == AttrType::kPostOps;
           });
  if (attr == nullptr || text == nullptr) return 0;
  if (attr->type() == AttrType::kPostOps) {
    return attr->Get<PostOps>().text() == text;
  }
  return (attr->type() == AttrType::kString
              ? attr->Get<std::string_view>()
              : Name(attr->Get<DataType>())) == text;
}

SyCode Fail(SyCall* call, SyCode code, const char* message) {
  static_cast<HostCall*>(call)->Keep(
      StatusOf(code, message == nullptr ? "" : message));
  return code;
}

}  // namespace

bool HostCall::IsThere(const char* what, int32_t number, size_t count) {
  if (number >= 0 && static_cast<size_t>(number) < count) return true;
  Keep(RangeError(absl::StrCat("the number of an ", what),
                  absl::StrCat("in [0, ", count, ")"), absl::StrCat(number)));
  return false;
}

void AddHostCallFunctions(SyApi* api) {
  api->attr_int = &AttrInt;
  api->attr_float = &AttrFloat;
  api->attr_count = &AttrCount;
  api->attr_int_at = &AttrIntAt;
  api->attr_is = &AttrIs;
  api->fail = &Fail;
}

absl::Status StatusOf(SyCode code, std::string_view message) {
  const bool known = code > 0 && code <= 16;
  const absl::string_view text(message.data(), message.size());
  if (known) return absl::Status(static_cast<absl::StatusCode>(code), text);
  return absl::InternalError(
      absl::StrCat(text, text.empty() ? "" : " ", "(code ", code, ")"));
}

absl::Status ErrorOf(HostCall& call, const absl::Status& thrown, SyCode code,
                     std::string_view what, const char* plugin) {
  call.Keep(thrown);
  if (call.error.ok()) {
    call.Keep(
        StatusOf(code, std::string(what).append(" failed and gave no reason")));
  }
  return Annotate(call.error, absl::StrCat("plugin ", plugin));
}

}  // namespace switchyard::phi::capi

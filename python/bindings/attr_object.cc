// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/attr_object.h"

#include <string>
#include <string_view>
#include <type_traits>

namespace py = pybind11;

namespace switchyard::python {
namespace {

py::object PlainObject(bool value) { return py::bool_(value); }
py::object PlainObject(int value) { return py::int_(value); }
py::object PlainObject(int64_t value) { return py::int_(value); }
py::object PlainObject(float value) { return py::float_(value); }
py::object PlainObject(double value) { return py::float_(value); }
py::object PlainObject(std::string_view value) {
  return py::str(value.data(), value.size());
}
py::object PlainObject(const Scalar& value) {
  if (value.is_bool()) return py::bool_(value.to<bool>());
  if (value.is_int()) return py::int_(value.ToInt64());
  if (value.is_complex()) return py::cast(value.ToComplex());
  return py::float_(value.ToDouble());
}
py::object PlainObject(DataType value) {
  return PlainObject(std::string_view(Name(value)));
}
py::object PlainObject(Place value) {
  return PlainObject(std::string_view(ToString(value)));
}
py::object PlainObject(PostOps value) { return PlainObject(value.text()); }
template <typename T>
py::object PlainObject(absl::Span<const T> values) {
  py::list list;
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, std::string>) {
      list.append(PlainObject(std::string_view(value)));
    } else {
      list.append(PlainObject(value));
    }
  }
  return list;
}

}  // namespace

py::object AttrObject(const AttrRef& attr) {
  return VisitAttrType(attr.type(), [&](auto tag) {
    return PlainObject(attr.Get<typename decltype(tag)::type>());
  });
}

}  // namespace switchyard::python

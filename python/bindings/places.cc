// SPDX-License-Identifier: Apache-2.0
// The part of python/bindings/convert.h that knows places.
#include <optional>
#include <string>
#include <utility>

#include "framework/device/device_info.h"
#include "framework/device/transfer.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "python/bindings/convert.h"

namespace switchyard::python {

namespace {

// The dtype that a number beside a tensor takes part with.
DataType DtypeBeside(PyObject* number, const eager::Tensor* like,
                     bool integer_to_float) {
  if (like == nullptr) return DataType::kUndefined;
  const bool made_floating =
      integer_to_float && IsInteger(like->dtype()) && PyLong_CheckExact(number);
  return made_floating ? DataType::kFloat32 : like->dtype();
}

}  // namespace

absl::StatusOr<DenseTensor> OperandFromObject(std::string_view argument,
                                              PyObject* object,
                                              const eager::Tensor* like,
                                              bool integer_to_float) {
  SY_ASSIGN_OR_RETURN(
      DenseTensor made,
      IsNumber(object)
          ? NumberAsTensor(argument, object,
                           DtypeBeside(object, like, integer_to_float))
          : TensorFromObject(argument, object, DataType::kUndefined));
  const Place place = like == nullptr
                          ? phi::dispatch::Environment::Current().default_place
                          : like->place();
  if (place == Place::Cpu()) return made;
  return Transferred(made, place);
}

absl::StatusOr<Place> PlaceFromObject(std::string_view argument,
                                      PyObject* object) {
  // Kinds of devices have names once the kernels' table is made.
  phi::KernelTables::Current();
  const char* text =
      PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  const std::optional<Place> place =
      text == nullptr ? std::nullopt : ParsePlace(text);
  PyErr_Clear();
  if (place.has_value()) {
    SY_RETURN_IF_ERROR(CheckPlace(*place));
    return *place;
  }
  std::string names;
  for (const DeviceInfo* device : RegisteredDevices()) {
    names.append(names.empty() ? "\"" : ", \"").append(device->name);
    names.append(device == FindDevice(DeviceType::kCpu) ? "\"" : ":0\"");
  }
  return ArgumentError(argument, "the name of a place (" + names + ")",
                       text == nullptr ? Py_TYPE(object)->tp_name : text);
}

}  // namespace switchyard::python

// SPDX-License-Identifier: Apache-2.0
// The structs of DLPack's C interface as far as exchange on the CPU needs them,
// written from its public ABI (version 0.8, capsules named "dltensor", with the
// codes of 1.1). What Python sees of it is bind_dlpack.cc.
#ifndef SWITCHYARD_PYTHON_BINDINGS_DLPACK_H_
#define SWITCHYARD_PYTHON_BINDINGS_DLPACK_H_

#include <cstdint>

namespace switchyard::python::dlpack {

// The specification's codes of devices, as far as we exchange with them.
enum DeviceType : int32_t { kCpu = 1 };

// The specification's codes of the kinds of numbers.
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  // Version 1.1.
  kFloat8E4M3FN = 10,
  kFloat8E4M3FNUZ = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2FNUZ = 13,
  kFloat8E8M0FNU = 14
};

// DLPack's DLDevice.
struct Device {
  int32_t type;
  int32_t id;
};

// DLPack's DLDataType.
struct DataTypeCode {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

// DLPack's DLTensor.
struct Tensor {
  void* data;
  Device device;
  int32_t rank;
  DataTypeCode dtype;
  int64_t* shape;
  int64_t* strides;  // In elements; null for row-major without gaps.
  uint64_t byte_offset;
};

// DLPack's DLManagedTensor.
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor* self);  // May be null.
};

}  // namespace switchyard::python::dlpack

#endif  // SWITCHYARD_PYTHON_BINDINGS_DLPACK_H_

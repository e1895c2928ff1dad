// SPDX-License-Identifier: Apache-2.0
// Tensors to and from other libraries without a copy, by DLPack: both sides see
// the same memory, which lives as long as either does.
#include <pybind11/pybind11.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "framework/memory/buffer_watch.h"
#include "python/bindings/bind.h"
#include "python/bindings/dlpack.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

constexpr char kFresh[] = "dltensor";
constexpr char kUsed[] = "used_dltensor";

// Owns what an exported tensor keeps alive.
struct Export {
  explicit Export(RefPtr<Buffer> held) : buffer(std::move(held)) {}

  dlpack::ManagedTensor managed = {};
  LentBuffer buffer;
  std::array<int64_t, kMaxRank> shape;
  std::array<int64_t, kMaxRank> strides;
};

[[noreturn]] void ThrowBufferError(const std::string& sentence) {
  PyErr_SetString(PyExc_BufferError, sentence.c_str());
  throw py::error_already_set();
}

uint8_t CodeOf(DataType dtype) {
  switch (dtype) {
    case DataType::kBool:
      return dlpack::kBool;
    case DataType::kBFloat16:
      return dlpack::kBfloat;
    case DataType::kFloat8E4M3FN:
      return dlpack::kFloat8E4M3FN;
    case DataType::kFloat8E4M3FNUZ:
      return dlpack::kFloat8E4M3FNUZ;
    case DataType::kFloat8E5M2:
      return dlpack::kFloat8E5M2;
    case DataType::kFloat8E5M2FNUZ:
      return dlpack::kFloat8E5M2FNUZ;
    case DataType::kFloat8E8M0FNU:
      return dlpack::kFloat8E8M0FNU;
    default:
      break;
  }
  if (IsComplex(dtype)) return dlpack::kComplex;
  if (IsUnsigned(dtype)) return dlpack::kUInt;
  return IsFloating(dtype) ? dlpack::kFloat : dlpack::kInt;
}

// A capsule of this version cannot say that elements of less than a byte have
// one each.
bool IsExchanged(DataType dtype) { return ElementBits(dtype) >= 8; }

DataType DataTypeOf(const dlpack::DataTypeCode& type) {
  for (int i = 1; i < kNumDataTypes; ++i) {
    const auto dtype = static_cast<DataType>(i);
    if (IsExchanged(dtype) && type.lanes == 1 && type.code == CodeOf(dtype) &&
        type.bits == 8 * ElementSize(dtype)) {
      return dtype;
    }
  }
  ThrowBufferError("from_dlpack: element type (code " +
                   std::to_string(type.code) + ", " +
                   std::to_string(type.bits) + " bits, " +
                   std::to_string(type.lanes) + " lanes) is not supported");
}

void DeleteCapsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kFresh)) return;  // Somebody took it over.
  auto* managed = static_cast<dlpack::ManagedTensor*>(
      PyCapsule_GetPointer(capsule, kFresh));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

py::object ToCapsule(const py::handle& object) {
  const eager::Tensor& tensor = GetTensor(object.ptr());
  if (tensor.kind() != TensorKind::kDense) {
    ThrowBufferError("__dlpack__: tensor must be dense");
  }
  if (tensor.requires_grad()) {
    ThrowBufferError(
        "__dlpack__: tensor must not require grad (use x.detach())");
  }
  const DenseTensor& dense = tensor.dense();
  if (!IsExchanged(dense.dtype())) {
    ThrowBufferError("__dlpack__: tensor must have elements of a byte, got " +
                     std::string(Name(dense.dtype())) + " (use x.numpy())");
  }
  if (dense.place() != Place::Cpu()) {
    ThrowBufferError("__dlpack__: tensor must be on the CPU, got " +
                     ToString(dense.place()) + " (use x.to(\"cpu\"))");
  }
  auto owned = std::make_unique<Export>(dense.buffer());
  for (int i = 0; i < dense.rank(); ++i) {
    owned->shape[i] = dense.extent(i);
    owned->strides[i] = dense.strides()[i];
  }
  dlpack::ManagedTensor& managed = owned->managed;
  managed.tensor = {const_cast<void*>(dense.raw_data()),
                    {dlpack::kCpu, 0},
                    dense.rank(),
                    {CodeOf(dense.dtype()),
                     static_cast<uint8_t>(8 * ElementSize(dense.dtype())), 1},
                    owned->shape.data(),
                    owned->strides.data(),
                    0};
  managed.context = owned.get();
  managed.deleter = [](dlpack::ManagedTensor* self) {
    delete static_cast<Export*>(self->context);
  };
  PyObject* capsule = PyCapsule_New(&managed, kFresh, DeleteCapsule);
  if (capsule == nullptr) throw py::error_already_set();
  owned.release();  // NOLINT: the capsule's deleter frees it.
  return py::reinterpret_steal<py::object>(capsule);
}

// Another library's tensor as memory of ours.
struct Import {
  dlpack::ManagedTensor* managed;
  // The other library may write it.
  std::unique_ptr<const OutsideView> view;
};

void ReleaseImport(void* context) {
  const std::unique_ptr<Import> import(static_cast<Import*>(context));
  dlpack::ManagedTensor* const managed = import->managed;
  if (managed->deleter == nullptr) return;
  // Deleters of other libraries may touch Python objects.
  const HeldGil gil;
  WithGilOrWait([managed] { managed->deleter(managed); });
}

// The metadata of what comes in, checked: everything that kernels rely on.
TensorMeta MetaOf(const dlpack::Tensor& from) {
  if (from.device.type != dlpack::kCpu) {
    ThrowBufferError("from_dlpack: device must be the CPU, got type " +
                     std::to_string(from.device.type));
  }
  if (from.rank < 0 || from.rank > kMaxRank) {
    ThrowBufferError("from_dlpack: rank must be at most " +
                     std::to_string(kMaxRank) + ", got " +
                     std::to_string(from.rank));
  }
  TensorMeta meta;
  meta.dtype = DataTypeOf(from.dtype);
  meta.place = Place::Cpu();
  meta.shape = ValueOrThrow(Shape::Make(
      absl::MakeConstSpan(from.shape, static_cast<size_t>(from.rank))));
  ValueOrThrow(CheckedByteSize(meta.dtype, meta.shape));
  meta.strides = ContiguousStrides(meta.shape);
  for (int i = 0; from.strides != nullptr && i < from.rank; ++i) {
    meta.strides[i] = from.strides[i];
    if (from.strides[i] < 0) {
      ThrowBufferError("from_dlpack: strides must not be negative");
    }
  }
  meta.contiguous = IsContiguous(meta.shape, meta.strides);
  return meta;
}

// Elements from the first to the last; MetaOf refused negative strides.
size_t SpanOf(const TensorMeta& meta) {
  if (meta.shape.numel() == 0) return 0;
  int64_t span = 1;
  for (int i = 0; i < meta.shape.rank(); ++i) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(meta.shape.extent(i) - 1, meta.strides[i],
                               &reach) ||
        __builtin_add_overflow(span, reach, &span)) {
      ThrowBufferError("from_dlpack: strides must stay below 2^63 elements");
    }
  }
  return static_cast<size_t>(span);
}

py::object FromCapsule(const py::handle& capsule) {
  if (!PyCapsule_IsValid(capsule.ptr(), kFresh)) {
    ThrowBufferError("from_dlpack: a capsule can be taken over once only");
  }
  auto* managed = static_cast<dlpack::ManagedTensor*>(
      PyCapsule_GetPointer(capsule.ptr(), kFresh));
  const dlpack::Tensor& from = managed->tensor;
  TensorMeta meta = MetaOf(from);
  char* data = static_cast<char*>(from.data) + from.byte_offset;
  const size_t size = ElementSize(meta.dtype);
  if (reinterpret_cast<uintptr_t>(data) % size != 0) {
    ThrowBufferError("from_dlpack: data must be aligned to its elements");
  }
  const size_t bytes = SpanOf(meta) * size;
  auto import = std::make_unique<Import>();
  import->managed = managed;
  RefPtr<Buffer> buffer =
      Buffer::Wrap(data, bytes, Place::Cpu(), ReleaseImport, import.get());
  Import& held = *import.release();  // The buffer's, and with it the capsule's.
  PyCapsule_SetName(capsule.ptr(), kUsed);
  held.view = std::make_unique<const OutsideView>(buffer.get());
  DenseTensor dense(std::move(meta), std::move(buffer));
  return py::reinterpret_steal<py::object>(
      WrapTensor(eager::Tensor(std::move(dense))));
}

}  // namespace

void BindDlpack(py::module_& module) {
  module.def("to_dlpack", &ToCapsule, py::arg("tensor"),
             "A capsule over the tensor's memory.");
  module.def("from_dlpack_capsule", &FromCapsule, py::arg("capsule"),
             "A tensor over a capsule's memory.");
}

}  // namespace switchyard::python

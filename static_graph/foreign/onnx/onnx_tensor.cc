// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/onnx_tensor.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/memory/cpu_allocator.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/wire_scan.h"

namespace switchyard::static_graph {
namespace {

using Field = onnx::Tensor;

absl::Status NotATensor() {
  return absl::InvalidArgumentError("its bytes are not a tensor");
}

// The fields that hold elements of a dtype which are not raw.
int FieldOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat32:
    case DataType::kComplex64:
      return Field::kFloats;
    case DataType::kFloat64:
    case DataType::kComplex128:
      return Field::kDoubles;
    case DataType::kInt64:
      return Field::kInt64s;
    case DataType::kUInt32:
    case DataType::kUInt64:
      return Field::kUint64s;
    default:
      return Field::kInt32s;
  }
}

template <typename T>
std::string BytesOf(const std::vector<T>& list) {
  return std::string(reinterpret_cast<const char*>(list.data()),
                     list.size() * sizeof(T));
}

// The bytes that a tensor's elements take in a file, where those of fewer than
// 8 bits lie in a byte together.
uint64_t FileSize(const OnnxTensor& tensor) {
  const auto size = static_cast<uint64_t>(tensor.byte_size);
  const int bits = ElementBits(tensor.spec.dtype);
  const int in_byte = bits < 8 ? 8 / bits : 1;
  return size / in_byte + (size % in_byte != 0);
}

// Elements of fewer bits than 8, the first in the lowest bits of its byte, each
// in a byte.
std::string Unpacked(std::string_view bytes, int bits, size_t count) {
  std::string elements;
  elements.reserve(count);
  const size_t in_byte = 8 / bits;
  for (size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i / in_byte]);
    elements.push_back(
        static_cast<char>(byte >> (i % in_byte * bits) & ((1 << bits) - 1)));
  }
  return elements;
}

// The low bytes of numbers: elements of fewer bytes than the field's.
std::string LowBytes(const std::vector<int64_t>& list, size_t size) {
  std::string bytes;
  bytes.reserve(list.size() * size);
  for (const int64_t number : list) {
    bytes.append(reinterpret_cast<const char*>(&number), size);
  }
  return bytes;
}

// Decodes the elements of the fields of their type; false for bytes that are
// none.
bool DecodeTyped(const OnnxTensor& tensor, std::string* bytes) {
  const int wanted = FieldOf(tensor.spec.dtype);
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<double> doubles;
  WireScan fields(tensor.message);
  while (fields.Next()) {
    if (fields.number() != wanted) continue;
    const bool added = wanted == Field::kFloats ? AddFloats(fields, &floats)
                       : wanted == Field::kDoubles
                           ? AddDoubles(fields, &doubles)
                           : AddIntegers(fields, &integers);
    if (!added) return false;
  }
  *bytes = wanted == Field::kFloats ? BytesOf(floats)
           : wanted == Field::kDoubles
               ? BytesOf(doubles)
               : LowBytes(integers, ElementSize(tensor.spec.dtype));
  return true;
}

// Where a tensor's elements are in another file.
struct ExternalRange {
  std::string_view location;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool has_length = false;
};

bool ParseNumber(std::string_view text, uint64_t* number) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && at == end && !text.empty();
}

absl::StatusOr<ExternalRange> ReadRange(std::string_view message) {
  ExternalRange range;
  WireScan fields(message);
  while (fields.Next()) {
    if (fields.number() != Field::kExternalData || !fields.IsBytes()) continue;
    const std::string_view key = LastBytes(fields.bytes(), onnx::Entry::kKey);
    const std::string_view value =
        LastBytes(fields.bytes(), onnx::Entry::kValue);
    if (key == "location") range.location = value;
    const bool length = key == "length";
    if (!length && key != "offset") continue;
    if (!ParseNumber(value, length ? &range.length : &range.offset)) {
      return ArgumentError(std::string(key), "a number of bytes",
                           absl::StrCat("'", std::string(value), "'"));
    }
    range.has_length |= length;
  }
  return range;
}

absl::StatusOr<OnnxElements> ReadExternal(const OnnxTensor& tensor,
                                          ExternalFiles* files) {
  SY_ASSIGN_OR_RETURN(const ExternalRange range, ReadRange(tensor.message));
  SY_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file,
                      files->Map(range.location));
  const std::string_view whole = file->bytes();
  const uint64_t size = FileSize(tensor);
  if (range.has_length && range.length != size) {
    return ArgumentError("length", absl::StrCat(size, " bytes, as its shape"),
                         absl::StrCat(range.length));
  }
  if (range.offset > whole.size() || size > whole.size() - range.offset) {
    return ArgumentError("offset and length",
                         absl::StrCat("within the ", whole.size(), " bytes of ",
                                      std::string(range.location)),
                         absl::StrCat(range.offset, " and ", size));
  }
  return OnnxElements{whole.substr(range.offset, size), std::move(file)};
}

absl::Status CheckBools(std::string_view bytes) {
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](char byte) {
    return byte != 0 && byte != 1;
  });
  if (bad == bytes.end()) return absl::OkStatus();
  return ArgumentError(
      "a bool", "0 or 1",
      absl::StrCat(static_cast<int>(static_cast<unsigned char>(*bad))));
}

// Holds the bytes of a tensor that is no copy.
struct Kept {
  std::shared_ptr<const void> owner;
};

}  // namespace

absl::StatusOr<Shape> ShapeOfExtents(absl::Span<const int64_t> extents) {
  Shape shape;
  if (extents.size() > kMaxRank) {
    return ArgumentError("rank", absl::StrCat("at most ", kMaxRank),
                         absl::StrCat(extents.size()));
  }
  for (const int64_t extent : extents) {
    if (extent < 0) {
      return ArgumentError("extents", "at least 0", absl::StrCat(extent));
    }
    shape.push_back(Dim(extent));
  }
  return shape;
}

absl::StatusOr<OnnxTensor> ReadOnnxTensor(std::string_view message) {
  OnnxTensor tensor;
  tensor.message = message;
  int64_t code = 0;
  std::vector<int64_t> extents;
  WireScan fields(message);
  while (fields.Next()) {
    switch (fields.number()) {
      case Field::kDims:
        if (!AddIntegers(fields, &extents)) return NotATensor();
        break;
      case Field::kDataType:
        code = fields.integer();
        break;
      case Field::kName:
        tensor.name = fields.bytes();
        break;
      case Field::kLocation:
        tensor.external = fields.integer() == onnx::kExternalLocation;
        break;
      case Field::kSegment:
        return ArgumentError("a tensor", "in one piece", "a segment");
      default:
        break;
    }
  }
  if (!fields.sound()) return NotATensor();
  SY_ASSIGN_OR_RETURN(tensor.spec.dtype, DataTypeOfOnnx(code));
  SY_ASSIGN_OR_RETURN(tensor.spec.shape, ShapeOfExtents(extents));
  if (tensor.spec.dtype == DataType::kString) {
    tensor.spec.kind = TensorKind::kStrings;
    return tensor;
  }
  SY_ASSIGN_OR_RETURN(tensor.byte_size,
                      CheckedByteSize(tensor.spec.dtype, tensor.spec.shape));
  return tensor;
}

absl::StatusOr<std::vector<std::string>> ReadOnnxTexts(
    const OnnxTensor& tensor) {
  std::vector<std::string> texts;
  WireScan fields(tensor.message);
  while (fields.Next()) {
    if (fields.number() == Field::kTexts) texts.emplace_back(fields.bytes());
  }
  SY_ASSIGN_OR_RETURN(const int64_t count, tensor.spec.shape.NumElements());
  if (static_cast<int64_t>(texts.size()) == count) return texts;
  return ArgumentError("elements", absl::StrCat(count, " texts, as its shape"),
                       absl::StrCat(texts.size()));
}

absl::StatusOr<OnnxElements> ReadOnnxElements(const OnnxTensor& tensor,
                                              ExternalFiles* files) {
  if (tensor.spec.dtype == DataType::kString) {
    return TypeError("element type", "one of numbers", Name(tensor.spec.dtype));
  }
  OnnxElements elements;
  if (tensor.external) {
    SY_ASSIGN_OR_RETURN(elements, ReadExternal(tensor, files));
  } else {
    bool raw = false;
    WireScan fields(tensor.message);
    while (fields.Next()) {
      if (fields.number() != Field::kRaw || !fields.IsBytes()) continue;
      raw = true;
      elements.bytes = fields.bytes();
    }
    // Some writers leave an empty field of raw bytes beside the others.
    if (!raw || (elements.bytes.empty() && tensor.byte_size > 0)) {
      auto decoded = std::make_shared<std::string>();
      if (!DecodeTyped(tensor, decoded.get())) return NotATensor();
      elements.bytes = *decoded;
      elements.keeper = std::move(decoded);
    }
  }
  if (elements.bytes.size() != FileSize(tensor)) {
    return ArgumentError("elements",
                         absl::StrCat(FileSize(tensor), " bytes, as its shape"),
                         absl::StrCat(elements.bytes.size()));
  }
  if (const int bits = ElementBits(tensor.spec.dtype); bits < 8) {
    auto unpacked = std::make_shared<std::string>(
        Unpacked(elements.bytes, bits, tensor.byte_size));
    elements.bytes = *unpacked;
    elements.keeper = std::move(unpacked);
  }
  if (tensor.spec.dtype == DataType::kBool) {
    SY_RETURN_IF_ERROR(CheckBools(elements.bytes));
  }
  return elements;
}

absl::StatusOr<DenseTensor> MakeDenseTensor(const OnnxTensor& tensor,
                                            std::shared_ptr<const void> owner,
                                            ExternalFiles* files) {
  SY_ASSIGN_OR_RETURN(OnnxElements elements, ReadOnnxElements(tensor, files));
  const char* const data = elements.bytes.data();
  const size_t unit = ElementSize(tensor.spec.dtype);
  const bool aligned = reinterpret_cast<uintptr_t>(data) % unit == 0;
  if (!aligned || elements.bytes.empty()) {
    SY_ASSIGN_OR_RETURN(
        DenseTensor copy,
        DenseTensor::Allocate(tensor.spec.dtype, tensor.spec.shape,
                              CpuAllocator()));
    if (!elements.bytes.empty()) {
      std::memcpy(copy.mutable_data<char>(), data, elements.bytes.size());
    }
    return copy;
  }
  auto kept = std::make_unique<Kept>(Kept{elements.keeper != nullptr
                                              ? std::move(elements.keeper)
                                              : std::move(owner)});
  DenseTensor view;
  view.SetMeta(tensor.spec.dtype, tensor.spec.shape, Place::Cpu());
  view.SetBuffer(Buffer::Wrap(
      const_cast<char*>(data), elements.bytes.size(), Place::Cpu(),
      [](void* context) { delete static_cast<Kept*>(context); },
      kept.release()));
  return view;
}

}  // namespace switchyard::static_graph

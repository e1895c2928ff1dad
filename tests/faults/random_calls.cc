// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/random_calls.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "framework/testing/tensors.h"
#include "tests/faults/call_forms.h"

namespace switchyard {
namespace {

constexpr DataType kDtypes[] = {
    DataType::kBool,    DataType::kUInt8,     DataType::kInt8,
    DataType::kInt16,   DataType::kInt32,     DataType::kInt64,
    DataType::kFloat16, DataType::kBFloat16,  DataType::kFloat32,
    DataType::kFloat64, DataType::kComplex64, DataType::kComplex128,
};

// A case may write its inputs, so each one has its own.
DenseTensor OwnCopy(const DenseTensor& tensor) {
  if (tensor.dtype() == DataType::kUndefined || !tensor.contiguous() ||
      !tensor.allocated()) {
    return tensor;
  }
  DenseTensor copy = EmptyTensor(tensor.dtype(), tensor.shape());
  const size_t bytes = tensor.byte_size();
  if (bytes > 0) std::memcpy(copy.buffer()->data(), tensor.raw_data(), bytes);
  return copy;
}

template <typename T, typename Make>
Attribute AnyList(size_t count, const Make& make) {
  std::vector<T> values;
  while (values.size() < count) values.push_back(static_cast<T>(make()));
  return Attribute(AttrRef(absl::MakeConstSpan(values)));
}

}  // namespace

CallMaker::CallMaker(uint64_t seed, int64_t index, const Bases& bases)
    : bases_(bases) {
  std::seed_seq numbers = {
      static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
      static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32)};
  random_.seed(numbers);
  constexpr int64_t kExtents[] = {0, 1, 2, 2, 3, 3, 4, 5, 8, 17};
  for (int64_t& extent : extents_) {
    extent = kExtents[Below(std::size(kExtents))];
  }
  dtype_ = Chance(60) ? DataType::kFloat32 : kDtypes[Below(std::size(kDtypes))];
}

size_t CallMaker::Below(size_t count) {
  return static_cast<size_t>(random_() % count);
}

OperatorCall CallMaker::Call(const eager::EagerOp& op) {
  const auto found = bases_.find(op.info);
  if (found == bases_.end() || Chance(25)) return WildCall(op);
  OperatorCall call = *found->second[Below(found->second.size())];
  for (DenseTensor& input : call.inputs) input = OwnCopy(input);
  for (size_t changes = Below(4); changes > 0; --changes) Change(&call);
  return call;
}

OperatorCall CallMaker::WildCall(const eager::EagerOp& op) {
  OperatorCall call;
  call.op = &op;
  for (const phi::InputInfo& input : op.info->inputs) {
    size_t count = input.list ? Below(4) : 1;
    call.layout.Add(count);
    for (; count > 0; --count) {
      const bool absent = Chance(input.optional ? 50 : 4);
      call.inputs.push_back(absent ? DenseTensor() : AnyTensor());
    }
  }
  for (const phi::AttrInfo& attr : op.info->attrs) {
    call.attrs.push_back(attr.has_default && Chance(60)
                             ? Attribute(attr.default_value)
                             : AnyAttribute(attr.type));
  }
  return call;
}

void CallMaker::Change(OperatorCall* call) {
  const size_t count = call->inputs.size() + call->attrs.size();
  if (count == 0) return;
  const size_t which = Below(count);
  if (which >= call->inputs.size()) {
    Attribute& attr = call->attrs[which - call->inputs.size()];
    attr = AnyAttribute(attr.type());
    return;
  }
  DenseTensor& input = call->inputs[which];
  if (input.dtype() == DataType::kUndefined) {
    input = AnyTensor();
  } else if (Chance(10)) {
    input = DenseTensor();
  } else if (Chance(25)) {
    input = AnyView(input);
  } else if (Chance(25)) {  // The same, of another dtype.
    input = Filled(kDtypes[Below(std::size(kDtypes))], input.shape());
  } else {
    input = AnyTensor();
  }
}

LegacyCall CallMaker::Legacy(const phi::LegacyForm& form,
                             const eager::EagerOp& op) {
  LegacyCall call;
  call.form = &form;
  if (!Chance(30)) {
    ByLegacyNames(Call(op), form, &call.inputs, &call.attrs);
  } else {
    for (const phi::LegacySlot& slot : form.inputs) {
      if (Chance(slot.dispensable ? 50 : 4)) continue;
      call.inputs.push_back({slot.name, {}, slot.duplicable});
      size_t tensors = slot.duplicable ? Below(4) : 1;
      for (; tensors > 0; --tensors) {
        call.inputs.back().tensors.emplace_back(AnyTensor());
      }
    }
  }
  for (const phi::LegacyAttr& attr : form.attrs) {
    if (!Chance(20)) continue;
    // A type of its own now and then is another one than the form's.
    const AttrType type =
        Chance(90) ? attr.type : static_cast<AttrType>(Below(10));
    call.attrs.push_back({attr.name, AnyAttribute(type)});
  }
  if (!call.inputs.empty() && Chance(10)) {
    eager::SlotTensors& slot = call.inputs[Below(call.inputs.size())];
    if (Chance(30)) slot.slot += "x";
    if (Chance(30)) slot.tensors.emplace_back(AnyTensor());
    if (Chance(30)) slot.tensors.clear();
    if (Chance(30)) call.inputs.push_back(eager::SlotTensors(slot));
  }
  return call;
}

void CallMaker::ChangeText(std::string* text) {
  constexpr std::string_view kPieces[] = {
      "-1",
      "9223372036854775807",
      "99999999999999999999",
      "float64",
      "%0",
      "{}",
      "[",
      ", ",
      "nan",
      "[]",
      "tensor<int64[2, 2]>",
      "?",
  };
  for (size_t changes = 1 + Below(3); changes > 0; --changes) {
    const size_t at = Below(text->size());
    const std::string_view piece = kPieces[Below(std::size(kPieces))];
    if (Chance(40)) {  // A number.
      const size_t digit = text->find_first_of("0123456789", at);
      if (digit == std::string::npos) continue;
      const size_t end = text->find_first_not_of("0123456789", digit);
      text->replace(digit, std::min(end, text->size()) - digit,
                    std::to_string(AnyInteger()));
    } else if (Chance(40)) {
      text->replace(at, std::min(Below(6), text->size() - at), piece);
    } else if (Chance(50)) {
      text->erase(at, 1 + Below(8));
    } else {  // A line, once more.
      const size_t begin = text->rfind('\n', at);
      const size_t end = text->find('\n', at);
      if (begin == std::string::npos || end == std::string::npos) continue;
      text->insert(end, text->substr(begin, end - begin));
    }
    if (text->empty()) return;
  }
}

Shape CallMaker::AnyShape() {
  Shape shape;
  constexpr int kRanks[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, kMaxRank};
  const int rank = kRanks[Below(std::size(kRanks))];
  while (shape.rank() < rank) {
    // At most some thousand elements.
    const int64_t extent = rank > 5     ? static_cast<int64_t>(Below(2)) + 1
                           : Chance(75) ? extents_[Below(2)]
                                        : static_cast<int64_t>(Below(6));
    shape.push_back(Dim(std::min<int64_t>(extent, rank > 3 ? 5 : 17)));
  }
  return shape;
}

DenseTensor CallMaker::AnyTensor() {
  const DataType dtype =
      Chance(70) ? dtype_ : kDtypes[Below(std::size(kDtypes))];
  const Shape shape = AnyShape();
  const DenseTensor tensor = Filled(dtype, shape);
  return Chance(15) ? AnyView(tensor) : tensor;
}

DenseTensor CallMaker::Filled(DataType dtype, const Shape& shape) {
  const bool strange = Chance(15);
  std::vector<double> values;
  for (int64_t i = 0; i < *shape.NumElements(); ++i) {
    values.push_back(strange ? AnyElement(dtype)
                             : static_cast<double>(Below(5)));
  }
  return MakeTensorOf(dtype, shape, values);
}

// A number that the dtype has.
double CallMaker::AnyElement(DataType dtype) {
  if (IsDifferentiable(dtype)) return AnyReal();
  const size_t bits = 8 * ElementSize(dtype);
  const double most = bits == 64 ? 9e18 : std::exp2(bits - 1) - 1;
  const bool has_sign = dtype != DataType::kBool && dtype != DataType::kUInt8;
  return Chance(30) ? most : has_sign && Chance(50) ? -most : 1;
}

// The axes reversed, and an axis of extent 1 spread without memory.
DenseTensor CallMaker::AnyView(const DenseTensor& tensor) {
  if (tensor.rank() == 0 || !tensor.allocated()) return tensor;
  Shape shape;
  Strides strides = {};
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    const bool spread = tensor.extent(axis) == 1 && Chance(50);
    strides[shape.rank()] = spread ? 0 : tensor.strides()[axis];
    shape.push_back(Dim(spread ? 3 : tensor.extent(axis)));
  }
  DenseTensor view;
  view.SetView(tensor, shape, strides, /*offset=*/0);
  return view;
}

int64_t CallMaker::AnyInteger() {
  constexpr int64_t kNumbers[] = {
      0,
      1,
      2,
      3,
      -1,
      -2,
      7,
      100,
      -100,
      1 << 20,
      std::numeric_limits<int32_t>::max(),
      std::numeric_limits<int32_t>::min(),
      std::numeric_limits<int64_t>::max(),
      std::numeric_limits<int64_t>::min(),
      std::numeric_limits<int64_t>::min() + 1,
      int64_t{1} << 32,
      int64_t{1} << 62,
  };
  if (Chance(60)) return static_cast<int64_t>(Below(7)) - 2;
  return kNumbers[Below(std::size(kNumbers))];
}

double CallMaker::AnyReal() {
  constexpr double kNumbers[] = {
      0,     -0.0, 1,      -1,     0.5,
      1e300, 1e38, -1e300, 1e-310, std::numeric_limits<double>::infinity(),
      2,     3,    100,    -0.5,   -std::numeric_limits<double>::infinity(),
      65504, 1e18, 9.3e18, -1e19,  std::numeric_limits<double>::quiet_NaN(),
  };
  return kNumbers[Below(std::size(kNumbers))];
}

Attribute CallMaker::AnyAttribute(AttrType type) {
  constexpr std::string_view kTexts[] = {"",     "bogus", "nearest", "SAME",
                                         "mean", "NHWC",  "none",    "ij,jk"};
  constexpr size_t kCounts[] = {0, 1, 1, 2, 2, 2, 3, 4, 5, 100};
  const size_t count = kCounts[Below(std::size(kCounts))];
  const auto integer = [this] { return AnyInteger(); };
  const auto real = [this] { return AnyReal(); };
  const auto scalar = [this] {
    return Chance(50) ? Scalar(AnyInteger()) : Scalar(AnyReal());
  };
  switch (type) {
    case AttrType::kBool:
      return Attribute(AttrRef(Chance(50)));
    case AttrType::kInt:
      return Attribute(AttrRef(static_cast<int>(AnyInteger())));
    case AttrType::kInt64:
      return Attribute(AttrRef(AnyInteger()));
    case AttrType::kFloat:
      return Attribute(AttrRef(static_cast<float>(AnyReal())));
    case AttrType::kDouble:
      return Attribute(AttrRef(AnyReal()));
    case AttrType::kString:
      return Attribute(AttrRef(kTexts[Below(std::size(kTexts))]));
    case AttrType::kScalar:
      return Attribute(AttrRef(scalar()));
    case AttrType::kDataType:
      return Attribute(AttrRef(kDtypes[Below(std::size(kDtypes))]));
    case AttrType::kPlace:
      return Attribute(AttrRef(Place::Cpu()));
    case AttrType::kPostOps: {
      constexpr std::string_view kLists[] = {"[]", "[relu]", "[tanh, relu6]",
                                             "[clip(1.0, nan)]"};
      return Attribute(
          AttrRef(*ParsePostOps("post_ops", kLists[Below(std::size(kLists))])));
    }
    case AttrType::kInts:
      return AnyList<int>(count, integer);
    case AttrType::kInt64s:
      return AnyList<int64_t>(count, integer);
    case AttrType::kFloats:
      return AnyList<float>(count, real);
    case AttrType::kDoubles:
      return AnyList<double>(count, real);
    case AttrType::kScalars:
      return AnyList<Scalar>(count, scalar);
    case AttrType::kStrings:
      return AnyList<std::string>(count, [this, &kTexts] {
        return std::string(kTexts[Below(std::size(kTexts))]);
      });
    case AttrType::kDataTypes:
      return AnyList<DataType>(
          count, [this] { return kDtypes[Below(std::size(kDtypes))]; });
    case AttrType::kBools: {
      const bool values[] = {true, false, true, true};
      return Attribute(
          AttrRef(absl::MakeConstSpan(values).subspan(0, Below(5))));
    }
  }
  return Attribute(AttrRef(0));
}

}  // namespace switchyard

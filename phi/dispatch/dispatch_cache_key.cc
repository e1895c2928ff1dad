// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/dispatch_cache_key.h"

#include <cstring>

#include "absl/base/optimization.h"

namespace switchyard::phi::dispatch {
namespace {

// Dtype (never undefined), kind, levels of detail, place, contiguity, whether
// there is data, whether the layout is another than strided, rank. Never 0,
// which stands for an absent tensor. In the order of the members, so that
// neighbours are read at once.
uint64_t GetFacts(const TensorBase& tensor) {
  const TensorMeta& meta = tensor.meta();
  const uint32_t type = static_cast<uint32_t>(meta.dtype) |
                        static_cast<uint32_t>(meta.kind) << 8 |
                        static_cast<uint32_t>(meta.lod_levels) << 16;
  const uint32_t geometry =
      static_cast<uint32_t>(meta.place.type) |
      static_cast<uint32_t>(static_cast<uint8_t>(meta.place.index)) << 8 |
      static_cast<uint32_t>(meta.contiguous) << 16 |
      static_cast<uint32_t>(tensor.allocated()) << 17 |
      static_cast<uint32_t>(!meta.layout.strided()) << 18 |
      static_cast<uint32_t>(meta.shape.rank()) << 24;
  return type | static_cast<uint64_t>(geometry) << 32;
}

uint64_t BitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// An attribute's type, and what is said of it beside its value.
uint64_t Header(AttrType type, size_t more) {
  return static_cast<uint64_t>(type) | static_cast<uint64_t>(more) << 8;
}

}  // namespace

DispatchCacheKey::DispatchCacheKey(const CallArguments& call)
    : op_(call.op),
      op_kernels_(call.op_kernels),
      epoch_(KernelTableEpoch()),
      default_place_(call.environment->default_place),
      policy_(call.environment->policy) {
  const TensorArgs& args = call.args;
  const size_t tensors = args.inputs.size() + args.outputs.size();
  if (tensors + args.attrs.size() > kMaxWords) return;
  // The counts first: they say what the words after them are.
  const ArgSegments& in = args.inputs.segments();
  const ArgSegments& out = args.outputs.segments();
  Add(args.inputs.size() | args.attrs.size() << 8 | args.outputs.size() << 16 |
      static_cast<uint64_t>(in.arguments()) << 24 |
      static_cast<uint64_t>(out.arguments()) << 40 |
      static_cast<uint64_t>(in.one_each()) << 62 |
      static_cast<uint64_t>(out.one_each()) << 63);
  AddSegments(in);
  AddSegments(out);
  bool held =
      AddInputs(args.inputs.elements()) && AddOutputs(args.outputs.elements());
  for (const AttrRef& attr : args.attrs) AddAttr(attr);
  held = held && size_ <= kMaxWords;
  if (!held) size_ = 0;
}

void DispatchCacheKey::AddSegments(const ArgSegments& segments) {
  if (segments.one_each()) return;
  for (int i = 0; i <= segments.arguments(); ++i) {
    Add(static_cast<uint64_t>(segments.begin(i)));
  }
}

bool DispatchCacheKey::AddInputs(absl::Span<const TensorBase* const> inputs) {
  // Not size_ itself, which a word could be as far as the compiler knows.
  size_t size = size_;
  for (const TensorBase* input : inputs) {
    if (size + 2 + kMaxRank > kMaxWords) return false;
    if (input == nullptr) {
      words_[size++] = 0;
      continue;
    }
    if (input->dtype() == DataType::kUndefined ||
        input->kind() == TensorKind::kTensorArray) {
      return false;  // An array's length changes from call to call.
    }
    words_[size++] = GetFacts(*input);
    if (ABSL_PREDICT_FALSE(!input->layout().strided())) {
      words_[size++] = input->layout().number();
    }
    const int rank = input->rank();
    for (int axis = 0; axis < rank; ++axis) {
      words_[size++] = static_cast<uint64_t>(input->extent(axis));
    }
  }
  size_ = size;
  return true;
}

bool DispatchCacheKey::AddOutputs(absl::Span<TensorBase* const> outputs) {
  uint64_t wanted = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == nullptr) continue;
    if (outputs[i]->kind() != TensorKind::kDense || outputs[i]->allocated()) {
      return false;
    }
    wanted |= uint64_t{1} << i;
  }
  Add(wanted);
  return true;
}

void DispatchCacheKey::AddAttr(const AttrRef& attr) {
  const AttrType type = attr.type();
  switch (type) {
    case AttrType::kBool:
    case AttrType::kInt:
    case AttrType::kInt64:
    case AttrType::kDataType:
    case AttrType::kPlace:
      Add(Header(type, 0));
      return Add(static_cast<uint64_t>(attr.Get<int64_t>()));
    case AttrType::kFloat:
    case AttrType::kDouble:
      Add(Header(type, 0));
      return Add(BitsOf(attr.Get<double>()));
    case AttrType::kPostOps:
      Add(Header(type, 0));
      return Add(static_cast<uint64_t>(attr.Get<PostOps>().number()));
    case AttrType::kInt64s: {  // Shapes and axes, in most calls with a list.
      const auto list = attr.Get<absl::Span<const int64_t>>();
      return AddList(type, list.data(), list.size(), sizeof(int64_t));
    }
    case AttrType::kScalar:
      return AddScalar(attr.Get<const Scalar&>());
    default:
      return AddOther(attr);
  }
}

void DispatchCacheKey::AddScalar(const Scalar& scalar) {
  constexpr AttrType kType = AttrType::kScalar;
  if (scalar.is_complex()) {
    Add(Header(kType, 3));
    Add(BitsOf(scalar.ToComplex().real()));
    return Add(BitsOf(scalar.ToComplex().imag()));
  }
  Add(Header(kType, scalar.is_bool() ? 0 : scalar.is_int() ? 1 : 2));
  Add(scalar.is_float() ? BitsOf(scalar.ToDouble())
                        : static_cast<uint64_t>(scalar.ToInt64()));
}

// Texts and the lists that few calls have. Not a part of AddAttr(), which would
// pay for its frame with each attribute.
__attribute__((noinline)) void DispatchCacheKey::AddOther(const AttrRef& attr) {
  const AttrType type = attr.type();
  VisitAttrType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (tag.kList) {
      AddElements(type, attr.Get<T>());
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      const auto text = attr.Get<T>();
      AddList(type, text.data(), text.size(), 1);
    }
  });
}

// Texts and scalars one by one, other elements by their bytes.
template <typename T>
void DispatchCacheKey::AddElements(AttrType type, absl::Span<const T> values) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Scalar>) {
    Add(Header(type, values.size()));
    for (const T& value : values) {
      if constexpr (std::is_same_v<T, Scalar>) {
        AddAttr(AttrRef(value));
      } else {
        AddAttr(AttrRef(std::string_view(value)));
      }
    }
  } else {
    AddList(type, values.data(), values.size(), sizeof(T));
  }
}

// How many elements there are, and their bytes.
void DispatchCacheKey::AddList(AttrType type, const void* data, size_t count,
                               size_t size) {
  constexpr size_t kWord = sizeof(uint64_t);
  constexpr size_t kMaxBytes = kMaxWords * kWord;
  Add(Header(type, count));
  if (count > kMaxBytes || count * size > kMaxBytes) {
    size_ = kMaxWords + 1;
    return;
  }
  const char* from = static_cast<const char*>(data);
  size_t left = count * size;
  for (; left >= kWord; left -= kWord, from += kWord) {
    uint64_t word;
    std::memcpy(&word, from, kWord);
    Add(word);
  }
  if (left == 0) return;
  uint64_t last = 0;
  std::memcpy(&last, from, left);
  Add(last);
}

}  // namespace switchyard::phi::dispatch

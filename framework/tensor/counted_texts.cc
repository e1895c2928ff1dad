// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/counted_texts.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/checked_math.h"
#include "framework/memory/buffer.h"
#include "framework/memory/memory_meter.h"

namespace switchyard {
namespace {

MemoryMeter* ThreadMeter() {
  MemoryMeter* const meter = ExchangeMemoryMeter(nullptr);
  ExchangeMemoryMeter(meter);
  return meter;
}

// The bytes of the texts and of what refers to them; a short text lies inside.
int64_t BytesOf(const std::vector<std::string>& texts) {
  const size_t inside = std::string().capacity();
  size_t bytes = texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) {
    if (text.capacity() > inside) bytes += text.capacity() + 1;
  }
  return static_cast<int64_t>(bytes);
}

absl::Status Take(int64_t bytes, MemoryMeter* meter) {
  if (meter->Take(bytes)) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "memory: texts of ", bytes, " bytes must fit in the limit of ",
      meter->limit(), " bytes, got ", meter->bytes(), " in use"));
}

// Like what CpuAllocator() gave, they go back to the meter of the thread that
// releases them, if it has one.
void GiveBack(void* bytes) {
  MemoryMeter* const meter = ThreadMeter();
  if (meter != nullptr) {
    meter->Give(static_cast<int64_t>(reinterpret_cast<intptr_t>(bytes)));
  }
}

// Has a buffer that holds no bytes and releases those of the texts.
class MeteredTensor : public StringTensor {
 public:
  MeteredTensor(const Shape& shape, std::vector<std::string> texts,
                int64_t bytes)
      : StringTensor(shape, std::move(texts)) {
    buffer_ =
        Buffer::Wrap(nullptr, 0, Place::Cpu(), GiveBack,
                     reinterpret_cast<void*>(static_cast<intptr_t>(bytes)));
  }
};

}  // namespace

absl::StatusOr<StringTensor> CountedTexts(const Shape& shape,
                                          std::vector<std::string> texts) {
  MemoryMeter* const meter = ThreadMeter();
  if (meter == nullptr) return StringTensor(shape, std::move(texts));
  const int64_t bytes = BytesOf(texts);
  SY_RETURN_IF_ERROR(Take(bytes, meter));
  return MeteredTensor(shape, std::move(texts), bytes);
}

absl::Status CheckRoomForTexts(int64_t count) {
  MemoryMeter* const meter = ThreadMeter();
  const auto bytes =
      CheckedMultiply(count, static_cast<int64_t>(sizeof(std::string)));
  if (!bytes.has_value()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("memory: ", count, " texts are more than there can be"));
  }
  if (meter == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(Take(*bytes, meter));
  meter->Give(*bytes);
  return absl::OkStatus();
}

}  // namespace switchyard

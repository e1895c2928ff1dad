// SPDX-License-Identifier: Apache-2.0
// CountedTexts: tensors of texts whose memory, which no allocator gives, counts
// as that of the calling thread's meter (framework/memory/memory_meter.h).
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_COUNTED_TEXTS_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_COUNTED_TEXTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/string_tensor.h"
#include "framework/types/shape.h"

namespace switchyard {

// Returns the tensor of `texts`, which count from now on until the last copy of
// the tensor goes. ResourceExhausted where they exceed what the thread's meter
// has left; without a meter nothing is counted.
absl::StatusOr<StringTensor> CountedTexts(const Shape& shape,
                                          std::vector<std::string> texts);

// Returns ResourceExhausted where `count` texts, be they empty, exceed what the
// thread's meter has left. Ask before making many texts of few.
absl::Status CheckRoomForTexts(int64_t count);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_COUNTED_TEXTS_H_

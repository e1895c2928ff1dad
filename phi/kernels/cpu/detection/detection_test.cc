// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Boxes with their corners the right way round, most of which overlap.
template <typename T>
DenseTensor Boxes(const Shape& shape, uint32_t seed) {
  DenseTensor boxes = RandomTensor<T>(shape, 0, 4, seed);
  T* const data = boxes.mutable_data<T>();
  for (int64_t i = 0; i < boxes.numel(); i += 4) {
    data[i + 2] += data[i];
    data[i + 3] += data[i + 1];
  }
  return boxes;
}

// Equal scores too, whose boxes must stay in their order.
template <typename T>
DenseTensor Scores(const Shape& shape, uint32_t seed) {
  DenseTensor scores = RandomTensor<T>(shape, 0, 1, seed);
  T* const data = scores.mutable_data<T>();
  for (int64_t i = 0; i < scores.numel(); i += 3) data[i] = T{0.5};
  return scores;
}

template <typename T>
void CheckNms() {
  for (const int64_t count : {0, 1, 2, 200}) {
    for (const float threshold : {0.0f, 0.3f, 1.0f}) {
      CheckAgainstReference(
          {"nms", {Boxes<T>(Shape({count, 4}), 1)}, {threshold}});
    }
  }
}

TEST(NmsTest, AgreesWithReference) {
  CheckNms<float>();
  CheckNms<double>();
}

template <typename T>
void CheckMulticlassNms() {
  struct Limits {
    int of_class, of_image;
  };
  for (const Limits limits : {Limits{-1, -1}, {10, 7}, {400, 30}, {0, 0}}) {
    for (const float eta : {1.0f, 0.9f}) {
      for (const int background : {0, -1, 2}) {
        const std::vector<AttrRef> attrs = {
            0.2f, limits.of_class, limits.of_image, 0.6f, background == 0,
            eta,  background};
        CheckAgainstReference(
            {"multiclass_nms3",
             {Boxes<T>(Shape({3, 100, 4}), 2), Scores<T>(Shape({3, 4, 100}), 3),
              DenseTensor()},
             attrs});
        CheckAgainstReference(
            {"multiclass_nms3",
             {Boxes<T>(Shape({100, 4, 4}), 2), Scores<T>(Shape({100, 4}), 3),
              MakeTensor<int32_t>({4}, {30, 0, 69, 1})},
             attrs});
      }
    }
  }
}

TEST(MulticlassNmsTest, AgreesWithReference) {
  CheckMulticlassNms<float>();
  CheckMulticlassNms<double>();
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

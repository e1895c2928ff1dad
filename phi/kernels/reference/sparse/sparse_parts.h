// SPDX-License-Identifier: Apache-2.0
// How reference kernels see a sparse tensor: as a list of coordinates with the
// block of elements at each, in double. They are put in order and added up in
// ordered maps; nothing is shared with the kernels of other backends.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_PARTS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_PARTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/allocate_output.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// A block of elements and its coordinates on the sparse axes, 0 on the others.
struct SparsePart {
  Index at = {};
  std::vector<double> block;
};

// A sparse tensor, its parts in the order of its values.
struct SparseParts {
  Shape shape;
  int axes = 0;  // How many are sparse.
  std::vector<SparsePart> parts;

  // The shape of the axes that are not sparse.
  Shape BlockShape() const {
    Shape block;
    for (int a = axes; a < shape.rank(); ++a) block.push_back(shape[a]);
    return block;
  }
  // The coordinates, on all axes, of element k of a part.
  Index At(const SparsePart& part, int64_t k) const {
    const Index inner = Unravel(BlockShape(), k);
    Index index = part.at;
    for (int a = axes; a < shape.rank(); ++a) index[a] = inner[a - axes];
    return index;
  }
};

template <typename T>
std::vector<double> ReadBlock(const DenseTensor& values, int64_t i) {
  const int64_t width = values.shape().numel(1, values.rank());
  std::vector<double> block;
  for (int64_t k = 0; k < width; ++k) {
    block.push_back(static_cast<double>(At<T>(values, i * width + k)));
  }
  return block;
}

template <typename T>
SparseParts TakeApart(const SparseCooTensor& x) {
  SparseParts taken;
  taken.shape = x.shape();
  taken.axes = static_cast<int>(x.indices().extent(0));
  const int64_t count = x.indices().extent(1);
  for (int64_t i = 0; i < count; ++i) {
    taken.parts.emplace_back();
    for (int a = 0; a < taken.axes; ++a) {
      taken.parts.back().at[a] = IntegerAt(x.indices(), a * count + i);
    }
    taken.parts.back().block = ReadBlock<T>(x.values(), i);
  }
  return taken;
}

template <typename T>
SparseParts TakeApart(const SparseCsrTensor& x) {
  SparseParts taken;
  taken.shape = x.shape();
  taken.axes = 2;
  for (int64_t row = 0; row < x.extent(0); ++row) {
    const int64_t end = IntegerAt(x.crows(), row + 1);
    for (int64_t i = IntegerAt(x.crows(), row); i < end; ++i) {
      taken.parts.emplace_back();
      taken.parts.back().at[0] = row;
      taken.parts.back().at[1] = IntegerAt(x.cols(), i);
      taken.parts.back().block = ReadBlock<T>(x.values(), i);
    }
  }
  return taken;
}

// Returns true if two tensors have the same coordinates in the same order.
inline bool SamePattern(const SparseParts& x, const SparseParts& y) {
  if (x.parts.size() != y.parts.size()) return false;
  for (size_t i = 0; i < x.parts.size(); ++i) {
    if (x.parts[i].at != y.parts[i].at) return false;
  }
  return true;
}

inline void AddBlock(const std::vector<double>& block,
                     std::vector<double>* sum) {
  for (size_t k = 0; k < block.size(); ++k) (*sum)[k] += block[k];
}

using BlockMap = std::map<Index, std::vector<double>>;

// The blocks by coordinates, those of one position added.
inline BlockMap AddUp(const SparseParts& taken) {
  BlockMap sums;
  for (const SparsePart& part : taken.parts) {
    std::vector<double>& sum = sums[part.at];
    sum.resize(part.block.size(), 0.0);
    AddBlock(part.block, &sum);
  }
  return sums;
}

inline SparseParts FromMap(const Shape& shape, int axes, BlockMap blocks) {
  SparseParts made;
  made.shape = shape;
  made.axes = axes;
  for (auto& [at, block] : blocks) {
    made.parts.push_back({at, std::move(block)});
  }
  return made;
}

// Writes numbers into a new int64 tensor of `shape`.
inline absl::StatusOr<DenseTensor> MakeIndex(
    const ReferenceContext& context, const Shape& shape,
    const std::vector<int64_t>& numbers) {
  DenseTensor index;
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt64, shape, &index));
  for (size_t i = 0; i < numbers.size(); ++i) {
    index.mutable_data<int64_t>()[i] = numbers[i];
  }
  return index;
}

template <typename T>
absl::Status WriteValues(const ReferenceContext& context,
                         const SparseParts& parts, DenseTensor* out) {
  Shape shape({Dim(static_cast<int64_t>(parts.parts.size()))});
  for (int a = parts.axes; a < parts.shape.rank(); ++a) {
    shape.push_back(parts.shape[a]);
  }
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataTypeOf<T>::value, shape, out));
  int64_t written = 0;
  for (const SparsePart& part : parts.parts) {
    for (const double v : part.block) {
      out->mutable_data<T>()[written++] = static_cast<T>(v);
    }
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Assemble(const ReferenceContext& context, const SparseParts& parts,
                      SparseCooTensor* out) {
  std::vector<int64_t> numbers;
  for (int a = 0; a < parts.axes; ++a) {
    for (const SparsePart& part : parts.parts) numbers.push_back(part.at[a]);
  }
  const int64_t count = static_cast<int64_t>(parts.parts.size());
  SY_ASSIGN_OR_RETURN(DenseTensor indices,
                      MakeIndex(context, Shape({parts.axes, count}), numbers));
  DenseTensor values;
  SY_RETURN_IF_ERROR(WriteValues<T>(context, parts, &values));
  *out = SparseCooTensor(parts.shape, std::move(indices), std::move(values));
  return absl::OkStatus();
}

// The parts must be in the order of their rows.
template <typename T>
absl::Status Assemble(const ReferenceContext& context, const SparseParts& parts,
                      SparseCsrTensor* out) {
  std::vector<int64_t> begins = {0}, columns;
  for (int64_t row = 0; row < parts.shape.extent(0); ++row) {
    for (const SparsePart& part : parts.parts) {
      if (part.at[0] == row) columns.push_back(part.at[1]);
    }
    begins.push_back(static_cast<int64_t>(columns.size()));
  }
  SY_ASSIGN_OR_RETURN(
      DenseTensor crows,
      MakeIndex(context, Shape({static_cast<int64_t>(begins.size())}), begins));
  SY_ASSIGN_OR_RETURN(
      DenseTensor cols,
      MakeIndex(context, Shape({static_cast<int64_t>(columns.size())}),
                columns));
  DenseTensor values;
  SY_RETURN_IF_ERROR(WriteValues<T>(context, parts, &values));
  *out = SparseCsrTensor(parts.shape, std::move(crows), std::move(cols),
                         std::move(values));
  return absl::OkStatus();
}

// Checks that a gradient has `count` values, one for each part of what it is
// the gradient of.
inline absl::Status CheckCount(std::string_view argument, size_t count,
                               size_t expected) {
  if (count == expected) return absl::OkStatus();
  return ArgumentError(argument, "of " + std::to_string(expected) + " values",
                       std::to_string(count));
}

// Gives `x` the blocks of `from`, one by one.
inline absl::StatusOr<SparseParts> WithBlocks(std::string_view argument,
                                              SparseParts x,
                                              const SparseParts& from) {
  SY_RETURN_IF_ERROR(CheckCount(argument, from.parts.size(), x.parts.size()));
  for (size_t i = 0; i < x.parts.size(); ++i) {
    x.parts[i].block = from.parts[i].block;
  }
  return x;
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_PARTS_H_

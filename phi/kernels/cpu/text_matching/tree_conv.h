// SPDX-License-Identifier: Apache-2.0
// tree_conv and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_TREE_CONV_H_
#define SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_TREE_CONV_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// The kinds of weights: of what is left, right and on top in a window.
inline constexpr int kTreeWeights = 3;

// A node of a window, and how much of it each kind of weight sees.
struct TreeWindowNode {
  int64_t node;
  double shares[kTreeWeights];
};
using TreeWindow = std::vector<TreeWindowNode>;

// The children of each node of one tree.
using ChildLists = std::vector<std::vector<int64_t>>;

// The nodes of edge_set [edges, 2] from 1 on, as numbers from 0 on; an edge
// with a 0 ends the list. A node without edges after the last has no window.
inline absl::StatusOr<ChildLists> ReadTree(const int32_t* edges, int64_t count,
                                           int64_t nodes) {
  ChildLists tree(1);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t parent = edges[2 * i], child = edges[2 * i + 1];
    if (parent == 0 || child == 0) break;
    const int64_t least = std::min(parent, child);
    const int64_t most = std::max(parent, child);
    if (least < 0 || most > nodes) {
      return RangeError("edge_set", "in [0, " + std::to_string(nodes) + "]",
                        std::to_string(least < 0 ? least : most));
    }
    tree.resize(std::max<size_t>(tree.size() + 1, static_cast<size_t>(most)));
    tree[parent - 1].push_back(child - 1);
  }
  tree.resize(std::min<size_t>(tree.size(), static_cast<size_t>(nodes)));
  return tree;
}

// The node and those below it, less than `max_depth` levels deep, each once.
inline TreeWindow TreeWindowAt(const ChildLists& tree, int64_t root,
                               int max_depth) {
  TreeWindow window = {{root, {0, 0, 1}}};
  std::vector<bool> seen(tree.size(), false);
  seen[root] = true;
  size_t begin = 0;
  for (int depth = 1; depth < max_depth && begin < window.size(); ++depth) {
    const size_t end = window.size();
    for (; begin < end; ++begin) {
      const std::vector<int64_t>& children = tree[window[begin].node];
      const auto count = static_cast<double>(children.size());
      for (size_t i = 0; i < children.size(); ++i) {
        if (seen[children[i]]) continue;
        seen[children[i]] = true;
        const double top = static_cast<double>(max_depth - depth) / max_depth;
        const double place =
            count == 1 ? 0.5 : static_cast<double>(i) / (count - 1);
        const double left = (1 - top) * place;
        window.push_back({children[i], {left, (1 - top) * (1 - left), top}});
      }
    }
  }
  return window;
}

// Calls visit(item, root, window) for each window of a batch of trees.
template <typename Visit>
absl::Status VisitTreeWindows(const DenseTensor& nodes_vector,
                              const DenseTensor& edge_set, int max_depth,
                              const Visit& visit) {
  const int64_t nodes = nodes_vector.extent(1);
  std::vector<ChildLists> trees;
  for (int64_t item = 0; item < edge_set.extent(0); ++item) {
    SY_ASSIGN_OR_RETURN(
        ChildLists tree,
        ReadTree(edge_set.data<int32_t>() + item * edge_set.extent(1) * 2,
                 edge_set.extent(1), nodes));
    trees.push_back(std::move(tree));
  }
  for (size_t item = 0; item < trees.size(); ++item) {
    for (size_t root = 0; root < trees[item].size(); ++root) {
      visit(static_cast<int64_t>(item), static_cast<int64_t>(root),
            TreeWindowAt(trees[item], static_cast<int64_t>(root), max_depth));
    }
  }
  return absl::OkStatus();
}

// The sum of the nodes of a window, [features, kinds].
template <typename T>
std::vector<double> SumOfWindow(const TreeWindow& window, const T* nodes,
                                int64_t features) {
  std::vector<double> sum(features * kTreeWeights, 0.0);
  for (const TreeWindowNode& one : window) {
    for (int64_t f = 0; f < features; ++f) {
      const double value = nodes[one.node * features + f];
      for (int kind = 0; kind < kTreeWeights; ++kind) {
        sum[f * kTreeWeights + kind] += one.shares[kind] * value;
      }
    }
  }
  return sum;
}

template <typename S>
inline constexpr auto kTreeConvSpec =
    KernelSpec<S>().Input(S::kEdgeSet, Fixed(DataType::kInt32));
// out [batch, nodes, outputs, filters]: of each node the sum of its window
// times filter [features, kinds, outputs, filters]; 0 for nodes that are in no
// tree.
template <typename T>
absl::Status TreeConvKernel(const CpuContext&, const DenseTensor& nodes_vector,
                            const DenseTensor& edge_set,
                            const DenseTensor& filter, int max_depth,
                            DenseTensor* out) {
  const int64_t count = nodes_vector.extent(1),
                features = nodes_vector.extent(2);
  const T* weights = filter.data<T>();
  const int64_t columns = out->extent(2) * out->extent(3);
  std::vector<double> sums(out->numel(), 0.0);
  SY_RETURN_IF_ERROR(VisitTreeWindows(
      nodes_vector, edge_set, max_depth,
      [&](int64_t item, int64_t root, const TreeWindow& window) {
        const std::vector<double> sum = SumOfWindow(
            window, nodes_vector.data<T>() + item * count * features, features);
        double* to = sums.data() + (item * count + root) * columns;
        for (size_t k = 0; k < sum.size(); ++k) {
          for (int64_t j = 0; j < columns; ++j) {
            to[j] += sum[k] * weights[k * columns + j];
          }
        }
      }));
  StoreSums<T>(sums, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kTreeConvGradSpec =
    KernelSpec<S>().Input(S::kEdgeSet, Fixed(DataType::kInt32));
template <typename T>
absl::Status TreeConvGradKernel(const CpuContext&,
                                const DenseTensor& nodes_vector,
                                const DenseTensor& edge_set,
                                const DenseTensor& filter,
                                const DenseTensor& out_grad, int max_depth,
                                DenseTensor* nodes_vector_grad,
                                DenseTensor* filter_grad) {
  const int64_t count = nodes_vector.extent(1),
                features = nodes_vector.extent(2);
  const int64_t columns = filter.extent(2) * filter.extent(3);
  const T* weights = filter.data<T>();
  const T* slopes = out_grad.data<T>();
  std::vector<double> nodes_grad(nodes_vector.numel(), 0.0);
  std::vector<double> weights_grad(filter.numel(), 0.0);
  SY_RETURN_IF_ERROR(VisitTreeWindows(
      nodes_vector, edge_set, max_depth,
      [&](int64_t item, int64_t root, const TreeWindow& window) {
        const int64_t first = item * count * features;
        const std::vector<double> sum =
            SumOfWindow(window, nodes_vector.data<T>() + first, features);
        const T* slope = slopes + (item * count + root) * columns;
        std::vector<double> sum_grad(sum.size(), 0.0);
        for (size_t k = 0; k < sum.size(); ++k) {
          for (int64_t j = 0; j < columns; ++j) {
            weights_grad[k * columns + j] += sum[k] * slope[j];
            sum_grad[k] +=
                static_cast<double>(weights[k * columns + j]) * slope[j];
          }
        }
        for (const TreeWindowNode& one : window) {
          double* to = nodes_grad.data() + first + one.node * features;
          for (int64_t f = 0; f < features; ++f) {
            for (int kind = 0; kind < kTreeWeights; ++kind) {
              to[f] += one.shares[kind] * sum_grad[f * kTreeWeights + kind];
            }
          }
        }
      }));
  StoreSums<T>(nodes_grad, nodes_vector_grad);
  StoreSums<T>(weights_grad, filter_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_TREE_CONV_H_

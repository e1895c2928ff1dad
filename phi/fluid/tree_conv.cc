// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of tree_conv and its gradient on the CPU.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/tree_conv.gen.h"
#include "phi/core/signatures/tree_conv_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/tree_conv.gen.h"
#include "phi/legacy/tree_conv_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The kinds of weights: of what is left, right and on top in a window.
constexpr int kKinds = 3;

// A node of a window, and how much of it each kind of weight sees.
struct WindowNode {
  int64_t node;
  double shares[kKinds];
};
using Window = std::vector<WindowNode>;

// The children of each node of one tree.
using Tree = std::vector<std::vector<int64_t>>;

// The nodes of EdgeSet [edges, 2] from 1 on, as numbers from 0 on; an edge with
// a 0 ends the list. A node without edges after the last has no window.
absl::StatusOr<Tree> ReadTree(const int32_t* edges, int64_t count,
                              int64_t nodes) {
  Tree tree(1);
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
Window WindowOf(const Tree& tree, int64_t root, int max_depth) {
  Window window = {{root, {0, 0, 1}}};
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
absl::Status VisitWindows(const ExecutionContext& context, const Visit& visit) {
  const DenseTensor& edges = *context.Input("EdgeSet");
  SY_ASSIGN_OR_RETURN(const int max_depth, context.Attr<int>("max_depth"));
  const int64_t nodes = context.Input("NodesVector")->extent(1);
  std::vector<Tree> trees;
  for (int64_t item = 0; item < edges.extent(0); ++item) {
    SY_ASSIGN_OR_RETURN(
        Tree tree, ReadTree(edges.data<int32_t>() + item * edges.extent(1) * 2,
                            edges.extent(1), nodes));
    trees.push_back(std::move(tree));
  }
  for (size_t item = 0; item < trees.size(); ++item) {
    for (size_t root = 0; root < trees[item].size(); ++root) {
      visit(static_cast<int64_t>(item), static_cast<int64_t>(root),
            WindowOf(trees[item], static_cast<int64_t>(root), max_depth));
    }
  }
  return absl::OkStatus();
}

// The sum of the nodes of a window, [features, kinds].
template <typename T>
std::vector<double> SumOf(const Window& window, const T* nodes,
                          int64_t features) {
  std::vector<double> sum(features * kKinds, 0.0);
  for (const WindowNode& one : window) {
    for (int64_t f = 0; f < features; ++f) {
      const double value = nodes[one.node * features + f];
      for (int kind = 0; kind < kKinds; ++kind) {
        sum[f * kKinds + kind] += one.shares[kind] * value;
      }
    }
  }
  return sum;
}

}  // namespace

// Out [batch, nodes, outputs, filters]: of each node the sum of its window
// times Filter [features, kinds, outputs, filters]; 0 for nodes that are in no
// tree.
template <typename T>
class TreeConvCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& nodes = *context.Input("NodesVector");
    const int64_t count = nodes.extent(1), features = nodes.extent(2);
    const T* filter = context.Input("Filter")->template data<T>();
    DenseTensor* out = context.Output("Out");
    const int64_t columns = out->extent(2) * out->extent(3);
    std::vector<double> sums(out->numel(), 0.0);
    SY_RETURN_IF_ERROR(VisitWindows(
        context, [&](int64_t item, int64_t root, const Window& window) {
          const std::vector<double> sum = SumOf(
              window, nodes.data<T>() + item * count * features, features);
          double* to = sums.data() + (item * count + root) * columns;
          for (size_t k = 0; k < sum.size(); ++k) {
            for (int64_t j = 0; j < columns; ++j) {
              to[j] += sum[k] * filter[k * columns + j];
            }
          }
        }));
    std::transform(sums.begin(), sums.end(), out->template mutable_data<T>(),
                   [](double sum) { return static_cast<T>(sum); });
    return absl::OkStatus();
  }
};

template <typename T>
class TreeConvGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& nodes = *context.Input("NodesVector");
    const DenseTensor& filters = *context.Input("Filter");
    const int64_t count = nodes.extent(1), features = nodes.extent(2);
    const int64_t columns = filters.extent(2) * filters.extent(3);
    const T* filter = filters.data<T>();
    const T* slopes = context.Input("Out@GRAD")->template data<T>();
    std::vector<double> nodes_grad(nodes.numel(), 0.0);
    std::vector<double> filter_grad(filters.numel(), 0.0);
    SY_RETURN_IF_ERROR(VisitWindows(
        context, [&](int64_t item, int64_t root, const Window& window) {
          const int64_t first = item * count * features;
          const std::vector<double> sum =
              SumOf(window, nodes.data<T>() + first, features);
          const T* slope = slopes + (item * count + root) * columns;
          std::vector<double> sum_grad(sum.size(), 0.0);
          for (size_t k = 0; k < sum.size(); ++k) {
            for (int64_t j = 0; j < columns; ++j) {
              filter_grad[k * columns + j] += sum[k] * slope[j];
              sum_grad[k] +=
                  static_cast<double>(filter[k * columns + j]) * slope[j];
            }
          }
          for (const WindowNode& one : window) {
            double* to = nodes_grad.data() + first + one.node * features;
            for (int64_t f = 0; f < features; ++f) {
              for (int kind = 0; kind < kKinds; ++kind) {
                to[f] += one.shares[kind] * sum_grad[f * kKinds + kind];
              }
            }
          }
        }));
    Store(nodes_grad, context.Output("NodesVector@GRAD"));
    Store(filter_grad, context.Output("Filter@GRAD"));
    return absl::OkStatus();
  }

 private:
  static void Store(const std::vector<double>& from, DenseTensor* to) {
    if (to == nullptr) return;
    std::transform(from.begin(), from.end(), to->template mutable_data<T>(),
                   [](double value) { return static_cast<T>(value); });
  }
};

}  // namespace fluid

constexpr auto kTreeConvSpec = KernelSpec<TreeConvSignature>().Input(
    TreeConvSignature::kEdgeSet, fluid::KernelTypeOf(DataType::kInt32));
SY_REGISTER_FLUID_KERNEL(tree_conv, cpu, fluid::TreeConvCpuKernel,
                         legacy_tree_conv, kTreeConvSpec, float32, float64);

constexpr auto kTreeConvGradSpec = KernelSpec<TreeConvGradSignature>().Input(
    TreeConvGradSignature::kEdgeSet, fluid::KernelTypeOf(DataType::kInt32));
SY_REGISTER_FLUID_KERNEL(tree_conv_grad, cpu, fluid::TreeConvGradCpuKernel,
                         legacy_tree_conv_grad, kTreeConvGradSpec, float32,
                         float64);

}  // namespace switchyard::phi

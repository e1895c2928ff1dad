// SPDX-License-Identifier: Apache-2.0
// The kernels of rnn and its gradient on the CPU: layers, directions and
// dropout between layers. A direction of a layer is rnn_layers.h's.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/rnn.args.gen.h"
#include "phi/core/signatures/rnn_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/random/random.h"
#include "phi/kernels/cpu/rnn/rnn_layers.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The lengths of the sequences as int64; none where `lengths` is null.
// RangeError for one that is not in [0, time].
inline absl::StatusOr<Workspace<int64_t>> ReadLengths(
    Allocator& allocator, const DenseTensor* lengths, int64_t time) {
  if (lengths == nullptr) return Workspace<int64_t>();
  SY_ASSIGN_OR_RETURN(auto read,
                      Workspace<int64_t>::Make(allocator, lengths->numel()));
  for (int64_t i = 0; i < lengths->numel(); ++i) {
    const int64_t length = lengths->dtype() == DataType::kInt32
                               ? lengths->data<int32_t>()[i]
                               : lengths->data<int64_t>()[i];
    if (length < 0 || length > time) {
      return RangeError("sequence_length",
                        "in [0, " + std::to_string(time) + "]",
                        std::to_string(length));
    }
    read.data()[i] = length;
  }
  return read;
}

// The sizes of a call, and which tensors a direction of a layer has.
class RnnCall {
 public:
  RnnCall(const DenseTensor& x, DenseList pre_state, DenseList weights,
          std::string_view mode, bool is_bidirec, int hidden_size,
          int num_layers, const int64_t* lengths)
      : x_(x),
        pre_state_(pre_state),
        weights_(weights),
        cell_(*ParseRecurrentCell(mode)),
        layers_(num_layers),
        directions_(is_bidirec ? 2 : 1),
        hidden_(hidden_size),
        lengths_(lengths) {}

  int64_t layers() const { return layers_; }
  int64_t directions() const { return directions_; }
  int64_t hidden() const { return hidden_; }
  int64_t time() const { return x_.extent(0); }
  int64_t batch() const { return x_.extent(1); }
  int64_t out_width() const { return directions_ * hidden_; }
  // Elements of a layer's result, and of a state of one lane.
  int64_t out_size() const { return time() * batch() * out_width(); }
  int64_t state_size() const { return batch() * hidden_; }
  bool lstm() const { return cell_ == RecurrentCell::kLstm; }
  // The position in weight_list of weight i (input and state matrix, their
  // biases) of a lane, which is layer * directions + direction.
  size_t weight(int64_t lane, int64_t i) const {
    const int64_t lanes = layers_ * directions_;
    return static_cast<size_t>(i / 2 * 2 * lanes + 2 * lane + i % 2);
  }

  // The direction of a layer whose input is `x`; `reserve` is the call's.
  template <typename T>
  RnnLane<T> Lane(int64_t layer, int64_t direction, const T* x,
                  T* reserve) const {
    const int64_t at = layer * directions_ + direction;
    const int64_t width = layer == 0 ? x_.extent(2) : out_width();
    const auto weight_data = [&](int64_t i) {
      return weights_[weight(at, i)].template data<T>();
    };
    const auto state_data = [&](size_t i) {
      return pre_state_[i].template data<T>() + at * state_size();
    };
    const int64_t row = ReservedCount(cell_) * hidden_;
    return {cell_,
            time(),
            batch(),
            width,
            hidden_,
            direction == 1,
            lengths_,
            x,
            weight_data(0),
            weight_data(1),
            weight_data(2),
            weight_data(3),
            state_data(0),
            lstm() ? state_data(1) : nullptr,
            reserve + at * time() * batch() * row,
            out_width()};
  }

  // The result of a layer of which all lanes are done.
  template <typename T>
  void CopyResult(int64_t layer, T* reserve, T* out) const {
    for (int64_t d = 0; d < directions_; ++d) {
      const RnnLane<T> lane = Lane<T>(layer, d, nullptr, reserve);
      for (int64_t row = 0; row < time() * batch(); ++row) {
        T* to = out + row * out_width() + d * hidden_;
        const T* state = lane.reserve + (row + 1) * lane.row() - hidden_;
        if (lane.has(row / batch(), row % batch())) {
          std::copy_n(state, hidden_, to);
        } else {
          std::fill_n(to, hidden_, T{0});
        }
      }
    }
  }

 private:
  const DenseTensor& x_;
  DenseList pre_state_, weights_;
  RecurrentCell cell_;
  int64_t layers_, directions_, hidden_;
  const int64_t* lengths_;
};

// Returns true for a call that drops elements between its layers.
inline bool DropsElements(double dropout_prob, bool is_test, int num_layers) {
  return !is_test && dropout_prob > 0 && num_layers > 1;
}

// Draws which elements are kept; all of them where none is dropped.
template <typename T>
absl::Status DrawKept(const DenseTensor* rng, double dropout_prob, bool drops,
                      int64_t stream, DenseTensor* kept) {
  uint8_t* to = kept->mutable_data<uint8_t>();
  if (!drops) {
    std::fill_n(to, kept->numel(), uint8_t{1});
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const PhiloxStream draws, MakeStream(rng, stream));
  ForEachUniform<T>(draws, kept->numel(),
                    [&](int64_t i, T u) { to[i] = u >= T(dropout_prob); });
  return absl::OkStatus();
}

// Sets what is dropped of v to 0 and enlarges the rest.
template <typename T>
void DropElements(const uint8_t* kept, double dropout_prob, int64_t count,
                  T* v) {
  const T scale = DropoutScale<T>(T(dropout_prob), "upscale_in_train");
  for (int64_t i = 0; i < count; ++i) v[i] = kept[i] ? v[i] * scale : T{0};
}

template <typename S>
inline constexpr auto kRnnSpec =
    KernelSpec<S>()
        .Input(S::kSequenceLength, OneOf(kIndexDtypes))
        .Input(S::kRng, OnHost(Fixed(DataType::kInt64)))
        .Output(S::kDropoutState, Fixed(DataType::kUInt8));
template <typename T>
absl::Status RnnOf(const CpuContext& context, const RnnArgs& args) {
  Allocator& allocator = context.allocator();
  SY_ASSIGN_OR_RETURN(
      const auto lengths,
      ReadLengths(allocator, args.sequence_length, args.x.extent(0)));
  const RnnCall call(
      args.x, args.pre_state, args.weight_list, args.mode, args.is_bidirec,
      args.hidden_size, args.num_layers,
      args.sequence_length == nullptr ? nullptr : lengths.data());
  // Results of layers by turns.
  SY_ASSIGN_OR_RETURN(
      const auto between,
      Workspace<T>::Make(allocator, args.num_layers > 1 ? call.out_size() : 0));
  SY_ASSIGN_OR_RETURN(
      const auto spare,
      Workspace<T>::Make(allocator, args.num_layers > 2 ? call.out_size() : 0));
  const bool drops =
      DropsElements(args.dropout_prob, args.is_test, args.num_layers);
  SY_RETURN_IF_ERROR(DrawKept<T>(args.rng, args.dropout_prob, drops,
                                 args.stream, args.dropout_state));
  const T* input = args.x.data<T>();
  for (int64_t layer = 0; layer < args.num_layers; ++layer) {
    T* result = layer % 2 == 0 ? between.data() : spare.data();
    if (layer + 1 == args.num_layers) result = args.out->mutable_data<T>();
    for (int64_t d = 0; d < call.directions(); ++d) {
      const int64_t at = (layer * call.directions() + d) * call.state_size();
      SY_RETURN_IF_ERROR(RunLane(
          allocator,
          call.Lane(layer, d, input, args.reserve->mutable_data<T>()),
          result + d * call.hidden(), args.state[0]->mutable_data<T>() + at,
          call.lstm() ? args.state[1]->mutable_data<T>() + at : nullptr));
    }
    if (drops && layer + 1 < args.num_layers) {
      DropElements(args.dropout_state->data<uint8_t>(), args.dropout_prob,
                   call.out_size(), result);
    }
    input = result;
  }
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto RnnKernel = KernelInFloat<T, &RnnOf<FloatFor<T>>>();

// Where the gradients of a call's states begin, and go on step by step.
template <typename T>
struct StateGrads {
  Workspace<T> state, memory;

  // Those of the last states.
  static absl::StatusOr<StateGrads> Make(Allocator& allocator,
                                         DenseList state_grad) {
    StateGrads grads;
    const int64_t count = state_grad[0].numel();
    SY_ASSIGN_OR_RETURN(grads.state, Workspace<T>::Make(allocator, count));
    std::copy_n(state_grad[0].template data<T>(), count, grads.state.data());
    if (state_grad.size() == 1) return grads;
    SY_ASSIGN_OR_RETURN(grads.memory, Workspace<T>::Make(allocator, count));
    std::copy_n(state_grad[1].template data<T>(), count, grads.memory.data());
    return grads;
  }
  // Those of the first states.
  void Store(DenseOutputs pre_state_grad) const {
    for (size_t i = 0; i < pre_state_grad.size(); ++i) {
      if (pre_state_grad[i] == nullptr) continue;
      const absl::Span<T> from = i == 0 ? state.span() : memory.span();
      std::copy(from.begin(), from.end(),
                pre_state_grad[i]->template mutable_data<T>());
    }
  }
};

// Returns where a lane of a call puts its gradients.
template <typename T>
RnnLaneGrad<T> GradOfLane(const RnnCall& call, int64_t layer, int64_t direction,
                          const T* out_grad, const StateGrads<T>& states,
                          T* x_grad, DenseOutputs weight_grads) {
  const int64_t at = layer * call.directions() + direction;
  const auto weight = [&](int64_t i) -> T* {
    DenseTensor* grad = weight_grads[call.weight(at, i)];
    return grad == nullptr ? nullptr : grad->mutable_data<T>();
  };
  T* memory =
      call.lstm() ? states.memory.data() + at * call.state_size() : nullptr;
  return {out_grad + direction * call.hidden(),
          states.state.data() + at * call.state_size(),
          memory,
          x_grad,
          weight(0),
          weight(1),
          weight(2),
          weight(3)};
}

template <typename S>
inline constexpr auto kRnnGradSpec = KernelSpec<S>()
                                         .Input(S::kSequenceLength,
                                                OneOf(kIndexDtypes))
                                         .Input(S::kDropoutState,
                                                Fixed(DataType::kUInt8));
template <typename T>
absl::Status RnnGradOf(const CpuContext& context, const RnnGradArgs& args) {
  Allocator& allocator = context.allocator();
  SY_ASSIGN_OR_RETURN(
      const auto lengths,
      ReadLengths(allocator, args.sequence_length, args.x.extent(0)));
  const RnnCall call(
      args.x, args.pre_state, args.weight_list, args.mode, args.is_bidirec,
      args.hidden_size, args.num_layers,
      args.sequence_length == nullptr ? nullptr : lengths.data());
  SY_ASSIGN_OR_RETURN(const auto states,
                      StateGrads<T>::Make(allocator, args.state_grad));
  // A layer's input, its gradient, and that of its result.
  const int64_t size = args.num_layers > 1 ? call.out_size() : 0;
  SY_ASSIGN_OR_RETURN(const auto input, Workspace<T>::Make(allocator, size));
  SY_ASSIGN_OR_RETURN(auto below, Workspace<T>::Make(allocator, size));
  SY_ASSIGN_OR_RETURN(auto above, Workspace<T>::Make(allocator, size));
  const bool drops =
      DropsElements(args.dropout_prob, args.is_test, args.num_layers);
  const uint8_t* kept = args.dropout_state.data<uint8_t>();
  // Lanes of the gradient only read it.
  T* saved = const_cast<T*>(args.reserve.data<T>());
  const T* result_grad = args.out_grad.data<T>();
  for (int64_t layer = args.num_layers - 1; layer >= 0; --layer) {
    const T* from = args.x.data<T>();
    T* to = args.x_grad == nullptr ? nullptr : args.x_grad->mutable_data<T>();
    int64_t count = args.x.numel();
    if (layer > 0) {
      call.CopyResult(layer - 1, saved, input.data());
      count = call.out_size();
      if (drops) DropElements(kept, args.dropout_prob, count, input.data());
      from = input.data();
      to = below.data();
    }
    if (to != nullptr) std::fill_n(to, count, T{0});
    for (int64_t d = 0; d < call.directions(); ++d) {
      SY_RETURN_IF_ERROR(
          RunLaneGrad(allocator, call.Lane(layer, d, from, saved),
                      GradOfLane(call, layer, d, result_grad, states, to,
                                 args.weight_list_grad)));
    }
    if (layer > 0 && drops) DropElements(kept, args.dropout_prob, count, to);
    result_grad = to;
    std::swap(below, above);
  }
  states.Store(args.pre_state_grad);
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto RnnGradKernel =
    KernelInFloat<T, &RnnGradOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_H_

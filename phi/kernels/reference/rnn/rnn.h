// SPDX-License-Identifier: Apache-2.0
// Reference kernels of rnn and its gradient, in double. The gradient runs the
// layers once more and reads nothing that the forward kernel saved, except what
// dropout kept.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_RNN_RNN_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_RNN_RNN_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/random/philox.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/rnn.args.gen.h"
#include "phi/core/signatures/rnn_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/rnn/rnn_lane.h"

namespace switchyard::phi::kernels::reference {

template <typename T>
Doubles DoublesOf(const DenseTensor& x) {
  Doubles values(x.numel());
  for (int64_t i = 0; i < x.numel(); ++i) values[i] = At<T>(x, i);
  return values;
}

template <typename T>
void StoreDoubles(const Doubles& values, DenseTensor* out) {
  if (out == nullptr) return;
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = static_cast<T>(values[i]);
  }
}

// A call of rnn: all of its layers, each with its input.
template <typename T>
class ReferenceRnn {
 public:
  // RangeError for a length that is not in [0, time].
  static absl::StatusOr<std::vector<int64_t>> Lengths(
      const DenseTensor* lengths, const DenseTensor& x) {
    const int64_t time = x.extent(0);
    std::vector<int64_t> all(x.extent(1), time);
    for (size_t b = 0; lengths != nullptr && b < all.size(); ++b) {
      all[b] = IntegerAt(*lengths, b);
      if (all[b] < 0 || all[b] > time) {
        return RangeError("sequence_length",
                          "in [0, " + std::to_string(time) + "]",
                          std::to_string(all[b]));
      }
    }
    return all;
  }

  ReferenceRnn(const DenseTensor& x, DenseList pre_state, DenseList weights,
               std::vector<int64_t> lengths, std::string_view mode,
               bool is_bidirec, int hidden, int layers)
      : time_(x.extent(0)),
        batch_(x.extent(1)),
        hidden_(hidden),
        layers_(layers),
        directions_(is_bidirec ? 2 : 1),
        lengths_(std::move(lengths)),
        weights_(weights) {
    for (size_t i = 0; i < pre_state.size(); ++i) {
      states_.push_back(DoublesOf<T>(pre_state[i]));
    }
    for (int64_t lane = 0; lane < layers_ * directions_; ++lane) {
      const int64_t width =
          lane < directions_ ? x.extent(2) : directions_ * hidden_;
      lanes_.emplace_back(mode, time_, batch_, width, hidden_,
                          lane % directions_ == 1, lengths_);
    }
    inputs_.push_back(DoublesOf<T>(x));
  }
  ReferenceRnn(const ReferenceRnn&) = delete;  // Lanes refer to lengths_.

  // Runs all layers; `kept` is what dropout leaves between them, by the factor
  // of each element.
  void Run(const Doubles& kept) {
    for (int64_t layer = 0; layer < layers_; ++layer) {
      for (int64_t d = 0; d < directions_; ++d) {
        const int64_t at = layer * directions_ + d;
        lanes_[at].Run(inputs_[layer], WeightsOf(at), StateOf(states_, 0, at),
                       StateOf(states_, 1, at));
      }
      inputs_.push_back(ResultOf(layer));
      if (layer + 1 == layers_) continue;
      for (size_t i = 0; i < kept.size(); ++i) inputs_.back()[i] *= kept[i];
    }
  }
  const Doubles& result() const { return inputs_.back(); }

  void StoreStates(DenseOutputs state) const {
    for (size_t s = 0; s < state.size(); ++s) {
      Doubles last;
      for (const ReferenceLane& lane : lanes_) {
        for (int64_t b = 0; b < batch_; ++b) {
          for (int64_t j = 0; j < hidden_; ++j) {
            last.push_back(s == 0 ? lane.LastState(b, j) : lane.LastCell(b, j));
          }
        }
      }
      StoreDoubles<T>(last, state[s]);
    }
  }

  void StoreReserve(DenseTensor* reserve) const {
    if (reserve == nullptr) return;
    const int64_t numbers = reserve->extent(4) / hidden_;
    Doubles saved;
    for (const ReferenceLane& lane : lanes_) {
      for (int64_t row = 0; row < time_ * batch_; ++row) {
        for (int64_t i = 0; i < numbers * hidden_; ++i) {
          saved.push_back(
              lane.Saved(row / batch_, row % batch_, i / hidden_, i % hidden_));
        }
      }
    }
    StoreDoubles<T>(saved, reserve);
  }

  // The gradients of everything, from those of the result and of the states.
  void RunBack(Doubles out_grad, DenseList state_grad, const Doubles& kept,
               DenseTensor* x_grad, DenseOutputs pre_state_grad,
               DenseOutputs weight_grads) const {
    std::vector<Doubles> states;
    for (size_t s = 0; s < state_grad.size(); ++s) {
      states.push_back(DoublesOf<T>(state_grad[s]));
    }
    for (int64_t layer = layers_ - 1; layer >= 0; --layer) {
      Doubles below(inputs_[layer].size());
      for (int64_t d = 0; d < directions_; ++d) {
        LaneBack(layer, d, out_grad, &below, &states, weight_grads);
      }
      for (size_t i = 0; layer > 0 && i < kept.size(); ++i) below[i] *= kept[i];
      out_grad = std::move(below);
    }
    StoreDoubles<T>(out_grad, x_grad);
    for (size_t s = 0; s < states.size(); ++s) {
      StoreDoubles<T>(states[s], pre_state_grad[s]);
    }
  }

 private:
  // The positions in weight_list of a lane's four: matrices, then biases.
  size_t Position(int64_t lane, int64_t i) const {
    const int64_t first = i < 2 ? 0 : 2 * layers_ * directions_;
    return first + 2 * lane + i % 2;
  }
  LaneWeights WeightsOf(int64_t lane) const {
    return {DoublesOf<T>(weights_[Position(lane, 0)]),
            DoublesOf<T>(weights_[Position(lane, 1)]),
            DoublesOf<T>(weights_[Position(lane, 2)]),
            DoublesOf<T>(weights_[Position(lane, 3)])};
  }
  // Lane `lane` of state number s; empty where there is none.
  Doubles StateOf(const std::vector<Doubles>& states, size_t s,
                  int64_t lane) const {
    if (s >= states.size()) return {};
    const auto from = states[s].begin() + lane * batch_ * hidden_;
    return Doubles(from, from + batch_ * hidden_);
  }
  // Element j of direction d of a layer's result, at (t, b).
  int64_t Column(int64_t row, int64_t d, int64_t j) const {
    return (row * directions_ + d) * hidden_ + j;
  }
  Doubles ResultOf(int64_t layer) const {
    Doubles result(time_ * batch_ * directions_ * hidden_);
    for (int64_t d = 0; d < directions_; ++d) {
      const ReferenceLane& lane = lanes_[layer * directions_ + d];
      for (int64_t row = 0; row < time_ * batch_; ++row) {
        if (!lane.has(row / batch_, row % batch_)) continue;
        for (int64_t j = 0; j < hidden_; ++j) {
          result[Column(row, d, j)] = lane.states()[row * hidden_ + j];
        }
      }
    }
    return result;
  }

  void LaneBack(int64_t layer, int64_t d, const Doubles& out_grad,
                Doubles* x_grad, std::vector<Doubles>* states,
                DenseOutputs weight_grads) const {
    const int64_t at = layer * directions_ + d;
    const LaneWeights w = WeightsOf(at);
    LaneWeights grads = {Doubles(w.input.size()), Doubles(w.state.size()),
                         Doubles(w.input_bias.size()),
                         Doubles(w.state_bias.size())};
    Doubles own(time_ * batch_ * hidden_);
    for (int64_t i = 0; i < time_ * batch_ * hidden_; ++i) {
      own[i] = out_grad[Column(i / hidden_, d, i % hidden_)];
    }
    Doubles state = StateOf(*states, 0, at), cell = StateOf(*states, 1, at);
    lanes_[at].RunBack(inputs_[layer], w, own, x_grad, &grads, &state, &cell);
    const int64_t first = at * batch_ * hidden_;
    std::copy(state.begin(), state.end(), (*states)[0].begin() + first);
    if (!cell.empty()) {
      std::copy(cell.begin(), cell.end(), (*states)[1].begin() + first);
    }
    StoreDoubles<T>(grads.input, weight_grads[Position(at, 0)]);
    StoreDoubles<T>(grads.state, weight_grads[Position(at, 1)]);
    StoreDoubles<T>(grads.input_bias, weight_grads[Position(at, 2)]);
    StoreDoubles<T>(grads.state_bias, weight_grads[Position(at, 3)]);
  }

  int64_t time_, batch_, hidden_, layers_, directions_;
  std::vector<int64_t> lengths_;
  DenseList weights_;
  std::vector<Doubles> states_;
  std::vector<ReferenceLane> lanes_;
  std::vector<Doubles> inputs_;  // Of each layer; in the end the result.
};

// The factor of an element that dropout may drop; empty where it drops none.
template <typename KeptAt>
Doubles DropoutFactors(int64_t count, double p, bool is_test, int layers,
                       const KeptAt& kept_at) {
  if (is_test || layers == 1 || p == 0) return {};
  Doubles factors(count);
  for (int64_t i = 0; i < count; ++i) {
    factors[i] = kept_at(i) ? p < 1 ? 1 / (1 - p) : 1 : 0;
  }
  return factors;
}

template <typename S>
inline constexpr auto kRnnSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kSequenceLength, WithAnyStrides(OneOf(kIndexDtypes)))
        .Input(S::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))))
        .Output(S::kDropoutState, Fixed(DataType::kUInt8));
template <typename T>
absl::Status RnnKernel(const ReferenceContext&, const RnnArgs& args) {
  SY_ASSIGN_OR_RETURN(auto lengths,
                      ReferenceRnn<T>::Lengths(args.sequence_length, args.x));
  const bool drops =
      !args.is_test && args.dropout_prob > 0 && args.num_layers > 1;
  if (drops && args.rng == nullptr) {
    return ArgumentError("rng", "a tensor in the training phase", "none");
  }
  const PhiloxStream draws(drops ? At<int64_t>(*args.rng, 0) : 0,
                           drops ? At<int64_t>(*args.rng, 1) : 0, args.stream);
  const auto kept = [&](int64_t i) {
    const double u = sizeof(T) == 8 ? UniformDouble(draws.Draw64(i))
                                    : double{UniformFloat(draws.Draw32(i))};
    return !drops || u >= args.dropout_prob;
  };
  ReferenceRnn<T> rnn(args.x, args.pre_state, args.weight_list,
                      std::move(lengths), args.mode, args.is_bidirec,
                      args.hidden_size, args.num_layers);
  rnn.Run(DropoutFactors(args.out->numel(), args.dropout_prob, args.is_test,
                         args.num_layers, kept));
  StoreDoubles<T>(rnn.result(), args.out);
  rnn.StoreStates(args.state);
  rnn.StoreReserve(args.reserve);
  for (int64_t i = 0; args.dropout_state != nullptr && i < args.out->numel();
       ++i) {
    args.dropout_state->mutable_data<uint8_t>()[i] = kept(i);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRnnGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kSequenceLength, WithAnyStrides(OneOf(kIndexDtypes)))
        .Input(S::kDropoutState, WithAnyStrides(Fixed(DataType::kUInt8)));
template <typename T>
absl::Status RnnGradKernel(const ReferenceContext&, const RnnGradArgs& args) {
  SY_ASSIGN_OR_RETURN(auto lengths,
                      ReferenceRnn<T>::Lengths(args.sequence_length, args.x));
  const Doubles kept = DropoutFactors(
      args.out_grad.numel(), args.dropout_prob, args.is_test, args.num_layers,
      [&](int64_t i) { return At<uint8_t>(args.dropout_state, i) != 0; });
  ReferenceRnn<T> rnn(args.x, args.pre_state, args.weight_list,
                      std::move(lengths), args.mode, args.is_bidirec,
                      args.hidden_size, args.num_layers);
  rnn.Run(kept);
  rnn.RunBack(DoublesOf<T>(args.out_grad), args.state_grad, kept, args.x_grad,
              args.pre_state_grad, args.weight_list_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_RNN_RNN_H_

// SPDX-License-Identifier: Apache-2.0
// ReferenceLane: one direction of a recurrent layer, in double, unit by unit.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_RNN_RNN_LANE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_RNN_RNN_LANE_H_

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace switchyard::phi::kernels::reference {

using Doubles = std::vector<double>;

// A layer's weights in one direction, or their gradients.
struct LaneWeights {
  Doubles input, state, input_bias, state_bias;
};

// One direction of a layer: sizes, and all that its steps compute, indexed by
// (time, batch, unit).
class ReferenceLane {
 public:
  ReferenceLane(std::string_view mode, int64_t time, int64_t batch,
                int64_t width, int64_t hidden, bool backwards,
                const std::vector<int64_t>& lengths)
      : mode_(mode),
        time_(time),
        batch_(batch),
        width_(width),
        hidden_(hidden),
        backwards_(backwards),
        lengths_(lengths),
        gates_(mode == "LSTM"  ? 4
               : mode == "GRU" ? 3
                               : 1),
        activated_(time * batch * gates_ * hidden),
        from_state_(time * batch * hidden),
        cells_(time * batch * hidden),
        states_(time * batch * hidden) {}

  int64_t gates() const { return gates_; }
  const Doubles& states() const { return states_; }
  bool has(int64_t t, int64_t b) const { return t < lengths_[b]; }

  // Runs all steps of `x` from the states [batch, hidden] before.
  void Run(const Doubles& x, const LaneWeights& w, const Doubles& state,
           const Doubles& cell) {
    first_state_ = state;
    first_cell_ = cell;
    for (int64_t i = 0; i < time_; ++i) {
      for (int64_t b = 0; b < batch_; ++b) {
        for (int64_t j = 0; j < hidden_; ++j) RunUnit(x, w, i, b, j);
      }
    }
  }
  double LastState(int64_t b, int64_t j) const {
    return StateBefore(time_, b, j);
  }
  double LastCell(int64_t b, int64_t j) const {
    return CellBefore(time_, b, j);
  }
  // Number k of what a unit saves, in the order of the CPU's.
  double Saved(int64_t t, int64_t b, int64_t k, int64_t j) const {
    const int64_t unit = Unit(t, b, j);
    const bool lstm = mode_ == "LSTM", gru = mode_ == "GRU";
    const int64_t count = lstm ? 6 : gru ? 5 : 1;
    if (k == count - 1) return states_[unit];
    if (lstm && k == 4) return cells_[unit];
    if (!has(t, b)) return 0;
    if (gru && k == 3) return from_state_[unit];
    return activated_[Gate(t, b, k, j)];
  }

  // Adds to the gradients of x and of the weights. `state` and `cell` are the
  // gradients of the last states and become those of the first.
  void RunBack(const Doubles& x, const LaneWeights& w, const Doubles& out_grad,
               Doubles* x_grad, LaneWeights* grads, Doubles* state,
               Doubles* cell) const {
    for (int64_t i = time_ - 1; i >= 0; --i) {
      for (int64_t b = 0; b < batch_; ++b) {
        if (!has(Step(i), b)) continue;
        RowBack(x, w, out_grad, i, b, x_grad, grads, state, cell);
      }
    }
  }

 private:
  int64_t Step(int64_t turn) const {
    return backwards_ ? time_ - 1 - turn : turn;
  }
  int64_t Unit(int64_t t, int64_t b, int64_t j) const {
    return (t * batch_ + b) * hidden_ + j;
  }
  int64_t Gate(int64_t t, int64_t b, int64_t gate, int64_t j) const {
    return ((t * batch_ + b) * gates_ + gate) * hidden_ + j;
  }
  double StateBefore(int64_t turn, int64_t b, int64_t j) const {
    return turn == 0 ? first_state_[b * hidden_ + j]
                     : states_[Unit(Step(turn - 1), b, j)];
  }
  double CellBefore(int64_t turn, int64_t b, int64_t j) const {
    if (first_cell_.empty()) return 0;
    return turn == 0 ? first_cell_[b * hidden_ + j]
                     : cells_[Unit(Step(turn - 1), b, j)];
  }
  // Row `row` of the weights times the input, and times the state before.
  double FromInput(const Doubles& x, const LaneWeights& w, int64_t t, int64_t b,
                   int64_t row) const {
    double sum = w.input_bias[row];
    for (int64_t k = 0; k < width_; ++k) {
      sum += w.input[row * width_ + k] * x[(t * batch_ + b) * width_ + k];
    }
    return sum;
  }
  double FromState(const LaneWeights& w, int64_t turn, int64_t b,
                   int64_t row) const {
    double sum = w.state_bias[row];
    for (int64_t k = 0; k < hidden_; ++k) {
      sum += w.state[row * hidden_ + k] * StateBefore(turn, b, k);
    }
    return sum;
  }
  static double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

  void RunUnit(const Doubles& x, const LaneWeights& w, int64_t turn, int64_t b,
               int64_t j) {
    const int64_t t = Step(turn), unit = Unit(t, b, j);
    if (!has(t, b)) {
      states_[unit] = StateBefore(turn, b, j);
      cells_[unit] = CellBefore(turn, b, j);
      return;
    }
    const auto gate = [&](int64_t k) {
      const int64_t row = k * hidden_ + j;
      return FromInput(x, w, t, b, row) + FromState(w, turn, b, row);
    };
    const auto at = [&](int64_t k) -> double& {
      return activated_[Gate(t, b, k, j)];
    };
    if (mode_ == "LSTM") {
      for (int64_t k : {0, 1, 3}) at(k) = Sigmoid(gate(k));
      at(2) = std::tanh(gate(2));
      cells_[unit] = at(1) * CellBefore(turn, b, j) + at(0) * at(2);
      states_[unit] = at(3) * std::tanh(cells_[unit]);
    } else if (mode_ == "GRU") {
      at(0) = Sigmoid(gate(0));
      at(1) = Sigmoid(gate(1));
      const int64_t row = 2 * hidden_ + j;
      from_state_[unit] = FromState(w, turn, b, row);
      at(2) = std::tanh(FromInput(x, w, t, b, row) + at(0) * from_state_[unit]);
      states_[unit] = at(1) * StateBefore(turn, b, j) + (1 - at(1)) * at(2);
    } else {
      const double v = gate(0);
      at(0) = mode_ == "RNN_TANH" ? std::tanh(v) : v < 0 ? 0 : v;
      states_[unit] = at(0);
    }
  }

  // The gradients of the sums of a unit's gates: from the input, and from the
  // state. `direct` is what the state before gets past all weights.
  struct UnitGrads {
    double input[4], state[4], direct;
  };
  UnitGrads UnitBack(int64_t turn, int64_t b, int64_t j, double h_grad,
                     double* c_grad) const {
    const int64_t t = Step(turn);
    const auto at = [&](int64_t k) { return activated_[Gate(t, b, k, j)]; };
    const auto logistic = [](double s) { return s * (1 - s); };
    UnitGrads g = {};
    if (mode_ == "LSTM") {
      const double shown = std::tanh(cells_[Unit(t, b, j)]);
      const double dc = *c_grad + h_grad * at(3) * (1 - shown * shown);
      g.input[0] = dc * at(2) * logistic(at(0));
      g.input[1] = dc * CellBefore(turn, b, j) * logistic(at(1));
      g.input[2] = dc * at(0) * (1 - at(2) * at(2));
      g.input[3] = h_grad * shown * logistic(at(3));
      *c_grad = dc * at(1);
    } else if (mode_ == "GRU") {
      const double before = StateBefore(turn, b, j);
      g.input[2] = h_grad * (1 - at(1)) * (1 - at(2) * at(2));
      g.input[1] = h_grad * (before - at(2)) * logistic(at(1));
      g.input[0] = g.input[2] * from_state_[Unit(t, b, j)] * logistic(at(0));
      g.direct = h_grad * at(1);
    } else if (mode_ == "RNN_TANH") {
      g.input[0] = h_grad * (1 - at(0) * at(0));
    } else {
      g.input[0] = at(0) > 0 ? h_grad : 0;
    }
    for (int k = 0; k < 4; ++k) g.state[k] = g.input[k];
    if (mode_ == "GRU") g.state[2] *= at(0);
    return g;
  }

  void RowBack(const Doubles& x, const LaneWeights& w, const Doubles& out_grad,
               int64_t turn, int64_t b, Doubles* x_grad, LaneWeights* grads,
               Doubles* state, Doubles* cell) const {
    const int64_t t = Step(turn);
    Doubles before(hidden_);
    double none = 0;
    for (int64_t j = 0; j < hidden_; ++j) {
      const double h_grad = (*state)[b * hidden_ + j] + out_grad[Unit(t, b, j)];
      const UnitGrads g =
          UnitBack(turn, b, j, h_grad,
                   cell->empty() ? &none : &(*cell)[b * hidden_ + j]);
      before[j] += g.direct;
      for (int64_t gate = 0; gate < gates_; ++gate) {
        const int64_t row = gate * hidden_ + j;
        for (int64_t k = 0; k < width_; ++k) {
          const int64_t i = (t * batch_ + b) * width_ + k;
          (*x_grad)[i] += g.input[gate] * w.input[row * width_ + k];
          grads->input[row * width_ + k] += g.input[gate] * x[i];
        }
        for (int64_t k = 0; k < hidden_; ++k) {
          before[k] += g.state[gate] * w.state[row * hidden_ + k];
          grads->state[row * hidden_ + k] +=
              g.state[gate] * StateBefore(turn, b, k);
        }
        grads->input_bias[row] += g.input[gate];
        grads->state_bias[row] += g.state[gate];
      }
    }
    for (int64_t j = 0; j < hidden_; ++j) (*state)[b * hidden_ + j] = before[j];
  }

  std::string_view mode_;
  int64_t time_, batch_, width_, hidden_;
  bool backwards_;
  const std::vector<int64_t>& lengths_;
  int64_t gates_;
  Doubles activated_, from_state_, cells_, states_;
  Doubles first_state_, first_cell_;
};

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_RNN_RNN_LANE_H_

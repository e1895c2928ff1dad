// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/rnn/rnn_cells.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/rnn/rnn_cells.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the headers of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"
#include "phi/kernels/functors/sigmoid.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace functors = kernels::HWY_NAMESPACE;

// Numbers of a row, by their positions.
template <typename T>
using Vector = hn::Vec<VectorTag<T>>;

template <typename T>
HWY_INLINE Vector<T> Logistic(Vector<T> x) {
  return functors::Sigmoid<T>()(VectorTag<T>(), x);
}
template <typename T>
HWY_INLINE Vector<T> Tanh(Vector<T> x) {
  return functors::Tanh<T>()(VectorTag<T>(), x);
}
// 1 - x.
template <typename T>
HWY_INLINE Vector<T> Rest(Vector<T> x) {
  return hn::Sub(hn::Set(VectorTag<T>(), T{1}), x);
}
// x (1 - x), the slope of a logistic function that is x.
template <typename T>
HWY_INLINE Vector<T> LogisticSlope(Vector<T> x) {
  return hn::Mul(x, Rest<T>(x));
}
// 1 - x^2, the slope of tanh where it is x.
template <typename T>
HWY_INLINE Vector<T> TanhSlope(Vector<T> x) {
  return Rest<T>(hn::Mul(x, x));
}

// The vectors of a row of `hidden` numbers, or of several such rows that follow
// each other ("gates").
template <typename T>
class RowVectors {
 public:
  RowVectors(int64_t hidden, int64_t begin) : hidden_(hidden), begin_(begin) {}

  HWY_INLINE Vector<T> Load(const T* gates, int64_t gate = 0) const {
    return LoadSome(gates + gate * hidden_ + begin_, hidden_ - begin_, T{0});
  }
  HWY_INLINE void Store(Vector<T> v, T* gates, int64_t gate = 0) const {
    StoreSome<T>(v, hidden_ - begin_, gates + gate * hidden_ + begin_);
  }
  // A gate's parts from the input, and from the state.
  HWY_INLINE Vector<T> FromInput(const CellStep<T>& step, int64_t gate) const {
    return hn::Add(Load(step.from_input, gate), Load(step.input_bias, gate));
  }
  HWY_INLINE Vector<T> FromState(const CellStep<T>& step, int64_t gate) const {
    return hn::Add(Load(step.from_state, gate), Load(step.state_bias, gate));
  }
  HWY_INLINE Vector<T> Sum(const CellStep<T>& step, int64_t gate) const {
    return hn::Add(FromInput(step, gate), FromState(step, gate));
  }

 private:
  int64_t hidden_, begin_;
};

template <typename T>
HWY_INLINE void RunLstm(const CellStep<T>& step, const RowVectors<T>& row) {
  const auto input = Logistic<T>(row.Sum(step, 0));
  const auto forget = Logistic<T>(row.Sum(step, 1));
  const auto candidate = Tanh<T>(row.Sum(step, 2));
  const auto output = Logistic<T>(row.Sum(step, 3));
  const auto memory = hn::Add(hn::Mul(forget, row.Load(step.memory)),
                              hn::Mul(input, candidate));
  row.Store(input, step.reserve, 0);
  row.Store(forget, step.reserve, 1);
  row.Store(candidate, step.reserve, 2);
  row.Store(output, step.reserve, 3);
  row.Store(memory, step.reserve, 4);
  row.Store(hn::Mul(output, Tanh<T>(memory)), step.reserve, 5);
}

template <typename T>
HWY_INLINE void RunGru(const CellStep<T>& step, const RowVectors<T>& row) {
  const auto reset = Logistic<T>(row.Sum(step, 0));
  const auto update = Logistic<T>(row.Sum(step, 1));
  const auto from_state = row.FromState(step, 2);
  const auto candidate =
      Tanh<T>(hn::Add(row.FromInput(step, 2), hn::Mul(reset, from_state)));
  row.Store(reset, step.reserve, 0);
  row.Store(update, step.reserve, 1);
  row.Store(candidate, step.reserve, 2);
  row.Store(from_state, step.reserve, 3);
  const auto change = hn::Sub(row.Load(step.state), candidate);
  row.Store(hn::Add(hn::Mul(update, change), candidate), step.reserve, 4);
}

template <typename T>
void RunCellOf(const CellStep<T>& step) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  for (int64_t j = 0; j < step.hidden; j += kLanes) {
    const RowVectors<T> row(step.hidden, j);
    switch (step.cell) {
      case RecurrentCell::kLstm:
        RunLstm(step, row);
        break;
      case RecurrentCell::kGru:
        RunGru(step, row);
        break;
      case RecurrentCell::kTanh:
        row.Store(Tanh<T>(row.Sum(step, 0)), step.reserve);
        break;
      case RecurrentCell::kRelu: {
        const auto sum = row.Sum(step, 0);  // A NaN stays.
        const auto negative = hn::Lt(sum, hn::Zero(d));
        row.Store(hn::IfThenZeroElse(negative, sum), step.reserve);
        break;
      }
    }
  }
}

template <typename T>
HWY_INLINE void RunLstmGrad(const CellGrad<T>& grad, const RowVectors<T>& row) {
  const auto input = row.Load(grad.reserve, 0);
  const auto forget = row.Load(grad.reserve, 1);
  const auto candidate = row.Load(grad.reserve, 2);
  const auto output = row.Load(grad.reserve, 3);
  const auto shown = Tanh<T>(row.Load(grad.reserve, 4));
  const auto dh = row.Load(grad.state_grad);
  const auto dc = hn::Add(row.Load(grad.memory_grad),
                          hn::Mul(hn::Mul(dh, output), TanhSlope<T>(shown)));
  row.Store(hn::Mul(hn::Mul(dc, candidate), LogisticSlope<T>(input)),
            grad.input_gates, 0);
  row.Store(
      hn::Mul(hn::Mul(dc, row.Load(grad.memory)), LogisticSlope<T>(forget)),
      grad.input_gates, 1);
  row.Store(hn::Mul(hn::Mul(dc, input), TanhSlope<T>(candidate)),
            grad.input_gates, 2);
  row.Store(hn::Mul(hn::Mul(dh, shown), LogisticSlope<T>(output)),
            grad.input_gates, 3);
  row.Store(hn::Mul(dc, forget), grad.memory_grad);
  row.Store(hn::Zero(VectorTag<T>()), grad.state_grad);
}

template <typename T>
HWY_INLINE void RunGruGrad(const CellGrad<T>& grad, const RowVectors<T>& row) {
  const auto reset = row.Load(grad.reserve, 0);
  const auto update = row.Load(grad.reserve, 1);
  const auto candidate = row.Load(grad.reserve, 2);
  const auto from_state = row.Load(grad.reserve, 3);
  const auto dh = row.Load(grad.state_grad);
  const auto dc =
      hn::Mul(hn::Mul(dh, Rest<T>(update)), TanhSlope<T>(candidate));
  const auto dr = hn::Mul(hn::Mul(dc, from_state), LogisticSlope<T>(reset));
  const auto dz = hn::Mul(hn::Mul(dh, hn::Sub(row.Load(grad.state), candidate)),
                          LogisticSlope<T>(update));
  row.Store(dr, grad.input_gates, 0);
  row.Store(dr, grad.state_gates, 0);
  row.Store(dz, grad.input_gates, 1);
  row.Store(dz, grad.state_gates, 1);
  row.Store(dc, grad.input_gates, 2);
  row.Store(hn::Mul(dc, reset), grad.state_gates, 2);
  row.Store(hn::Mul(dh, update), grad.state_grad);
}

template <typename T>
HWY_INLINE void RunPlainGrad(const CellGrad<T>& grad,
                             const RowVectors<T>& row) {
  const VectorTag<T> d;
  const auto h = row.Load(grad.reserve);
  const auto one = hn::Set(d, T{1});
  const auto slope = grad.cell == RecurrentCell::kTanh
                         ? TanhSlope<T>(h)
                         : hn::IfThenElseZero(hn::Gt(h, hn::Zero(d)), one);
  row.Store(hn::Mul(row.Load(grad.state_grad), slope), grad.input_gates);
  row.Store(hn::Zero(d), grad.state_grad);
}

template <typename T>
void RunCellGradOf(const CellGrad<T>& grad) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  for (int64_t j = 0; j < grad.hidden; j += kLanes) {
    const RowVectors<T> row(grad.hidden, j);
    if (grad.cell == RecurrentCell::kLstm) {
      RunLstmGrad(grad, row);
    } else if (grad.cell == RecurrentCell::kGru) {
      RunGruGrad(grad, row);
    } else {
      RunPlainGrad(grad, row);
    }
  }
}

void RunFloat(const CellStep<float>& step) { RunCellOf(step); }
void RunDouble(const CellStep<double>& step) { RunCellOf(step); }
void RunFloatGrad(const CellGrad<float>& grad) { RunCellGradOf(grad); }
void RunDoubleGrad(const CellGrad<double>& grad) { RunCellGradOf(grad); }

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(RunFloat);
HWY_EXPORT(RunDouble);
HWY_EXPORT(RunFloatGrad);
HWY_EXPORT(RunDoubleGrad);
}  // namespace

void RunCell(const CellStep<float>& step) {
  HWY_DYNAMIC_DISPATCH(RunFloat)(step);
}
void RunCell(const CellStep<double>& step) {
  HWY_DYNAMIC_DISPATCH(RunDouble)(step);
}
void RunCellGrad(const CellGrad<float>& grad) {
  HWY_DYNAMIC_DISPATCH(RunFloatGrad)(grad);
}
void RunCellGrad(const CellGrad<double>& grad) {
  HWY_DYNAMIC_DISPATCH(RunDoubleGrad)(grad);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE

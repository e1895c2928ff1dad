// SPDX-License-Identifier: Apache-2.0
// Windows, Fourier transforms and the matrix of mel weights. All are computed
// in float64.
#include <cmath>
#include <vector>

#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr DataType kWide = DataType::kFloat64;

// 0, 1, ... up to a number, an int64 of one element.
Expression Counted(OnnxCall& call, ir::Value end) {
  return {call, call.Call("arange", {},
                          {{"start", IntegerList(call, {0})},
                           {"end", end},
                           {"step", IntegerList(call, {1})},
                           {"dtype", DataType::kInt64}})};
}

Expression OneNumber(OnnxCall& call, int input, DataType dtype) {
  return {call, Reshape(call, Cast(call, call.In(input), dtype), {1})};
}

// a - b cos(2 pi n / size) + c cos(4 pi n / size).
void Window(OnnxCall& call, double a, double b, double c) {
  constexpr int64_t kFloat = 1;
  const Expression size = OneNumber(call, 0, DataType::kInt64);
  const DataType dtype =
      call.Checked(DataTypeOfOnnx(call.Int("output_datatype", kFloat)));
  if (!call.ok()) return;
  const Expression period = call.Flag("periodic", true) ? size : size - 1.0;
  const Expression turn =
      Counted(call, size).As(kWide) * (2 * kPi) / period.As(kWide);
  Expression y = turn.Of("cos") * -b + a;
  if (c != 0) y = y + (turn * 2.0).Of("cos") * c;
  call.Out(0, y.As(dtype));
}

void HannWindow(OnnxCall& call) { Window(call, 0.5, 0.5, 0); }
void HammingWindow(OnnxCall& call) {
  Window(call, 25.0 / 46.0, 21.0 / 46.0, 0);
}
void BlackmanWindow(OnnxCall& call) { Window(call, 0.42, 0.5, 0.08); }

// Complex numbers, apart. `imaginary` is null for real ones.
struct Complex {
  ir::Value real;
  ir::Value imaginary;
};

// The parts of [..., 1] or [..., 2].
Complex PartsOf(OnnxCall& call, ir::Value x) {
  const int last = Rank(x) - 1;
  const Dim parts = ShapeOf(x)[last];
  Complex complex;
  if (parts != Dim(1) && parts != Dim(2)) {
    call.Fail(ArgumentError("input", "of 1 or 2 parts along the last axis",
                            ToString(ShapeOf(x))));
    return complex;
  }
  const auto part = [&](int64_t i) {
    return Squeeze(call, Slice(call, x, last, i, i + 1), {last});
  };
  complex.real = part(0);
  if (parts == Dim(2)) complex.imaginary = part(1);
  return complex;
}

// The transform of the last axis by a product with its matrix, for an extent
// that only the run knows: [..., n] becomes [..., n, 2].
ir::Value ByMatrix(OnnxCall& call, const Complex& x, bool forward,
                   bool onesided) {
  const ir::Value extent = Extent(call, x.real, Rank(x.real) - 1);
  const Expression count(call, extent);
  const Expression from = Counted(call, extent);
  const Expression half = count.With("floor_divide", 2.0) + 1.0;
  const Expression to = onesided ? Counted(call, half) : from;
  // A product is reduced while it is an integer, so that it loses no digits.
  const Expression turns =
      (from.Unsqueeze({1}) * to).With("remainder", count).As(kWide);
  const Expression angle =
      turns * (forward ? -2 * kPi : 2 * kPi) / count.As(kWide);
  const Expression cosine = angle.Of("cos"), sine = angle.Of("sin");
  const auto product = [&](ir::Value a, const Expression& b) {
    return Expression(call, call.Call("matmul", {a, b}));
  };
  Expression real = product(x.real, cosine);
  Expression imaginary = product(x.real, sine);
  if (x.imaginary) {
    real = real - product(x.imaginary, sine);
    imaginary = imaginary + product(x.imaginary, cosine);
  }
  if (!forward) {
    real = real / count.As(kWide);
    imaginary = imaginary / count.As(kWide);
  }
  const std::vector<ir::Value> both = {real, imaginary};
  return call.Call("stack", {both}, {{"axis", Rank(real)}});
}

// The transform of the last axis: [..., n] becomes [..., n, 2].
ir::Value Transform(OnnxCall& call, Complex x, bool forward, bool onesided) {
  if (!call.ok()) return ir::Value();
  const int last = Rank(x.real) - 1;
  if (!ShapeOf(x.real)[last].known()) {
    return ByMatrix(call, x, forward, onesided);
  }
  const Integers axes = {last};
  if (!x.imaginary && forward) {
    return call.Call("as_real", {call.Call("fft_r2c", {x.real},
                                           {{"axes", axes},
                                            {"normalization", "backward"},
                                            {"forward", true},
                                            {"onesided", onesided}})});
  }
  if (!x.imaginary) x.imaginary = call.Call("zeros_like", {x.real});
  ir::Value y = call.Call(
      "fft_c2c", {call.Call("complex", {x.real, x.imaginary})},
      {{"axes", axes}, {"normalization", "backward"}, {"forward", forward}});
  if (onesided) {
    const int64_t half = ShapeOf(x.real)[last].value() / 2 + 1;
    y = Slice(call, y, last, 0, half);
  }
  return call.Call("as_real", {y});
}

// The axis cut or filled with zeros to a length, an int64 of one element.
ir::Value OfLength(OnnxCall& call, ir::Value x, int axis, ir::Value length) {
  const Expression places = Counted(call, length);
  const Expression extent(call, Extent(call, x, axis));
  const Expression inside = places < extent;
  const ir::Value from = places.With("minimum", extent - 1.0);
  const ir::Value y = call.Call("index_select", {x, from}, {{"axis", axis}});
  Integers after;
  for (int i = axis + 1; i < Rank(x); ++i) {
    after.push_back(i - axis);
  }
  return call.Call("where",
                   {inside.Unsqueeze(after), y, call.Call("zeros_like", {y})});
}

// The order of axes that puts `axis` last, and the one that undoes it.
Integers WithLast(int rank, int axis) {
  Integers order;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  return order;
}

Integers Undone(const Integers& order) {
  Integers back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return back;
}

// The axis is an attribute before version 20, then an input.
void Dft(OnnxCall& call) {
  constexpr int64_t kAxisIsInput = 20;
  ir::Value x = call.In(0);
  if (!call.ok()) return;
  const DataType dtype = DtypeOf(x);
  int64_t axis = call.Int("axis", 1);
  if (call.version() >= kAxisIsInput) {
    axis = -2;
    if (call.Has(2)) {
      const auto known = call.AttrOrInput("", 2);
      if (known.has_value() && known->size() == 1) axis = (*known)[0];
    }
  }
  const int rank = Rank(x);
  const int at = call.Axis(axis, rank);
  if (!call.ok()) return;
  if (at == rank - 1) {
    return call.Fail(ArgumentError("axis", "before the last", "the last"));
  }
  const bool inverse = call.Flag("inverse", false);
  const bool onesided = call.Flag("onesided", false);
  if (inverse && onesided) {
    return call.Refuse("onesided must be 0 where inverse is 1");
  }
  x = Cast(call, x, kWide);
  if (call.Has(1))
    x = OfLength(call, x, at, OneNumber(call, 1, DataType::kInt64));
  Complex parts = PartsOf(call, x);
  if (!call.ok()) return;
  const Integers order = WithLast(rank - 1, at);
  parts.real = Transpose(call, parts.real, order);
  if (parts.imaginary)
    parts.imaginary = Transpose(call, parts.imaginary, order);
  const ir::Value y = Transform(call, parts, !inverse, onesided);
  Integers back = Undone(order);
  back.push_back(rank - 1);
  call.Out(0, Cast(call, Transpose(call, y, back), dtype));
}

// Frames of the signal by their windows, transformed.
void Stft(OnnxCall& call) {
  const ir::Value signal = call.In(0);
  const Expression step = OneNumber(call, 1, DataType::kInt64);
  if (!call.ok()) return;
  ir::Value window;
  if (call.Has(2)) window = Cast(call, call.In(2), kWide);
  if (!call.Has(3) && !window) {
    return call.Fail(
        ArgumentError("frame_length", "given without a window", "none"));
  }
  const Expression length(
      call, call.Has(3) ? ir::Value(OneNumber(call, 3, DataType::kInt64))
                        : Extent(call, window, 0));
  const Expression extent(call, Extent(call, signal, 1));
  const Expression starts(call, call.Call("arange", {},
                                          {{"start", IntegerList(call, {0})},
                                           {"end", extent - length + 1.0},
                                           {"step", step},
                                           {"dtype", DataType::kInt64}}));
  const Expression places = starts.Unsqueeze({1}) + Counted(call, length);
  const auto frames = [&](ir::Value part) {
    // [batch, frames, length].
    const ir::Value flat = Reshape(call, places, {-1});
    const ir::Value picked =
        call.Call("index_select", {part, flat}, {{"axis", 1}});
    const ir::Value y = ReshapeTo(
        call, picked, {Extent(call, part, 0), Extent(call, starts, 0), length});
    return window ? call.Call("multiply", {y, window}) : y;
  };
  Complex parts = PartsOf(call, Cast(call, signal, kWide));
  if (!call.ok()) return;
  const bool onesided = call.Flag("onesided", true) && !parts.imaginary;
  parts.real = frames(parts.real);
  if (parts.imaginary) parts.imaginary = frames(parts.imaginary);
  const ir::Value y = Transform(call, parts, true, onesided);
  call.Out(0, Cast(call, y, DtypeOf(signal)));
}

// Triangles between the bins of frequencies that are equally far apart on the
// mel scale.
void MelWeightMatrix(OnnxCall& call) {
  constexpr int64_t kFloat = 1;
  constexpr double kMels = 2595, kHertz = 700;
  const Expression bins = OneNumber(call, 0, DataType::kInt64);
  const Expression length = OneNumber(call, 1, DataType::kInt64);
  const Expression rate = OneNumber(call, 2, kWide);
  const DataType dtype =
      call.Checked(DataTypeOfOnnx(call.Int("output_datatype", kFloat)));
  const auto mels = [&](int input) {
    const Expression hertz = OneNumber(call, input, kWide);
    return (hertz / kHertz + 1.0).Of("log10") * kMels;
  };
  const Expression low = mels(3);
  const Expression points = bins + 2.0;
  const Expression step = (mels(4) - low) / points.As(kWide);
  const Expression at = Counted(call, points).As(kWide) * step + low;
  const Expression hertz =
      ((at * (std::log(10.0) / kMels)).Of("exp") - 1.0) * kHertz;
  const Expression edges =
      ((length + 1.0).As(kWide) * hertz / rate).Of("floor");
  const auto shifted = [&](int64_t by) {
    return Expression(call,
                      call.Call("slice", {edges},
                                {{"axes", Integers{0}},
                                 {"starts", Integers{by}},
                                 {"ends", bins + static_cast<double>(by)}}));
  };
  const Expression lower = shifted(0), centre = shifted(1), higher = shifted(2);
  const Expression row = Counted(call, length.With("floor_divide", 2.0) + 1.0)
                             .As(kWide)
                             .Unsqueeze({1});
  const Expression width = centre - lower;
  const Expression rises = (row - lower) / width.With("maximum", 1.0);
  const Expression peak = (row == centre).As(kWide);
  const Expression up =
      (row >= lower)
          .And(row <= centre)
          .Where((width == 0.0).Where(peak, rises), peak * 0.0);
  const Expression fall = higher - centre;
  const Expression falls = (higher - row) / fall.With("maximum", 1.0);
  call.Out(0, (row >= centre).And(row < higher).Where(falls, up).As(dtype));
}

constexpr OnnxLowering kLowerings[] = {
    {"BlackmanWindow", BlackmanWindow},   {"DFT", Dft},
    {"HammingWindow", HammingWindow},     {"HannWindow", HannWindow},
    {"MelWeightMatrix", MelWeightMatrix}, {"STFT", Stft},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxSignalLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph

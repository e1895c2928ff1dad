// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/testing/fake_kernels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/testing/naive_kernels.h"

namespace switchyard::phi {
namespace dispatch {
namespace {

using testing::Add;
using testing::Cast;
using testing::Concat;
using testing::CopyElements;
using testing::In;
using testing::Map;
using testing::NaiveKernel;
using testing::Out;

int launches = 0;

class FakeGpuAllocator : public Allocator {
 public:
  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    void* const data = std::malloc(bytes == 0 ? 1 : bytes);
    return Buffer::Wrap(data, bytes, place(), &std::free, data);
  }
  Place place() const override { return Place::Gpu(0); }
  void Deallocate(Buffer*) override {}  // Wrapped memory frees itself.
};

Allocator& GpuAllocator(int = 0) {
  static auto* const allocator = new FakeGpuAllocator();
  return *allocator;
}

class FakeGpuContext : public DeviceContext {
 public:
  FakeGpuContext() : DeviceContext(Place::Gpu(0), &GpuAllocator()) {}
};

DeviceContext& CurrentGpu(Place) {
  thread_local FakeGpuContext context;
  return context;
}

constexpr ContextProvider kGpuContexts = {&CurrentGpu, nullptr};
constexpr DeviceInfo kFakeGpuDevice = {
    "gpu", false, nullptr, nullptr, &GpuAllocator, nullptr, nullptr, nullptr};
constexpr BackendInfo kFakeGpu = {"gpu", &kFakeGpuDevice, 300, true,
                                  &kGpuContexts};
// The rows are constants, so no table registers their devices.
[[maybe_unused]] const bool registered =
    RegisterDevice(device_cpu).ok() && RegisterDevice(kFakeGpuDevice).ok();

template <typename T>
absl::Status Plus(KernelContext& c) {
  ++launches;
  return Add<T>(c);
}

absl::Status Negate(KernelContext& c) {
  ++launches;
  return Map<float>(c, [](float x) { return -x; });
}

absl::Status Half(KernelContext& c) {
  ++launches;
  const DenseTensor& x = In(c, 0);
  Out(c, 0)->SetView(x, Out(c, 0)->shape(), x.strides(), x.offset());
  return absl::OkStatus();
}

absl::Status Pair(KernelContext& c) {
  ++launches;
  for (const int i : {0, 1}) {
    if (Out(c, i) == nullptr) continue;
    std::memcpy(Out(c, i)->mutable_data<void>(), In(c, 0).raw_data(),
                In(c, 0).numel() * sizeof(float));
  }
  return absl::OkStatus();
}

absl::Status Join(KernelContext& c) {
  ++launches;
  return Concat<float>(c);
}

absl::Status SelectRows(KernelContext& c) {
  ++launches;
  const DenseTensor& x = In(c, 0);
  std::vector<int64_t> rows(x.extent(0));
  std::iota(rows.begin(), rows.end(), 0);
  static_cast<SelectedRows&>(c.outputs.one(0)) =
      SelectedRows(x.extent(0), std::move(rows), x);
  return absl::OkStatus();
}

absl::Status Fill(KernelContext&) {
  ++launches;
  return absl::OkStatus();
}

absl::Status Fail(KernelContext&) {
  ++launches;
  return RangeError("index", "in [0, 3)", "7");
}

// ---- InferMeta ----

absl::Status LikeFirst(const InferMetaContext& c) {
  c.outputs.one(0).dtype = c.inputs.one(0).dtype;
  c.outputs.one(0).shape = c.inputs.one(0).shape;
  return absl::OkStatus();
}

absl::Status PlusMeta(const InferMetaContext& c) {
  if (c.inputs.one(1).shape.rank() != 0 &&
      c.inputs.one(1).shape != c.inputs.one(0).shape) {
    return ArgumentError("y", ToString(c.inputs.one(0).shape),
                         ToString(c.inputs.one(1).shape));
  }
  return LikeFirst(c);
}

absl::Status HalfMeta(const InferMetaContext& c) {
  SY_RETURN_IF_ERROR(LikeFirst(c));
  c.outputs.one(0).shape[0] = Dim(c.inputs.one(0).shape.extent(0) / 2);
  return absl::OkStatus();
}

absl::Status PairMeta(const InferMetaContext& c) {
  SY_RETURN_IF_ERROR(LikeFirst(c));
  if (c.outputs.optional(1) != nullptr) c.outputs.one(1) = c.outputs.one(0);
  return absl::OkStatus();
}

absl::Status JoinMeta(const InferMetaContext& c) {
  int64_t extent = 0;
  for (const TensorSpec* x : c.inputs.list(0)) extent += x->shape.extent(0);
  c.outputs.one(0).dtype = DataType::kFloat32;
  c.outputs.one(0).shape = {extent};
  return absl::OkStatus();
}

absl::Status RowsMeta(const InferMetaContext& c) {
  if (c.attr<bool>(0)) c.outputs.one(0).kind = TensorKind::kSelectedRows;
  return LikeFirst(c);
}

absl::Status FillMeta(const InferMetaContext& c) {
  const int64_t extent = c.attr<int64_t>(0);
  c.outputs.one(0).dtype = DataType::kFloat32;
  c.outputs.one(0).shape = {extent, extent};
  return absl::OkStatus();
}

// ---- Constant data ----

constexpr std::array<ArgDef, 2> kContiguous = {};
constexpr std::array<ArgDef, 2> kStrided = {AnyStrides(), AnyStrides()};

constexpr KernelDef Def(const char* op, const BackendInfo& backend,
                        DataType dtype, KernelThunk thunk,
                        absl::Span<const ArgDef> inputs) {
  return NaiveKernel(op, dtype, thunk, inputs, {}, backend);
}

template <size_t N>
constexpr OpKernels MakeKernels(const char* op,
                                const std::array<const KernelDef*, N>& sorted) {
  OpKernels op_kernels{};
  op_kernels.op = op;
  op_kernels.kernels = absl::MakeConstSpan(sorted);
  for (size_t d = 0, next = 0; d < std::size(op_kernels.begins); ++d) {
    while (next < N && static_cast<size_t>(sorted[next]->key.dtype) < d) ++next;
    op_kernels.begins[d] = static_cast<uint16_t>(next);
  }
  return op_kernels;
}

constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kF64 = DataType::kFloat64;

constexpr KernelDef kCast32 =
    Def("cast", backend_cpu, kF32, &Cast<float>, kContiguous);
constexpr KernelDef kCast64 =
    Def("cast", backend_cpu, kF64, &Cast<double>, kContiguous);
constexpr KernelDef kCastInt =
    Def("cast", backend_cpu, DataType::kInt32, &Cast<int32_t>, kContiguous);
constexpr std::array<const KernelDef*, 3> kCasts = {&kCastInt, &kCast32,
                                                    &kCast64};
constexpr KernelDef kCopyGpu =
    Def("copy", kFakeGpu, kF32, &CopyElements, kStrided);
constexpr KernelDef kCopyCpu =
    Def("copy", backend_cpu, kF32, &CopyElements, kStrided);
constexpr std::array<const KernelDef*, 2> kCopies = {&kCopyGpu, &kCopyCpu};
constexpr KernelDef kContiguous32 =
    Def("contiguous", backend_cpu, kF32, &CopyElements, kStrided);
constexpr std::array<const KernelDef*, 1> kContiguouses = {&kContiguous32};

constexpr KernelDef kPlusGpu =
    Def("plus", kFakeGpu, kF32, &Plus<float>, kStrided);
constexpr KernelDef kPlus32 =
    Def("plus", backend_cpu, kF32, &Plus<float>, kStrided);
constexpr KernelDef kPlus64 =
    Def("plus", backend_cpu, kF64, &Plus<double>, kStrided);
constexpr std::array kPluses = {&kPlusGpu, &kPlus32, &kPlus64};
constexpr KernelDef kNegate32 =
    Def("negate", backend_cpu, kF32, &Negate, kContiguous);
constexpr std::array<const KernelDef*, 1> kNegates = {&kNegate32};
constexpr KernelDef kHalf32 = Def("half", backend_cpu, kF32, &Half, kStrided);
constexpr std::array<const KernelDef*, 1> kHalves = {&kHalf32};
constexpr KernelDef kPair32 =
    Def("pair", backend_cpu, kF32, &Pair, kContiguous);
constexpr std::array<const KernelDef*, 1> kPairs = {&kPair32};
constexpr KernelDef kJoin32 =
    Def("join", backend_cpu, kF32, &Join, kContiguous);
constexpr std::array<const KernelDef*, 1> kJoins = {&kJoin32};
constexpr KernelDef kFill32 = Def("fill", backend_cpu, kF32, &Fill, {});
constexpr std::array<const KernelDef*, 1> kFills = {&kFill32};
constexpr std::array<ArgDef, 1> kYieldsRows = {[] {
  ArgDef def = SelfAllocated({});
  def.kind = TensorKind::kSelectedRows;
  return def;
}()};
constexpr KernelDef kDenseRows32 =
    Def("rows", backend_cpu, kF32, &CopyElements, kContiguous);
constexpr KernelDef kSelectRows32 = [] {
  KernelDef def = Def("rows", backend_cpu, kF32, &SelectRows, kContiguous);
  def.outputs = kYieldsRows;
  return def;
}();
constexpr std::array kRows = {&kDenseRows32, &kSelectRows32};
constexpr KernelDef kFailing32 =
    Def("failing", backend_cpu, kF32, &Fail, kContiguous);
constexpr std::array<const KernelDef*, 1> kFailings = {&kFailing32};

constexpr std::array<InputInfo, 1> kX = {{{"x"}}};
constexpr std::array<InputInfo, 2> kXY = {{{"x"}, {"y"}}};
constexpr std::array<InputInfo, 2> kXMaybe = {{{"x"}, {"maybe", true}}};
constexpr std::array<InputInfo, 1> kXList = {{{"x", false, true}}};
constexpr std::array<OutputInfo, 1> kOut = {{{"out"}}};
constexpr std::array<OutputInfo, 2> kOutMask = {{{"out"}, {"mask", true}}};
constexpr std::array<OutputInfo, 1> kOutInPlace = {
    {{"out", false, false, false, 0}}};
constexpr std::array<OutputInfo, 1> kOutView = {
    {{"out", false, false, false, -1, 0}}};
constexpr std::array<AttrInfo, 1> kSparse = {{{"sparse", AttrType::kBool}}};
constexpr std::array<AttrInfo, 1> kExtent = {{{"extent", AttrType::kInt64}}};
constexpr std::array<AttrInfo, 2> kOrderWeights = {
    {{"order", AttrType::kString}, {"weights", AttrType::kInt64s}}};

constexpr OpInfo Info(const char* name, absl::Span<const InputInfo> inputs,
                      absl::Span<const OutputInfo> outputs,
                      InferMetaFunction infer_meta) {
  OpInfo info{};
  info.name = name;
  info.inputs = inputs;
  info.outputs = outputs;
  info.infer_meta = infer_meta;
  info.dtype_rule.input = 0;
  return info;
}

constexpr OpInfo PlusInfo() {
  OpInfo info = Info("plus", kXY, kOutInPlace, &PlusMeta);
  info.promotion.inputs = 0b11;
  return info;
}

constexpr OpInfo JoinInfo() {
  OpInfo info = Info("join", kXList, kOut, &JoinMeta);
  info.attrs = kOrderWeights;
  return info;
}

constexpr OpInfo RowsInfo() {
  OpInfo info = Info("rows", kX, kOut, &RowsMeta);
  info.attrs = kSparse;
  return info;
}

constexpr OpInfo FillInfo() {
  OpInfo info = Info("fill", {}, kOut, &FillMeta);
  info.attrs = kExtent;
  info.dtype_rule = {-1, -1, kF32};
  return info;
}

}  // namespace

constexpr FakeOp fake_plus = {PlusInfo(), MakeKernels("plus", kPluses)};
constexpr FakeOp fake_negate = {Info("negate", kX, kOut, &LikeFirst),
                                MakeKernels("negate", kNegates)};
constexpr FakeOp fake_half = {Info("half", kX, kOutView, &HalfMeta),
                              MakeKernels("half", kHalves)};
constexpr FakeOp fake_pair = {Info("pair", kXMaybe, kOutMask, &PairMeta),
                              MakeKernels("pair", kPairs)};
constexpr FakeOp fake_join = {JoinInfo(), MakeKernels("join", kJoins)};
constexpr FakeOp fake_fill = {FillInfo(), MakeKernels("fill", kFills)};
constexpr FakeOp fake_rows = {RowsInfo(), MakeKernels("rows", kRows)};
constexpr FakeOp fake_failing = {Info("failing", kX, kOut, &LikeFirst),
                                 MakeKernels("failing", kFailings)};

int Launches() { return launches; }

DenseTensor OnGpu(const Shape& shape, std::initializer_list<float> values) {
  DenseTensor tensor;
  tensor.SetMeta(kF32, shape, Place::Gpu(0));
  tensor.SetBuffer(*GpuAllocator().Allocate(values.size() * sizeof(float)));
  std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
  return tensor;
}

namespace {
constexpr OpKernels kCastRow = MakeKernels("cast", kCasts);
constexpr OpKernels kCopyRow = MakeKernels("copy", kCopies);
constexpr OpKernels kContiguousRow = MakeKernels("contiguous", kContiguouses);
constexpr OpKernels kReorderRow = MakeKernels("reorder", kContiguouses);
}  // namespace
}  // namespace dispatch

extern OpSlot kernels_cast;
extern OpSlot kernels_copy;
extern OpSlot kernels_contiguous;
extern OpSlot kernels_reorder;
OpSlot kernels_cast(&dispatch::kCastRow);
OpSlot kernels_copy(&dispatch::kCopyRow);
OpSlot kernels_contiguous(&dispatch::kContiguousRow);
OpSlot kernels_reorder(&dispatch::kReorderRow);

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/testing/fake_ops.h"

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "phi/core/kernel_spec.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/core/testing/fake_backends.h"

namespace switchyard::phi::selection {
namespace {

constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kF64 = DataType::kFloat64;

InputInfo ListInput(const char* name) {
  InputInfo input{};
  input.name = name;
  input.list = true;
  return input;
}

AttrInfo Defaulted(const char* name, AttrType type, AttrRef value) {
  return {name, type, true, value};
}

OpInfo Info(const char* name, absl::Span<const InputInfo> inputs,
            absl::Span<const AttrInfo> attrs, DtypeRule rule,
            uint32_t traits = 0) {
  OpInfo op{};
  op.name = name;
  op.inputs = inputs;
  op.attrs = attrs;
  op.infer_meta = [](const InferMetaContext&) { return absl::OkStatus(); };
  op.dtype_rule = rule;
  op.traits = traits;
  op.file = "fake_ops.yaml";
  return op;
}

constexpr OutputInfo ViewOfTheFirst() {
  OutputInfo output{"out"};
  output.view_of = 0;
  return output;
}
constexpr OutputInfo kView[] = {ViewOfTheFirst()};

DtypeRule ByInput(int input) { return {-1, static_cast<int16_t>(input)}; }

// The operators; their argument lists are kept alive beside them.
struct FakeOps {
  std::vector<InputInfo> x = {{"x"}};
  std::vector<InputInfo> x_y = {{"x"}, {"y"}};
  std::vector<InputInfo> x_y_bias = {{"x"}, {"y"}, {"bias", true}};
  std::vector<InputInfo> x_index = {{"x"}, {"index"}};
  std::vector<InputInfo> param_grad_rate;
  std::vector<InputInfo> list = {ListInput("x")};
  std::vector<AttrInfo> axis = {Defaulted("axis", AttrType::kInt, -1)};
  std::vector<AttrInfo> transpose = {
      Defaulted("transpose_y", AttrType::kBool, false)};
  std::vector<AttrInfo> shape_dtype = {
      {"shape", AttrType::kInt64s},
      Defaulted("dtype", AttrType::kDataType, kF32),
      Defaulted("place", AttrType::kPlace, Place::Cpu())};
  std::vector<OpInfo> infos;

  FakeOps() {
    param_grad_rate = {{"param"}, {"grad"}, {"rate"}};
    param_grad_rate[2].castable = true;
    OpInfo add = Info("add", x_y, {}, ByInput(0));
    add.promotion.inputs = 0b11;
    OpInfo reshape = Info("reshape", x, {}, ByInput(0));
    reshape.outputs = kView;
    infos = {
        Info("softmax", x, axis, ByInput(0)),
        Info("matmul", x_y_bias, transpose, ByInput(0)),
        add,
        Info("gather", x_index, {}, ByInput(0)),
        Info("sgd", param_grad_rate, {}, ByInput(0)),
        Info("full", {}, shape_dtype, {1, -1}),
        Info("concat", list, axis, ByInput(0)),
        Info("contiguous", x, {}, ByInput(0),
             static_cast<uint32_t>(Trait::kTransform)),
        reshape,
    };
  }
};

const FakeOps& Ops() {
  static const FakeOps* ops = new FakeOps();
  return *ops;
}

// Makes KernelDefs that live as long as it does.
class KernelMaker {
 public:
  // The kernel made last can be changed until the next one is made.
  KernelDef& Add(const char* op, const BackendInfo& backend, DataType dtype,
                 std::vector<ArgDef> inputs,
                 KernelOrigin origin = KernelOrigin::kPhi) {
    KernelDef def{};
    def.op = op;
    def.kernel = op;
    def.key = {&backend, DataLayout::kStrided, dtype};
    def.origin = origin;
    def.inputs = Keep(&args_, std::move(inputs));
    files_.push_back(std::string(backend.name) + "/" + op + ".cc");
    def.file = files_.back().c_str();
    def.line = origin == KernelOrigin::kPhi ? 10 : 90;
    kernels_.push_back(def);
    return kernels_.back();
  }
  void When(KernelDef& def, std::vector<Condition> conditions) {
    def.conditions = Keep(&conditions_, std::move(conditions));
  }
  void Yields(KernelDef& def, std::vector<ArgDef> outputs) {
    def.outputs = Keep(&args_, std::move(outputs));
  }
  std::vector<const KernelDef*> kernels() const {
    std::vector<const KernelDef*> list;
    for (const KernelDef& def : kernels_) list.push_back(&def);
    return list;
  }

 private:
  template <typename T>
  absl::Span<const T> Keep(std::deque<std::vector<T>>* store,
                           std::vector<T> list) {
    store->push_back(std::move(list));
    return store->back();
  }

  std::deque<KernelDef> kernels_;
  std::deque<std::vector<ArgDef>> args_;
  std::deque<std::vector<Condition>> conditions_;
  std::deque<std::string> files_;
};

const ArgDef kKey;

ArgDef OfKind(TensorKind kind) {
  ArgDef def;
  def.kind = kind;
  return def;
}

void AddSoftmax(KernelMaker& make) {
  for (const DataType dtype : {kF32, kF64}) {
    make.Add("softmax", fake_reference, dtype, {AnyStrides()});
    make.Add("softmax", fake_cpu, dtype, {kKey});
  }
  make.Add("softmax", fake_cpu, kF32, {kKey}, KernelOrigin::kFluid);
  KernelDef& onednn = make.Add("softmax", fake_onednn, kF32, {kKey});
  onednn.empty_ok = false;
  make.When(onednn,
            {RankAtMost(0, 6), AttrEquals(0, -1), ItemElementsAtLeast(0, 512)});
  make.Add("softmax", fake_gpu, kF32, {AnyStrides()});
  KernelDef& gpudnn = make.Add("softmax", fake_gpudnn, kF32, {kKey});
  make.When(gpudnn, {ExtentAtLeast(0, -1, 32)});
}

void AddMatmul(KernelMaker& make) {
  for (const DataType dtype : {kF32, kF64}) {
    make.Add("matmul", fake_cpu, dtype, {AnyStrides(), AnyStrides(), kKey});
  }
  KernelDef& onednn = make.Add("matmul", fake_onednn, kF32, {kKey, kKey, kKey});
  make.When(onednn, {WorkAtLeast(0, 1, 100000)});
  KernelDef& fast = make.Add("matmul", fake_onednn, kF64, {kKey, kKey, kKey});
  fast.thread_invariant = false;
}

void AddOthers(KernelMaker& make) {
  make.Add("add", fake_cpu, kF32, {AnyStrides(), AnyStrides()});
  KernelDef& batched =
      make.Add("add", fake_onednn, kF32, {AnyStrides(), AnyStrides()});
  make.When(batched, {ExtentAtLeast(0, 0, 2)});

  const ArgDef index = OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64));
  make.Add("gather", fake_cpu, kF32, {kKey, index});
  make.Add("gather", fake_gpu, kF32, {kKey, OnHost(index)});

  KernelDef& dense = make.Add("sgd", fake_cpu, kF32, {kKey, kKey, Fixed(kF32)});
  dense.kernel = "sgd";
  KernelDef& rows =
      make.Add("sgd", fake_cpu, kF32,
               {kKey, OfKind(TensorKind::kSelectedRows), Fixed(kF32)});
  rows.kernel = "sgd_selected_rows";
  rows.line = 40;

  make.Add("full", fake_cpu, kF32, {});
  make.Add("full", fake_cpu, DataType::kInt64, {});
  make.Add("full", fake_gpu, kF32, {});
  make.Add("concat", fake_cpu, kF32, {kKey});
  make.Add("contiguous", fake_cpu, kF32, {AnyStrides()});
  make.Yields(make.Add("reshape", fake_cpu, kF32, {kKey}), {kKey});
  // A guest may copy, so it is none that makes views.
  make.Yields(make.Add("reshape", fake_cpu, kF32, {kKey}, KernelOrigin::kFluid),
              {SelfAllocated(kKey)});
}

const std::vector<const KernelDef*>& Kernels() {
  static const KernelMaker* maker = [] {
    auto* made = new KernelMaker();
    AddSoftmax(*made);
    AddMatmul(*made);
    AddOthers(*made);
    return made;
  }();
  static const auto* kernels =
      new std::vector<const KernelDef*>(maker->kernels());
  return *kernels;
}

}  // namespace

const OpInfo* FindFakeOp(std::string_view name) {
  for (const OpInfo& op : Ops().infos) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

absl::Span<const KernelDef* const> FakeKernels() { return Kernels(); }

const KernelTable& FakeTable() {
  static const OwnedKernelTable* table =
      MakeKernelTable(FakeKernels())->release();
  return table->table();
}

}  // namespace switchyard::phi::selection

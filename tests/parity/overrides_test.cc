// SPDX-License-Identifier: Apache-2.0
// Selection follows what legacy operators say of their kernels
// (phi/legacy/kernels/operator_with_kernel.h). The records here hold the
// operators' real conditions and are not launched, so that each can be compared
// with what it would be without its override, and on a GPU. legacy_softmax_test
// runs the kernels of softmax.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/core/signatures/elementwise_add.gen.h"
#include "phi/core/signatures/lookup_table.gen.h"
#include "phi/core/testing/fake_backends.h"
#include "phi/legacy/kernels/elementwise_operator.h"
#include "phi/legacy/kernels/lookup_table_operator.h"
#include "phi/legacy/kernels/op_kernel.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"
#include "phi/legacy/kernels/softmax_operator.h"
#include "phi/selection/explain.h"
#include "phi/selection/policy_text.h"
#include "phi/selection/selection.h"

namespace switchyard::phi {
namespace {

using fluid::Expected;
using fluid::KernelType;
using fluid::Library;
using fluid::OperatorSpec;
using fluid::OperatorWithKernel;
using fluid::SoftmaxOperator;
using testing::HasSubstr;

constexpr DataType kF32 = DataType::kFloat32;

// The operator as it would be without its override.
struct PlainSoftmax : OperatorWithKernel<SoftmaxSignature> {
  static constexpr Expected GetExpectedKernelType(KernelType) {
    return Expected::Always();
  }
};

struct NoThunk {
  static absl::Status Thunk(KernelContext&) {
    return absl::InternalError("a fake kernel must not be launched");
  }
};

template <typename Operator, Library kLibrary>
constexpr OperatorSpec<Operator, kLibrary> kSpecOf(
    KernelSpec<typename Operator::Signature>("fake.cc", 1));

template <typename Operator, Library kLibrary, DataType kDtype = kF32>
KernelDef Fake(const BackendInfo& backend,
               const char* kernel = Operator::Signature::kOp) {
  return fluid::MakeFluidKernelDef<NoThunk>(
      kernel, {&backend, DataLayout::kStrided, kDtype},
      kSpecOf<Operator, kLibrary>);
}

// The kernels of an operator: the plain one and oneDNN's.
template <typename Operator>
class Table {
 public:
  Table()
      : kernels_{Fake<Operator, Library::kPlain>(fake_cpu),
                 Fake<Operator, Library::kOnednn>(fake_onednn)} {
    std::vector<const KernelDef*> list;
    for (const KernelDef& kernel : kernels_) list.push_back(&kernel);
    table_ = *MakeKernelTable(list);
  }

  // "onednn", or the error.
  std::string Chosen(const std::string& policy) const {
    const auto answer = Explain(policy).answer;
    return answer.ok() ? answer->kernel->key.backend->name
                       : std::string(answer.status().message());
  }
  selection::Explanation Explain(const std::string& policy) const {
    meta_.shape = {2, 3};
    meta_.dtype = kF32;
    query_.op = &info_softmax;
    query_.inputs = absl::MakeConstSpan(metas_);
    query_.attrs = attrs_;
    query_.dtype = kF32;
    return selection::Explain(*table_->table().Find("softmax"), query_,
                              *selection::ParsePolicy(policy, table_->table()));
  }

 private:
  std::vector<KernelDef> kernels_;
  std::unique_ptr<const OwnedKernelTable> table_;
  mutable TensorMeta meta_;
  const TensorMeta* metas_[1] = {&meta_};
  AttrRef attrs_[1] = {AttrRef(-1)};
  mutable selection::Query query_;
};

TEST(Overrides, SoftmaxExpectsALibraryWhereTheCallAsks) {
  const Table<SoftmaxOperator> table;
  EXPECT_EQ(table.Chosen("default"), "cpu");
  EXPECT_EQ(table.Chosen("library=onednn"), "onednn");
  EXPECT_EQ(table.Chosen("library=onednn,off=onednn:softmax"), "cpu");
  // Without the override a library's kernel takes all calls.
  const Table<PlainSoftmax> plain;
  EXPECT_EQ(plain.Chosen("default"), "onednn");
}

TEST(Overrides, ExplainSaysWhatTheCallLacks) {
  const Table<SoftmaxOperator> table;
  EXPECT_THAT(selection::ToText(table.Explain("default")),
              HasSubstr("library must be onednn by an attribute, got a call "
                        "that does not ask for it"));
}

TEST(Overrides, SoftmaxExpectsNoLibraryOfADtypeThatItLacks) {
  const auto possible = [](Library library, DataType dtype) {
    return SoftmaxOperator::GetExpectedKernelType({library, dtype}).possible();
  };
  EXPECT_TRUE(possible(Library::kPlain, DataType::kFloat64));
  EXPECT_TRUE(possible(Library::kOnednn, DataType::kFloat32));
  EXPECT_FALSE(possible(Library::kOnednn, DataType::kFloat64));
}

// The legacy lookup_table with ids of a place and dtype, table and call on the
// CPU or a GPU.
template <typename Operator>
std::string LookUp(const BackendInfo& backend, DataType ids, Place place,
                   Place ids_place) {
  using S = LookupTableSignature;
  const KernelDef kernel = Fake<Operator, Library::kPlain>(backend);
  const KernelDef* const list[] = {&kernel};
  const auto table = *MakeKernelTable(list);
  TensorMeta w, indices;
  w.shape = {4, 2};
  w.dtype = kF32;
  w.place = place;
  indices.shape = {3, 1};
  indices.dtype = ids;
  indices.place = ids_place;
  const TensorMeta* metas[2];
  metas[S::kW] = &w;
  metas[S::kIds] = &indices;
  const AttrRef attrs[] = {int64_t{-1}};
  selection::Query query;
  query.op = &info_lookup_table;
  query.inputs = absl::MakeConstSpan(metas);
  query.attrs = attrs;
  query.dtype = kF32;
  query.place = place;
  const auto found = selection::Select(*table->table().Find("lookup_table"),
                                       query, selection::Policy());
  if (!found.ok()) return std::string(found.status().message());
  return found->transforms.empty() ? "as they are" : "transformed";
}

TEST(Overrides, LookupTableLeavesIdsWhereTheyAre) {
  using Real = fluid::LookupTableOperator<LookupTableSignature>;
  using Plain = OperatorWithKernel<LookupTableSignature>;
  const Place cpu = Place::Cpu(), gpu = *ParsePlace("gpu:0");
  constexpr DataType kI64 = DataType::kInt64;
  EXPECT_EQ(LookUp<Real>(fake_cpu, kI64, cpu, cpu), "as they are");
  EXPECT_EQ(LookUp<Real>(fake_gpu, kI64, gpu, cpu), "as they are");
  EXPECT_EQ(LookUp<Real>(fake_gpu, kI64, gpu, gpu), "transformed");
  // Without the override they would have to be of the table's dtype and place.
  EXPECT_THAT(LookUp<Plain>(fake_cpu, kI64, cpu, cpu),
              HasSubstr("ids must be float32, got int64"));
  EXPECT_THAT(LookUp<Plain>(fake_gpu, kF32, gpu, cpu),
              HasSubstr("ids must be on gpu:0, got cpu"));
}

// The legacy elementwise_add of a CPU, in float32 and complex64, under the
// overrides of one kind; explained for operands of two dtypes.
template <typename Operator, typename Promoted>
std::string ExplainSum(DataType x_dtype, DataType y_dtype) {
  const KernelDef kernels[] = {
      Fake<Operator, Library::kPlain>(fake_cpu),
      Fake<Operator, Library::kPlain, DataType::kComplex64>(fake_cpu),
      Fake<Promoted, Library::kPlain>(fake_cpu, "elementwise_add_promoted")};
  const KernelDef* const list[] = {&kernels[0], &kernels[1], &kernels[2]};
  const auto table = *MakeKernelTable(list);
  TensorMeta x, y;
  x.shape = y.shape = {2, 3};
  x.dtype = x_dtype;
  y.dtype = y_dtype;
  const TensorMeta* const metas[] = {&x, &y};
  const AttrRef attrs[] = {AttrRef(-1)};
  selection::Query query;
  query.op = &info_elementwise_add;
  query.inputs = absl::MakeConstSpan(metas);
  query.attrs = attrs;
  query.dtype = x_dtype;
  return selection::ToText(selection::Explain(
      *table->table().Find("elementwise_add"), query, selection::Policy()));
}

using Sum = fluid::ElementwiseOperator<ElementwiseAddSignature>;
using PromotedSum =
    fluid::PromotedElementwiseOperator<ElementwiseAddPromotedSignature>;
// The operator without its overrides.
using PlainSum = OperatorWithKernel<ElementwiseAddSignature>;
using PlainPromotedSum = OperatorWithKernel<ElementwiseAddPromotedSignature>;

TEST(Overrides, ElementwiseAddPromotesARealOperand) {
  constexpr DataType kC64 = DataType::kComplex64;
  const std::string real_x = ExplainSum<Sum, PromotedSum>(kF32, kC64);
  EXPECT_THAT(real_x, HasSubstr("refused: y must be float32, got complex64"));
  EXPECT_THAT(real_x, HasSubstr("chosen: fluid cpu float32 "
                                "elementwise_add_promoted (fake.cc:1)\n"
                                "transforms: cast x to complex64\n"));
  const std::string real_y = ExplainSum<Sum, PromotedSum>(kC64, kF32);
  EXPECT_THAT(real_y, HasSubstr("chosen: fluid cpu complex64 (fake.cc:1)\n"
                                "transforms: cast y to complex64\n"));
  EXPECT_THAT((ExplainSum<Sum, PromotedSum>(kF32, kF32)),
              HasSubstr("chosen: fluid cpu float32 (fake.cc:1)\n"
                        "transforms: none\n"));
}

TEST(Overrides, WithoutThemElementwiseAddWouldDropImaginaryParts) {
  EXPECT_THAT((ExplainSum<PlainSum, PromotedSum>(kF32, DataType::kComplex64)),
              HasSubstr("transforms: cast y to float32\n"));
  EXPECT_THAT((ExplainSum<Sum, PlainPromotedSum>(kF32, DataType::kComplex64)),
              HasSubstr("transforms: cast y to float32\n"));
}

TEST(Overrides, ElementwiseAddPromotesOnlyWhereAComplexDtypeHoldsTheReal) {
  const auto possible = [](DataType dtype) {
    return PromotedSum::GetExpectedKernelType({Library::kPlain, dtype})
        .possible();
  };
  EXPECT_TRUE(possible(DataType::kFloat32));
  EXPECT_TRUE(possible(DataType::kFloat64));
  EXPECT_FALSE(possible(DataType::kFloat16));
  EXPECT_FALSE(possible(DataType::kInt64));
  EXPECT_FALSE(possible(DataType::kComplex64));
}

}  // namespace
}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/legacy_kernels.h"

#include <fstream>
#include <iterator>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Contents(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(LegacyKernels, ListHoldsForTheLinkedTable) {
  EXPECT_THAT(
      FindLegacyKernelFaults(Contents("phi/legacy/kernels/legacy_kernels.txt"),
                             Contents("docs/parity.md"), LinkedLegacyKernels(),
                             LinkedTwins()),
      IsEmpty());
}

TEST(LegacyKernels, ReadmeHoldsForTheLinkedTable) {
  EXPECT_THAT(FindReadmeFaults(Contents("phi/legacy/kernels/README.md"),
                               LinkedLegacyKernels(), LinkedTwins()),
              IsEmpty());
}

TEST(LegacyKernels, ReadmeNamesTheFormOfEachOperator) {
  const KernelDtypes linked = {{"gru cpu", {"float32"}},
                               {"gru_grad cpu", {"float32"}},
                               {"relu cpu", {"float32"}}};
  const KernelDtypes twins = {{"relu cpu", {"float32"}}};
  EXPECT_THAT(FindReadmeFaults("| alone | a | gru |\n| both | b | relu |\n",
                               linked, twins),
              IsEmpty());
  EXPECT_THAT(
      FindReadmeFaults("| alone | a | gru, relu, lstm |\n| both | b | gru |\n",
                       linked, twins),
      ElementsAre("gru is in the table twice",
                  HasSubstr("relu must be in a row `both`"),
                  HasSubstr("lstm is in the table")));
  EXPECT_THAT(FindReadmeFaults("", linked, twins),
              ElementsAre(HasSubstr("gru must be in a row `alone`"),
                          HasSubstr("relu must be in a row `both`")));
}

// Two kernels, of which one may be retired.
class LegacyKernelFaults : public testing::Test {
 protected:
  std::vector<std::string> Faults(const std::string& list) const {
    return FindLegacyKernelFaults(list, page_, linked_, twins_);
  }

  std::string page_ =
      "| softmax | float32 | 9 | axis | passes |\n"
      "| relu | float32 | 9 | bits | passes |\n";
  KernelDtypes linked_ = {{"relu cpu", {"float32"}},
                          {"softmax cpu", {"float32"}}};
  KernelDtypes twins_ = linked_;
};

constexpr char kBoth[] = "relu cpu float32\nsoftmax cpu float32\nretired:\n";

TEST_F(LegacyKernelFaults, NoneWhereBothAreListedWithRows) {
  EXPECT_THAT(Faults(kBoth), IsEmpty());
}

// Its twin is the plain kernel of the same device.
TEST_F(LegacyKernelFaults, AKernelOfALibraryNeedsARowOfItsOwn) {
  linked_["softmax onednn"] = {"float32"};
  const std::string all = std::string("softmax onednn float32\n") + kBoth;
  EXPECT_THAT(Faults(all),
              ElementsAre(HasSubstr("softmax onednn must have a row")));
  page_ += "| softmax (onednn) | float32 | 9 | axis | passes |\n";
  EXPECT_THAT(Faults(all), IsEmpty());
}

TEST_F(LegacyKernelFaults, ANewKernelMustBeListed) {
  linked_["gelu cpu"] = {"float32"};
  EXPECT_THAT(Faults(kBoth),
              ElementsAre(HasSubstr("add \"gelu cpu float32\" above")));
  EXPECT_THAT(Faults(std::string("gelu cpu float32\n") + kBoth), IsEmpty());
}

TEST_F(LegacyKernelFaults, AListedKernelMustBeRegistered) {
  EXPECT_THAT(
      Faults(std::string("gelu cpu float32\n") + kBoth),
      ElementsAre(HasSubstr("gelu cpu must be registered for float32, got")));
}

TEST_F(LegacyKernelFaults, ANewDtypeIsOne) {
  linked_["relu cpu"].insert("float64");
  EXPECT_THAT(
      Faults(kBoth),
      ElementsAre(HasSubstr("relu cpu must be registered for float32, got")));
}

TEST_F(LegacyKernelFaults, ATwinWithoutAPassingRowIsOne) {
  page_ = "| relu | float32 | 9 | bits | passes |\n";
  EXPECT_THAT(Faults(kBoth),
              ElementsAre(HasSubstr("softmax cpu must have a row")));
  page_ += "| softmax | float32 | 9 | axis | fails |\n";
  EXPECT_THAT(Faults(kBoth),
              ElementsAre(HasSubstr("softmax cpu must have a row")));
}

TEST_F(LegacyKernelFaults, AKernelThatIsGoneMovesBelowRetired) {
  linked_.erase("softmax cpu");
  EXPECT_THAT(
      Faults(kBoth),
      ElementsAre(HasSubstr("softmax cpu must be registered for float32")));
  EXPECT_THAT(Faults("relu cpu float32\nretired:\n"
                     "softmax cpu 2026-01-31 passes float32\n"),
              IsEmpty());
}

TEST_F(LegacyKernelFaults, ARetiredKernelNeedsDateVerdictAndTwin) {
  const char kRetired[] =
      "relu cpu float32\nretired:\nsoftmax cpu soon fails "
      "float32";
  twins_.erase("softmax cpu");
  EXPECT_THAT(
      Faults(kRetired),
      ElementsAre(
          HasSubstr("a date like 2026-01-31, got \"soon\""),
          HasSubstr("the verdict passes, got \"fails\""),
          HasSubstr("softmax cpu is retired but still registered"),
          HasSubstr("softmax cpu is retired but has no twin for float32")));
}

TEST_F(LegacyKernelFaults, ARetiredKernelNeedsItsDtypes) {
  linked_.erase("softmax cpu");
  EXPECT_THAT(Faults("relu cpu float32\nretired:\n"
                     "softmax cpu 2026-01-31 passes\n"),
              ElementsAre(HasSubstr("with the dtypes that it had, got none")));
}

TEST_F(LegacyKernelFaults, ADoubleLineIsOne) {
  EXPECT_THAT(Faults(std::string("relu cpu float32\n") + kBoth),
              ElementsAre("relu cpu is listed twice"));
}

}  // namespace
}  // namespace switchyard

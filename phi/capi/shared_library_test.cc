// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/shared_library.h"

#include <cstdlib>
#include <string>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"

namespace switchyard::phi::capi {
namespace {

constexpr char kSample[] = "phi/capi/testdata/sample.so";

std::string Scratch() {
  return std::string(std::getenv("TEST_TMPDIR")) + "/library.so";
}

TEST(SharedLibrary, OpensAndFindsSymbols) {
  ASSERT_THAT(CheckSharedLibrary(kSample), IsOk());
  const auto library = SharedLibrary::Open(kSample);
  ASSERT_THAT(library, IsOk());
  EXPECT_NE(library->Find("sy_plugin"), nullptr);
  EXPECT_EQ(library->Find("no_such_symbol"), nullptr);
}

TEST(SharedLibrary, AFileThatIsCutOffIsAnErrorWhereverItEnds) {
  const auto bytes = ReadFile(kSample);
  ASSERT_THAT(bytes, IsOk());
  int refused = 0, opened = 0;
  for (size_t size = 0; size < bytes->size(); size += 29) {
    ASSERT_THAT(WriteFile(Scratch(), bytes->substr(0, size)), IsOk());
    const absl::Status status = CheckSharedLibrary(Scratch());
    // Bytes after the last segment are for debuggers.
    if (status.ok()) {
      EXPECT_THAT(SharedLibrary::Open(Scratch()), IsOk());
      ++opened;
    } else {
      EXPECT_TRUE(absl::IsDataLoss(status) || absl::IsInvalidArgument(status))
          << status;
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(opened, 0);
}

TEST(SharedLibrary, OtherFilesAreErrors) {
  EXPECT_THAT(CheckSharedLibrary("phi/capi/no_such_file"),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(CheckSharedLibrary("phi/capi"),
              StatusIs(absl::StatusCode::kInvalidArgument));
  ASSERT_THAT(WriteFile(Scratch(), "#!/bin/sh\nexit 0\n"), IsOk());
  EXPECT_THAT(CheckSharedLibrary(Scratch()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::HasSubstr("must be a shared library")));
  // Headers with offsets that overflow 64 bits.
  std::string bytes = *ReadFile(kSample);
  for (size_t i = 32; i < 40; ++i) bytes[i] = '\xff';
  ASSERT_THAT(WriteFile(Scratch(), bytes), IsOk());
  EXPECT_THAT(CheckSharedLibrary(Scratch()),
              StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace switchyard::phi::capi

// SPDX-License-Identifier: Apache-2.0
#include "framework/base/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include "framework/testing/matchers.h"

namespace switchyard {
namespace {

namespace fs = std::filesystem;

// A folder of the test's own.
std::string Folder() {
  static const std::string folder = [] {
    const std::string made =
        ::testing::TempDir() + "file_test" + std::to_string(::getpid());
    fs::create_directory(made);
    return made;
  }();
  return folder;
}

size_t FilesThere() {
  return static_cast<size_t>(std::distance(fs::directory_iterator(Folder()),
                                           fs::directory_iterator()));
}

TEST(File, ReadsBackWhatIsWritten) {
  const std::string path = Folder() + "/whole";
  const std::string bytes("a\0b\r\n", 5);
  ASSERT_THAT(WriteFile(path, "what was there"), IsOk());
  ASSERT_THAT(WriteFile(path, bytes), IsOk());
  EXPECT_THAT(ReadFile(path), IsOkAndHolds(bytes));
  ASSERT_THAT(WriteFile(path, ""), IsOk());
  EXPECT_THAT(ReadFile(path), IsOkAndHolds(std::string()));
  fs::remove(path);
  EXPECT_EQ(FilesThere(), 0u);
}

TEST(File, IsReadPieceByPiece) {
  const std::string path = Folder() + "/pieces";
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7 / 3);
  ASSERT_THAT(WriteFile(path, bytes), IsOk());
  // Pieces smaller and larger than the buffer, across its ends.
  for (const size_t first : {1, 3, 1000, 16'384, 30'000}) {
    const auto source = OpenFile(path);
    ASSERT_THAT(source, IsOk());
    EXPECT_EQ((*source)->left(), bytes.size());
    std::string read;
    for (size_t size = first; (*source)->left() > 0; size = size * 3 + 1) {
      std::string piece(std::min(size, (*source)->left()), '?');
      ASSERT_THAT((*source)->Read(piece.data(), piece.size()), IsOk());
      read += piece;
      if (size > 40'000) size = 1;
    }
    EXPECT_TRUE(read == bytes) << first;
    EXPECT_THAT((*source)->Read(nullptr, 0), IsOk());
  }
  fs::remove(path);
}

TEST(File, SaysThatItHasBecomeShorter) {
  const std::string path = Folder() + "/shorter";
  for (const size_t size : {10, 50'000}) {
    ASSERT_THAT(WriteFile(path, std::string(60'000, 'x')), IsOk());
    const auto source = OpenFile(path);
    ASSERT_THAT(source, IsOk());
    ASSERT_EQ(::truncate(path.c_str(), 5), 0);
    std::string piece(size, '?');
    EXPECT_THAT((*source)->Read(piece.data(), size),
                StatusIs(absl::StatusCode::kUnavailable,
                         path + ": the file can't be read to its end"));
    EXPECT_EQ((*source)->left(), 60'000u);
  }
  fs::remove(path);
}

TEST(File, NamesWhatIsNotThere) {
  const std::string path = Folder() + "/missing";
  EXPECT_THAT(ReadFile(path), StatusIs(absl::StatusCode::kNotFound,
                                       path + ": the file can't be read"));
  EXPECT_TRUE(IsMissingFile(Annotate(OpenFile(path).status(), "load")));
  EXPECT_FALSE(IsMissingFile(absl::NotFoundError(path)));
  EXPECT_FALSE(IsMissingFile(ReadFile(Folder()).status()));
  EXPECT_THAT(WriteFile(Folder() + "/missing/file", "x"),
              StatusIs(absl::StatusCode::kUnavailable,
                       ::testing::HasSubstr("the file can't be written")));
}

TEST(File, RefusesWhatIsNoRegularFile) {
  const std::string pipe = Folder() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const struct {
    std::string path;
    std::string kind;
  } cases[] = {
      {"/dev/zero", "a device"}, {pipe, "a pipe"}, {Folder(), "a folder"}};
  for (const auto& [path, kind] : cases) {
    const auto refused =
        StatusIs(absl::StatusCode::kInvalidArgument,
                 path + " must be a regular file, got " + kind);
    EXPECT_THAT(ReadFile(path), refused);
    // A failing test would replace a device of the machine's.
    if (kind == "a device") continue;
    EXPECT_THAT(WriteFile(path, "x"), refused);
    EXPECT_FALSE(fs::is_regular_file(path));
  }
  fs::remove(pipe);
}

TEST(File, WritesThroughASymbolicLink) {
  const std::string target = Folder() + "/target";
  const std::string link = Folder() + "/link";
  ASSERT_THAT(WriteFile(target, "before"), IsOk());
  fs::create_symlink("target", link);
  ASSERT_THAT(WriteFile(link, "after"), IsOk());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(ReadFile(target), IsOkAndHolds(std::string("after")));
  fs::remove(link);
  fs::remove(target);
}

// A limit on the size of files stands for a full disk.
TEST(File, LeavesTheOldFileIfTheNewOneDoesNotFit) {
  const std::string path = Folder() + "/old";
  ASSERT_THAT(WriteFile(path, "old"), IsOk());
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small = {16, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteFile(path, std::string(100, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                               path + ": the file can't be written"));
  EXPECT_THAT(ReadFile(path), IsOkAndHolds(std::string("old")));
  fs::remove(path);
  EXPECT_EQ(FilesThere(), 0u);
}

}  // namespace
}  // namespace switchyard

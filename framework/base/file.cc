// SPDX-License-Identifier: Apache-2.0
#include "framework/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "absl/strings/cord.h"

namespace switchyard {
namespace {

constexpr char kMissingFileUrl[] = "switchyard/missing_file";

// Closes a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  // Whether all that was written has arrived.
  bool Close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

// Removes a file unless it has been moved away.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const char* KindName(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

absl::Status CheckRegular(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return absl::OkStatus();
  return ArgumentError(path, "a regular file", KindName(mode));
}

absl::Status CannotWrite(const std::string& path) {
  return absl::UnavailableError(path + ": the file can't be written");
}

// Interrupted and partial transfers are continued.
bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

// Reads `size` bytes, or those to the end of the file; the number of bytes, or
// -1.
ssize_t ReadAll(int descriptor, char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, to + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

absl::Status CannotRead(const std::string& path) {
  return absl::UnavailableError(path + ": the file can't be read to its end");
}

// Opens a regular file and sets its size.
absl::StatusOr<Descriptor> OpenRegular(const std::string& path, size_t* size) {
  // Without O_NONBLOCK a pipe is not opened before somebody writes to it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file.open() || ::fstat(file.number(), &status) != 0) {
    return MissingFileError(path + ": the file can't be read");
  }
  SY_RETURN_IF_ERROR(CheckRegular(path, status.st_mode));
  *size = static_cast<size_t>(status.st_size);
  return file;
}

class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, Descriptor file, size_t size)
      : ByteSource(size), path_(std::move(path)), file_(std::move(file)) {}

 private:
  absl::Status ReadNext(void* to, size_t size) override {
    char* next = static_cast<char*>(to);
    const size_t kept = std::min(size, end_ - begin_);
    if (kept > 0) std::memcpy(next, buffer_.data() + begin_, kept);
    begin_ += kept;
    next += kept;
    const size_t rest = size - kept;
    if (rest >= buffer_.size()) {
      const ssize_t got = ReadAll(file_.number(), next, rest);
      if (got != static_cast<ssize_t>(rest)) return CannotRead(path_);
    } else if (rest > 0) {
      const size_t wanted = std::min(buffer_.size(), left() - kept);
      const ssize_t got = ReadAll(file_.number(), buffer_.data(), wanted);
      if (got < static_cast<ssize_t>(rest)) return CannotRead(path_);
      std::memcpy(next, buffer_.data(), rest);
      begin_ = rest;
      end_ = static_cast<size_t>(got);
    }
    return absl::OkStatus();
  }

  const std::string path_;
  const Descriptor file_;
  // [begin_, end_) of it has been read from the file, but by nobody else.
  std::array<char, 16 << 10> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

// Returns the target of a symbolic link; `path` itself if it is none.
std::string Resolved(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

absl::Status MissingFileError(std::string_view message) {
  absl::Status status = absl::NotFoundError(std::string(message));
  status.SetPayload(kMissingFileUrl, absl::Cord());
  return status;
}

bool IsMissingFile(const absl::Status& status) {
  return status.GetPayload(kMissingFileUrl).has_value();
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  size_t size = 0;
  SY_ASSIGN_OR_RETURN(const Descriptor file, OpenRegular(path, &size));
  std::string bytes;
  try {
    bytes.resize(size);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(path +
                                        ": the file must fit in memory, got " +
                                        std::to_string(size) + " bytes");
  }
  const ssize_t count = ReadAll(file.number(), bytes.data(), bytes.size());
  if (count < 0) return CannotRead(path);
  bytes.resize(static_cast<size_t>(count));
  return bytes;
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path) {
  size_t size = 0;
  SY_ASSIGN_OR_RETURN(Descriptor file, OpenRegular(path, &size));
  return std::unique_ptr<ByteSource>(
      std::make_unique<FileSource>(path, std::move(file), size));
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  return WriteFile(path, absl::MakeConstSpan(&bytes, 1));
}

absl::Status WriteFile(const std::string& path,
                       absl::Span<const std::string_view> pieces) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    SY_RETURN_IF_ERROR(CheckRegular(path, status.st_mode));
  }
  static std::atomic<uint64_t> written{0};
  const std::string target = Resolved(path);
  const TemporaryFile temporary(target + ".tmp-" + std::to_string(::getpid()) +
                                "-" + std::to_string(written.fetch_add(1)));
  Descriptor file(::open(temporary.path().c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  const bool written_all =
      file.open() &&
      std::all_of(pieces.begin(), pieces.end(), [&](std::string_view piece) {
        return WriteAll(file.number(), piece);
      });
  if (!written_all || !file.Close()) return CannotWrite(path);
  if (std::rename(temporary.path().c_str(), target.c_str()) != 0) {
    return absl::UnavailableError(path + ": the file can't be replaced");
  }
  return absl::OkStatus();
}

}  // namespace switchyard

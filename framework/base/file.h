// SPDX-License-Identifier: Apache-2.0
// Files, read and written at once, or read piece by piece. Only regular files:
// a device or a pipe has no size, so reading one may never end, and a file
// can't take its place.
#ifndef SWITCHYARD_FRAMEWORK_BASE_FILE_H_
#define SWITCHYARD_FRAMEWORK_BASE_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/byte_source.h"
#include "framework/base/status.h"

namespace switchyard {

// An error of code NotFound that speaks of a file, which isn't there or can't
// be opened, and whether an error is one, annotated or not. Becomes
// FileNotFoundError in Python, where other things that aren't found become
// other exceptions.
absl::Status MissingFileError(std::string_view message);
bool IsMissingFile(const absl::Status& status);

// The bytes of a file. Errors name it: IsMissingFile if it can't be opened,
// InvalidArgument if it is not a regular file, ResourceExhausted if it does
// not fit in memory, Unavailable if it can't be read to its end.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Opens a file to be read from its beginning: small pieces through a buffer,
// large ones straight to where they belong. Errors name the file: those of
// ReadFile().
absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);

// Writes a new file beside `path` and moves it there, so that `path` is never
// half written; through a symbolic link, what it points at is replaced. Errors
// name the file: InvalidArgument if it is there and not a regular file,
// Unavailable if it can't be written.
absl::Status WriteFile(const std::string& path, std::string_view bytes);
// Does so with pieces, one after the other: large ones need not be in one
// place.
absl::Status WriteFile(const std::string& path,
                       absl::Span<const std::string_view> pieces);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_FILE_H_

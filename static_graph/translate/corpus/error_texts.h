// SPDX-License-Identifier: Apache-2.0
// ErrorTexts: the texts of the errors that a source file may return, for tests
// that expect a corpus file for each.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_ERROR_TEXTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_ERROR_TEXTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace switchyard {

// The text of a call that makes an error: each literal of `always`, and one of
// `either`, if there are any. A literal that is written in pieces is one;
// escapes of quotes and backslashes are undone.
struct ErrorText {
  std::vector<std::string> always;
  std::vector<std::string> either;  // In the branches of ?:.
};

// Returns the texts of the calls of functions whose names end with Error, and
// of Damaged, in a C++ source. Calls without literals have none.
std::vector<ErrorText> ErrorTexts(std::string_view source);

// Returns the texts of the files, each after its file's name, that no message
// covers: all fixed parts of the text and one of its alternatives. A file that
// can't be read counts as one, too.
std::vector<std::string> TextsWithoutMessage(
    absl::Span<const std::string> files,
    absl::Span<const std::string> messages);

// Returns the bytes of each file of a folder whose name begins with `prefix`,
// in the order of their names.
std::vector<std::string> ReadCorpus(const std::string& folder,
                                    const std::string& prefix);

}  // namespace switchyard

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_ERROR_TEXTS_H_

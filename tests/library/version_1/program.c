/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the first version of the interface: it is compiled with that
 * header and must work with every later library. Runs a model of one dense
 * float32 input and one such output:
 *
 *   program MODEL INPUT-FILE OUTPUT-FILE EXTENT...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "switchyard.h"

static void Check(switchyard_status status) {
  if (status == SWITCHYARD_OK) return;
  fprintf(stderr, "%d %s\n", (int)status, switchyard_error());
  exit(1);
}

static void Expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "expected %s\n", what);
  exit(1);
}

static const char* NameOf(switchyard_model model,
                          switchyard_direction direction) {
  const char* name = NULL;
  switchyard_kind kind = -1;
  switchyard_dtype dtype = -1;
  size_t count = 0;
  Check(switchyard_model_count(model, direction, &count));
  Expect(count == 1, "one input and one output");
  Check(switchyard_model_port(model, direction, 0, &name, &kind, &dtype, NULL,
                              NULL, NULL));
  Expect(kind == SWITCHYARD_DENSE, "a dense tensor");
  Expect(dtype == SWITCHYARD_FLOAT32, "float32");
  return name;
}

static float* ReadFloats(const char* path, size_t bytes) {
  float* values = malloc(bytes + 1);
  FILE* file = fopen(path, "rb");
  Expect(values != NULL && file != NULL, "a file of the input");
  Expect(fread(values, 1, bytes + 1, file) == bytes, "a file of its size");
  fclose(file);
  return values;
}

/* Calls that are wrong; the session is as before. */
static void CheckErrors(switchyard_model model, switchyard_session session,
                        const char* input) {
  const int64_t one = 1;
  const int64_t four = 4;
  float value = 0;
  switchyard_session other = 0;
  Expect(switchyard_session_run(0) == SWITCHYARD_BAD_HANDLE, "no session 0");
  Expect(strstr(switchyard_error(), "session_run: session must be") != NULL,
         "a sentence");
  Expect(switchyard_session_new(session, 0, &other) == SWITCHYARD_BAD_HANDLE,
         "no model of that handle");
  Expect(switchyard_session_run(session) == SWITCHYARD_NOT_READY,
         "no run without inputs");
  Expect(switchyard_session_set_input(session, "no such input",
                                      SWITCHYARD_FLOAT32, 1, &one, NULL, &value,
                                      sizeof(value)) == SWITCHYARD_NOT_FOUND,
         "no such input");
  Expect(switchyard_session_set_input(session, input, SWITCHYARD_FLOAT32, 1,
                                      &four, NULL, &value, sizeof(value)) ==
             SWITCHYARD_INVALID_ARGUMENT,
         "memory for 4 elements");
  Expect(switchyard_session_set_input(session, input, SWITCHYARD_INT32, 1, &one,
                                      NULL, &value,
                                      sizeof(value)) == SWITCHYARD_WRONG_TYPE,
         "float32");
  Check(switchyard_session_new(model, 0, &other));
  Check(switchyard_session_free(other));
  Expect(switchyard_session_free(other) == SWITCHYARD_BAD_HANDLE,
         "a handle to be freed once");
}

int main(int argc, char** argv) {
  int64_t extents[SWITCHYARD_MAX_RANK];
  const int32_t rank = argc - 4;
  size_t bytes = sizeof(float);
  switchyard_options options = 0;
  switchyard_model model = 0;
  switchyard_session session = 0;
  Expect(argc >= 4 && rank <= SWITCHYARD_MAX_RANK,
         "MODEL INPUT-FILE OUTPUT-FILE EXTENT...");
  for (int32_t axis = 0; axis < rank; ++axis) {
    extents[axis] = atoll(argv[4 + axis]);
    bytes *= (size_t)extents[axis];
  }
  Check(switchyard_options_new(&options));
  Check(switchyard_options_set_threads(options, 1));
  Check(switchyard_model_load(argv[1], options, &model));
  Check(switchyard_session_new(model, options, &session));
  Check(switchyard_options_free(options));
  const char* const input = NameOf(model, SWITCHYARD_INPUTS);
  const char* const output = NameOf(model, SWITCHYARD_OUTPUTS);
  CheckErrors(model, session, input);

  float* const values = ReadFloats(argv[2], bytes);
  Check(switchyard_session_set_input(session, input, SWITCHYARD_FLOAT32, rank,
                                     extents, NULL, values, bytes));
  Check(switchyard_session_run(session));
  const void* data = NULL;
  size_t size = 0;
  Check(switchyard_session_output(session, output, 0, NULL, NULL, NULL, &data,
                                  &size));
  /* Once more, into memory of the program's own. */
  void* const own = malloc(size);
  void* const first = malloc(size);
  Expect(own != NULL && first != NULL, "memory");
  memcpy(first, data, size);
  Check(switchyard_session_set_output(session, output, SWITCHYARD_FLOAT32, -1,
                                      NULL, NULL, own, size));
  Check(switchyard_session_run(session));
  Expect(memcmp(own, first, size) == 0, "the same bits");
  Check(switchyard_session_set_output(session, output, SWITCHYARD_FLOAT32, -1,
                                      NULL, NULL, own, size - 1));
  Expect(switchyard_session_run(session) == SWITCHYARD_DOES_NOT_FIT,
         "a result that does not fit");
  FILE* const file = fopen(argv[3], "wb");
  Expect(
      file != NULL && fwrite(own, 1, size, file) == size && fclose(file) == 0,
      "a file of the output");
  Check(switchyard_session_free(session));
  Check(switchyard_model_free(model));
  free(values);
  free(first);
  free(own);
  printf("%s: %zu bytes\n", switchyard_version(), size);
  return 0;
}

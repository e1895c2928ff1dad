/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of libswitchyard: loads models and runs them.
 *
 *   switchyard_model model;
 *   switchyard_session session;
 *   if (switchyard_model_load("inference_model", 0, &model) != SWITCHYARD_OK ||
 *       switchyard_session_new(model, 0, &session) != SWITCHYARD_OK) {
 *     fprintf(stderr, "%s\n", switchyard_error());
 *   }
 *   const int64_t extents[] = {1, 3, 224, 224};
 *   switchyard_session_set_input(session, "image", SWITCHYARD_FLOAT32, 4,
 *                                extents, NULL, pixels, sizeof(pixels));
 *   switchyard_session_set_output(session, "scores", SWITCHYARD_FLOAT32, -1,
 *                                 NULL, NULL, scores, sizeof(scores));
 *   switchyard_session_run(session);
 *
 * Every function that returns a switchyard_status does all or nothing and ends
 * neither the process nor by an exception, whatever it is given; but a pointer
 * that is not null must point to what the function says. A model may be used
 * from any number of threads; a session and options are used by one thread at
 * a time, which need not be the same one. Places for results may be null where
 * the result is not wanted, except for handles.
 *
 * What is here stays: functions, their meaning and all numbers. What a later
 * version adds has new names and numbers. docs/c_library.md tells more. */
#ifndef SWITCHYARD_H_
#define SWITCHYARD_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. Unknown numbers of later versions are errors too. */
typedef int32_t switchyard_status;
enum {
  SWITCHYARD_OK = 0,
  SWITCHYARD_INVALID_ARGUMENT = 1, /* A value that is wrong. */
  SWITCHYARD_WRONG_TYPE = 2,       /* Another dtype or kind is needed. */
  SWITCHYARD_OUT_OF_RANGE = 3,     /* An index beyond its range. */
  SWITCHYARD_NOT_FOUND = 4,        /* No such file, or input, or kernel. */
  SWITCHYARD_UNSUPPORTED = 5,      /* What this library has nothing for. */
  SWITCHYARD_NO_MEMORY = 6,        /* None left, or the limit is reached. */
  SWITCHYARD_DAMAGED = 7,          /* A file that contradicts its format. */
  SWITCHYARD_UNAVAILABLE = 8,      /* A file that can't be read to its end. */
  SWITCHYARD_BAD_HANDLE = 9,       /* Freed, never given, or of another kind. */
  SWITCHYARD_BUSY = 10,            /* Another thread uses the session. */
  SWITCHYARD_DOES_NOT_FIT = 11,    /* A result does not fit in its buffer. */
  SWITCHYARD_NOT_READY = 12,       /* Something else must be done first. */
  SWITCHYARD_INTERNAL = 13         /* A fault of the library: report it. */
};

/* The element type of a tensor. */
typedef int32_t switchyard_dtype;
enum {
  SWITCHYARD_BOOL = 1, /* One byte, 0 or 1. */
  SWITCHYARD_UINT8 = 2,
  SWITCHYARD_INT8 = 3,
  SWITCHYARD_INT16 = 4,
  SWITCHYARD_INT32 = 5,
  SWITCHYARD_INT64 = 6,
  SWITCHYARD_FLOAT16 = 7,
  SWITCHYARD_BFLOAT16 = 8,
  SWITCHYARD_FLOAT32 = 9,
  SWITCHYARD_FLOAT64 = 10,
  SWITCHYARD_COMPLEX64 = 11,
  SWITCHYARD_COMPLEX128 = 12,
  SWITCHYARD_STRING = 13,
  SWITCHYARD_UINT16 = 14,
  SWITCHYARD_UINT32 = 15,
  SWITCHYARD_UINT64 = 16,
  /* Only moved and cast; a byte an element, the upper bits 0. */
  SWITCHYARD_FLOAT8_E4M3FN = 17,
  SWITCHYARD_FLOAT8_E4M3FNUZ = 18,
  SWITCHYARD_FLOAT8_E5M2 = 19,
  SWITCHYARD_FLOAT8_E5M2FNUZ = 20,
  SWITCHYARD_FLOAT8_E8M0FNU = 21,
  SWITCHYARD_FLOAT4_E2M1FN = 22,
  SWITCHYARD_INT4 = 23,
  SWITCHYARD_UINT4 = 24,
  SWITCHYARD_INT2 = 25,
  SWITCHYARD_UINT2 = 26
};

/* How a tensor holds its elements. Inputs are dense, arrays or texts, and so
 * are the outputs that can be read. */
typedef int32_t switchyard_kind;
enum {
  SWITCHYARD_DENSE = 0,
  SWITCHYARD_SELECTED_ROWS = 1,
  SWITCHYARD_SPARSE_COO = 2,
  SWITCHYARD_SPARSE_CSR = 3,
  SWITCHYARD_ARRAY = 4, /* A list of dense tensors. */
  SWITCHYARD_STRINGS = 5
};

typedef int32_t switchyard_direction;
enum { SWITCHYARD_INPUTS = 0, SWITCHYARD_OUTPUTS = 1 };

/* The most axes of a tensor. */
enum { SWITCHYARD_MAX_RANK = 9 };

/* Handles. 0 is none; one that was freed is known as such. */
typedef uint64_t switchyard_options;
typedef uint64_t switchyard_model;
typedef uint64_t switchyard_session;

/* Returns the library's version, as "0.1.0". */
const char* switchyard_version(void);
/* Returns what was wrong with the last call of this thread that failed; "" if
 * there was none. Valid until the next call of this thread that fails. */
const char* switchyard_error(void);
/* Returns "float32"; null for a number that is no dtype. */
const char* switchyard_dtype_name(switchyard_dtype dtype);
/* Returns the bytes of one element; 0 for a text and for no dtype. */
size_t switchyard_dtype_size(switchyard_dtype dtype);

/* ---- Options: of models and sessions that are made later. ---- */

switchyard_status switchyard_options_new(switchyard_options* options);
switchyard_status switchyard_options_free(switchyard_options options);
/* Of a model: the file or folder of its weights, if it lies elsewhere. */
switchyard_status switchyard_options_set_weights(switchyard_options options,
                                                 const char* path);
/* Of a model: what may be computed otherwise than its operators would, as
 * "exact" or "fusion=exact,denormals=flush" (docs/python/static.md). */
switchyard_status switchyard_options_set_relaxed(switchyard_options options,
                                                 const char* choices);
/* Of a model: not 0: kernels other than those that were locked when it was
 * saved are an error, and no warning. */
switchyard_status switchyard_options_set_strict_kernels(
    switchyard_options options, int32_t strict);
/* Of a session: the threads that share the work of a run, the caller's one of
 * them; 0: as many as the process has cores, or OMP_NUM_THREADS. All sessions
 * share the library's threads. */
switchyard_status switchyard_options_set_threads(switchyard_options options,
                                                 int32_t threads);
/* Of a model and of a session: the most bytes of tensors that it may hold at
 * once; 0: no limit. A call that needs more fails with SWITCHYARD_NO_MEMORY. */
switchyard_status switchyard_options_set_memory_limit(
    switchyard_options options, uint64_t bytes);
/* Of a session: the seed of its random numbers, 0 if it is not set. */
switchyard_status switchyard_options_set_seed(switchyard_options options,
                                              int64_t seed);
/* Of a session: not 0: runs note when each step began and ended. */
switchyard_status switchyard_options_set_profile(switchyard_options options,
                                                 int32_t profile);

/* ---- Models: immutable, for any number of threads and sessions. ---- */

/* Loads a saved program, or a model of PaddlePaddle by its file or folder.
 * Nothing is kept of the files. `options` may be 0. */
switchyard_status switchyard_model_load(const char* path,
                                        switchyard_options options,
                                        switchyard_model* model);
/* Does so with bytes in memory, which are read during the call only. `weights`
 * are null for a saved program. */
switchyard_status switchyard_model_load_bytes(
    const void* program, size_t program_bytes, const void* weights,
    size_t weights_bytes, switchyard_options options, switchyard_model* model);
/* Its sessions keep what they need of it. */
switchyard_status switchyard_model_free(switchyard_model model);
/* What the user should know of the model; "" if there is nothing. Texts of a
 * model live as long as its handle. */
switchyard_status switchyard_model_warning(switchyard_model model,
                                           const char** text);
/* The number of its inputs or outputs. */
switchyard_status switchyard_model_count(switchyard_model model,
                                         switchyard_direction direction,
                                         size_t* count);
/* The position of an input or output. */
switchyard_status switchyard_model_find(switchyard_model model,
                                        switchyard_direction direction,
                                        const char* name, size_t* position);
/* What is known of an input or output. `extents` has room for
 * SWITCHYARD_MAX_RANK; one that a run decides is -1, or less: equal numbers
 * below -1 are equal extents. Those of an array begin with its length. `levels`
 * is the number of levels of sequences (switchyard_session_set_lengths). */
switchyard_status switchyard_model_port(switchyard_model model,
                                        switchyard_direction direction,
                                        size_t position, const char** name,
                                        switchyard_kind* kind,
                                        switchyard_dtype* dtype, int32_t* rank,
                                        int64_t* extents, int32_t* levels);
/* Which kernel each operator has and why, as a list in JSON. */
switchyard_status switchyard_model_explain(switchyard_model model,
                                           const char** json);
/* The bytes of its tensors. */
switchyard_status switchyard_model_memory(switchyard_model model,
                                          uint64_t* bytes);

/* ---- Sessions: a model's states, and the tensors of its runs. ---- */

/* `options` may be 0. */
switchyard_status switchyard_session_new(switchyard_model model,
                                         switchyard_options options,
                                         switchyard_session* session);
switchyard_status switchyard_session_free(switchyard_session session);
/* Gives the states the values that they had in the new session. */
switchyard_status switchyard_session_reset(switchyard_session session);

/* Says where an input's elements lie: `extents` of `rank` axes, `byte_strides`
 * from one index of an axis to the next, not negative (null: row-major without
 * gaps), within the `bytes` bytes at `data`. They are read during runs only,
 * each time, until the input is set again or switchyard_session_clear. */
switchyard_status switchyard_session_set_input(
    switchyard_session session, const char* name, switchyard_dtype dtype,
    int32_t rank, const int64_t* extents, const int64_t* byte_strides,
    const void* data, size_t bytes);
/* Adds a tensor to an input that is an array. Its elements are copied now. */
switchyard_status switchyard_session_add_item(
    switchyard_session session, const char* name, switchyard_dtype dtype,
    int32_t rank, const int64_t* extents, const int64_t* byte_strides,
    const void* data, size_t bytes);
/* Gives an input of texts its elements, row-major: `count` texts, of `sizes`
 * bytes each, or, where `sizes` is null, each up to a zero. They are copied
 * now, and their bytes count to the session's memory. */
switchyard_status switchyard_session_set_texts(switchyard_session session,
                                               const char* name, int32_t rank,
                                               const int64_t* extents,
                                               const char* const* texts,
                                               const size_t* sizes,
                                               size_t count);
/* Gives an input that was set its sequences: the lengths of level `level`, 0
 * the outermost. Those of the last level are lengths in rows. */
switchyard_status switchyard_session_set_lengths(switchyard_session session,
                                                 const char* name,
                                                 int32_t level,
                                                 const int64_t* lengths,
                                                 size_t count);
/* Says where runs write a dense output, as set_input. With a rank of -1 it is
 * written row-major, whatever its shape (`extents` and `byte_strides` are
 * null). The memory may not overlap with that of another buffer of the session.
 * Outputs that are not set lie in memory of the session. */
switchyard_status switchyard_session_set_output(
    switchyard_session session, const char* name, switchyard_dtype dtype,
    int32_t rank, const int64_t* extents, const int64_t* byte_strides,
    void* data, size_t bytes);
/* Forgets all inputs, outputs and results. */
switchyard_status switchyard_session_clear(switchyard_session session);

/* Runs the model once; all inputs must be set. SWITCHYARD_DOES_NOT_FIT: the run
 * is done and all other outputs are written; switchyard_session_output() tells
 * the size of the one that does not fit, and has it. After any other error
 * the states and the buffers of outputs are as they were. */
switchyard_status switchyard_session_run(switchyard_session session);

/* The number of tensors in an output of the last run: 1 unless it is an array.
 */
switchyard_status switchyard_session_items(switchyard_session session,
                                           const char* name, size_t* count);
/* A tensor of an output, `item` 0 if it is dense. `extents` has room for
 * SWITCHYARD_MAX_RANK. `data` is row-major, `bytes` long, and valid until the
 * next run, clear or free; of an output that was written to a buffer of the
 * caller's it is that buffer. Of an item where nothing was written `data` is
 * null and the dtype 0. Of texts `data` is null, too (switchyard_session_text).
 */
switchyard_status switchyard_session_output(switchyard_session session,
                                            const char* name, size_t item,
                                            switchyard_dtype* dtype,
                                            int32_t* rank, int64_t* extents,
                                            const void** data, size_t* bytes);
/* An element of an output of texts, by its row-major position; valid as other
 * data. A zero follows its `bytes` bytes. */
switchyard_status switchyard_session_text(switchyard_session session,
                                          const char* name, size_t position,
                                          const char** text, size_t* bytes);
/* The lengths of an output's sequences at a level, 0 the outermost; valid as
 * its data. SWITCHYARD_OUT_OF_RANGE for a level that it does not have. */
switchyard_status switchyard_session_lengths(switchyard_session session,
                                             const char* name, int32_t level,
                                             const int64_t** lengths,
                                             size_t* count);

/* The steps of the last run, in Chrome's trace format. Texts of a session are
 * valid until its next call that asks for the same. */
switchyard_status switchyard_session_profile(switchyard_session session,
                                             const char** json);
/* switchyard_model_explain() with the shapes of the inputs that are set. */
switchyard_status switchyard_session_explain(switchyard_session session,
                                             const char** json);
/* The bytes of tensors that the session's calls have taken and not given back,
 * its states among them, and the most that there were. Working memory is kept
 * for later runs; it counts to the session whose run took it. */
switchyard_status switchyard_session_memory(switchyard_session session,
                                            uint64_t* bytes, uint64_t* peak);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SWITCHYARD_H_ */

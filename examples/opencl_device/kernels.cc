// SPDX-License-Identifier: Apache-2.0
// The kernels as the device compiles them. Each tensor is a buffer and the
// offset of its first byte. One work item computes one result, and sums in one
// order, so that the bits do not depend on how the device runs them.
#include "opencl.h"

const char* const kKernelSource = R"CL(
#define ARG(t) __global char* t, ulong t##_at
#define FLOATS(t) ((__global float*)(t + t##_at))

kernel void fill(ARG(out), float value) {
  FLOATS(out)[get_global_id(0)] = value;
}

kernel void relu(ARG(x), ARG(out)) {
  const size_t i = get_global_id(0);
  const float value = FLOATS(x)[i];
  FLOATS(out)[i] = value < 0 ? 0 : value;
}

kernel void relu_grad(ARG(out), ARG(out_grad), ARG(x_grad)) {
  const size_t i = get_global_id(0);
  FLOATS(x_grad)[i] = FLOATS(out)[i] > 0 ? FLOATS(out_grad)[i] : 0;
}

// The element of a tensor of these strides at number i of these extents.
long place(long i, long4 extents, long4 strides) {
  const long d = i % extents.s3;
  i /= extents.s3;
  const long c = i % extents.s2;
  i /= extents.s2;
  return i / extents.s1 * strides.s0 + i % extents.s1 * strides.s1 +
         c * strides.s2 + d * strides.s3;
}

// 4 bytes an element.
kernel void gather(ARG(x), ARG(out), long4 extents, long4 strides) {
  const size_t i = get_global_id(0);
  ((__global int*)(out + out_at))[i] =
      ((__global int*)(x + x_at))[place(i, extents, strides)];
}

// 8 bytes an element.
kernel void gather_wide(ARG(x), ARG(out), long4 extents, long4 strides) {
  const size_t i = get_global_id(0);
  ((__global long*)(out + out_at))[i] =
      ((__global long*)(x + x_at))[place(i, extents, strides)];
}

kernel void binary(ARG(x), ARG(y), ARG(out), long4 extents, long4 x_strides,
                   long4 y_strides, int op) {
  const size_t i = get_global_id(0);
  const float a = FLOATS(x)[place(i, extents, x_strides)];
  const float b = FLOATS(y)[place(i, extents, y_strides)];
  FLOATS(out)[i] = op == 0 ? a + b : op == 1 ? a - b : a * b;
}

// Takes two tensors whose elements lie alike.
kernel void binary_flat(ARG(x), ARG(y), ARG(out), int op) {
  const size_t i = get_global_id(0);
  const float a = FLOATS(x)[i], b = FLOATS(y)[i];
  FLOATS(out)[i] = op == 0 ? a + b : op == 1 ? a - b : a * b;
}

kernel void scale(ARG(x), ARG(out), float factor, float bias, int after) {
  const size_t i = get_global_id(0);
  const float value = FLOATS(x)[i];
  FLOATS(out)[i] = after ? value * factor + bias : (value + bias) * factor;
}

// The sum of a run of elements for each kept one.
kernel void reduce(ARG(x), ARG(out), long4 kept, long4 kept_strides,
                   long4 summed, long4 summed_strides, long count,
                   float factor) {
  const size_t i = get_global_id(0);
  const long first = place(i, kept, kept_strides);
  float sum = 0;
  for (long k = 0; k < count; ++k) {
    sum += FLOATS(x)[first + place(k, summed, summed_strides)];
  }
  FLOATS(out)[i] = sum * factor;
}

// out[batch, rows, columns]; the strides are those of a row and of a column, and
// y_batch is that of y's matrices: x is the same for all.
kernel void matmul(ARG(x), ARG(y), ARG(out), long columns, long inner,
                   long2 x_strides, long2 y_strides, long y_batch) {
  const long column = get_global_id(0);
  const long row = get_global_id(1);
  const long batch = get_global_id(2);
  const long y_first = batch * y_batch;
  float sum = 0;
  for (long k = 0; k < inner; ++k) {
    sum += FLOATS(x)[row * x_strides.s0 + k * x_strides.s1] *
           FLOATS(y)[y_first + k * y_strides.s0 + column * y_strides.s1];
  }
  const long rows = get_global_size(1);
  FLOATS(out)[(batch * rows + row) * columns + column] = sum;
}

float largest(__global const float* row, long columns) {
  float most = row[0];
  for (long i = 1; i < columns; ++i) most = fmax(most, row[i]);
  return most;
}

kernel void softmax(ARG(x), ARG(out), long columns) {
  __global float* from = FLOATS(x) + get_global_id(0) * columns;
  __global float* to = FLOATS(out) + get_global_id(0) * columns;
  const float most = largest(from, columns);
  float sum = 0;
  for (long i = 0; i < columns; ++i) sum += exp(from[i] - most);
  for (long i = 0; i < columns; ++i) to[i] = exp(from[i] - most) / sum;
}

long class_of(__global const char* label, ulong at, size_t row, int wide) {
  return wide ? ((__global const long*)(label + at))[row]
              : ((__global const int*)(label + at))[row];
}

// A label that is no class has the loss NaN.
kernel void cross_entropy(ARG(x), ARG(label), ARG(probability), ARG(loss),
                          long columns, int wide, long ignored) {
  const size_t row = get_global_id(0);
  __global float* from = FLOATS(x) + row * columns;
  __global float* to = FLOATS(probability) + row * columns;
  const float most = largest(from, columns);
  float sum = 0;
  for (long i = 0; i < columns; ++i) sum += exp(from[i] - most);
  for (long i = 0; i < columns; ++i) to[i] = exp(from[i] - most) / sum;
  const long of = class_of(label, label_at, row, wide);
  FLOATS(loss)[row] = of == ignored                ? 0
                      : of < 0 || of >= columns    ? NAN
                                                   : log(sum) + most - from[of];
}

kernel void cross_entropy_grad(ARG(label), ARG(probability), ARG(loss_grad),
                               ARG(x_grad), long columns, int wide,
                               long ignored) {
  const size_t row = get_global_id(0);
  const long of = class_of(label, label_at, row, wide);
  const float grad = of == ignored ? 0 : FLOATS(loss_grad)[row];
  for (long i = 0; i < columns; ++i) {
    const long at = row * columns + i;
    FLOATS(x_grad)[at] = grad * (FLOATS(probability)[at] - (i == of ? 1 : 0));
  }
}

kernel void sgd(ARG(param), ARG(rate), ARG(grad), ARG(out)) {
  const size_t i = get_global_id(0);
  FLOATS(out)[i] = FLOATS(param)[i] - FLOATS(rate)[0] * FLOATS(grad)[i];
}

kernel void adam(ARG(param), ARG(grad), ARG(rate), ARG(moment1), ARG(moment2),
                 ARG(pow1), ARG(pow2), ARG(out), ARG(moment1_out),
                 ARG(moment2_out), float beta1, float beta2, float epsilon) {
  const size_t i = get_global_id(0);
  const float g = FLOATS(grad)[i];
  const float m = beta1 * FLOATS(moment1)[i] + (1 - beta1) * g;
  const float v = beta2 * FLOATS(moment2)[i] + (1 - beta2) * g * g;
  FLOATS(moment1_out)[i] = m;
  FLOATS(moment2_out)[i] = v;
  const float unbiased = m / (1 - FLOATS(pow1)[0]);
  const float deviation = sqrt(v / (1 - FLOATS(pow2)[0]));
  FLOATS(out)[i] =
      FLOATS(param)[i] - FLOATS(rate)[0] * unbiased / (deviation + epsilon);
}

// The elements of x under each window; a line for each element of the filter.
// x_strides: of an image, a channel, a row and a column; sizes: height, width,
// oh, ow; column_strides: of a line and a pixel in an image's columns.
kernel void im2col(ARG(x), ARG(columns), long4 x_strides, long4 sizes,
                   long2 window, long2 strides, long2 before, long2 dilations,
                   long2 column_strides) {
  const long pixel = get_global_id(0);
  const long line = get_global_id(1);
  const long image = get_global_id(2);
  const long kx = line % window.s1;
  const long ky = line / window.s1 % window.s0;
  const long channel = line / (window.s0 * window.s1);
  const long row = pixel / sizes.s3 * strides.s0 - before.s0 +
                   ky * dilations.s0;
  const long column = pixel % sizes.s3 * strides.s1 - before.s1 +
                      kx * dilations.s1;
  const int inside = row >= 0 && row < sizes.s0 && column >= 0 &&
                     column < sizes.s1;
  const long whole = get_global_size(0) * get_global_size(1);
  FLOATS(columns)[image * whole + line * column_strides.s0 +
                  pixel * column_strides.s1] =
      inside ? FLOATS(x)[image * x_strides.s0 + channel * x_strides.s1 +
                         row * x_strides.s2 + column * x_strides.s3]
             : 0;
}

kernel void to_float(ARG(x), ARG(out), int kind) {
  const size_t i = get_global_id(0);
  FLOATS(out)[i] = kind == 0 ? ((__global const uchar*)(x + x_at))[i]
                   : kind == 1 ? ((__global const int*)(x + x_at))[i]
                               : ((__global const long*)(x + x_at))[i];
}

#ifdef cl_khr_fp64
kernel void double_to_float(ARG(x), ARG(out)) {
  const size_t i = get_global_id(0);
  FLOATS(out)[i] = convert_float(((__global const double*)(x + x_at))[i]);
}
#endif
)CL";

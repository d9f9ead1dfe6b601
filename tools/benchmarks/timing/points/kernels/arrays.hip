// Each work-item processes one element or a small neighbourhood.
#include "device.h"

KERNEL vectoradd(float *a, const float *b, const float *c, int width, int height) {
  int i = GROUP_Y * width + GLOBAL_ITEM;
  if (i < width * height)
    a[i] = b[i] + c[i];
}

KERNEL relu(int count, const float *in, float *out) {
  int i = GLOBAL_ITEM;
  if (i < count)
    out[i] = in[i] > 0 ? in[i] : 0;
}

/// Like a runtime's copy kernel: 64 bytes per work-item.
KERNEL AT_MOST(512) memcopy_d2d(uint4 *to, const uint4 *from) {
  int i = GROUP * 4 * 512 + ITEM;
  uint4 quads[4];
  for (int k = 0; k < 4; ++k)
    quads[k] = from[i + 512 * k];
  for (int k = 0; k < 4; ++k)
    to[i + 512 * k] = quads[k];
}

/// 16 x 16 work-items move 64 x 64 elements through LDS; consecutive workgroups go along the diagonal. The side of 16
/// is known at launch only.
KERNEL matrixtranspose(float4 *__restrict__ out, const float4 *__restrict__ in, unsigned width, unsigned height,
                       unsigned blocks) {
  extern SHARED float4 lds[];
  unsigned side = SIZE, x = ITEM, y = ITEM_Y, groupY = GROUP, groupX = (GROUP + GROUP_Y) % blocks;
  const float4 *source = in + int(groupX * side + x + (groupY * side + y) * width * 4);
  unsigned to = y * side * 4 + x, from = x * side * 4 + y;
  for (unsigned k = 0; k < 4; ++k)
    lds[to + side * k] = source[width * k];
  barrier();
  float4 v0 = lds[from], v1 = lds[from + side], v2 = lds[from + side * 2], v3 = lds[from + side * 3];
  float4 *target = out + int(groupY * side + x + (groupX * side + y) * height * 4);
  target[0] = (float4){v0.x, v1.x, v2.x, v3.x};
  target[height] = (float4){v0.y, v1.y, v2.y, v3.y};
  target[height * 2] = (float4){v0.z, v1.z, v2.z, v3.z};
  target[height * 3] = (float4){v0.w, v1.w, v2.w, v3.w};
}

KERNEL fir(float *output, const float *coefficients, const float *input, const float *history, unsigned taps) {
  unsigned i = GLOBAL_ITEM;
  float sum = 0;
  for (unsigned k = 0; k < taps; ++k)
    if (i >= k)
      sum += coefficients[k] * input[i - k];
    else
      sum += coefficients[k] * history[taps - (k - i)];
  output[i] = sum;
}

KERNEL simpleconvolution(const unsigned *input, const float *mask, int *output, unsigned width, unsigned height,
                         unsigned side, unsigned padded) {
  unsigned i = GLOBAL_ITEM, x = i % width, y = i / width;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  int m = 0, n = 0;
  for (unsigned row = y; row < y + side; ++row, ++m) {
    n = 0;
    for (unsigned column = x; column < x + side; ++column, ++n)
      sum += float(input[row * padded + column]) * mask[m * side + n];
  }
  output[i] = int(sum + 0.5f);
}

/// All divisors are known at launch only.
KERNEL im2col(const float *input, float *output, uint2 size, uint2 mask, uint2 stride, uint2 pad, uint2 dilation,
              unsigned channels, unsigned batch) {
  unsigned item = GLOBAL_ITEM;
  int width = size.x, height = size.y, maskWidth = mask.x, maskHeight = mask.y;
  int reachX = (mask.x - 1) * dilation.x + 1, reachY = (mask.y - 1) * dilation.y + 1;
  int fieldHeight = (height - reachY + 2 * pad.y) / stride.y + 1,
      fieldWidth = (width - reachX + 2 * pad.x) / stride.x + 1;
  int columns = fieldHeight * fieldWidth * batch, rows = maskHeight * maskWidth * channels;
  int frame = width * height, maskSize = maskWidth * maskHeight;
  int image = item / (fieldWidth * fieldHeight), place = item % (fieldWidth * fieldHeight);
  int placeX = place % fieldWidth, placeY = place / fieldWidth;
  if (image >= int(batch))
    return;
  for (int row = 0; row < rows; ++row) {
    int channel = row / maskSize, x = placeX * stride.x - pad.x + dilation.x * (row % maskWidth),
        y = placeY * stride.y - pad.y + dilation.y * (row % maskSize / maskWidth);
    float value = 0;
    if (x >= 0 && y >= 0 && x < width && y < height)
      value = input[image * int(channels) * frame + channel * frame + y * width + x];
    output[row * columns + int(item)] = value;
  }
}

KERNEL polybench_2dconv(const float *a, float *b, int rows, int columns) {
  int j = GROUP * 16 + ITEM, i = GROUP_Y * 16 + ITEM_Y;
  if (i < 1 || i >= rows - 1 || j < 1 || j >= columns - 1)
    return;
  const float *at = a + i * columns + j;
  b[i * columns + j] = 0.8f * at[-columns - 1] + 0.2f * at[-columns] + 0.3f * at[-columns + 1] + 0.2f * at[-1] +
                       0.7f * at[0] + 0.4f * at[1] + 0.1f * at[columns - 1] + 0.2f * at[columns] +
                       0.5f * at[columns + 1];
}

KERNEL parboil_stencil(const float *in, float *out, int nx, int ny, int nz, float c0, float c1) {
  int x = GROUP * 16 + ITEM, y = GROUP_Y * 16 + ITEM_Y, z = GROUP_Z;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
    return;
  int i = (z * ny + y) * nx + x;
  out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - ny * nx] + in[i + ny * nx]);
}

/// A wave computes 16 rows of 64 columns through LDS, with a border of one element.
KERNEL AT_MOST(64) stencil2d(const float *in, float *out, int pitch, float centre, float straight, float diagonal) {
  SHARED float tile[18 * 66];
  int column = ITEM_Y, row = GROUP * 16, at = GROUP_Y * 64 + column;
  for (int i = 0; i < 18; ++i)
    tile[i * 66 + column + 1] = in[(row + i) * pitch + at + 1];
  if (column == 0)
    for (int i = 0; i < 18; ++i)
      tile[i * 66] = in[(row + i) * pitch + at];
  else if (column == 63)
    for (int i = 0; i < 18; ++i)
      tile[i * 66 + 65] = in[(row + i) * pitch + at + 2];
  barrier();
  for (int i = 0; i < 16; ++i) {
    const float *t = tile + (i + 1) * 66 + column + 1;
    out[(row + i + 1) * pitch + at + 1] =
        centre * t[0] + straight * (t[-66] + t[66] + t[1] + t[-1]) + diagonal * (t[-65] + t[67] + t[-67] + t[65]);
  }
}

DEVICE float normalCdf(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * __builtin_fabsf(d));
  float cdf = 0.39894228f * __builtin_expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - cdf : cdf;
}

KERNEL tango_blackscholes(const float *price, const float *strike, const float *years, const float *volatility,
                          float rate, float *call, float *put, int n) {
  int i = GLOBAL_ITEM;
  if (i >= n)
    return;
  float s = price[i], k = strike[i], t = years[i], v = volatility[i], root = __builtin_sqrtf(t);
  float d1 = (__builtin_logf(s / k) + (rate + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
  float discount = __builtin_expf(-rate * t), c1 = normalCdf(d1), c2 = normalCdf(d2);
  call[i] = s * c1 - k * discount * c2;
  put[i] = k * discount * (1.0f - c2) - s * (1.0f - c1);
}

#include "compiler/reference/HostTensors.h"

#include "nstf/FloatTypes.h"
#include "support/Float8.h"

#include <algorithm>

using namespace nstf;
using namespace nstf::reference;

std::vector<float> nstf::reference::toFloats(const runtime::HostTensor &tensor) {
  std::vector<float> values(tensor.elements());
  if (tensor.type == manifest::ElementType::I32)
    std::copy_n(tensor.as<int32_t>(), values.size(), values.begin());
  else if (tensor.type == manifest::ElementType::I8)
    std::copy_n(tensor.as<int8_t>(), values.size(), values.begin());
  else if (tensor.type == manifest::ElementType::F8E4M3FNUZ)
    std::ranges::transform(tensor.data, values.begin(),
                           [](std::byte bits) { return support::widenE4M3FNUZ(uint8_t(bits)); });
  else
    convertNumbers(tensor.data.data(), tensor.type, reinterpret_cast<std::byte *>(values.data()),
                   manifest::ElementType::F32, values.size());
  return values;
}

Tensor nstf::reference::toTensor(const runtime::HostTensor &tensor) {
  auto copy = [&]<typename Number>(const Number *numbers) {
    return Tensor(tensor.shape, std::vector<Number>(numbers, numbers + tensor.elements()));
  };
  if (tensor.type == manifest::ElementType::I32)
    return copy(tensor.as<int32_t>());
  if (tensor.type == manifest::ElementType::I8)
    return copy(tensor.as<int8_t>());
  return Tensor(tensor.shape, toFloats(tensor));
}

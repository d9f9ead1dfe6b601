#include "compiler/import/QuantizedWeights.h"

#include "compiler/checkpoint/ReadFloats.h"
#include "compiler/quantize/StoredCodes.h"
#include "support/Escape.h"
#include "support/InputError.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace nstf;
using namespace nstf::import;
using checkpoint::Checkpoint;
using description::QuantizedLinear;
using support::ElementType;
using Entry = Checkpoint::Entry;

namespace {

/// The suffixes of a method's tensors.
struct TensorNames {
  const char *codes, *scales, *zeros, *groups;
};

} // namespace

static TensorNames getNames(QuantizedLinear::Method method) {
  switch (method) {
  case QuantizedLinear::Pack:
    return {".weight_packed", ".weight_scale", ".weight_zero_point", ".weight_g_idx"};
  case QuantizedLinear::Bytes:
  case QuantizedLinear::Floats:
    return {".weight", ".weight_scale", ".weight_zero_point", ".weight_g_idx"};
  case QuantizedLinear::FloatBlocks:
    return {".weight", ".weight_scale_inv", ".weight_zero_point", ".weight_g_idx"};
  default:
    return {".qweight", ".scales", ".qzeros", ".g_idx"};
  }
}

static quantize::CodeLayout getLayout(QuantizedLinear::Method method) {
  switch (method) {
  case QuantizedLinear::Pack:
    return quantize::CodeLayout::Pack;
  case QuantizedLinear::Bytes:
    return quantize::CodeLayout::Bytes;
  case QuantizedLinear::Awq:
    return quantize::CodeLayout::Awq;
  case QuantizedLinear::Gptq:
    return quantize::CodeLayout::Gptq;
  case QuantizedLinear::GptqV2:
    return quantize::CodeLayout::GptqV2;
  case QuantizedLinear::Floats:
  case QuantizedLinear::FloatBlocks:
    return quantize::CodeLayout::Floats;
  }
  llvm_unreachable("all methods are listed");
}

static std::string describe(const Entry &entry) {
  return "'" + entry.file->path() + "': tensor '" + support::escape(entry.tensor->name) + "'";
}

SourceAttr QuantizedWeights::getSource(const Entry &entry) const {
  Type type = parseType(getInfo(entry.tensor->type).mlir, context);
  return SourceAttr::get(context, entry.file->path(), int64_t(entry.tensor->offset), type);
}

/// The order of the inputs; empty if groups are of neighbouring inputs.
std::vector<int32_t> QuantizedWeights::readOrder(const Entry &groups, const quantize::Format &format) const {
  std::vector<int64_t> expected = {format.columns};
  if (groups.tensor->type != ElementType::I32 || groups.tensor->shape != expected)
    throw support::InputError(describe(groups) + ": expected i32 " + support::describeShape(expected) + " but got " +
                              std::string(nameOf(groups.tensor->type)) + " " +
                              support::describeShape(groups.tensor->shape));
  std::vector<int32_t> order;
  try {
    order = quantize::sortByGroup(groups.file->bytes(*groups.tensor), format);
  } catch (const std::runtime_error &error) {
    throw support::InputError(describe(groups) + ": " + error.what());
  }
  return llvm::is_sorted(order) ? std::vector<int32_t>() : order;
}

static CodeFormat getFormat(MLIRContext *context, const QuantizedLinear &linear, int64_t columns, bool hasWideScales) {
  auto scale = hasWideScales ? FloatType(Float32Type::get(context)) : FloatType(Float16Type::get(context));
  if (!linear.isFloat())
    return IntFormatAttr::get(context, linear.bits, linear.group, columns, scale);
  return FloatFormatAttr::get(context, Float8E4M3FNUZType::get(context), linear.group, columns, scale);
}

/// Whether a tensor has this shape; with `anyRank`, dimensions of one element are ignored.
static bool hasShape(const std::vector<int64_t> &shape, const std::vector<int64_t> &expected, bool anyRank) {
  auto strip = [](std::vector<int64_t> sizes) {
    std::erase(sizes, 1);
    return sizes;
  };
  return anyRank ? strip(shape) == strip(expected) : shape == expected;
}

static bool isScaleType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32;
}

/// Symmetric zeros are all in the middle of the codes' range: gptq stores that value less one, gptq_v2 the value
/// itself. Some files have the wrong format's name, so the stored values decide.
CodeLayout QuantizedWeights::findVersion(const Entry &zeros, const quantize::StoredCodes &stored,
                                         const QuantizedLinear &linear) {
  const bool isSecond = linear.method == QuantizedLinear::GptqV2;
  const unsigned middle = 1u << (linear.bits - 1), own = isSecond ? middle : middle - 1,
                 other = isSecond ? middle - 1 : middle;
  if (!stored.areZeros(zeros.file->bytes(*zeros.tensor), other))
    return isSecond ? CodeLayout::gptq_v2 : CodeLayout::gptq;
  if (versionFault.empty())
    versionFault = config.getPlace() + ": expected zeros stored as " + std::to_string(own) + ", those of symmetric " +
                   (isSecond ? "gptq_v2" : "gptq") + ", but all of '" + support::escape(zeros.tensor->name) + "' are " +
                   std::to_string(other) + ": taken as " + (isSecond ? "gptq" : "gptq_v2");
  return isSecond ? CodeLayout::gptq : CodeLayout::gptq_v2;
}

std::optional<QuantizedWeight> QuantizedWeights::find(const description::ExpandedTensor &weight,
                                                      const std::string &optionalPrefix) {
  for (const std::string &tensor : weight.tensors) {
    std::string module = tensor.ends_with(".weight") ? tensor.substr(0, tensor.size() - 7) : tensor;
    const QuantizedLinear *linear = config.find(module);
    if (!linear && !optionalPrefix.empty() && StringRef(module).starts_with(optionalPrefix)) // without the prefix
      linear = config.find(module.substr(optionalPrefix.size()));
    if (!linear)
      continue;
    QuantizedWeight result{
        getFormat(context, *linear, weight.shape[1], /*hasWideScales=*/false), linear->zeros, {}, {}};
    if (linear->group > weight.shape[1])
      throw support::InputError(config.getPlace() + ": expected groups of at most the " +
                                std::to_string(weight.shape[1]) + " inputs of '" + support::escape(module) +
                                "' but got " + std::to_string(linear->group));
    if (!checkpoint)
      return result;
    TensorNames names = getNames(linear->method);
    auto look = [&](const char *name) { return checkpoint->find(module + name, optionalPrefix); };
    Entry codes = look(names.codes);
    // A linear that is missing from the list of unquantised ones may have numbers.
    if (Entry numbers = look(".weight"); numbers && checkpoint::isReadable(numbers.tensor->type))
      return std::nullopt;
    int64_t scaleRows = linear->scaleRows ? linear->scaleRows : weight.shape[0];
    quantize::Format format{unsigned(linear->bits), linear->group, weight.shape[1], linear->zeros};
    quantize::StoredCodes stored(getLayout(linear->method), format, weight.shape[0], scaleRows);
    CodeLayout layout = CodeLayout(int(getLayout(linear->method)));
    if (linear->method == QuantizedLinear::Pack && codes &&
        codes.tensor->shape != stored.getShape(quantize::Plane::Codes)) { // 5 and 6 bits of older writers
      quantize::StoredCodes loose(quantize::CodeLayout::PackLoose, format, weight.shape[0]);
      if (codes.tensor->shape == loose.getShape(quantize::Plane::Codes)) {
        stored = loose;
        layout = CodeLayout::pack_loose;
      }
    }
    auto require = [&](quantize::Plane plane, const char *name) {
      Entry entry = look(name);
      if (!entry)
        throw support::InputError("'" + checkpoint->path() + "': tensor '" + support::escape(module + name) +
                                  "' is missing (" + config.getPlace() + " wants it)");
      bool isScale = plane == quantize::Plane::Scales;
      std::vector<int64_t> shape = stored.getShape(plane);
      if (!hasShape(entry.tensor->shape, shape, plane != quantize::Plane::Codes && linear->isByte()))
        throw support::InputError(describe(entry) + ": expected shape " + support::describeShape(shape) + " (" +
                                  config.getPlace() + ") but got " + support::describeShape(entry.tensor->shape));
      ElementType type = entry.tensor->type;
      if (isScale ? !isScaleType(type) : type != stored.getCodeType())
        throw support::InputError(describe(entry) + ": expected the type " +
                                  (isScale ? "f16, bf16 or f32" : std::string(nameOf(stored.getCodeType()))) +
                                  " but got " + std::string(nameOf(type)));
      if (isScale)
        result.format = getFormat(context, *linear, weight.shape[1],
                                  stored.needsWideScales(entry.file->bytes(*entry.tensor), type));
      return getSource(entry);
    };
    SourceAttr codesSource = require(quantize::Plane::Codes, names.codes);
    SourceAttr scales = require(quantize::Plane::Scales, names.scales);
    SourceAttr zeros = linear->zeros ? require(quantize::Plane::Zeros, names.zeros) : SourceAttr();
    if (linear->symmetric)
      layout = findVersion(look(names.zeros), stored, *linear);
    SourceAttr inGroups;
    if (Entry groups = look(names.groups); groups && !(result.order = readOrder(groups, format)).empty())
      inGroups = getSource(groups);
    result.stored = StoredCodesAttr::get(context, layout, codesSource, scales, zeros, scaleRows, inGroups);
    return result;
  }
  return std::nullopt;
}

// Writes the launcher's tables (LauncherTables.h). Buckets with equal argument lists share one table.
#include "compiler/package/LauncherTables.h"

#include "compiler/package/LauncherCode.h"

#include <algorithm>
#include <map>

namespace nstf::launcher {

using namespace manifest;

Contents getContents(const Manifest &manifest) {
  Contents contents;
  for (const Weight &weight : manifest.weights.tensors) {
    (weight.source ? contents.stored : contents.given) = true;
    contents.converted |= weight.source && weight.source->storedType != weight.type;
  }
  return contents;
}

/// `constexpr std::array<type, count> name = {{rows}};`
static std::string array(const std::string &type, const std::string &name, std::size_t count, const std::string &rows) {
  std::string head = "constexpr std::array<" + type + ", " + std::to_string(count) + "> " + name + " = ";
  return head + (count ? "{{\n" + rows + "}};\n" : "{};\n");
}

static std::string storedWeights(const Manifest &manifest, bool converted) {
  std::string rows;
  std::size_t count = 0;
  for (const Weight &weight : manifest.weights.tensors) {
    if (!weight.source)
      continue;
    ++count;
    const WeightSource &source = *weight.source;
    rows += "    {" + literal(weight.name) + ", " + std::to_string(weight.offset) + ", " +
            std::to_string(weight.size / sizeOf(weight.type) * sizeOf(source.storedType)) + ", " +
            literal(source.file) + ", " + std::to_string(source.offset);
    if (converted)
      rows +=
          source.storedType == weight.type ? ", Stored::same" : ", Stored::" + std::string(nameOf(source.storedType));
    rows += "},\n";
  }
  std::string text;
  if (converted)
    text = "/// What a weight is in its file: what it is on the device, or what is read as f32.\n"
           "enum class Stored { same, f16, bf16, f64 };\n\n";
  text += "/// A weight in a file.\nstruct StoredWeight {\n  const char *name;\n"
          "  std::uint64_t offset; // on the device, in the buffer of weights, bytes\n"
          "  std::uint64_t size;   // in the file, bytes\n"
          "  const char *file;     // relative to the package's folder\n  std::uint64_t fileOffset;\n";
  text += converted ? "  Stored stored;\n};\n" : "};\n";
  return text + array("StoredWeight", "storedWeights", count, rows) + "\n";
}

static std::string givenWeights(const Manifest &manifest) {
  std::string rows, shapes;
  std::size_t count = 0, dimensions = 0;
  for (const Weight &weight : manifest.weights.tensors) {
    if (weight.source)
      continue;
    ++count;
    rows += "    {{" + literal(weight.name) + ", " + literal(nameOf(weight.type)) + ", shapes.data() + " +
            std::to_string(dimensions) + ", " + std::to_string(weight.shape.dimensions.size()) + ", " +
            std::to_string(weight.size) + "}, " + std::to_string(weight.offset) + "},\n";
    dimensions += weight.shape.dimensions.size();
    std::string shape;
    for (int64_t dimension : weight.shape.dimensions)
      shape += (shape.empty() ? "    " : " ") + std::to_string(dimension) + ",";
    shapes += shape.empty() ? "" : shape + "\n";
  }
  return array("std::int64_t", "shapes", dimensions, shapes) +
         "\n/// A weight that the application gives, and its place on the device.\n"
         "struct GivenWeight {\n  Weight weight;\n  std::uint64_t offset; // bytes\n};\n" +
         array("GivenWeight", "givenWeights", count, rows) + "\n";
}

std::string weightTables(const Manifest &manifest) {
  Contents contents = getContents(manifest);
  return (contents.stored ? storedWeights(manifest, contents.converted) : "") +
         (contents.given ? givenWeights(manifest) : "");
}

static std::string triple(const std::array<uint32_t, 3> &values) {
  return "{" + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " + std::to_string(values[2]) + "}";
}

/// Bytes of the explicit arguments; the driver sets the hidden ones after them.
static uint32_t argumentBytes(const manifest::Kernel &kernel) {
  uint32_t bytes = 0;
  for (const KernelArgument &argument : kernel.arguments)
    bytes = std::max(bytes, argument.offset + argument.size);
  return bytes;
}

static std::string kernelTable(const manifest::Target &target) {
  std::string rows, offsets;
  std::size_t first = 0;
  for (const manifest::Kernel &kernel : target.kernels) {
    rows += "    {" + literal(kernel.symbol) + ", " + triple(kernel.block) + ", " +
            std::to_string(argumentBytes(kernel)) + ", " + std::to_string(first) + ", " +
            std::to_string(kernel.arguments.size()) + "},\n";
    first += kernel.arguments.size();
    std::string list;
    for (const KernelArgument &argument : kernel.arguments)
      list += (list.empty() ? "    " : " ") + std::to_string(argument.offset) + ",";
    offsets += list.empty() ? "" : list + " // " + comment(kernel.symbol) + "\n";
  }
  return array("unsigned", "argumentOffsets", first, offsets) + array("Kernel", "kernels", target.kernels.size(), rows);
}

static std::string targetTables(const manifest::Target &target, std::size_t number, const Names &names) {
  std::string space = "target" + std::to_string(number);
  std::string text = "namespace " + space + " { // " + comment(target.id) + "\n" + kernelTable(target), buckets;
  std::map<std::string, std::string> lists; // text of an argument list → its name
  for (const manifest::Bucket &bucket : target.buckets) {
    std::string suffix = std::to_string(bucket.maxTokens), arguments, launches;
    std::size_t first = 0;
    for (const Step &step : bucket.steps) {
      launches += "    {" + std::to_string(step.kernel) + ", " + triple(step.grid) + ", " + std::to_string(first) +
                  "}, // " + comment(step.name) + "\n";
      first += step.arguments.size();
      std::string list;
      for (const StepArgument &argument : step.arguments)
        list += (list.empty() ? "    {" : " {") + std::string("Buffer::") + names.buffers[argument.buffer] + ", " +
                std::to_string(argument.offset) + "},";
      arguments += list.empty() ? "" : list + "\n";
    }
    auto [list, isNew] = lists.try_emplace(arguments, "arguments" + suffix);
    text += "// " + std::to_string(bucket.minTokens) + " to " + suffix + " tokens\n";
    if (isNew)
      text += array("Argument", list->second, first, arguments);
    text += array("Launch", "launches" + suffix, bucket.steps.size(), launches);
    buckets += "    {" + std::to_string(bucket.minTokens) + ", " + suffix + ", " + list->second + ".data(), launches" +
               suffix + ".data(), launches" + suffix + ".size()},\n";
  }
  return text + array("Bucket", "buckets", target.buckets.size(), buckets) + "} // namespace " + space + "\n\n";
}

/// The offsets of the requests' control blocks and of their additional fields.
static std::string ofRequests(const manifest::Control &control) {
  if (control.requests == 1)
    return "";
  return ", controlBlock = " + std::to_string(control.size) +
         ",\n                      controlFirst = " + std::to_string(control.first) +
         ", controlSlot = " + std::to_string(control.slot);
}

std::string launchTables(const Manifest &manifest, const Names &names) {
  std::string text = launcherCode("types"), rows;
  uint32_t largest = 8;
  for (std::size_t i = 0; i < manifest.targets.size(); ++i) {
    const manifest::Target &target = manifest.targets[i];
    for (const manifest::Kernel &kernel : target.kernels)
      largest = std::max(largest, argumentBytes(kernel));
    text += targetTables(target, i, names);
    std::string space = "target" + std::to_string(i) + "::";
    rows += "    {" + literal(target.id) + ", " + literal(target.codeObject) + ", " + space +
            "argumentOffsets.data(), " + space + "kernels.data(), " + space + "kernels.size(), " + space +
            "buckets.data(), " + space + "buckets.size()},\n";
  }
  return text + array("Target", "targets", manifest.targets.size(), rows) +
         "constexpr std::size_t largestArgumentBytes = " + std::to_string(largest) +
         ";\n\n"
         "/// The scalars of a run: 32-bit words at these byte offsets of the control block.\n"
         "constexpr Buffer controlBuffer = Buffer::" +
         names.buffers[manifest.control.buffer] +
         ";\nconstexpr std::size_t controlSize = " + std::to_string(manifest.control.bytes()) +
         ", controlTokens = " + std::to_string(manifest.control.tokens) +
         ", controlPosition = " + std::to_string(manifest.control.position) + ofRequests(manifest.control) + ";\n\n";
}

} // namespace nstf::launcher

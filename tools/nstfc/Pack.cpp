// nstfc pack: writes the planes of a matrix as kernels of `nstfc kernel --w-format` read them.
#include "compiler/checkpoint/ReadFloats.h"
#include "compiler/compress/MatrixFormat.h"
#include "compiler/quantize/Round.h"
#include "nstf/Npy.h"
#include "support/Escape.h"
#include "support/Path.h"
#include "support/StagingFolder.h"
#include "tools/nstfc/CommandLine.h"
#include "tools/nstfc/Commands.h"

#include <tbb/parallel_for.h>

using namespace nstf;
using manifest::ElementType;

namespace {

struct PackLine {
  std::string matrix, format, output;

  void add(CLI::App &app) {
    app.add_option("matrix", matrix, "numbers of [N, K]")->required()->type_name("FILE.npy");
    app.add_option("--format", format, "as nstfc --quantize takes it; each number goes to the nearest code")
        ->required()
        ->type_name("FORMAT");
    app.add_option("-o,--output", output,
                   "a folder that isn't there yet: codes.npy, scales.npy, and zeros.npy and high.npy where the format "
                   "has them; e4m3fnuz as bytes")
        ->required()
        ->type_name("FOLDER");
  }
};

struct PlaneFile {
  quantize::Plane plane;
  const char *name;
  runtime::HostTensor tensor;
};

std::vector<PlaneFile> makePlanes(const quantize::Format &format, int64_t rows) {
  std::vector<PlaneFile> planes;
  auto add = [&](quantize::Plane plane, const char *name, ElementType type) {
    int64_t height = llvm::divideCeil(rows, quantize::getRowsPerPlaneRow(format, plane));
    int64_t bytes = int64_t(quantize::getRowBytes(format, plane)), width = bytes / int64_t(manifest::sizeOf(type));
    planes.push_back({plane, name, {type, {height, width}, std::vector<std::byte>(height * bytes)}});
  };
  bool isPacked = format.bits != 8;
  add(quantize::Plane::Codes, "codes",
      isPacked         ? ElementType::I32
      : format.isFloat ? ElementType::U8
                       : ElementType::I8);
  if (isPacked && format.bits > 4)
    add(quantize::Plane::High, "high", ElementType::I32);
  add(quantize::Plane::Scales, "scales", ElementType::F16);
  if (format.zeros)
    add(quantize::Plane::Zeros, "zeros", ElementType::I32);
  return planes;
}

std::vector<quantize::CodedRow> roundRows(const runtime::HostTensor &matrix, const quantize::Format &format,
                                          const std::string &file) {
  std::vector<quantize::CodedRow> coded(matrix.shape[0]);
  std::vector<std::string> faults(coded.size());
  size_t rowBytes = format.columns * manifest::sizeOf(matrix.type);
  tbb::parallel_for(size_t(0), coded.size(), [&](size_t row) {
    std::vector<double> numbers(format.columns);
    checkpoint::readFloats(matrix.type, matrix.data.data() + row * rowBytes, numbers.size(), numbers.data());
    try {
      coded[row] = quantize::roundToNearest(format, numbers);
    } catch (const std::runtime_error &error) {
      faults[row] = file + ": row " + std::to_string(row) + ": " + error.what();
    }
  });
  for (const std::string &fault : faults)
    if (!fault.empty())
      throw std::runtime_error(fault);
  return coded;
}

int run(const PackLine &line) {
  std::optional<compress::MatrixFormat> named = compress::MatrixFormat::parse(line.format);
  if (!named || !named->codes)
    throw std::runtime_error("--format: expected " + getWeightFormatNames() + " but got '" +
                             support::escape(line.format) + "'");
  if (std::filesystem::exists(std::filesystem::symlink_status(line.output)))
    throw std::runtime_error(line.output + ": expected a folder that isn't there but it exists");
  runtime::HostTensor matrix = runtime::readNpy(line.matrix);
  if (matrix.shape.size() != 2 || matrix.data.empty() || !checkpoint::isReadable(matrix.type))
    throw std::runtime_error(line.matrix + ": expected a matrix of f16, f32 or f64 but got " + matrix.str());
  quantize::Format format = named->getCodes(matrix.shape[1]);
  if (!named->fits(format.columns))
    throw std::runtime_error("--format=" + line.format + ": expected groups of at most the " +
                             std::to_string(format.columns) + " columns of " + line.matrix);
  std::vector<quantize::CodedRow> coded = roundRows(matrix, format, line.matrix);
  std::filesystem::path place = support::findTarget(line.output).path;
  support::StagingFolder staging(place);
  std::filesystem::create_directory(staging.content());
  for (PlaneFile &file : makePlanes(format, matrix.shape[0])) {
    size_t together = quantize::getRowsPerPlaneRow(format, file.plane),
           bytes = quantize::getRowBytes(format, file.plane);
    for (size_t row = 0; row < size_t(file.tensor.shape[0]); ++row) {
      size_t first = row * together, count = std::min(together, coded.size() - first);
      quantize::packRow(format, file.plane, std::span(coded).subspan(first, count),
                        std::span(file.tensor.data).subspan(row * bytes, bytes));
    }
    runtime::writeNpy(staging.content() / (std::string(file.name) + ".npy"), file.tensor);
  }
  support::moveFolder(staging.content(), place);
  return 0;
}

constexpr char about[] = "Writes the planes of a matrix in codes, as the header of `nstfc kernel --w-format` says.";

} // namespace

int nstf::runPackCommand(int argc, char **argv) { return runCommand<PackLine>(argc, argv, about); }

support::CompletionCommand nstf::describePackCommand() { return describeCommand<PackLine>("pack", about); }

#include "compiler/calibrate/PackageRunner.h"

#include "compiler/reference/HostTensors.h"
#include "nstf/FloatTypes.h"
#include "support/Escape.h"
#include "support/Progress.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using manifest::ElementType;

/// The max bytes of recorded numbers in memory at a time.
static constexpr uint64_t maxKept = uint64_t(2) << 30;

static std::runtime_error makeError(const std::filesystem::path &package, const Twine &text) {
  return std::runtime_error(package.string() + ": expected " + text.str());
}

static runtime::Session openSession(const std::filesystem::path &package, DeviceKind device) {
  runtime::SessionOptions options;
  options.device = device;
  return runtime::Session::open(package, options);
}

static const manifest::Weight *findWeight(const manifest::Manifest &manifest, StringRef name) {
  for (const manifest::Weight &weight : manifest.weights.tensors)
    if (weight.name == name)
      return &weight;
  return nullptr;
}

/// Whether the device's copy of the weight equals the matrix, rounded to the package's type.
static bool holds(const runtime::Session &session, const manifest::Weight &weight, const Tensor &matrix) {
  std::vector<std::byte> wanted(weight.size), held(weight.size);
  convertNumbers(reinterpret_cast<const std::byte *>(matrix.data()), ElementType::F64, wanted.data(), weight.type,
                 matrix.size());
  session.readBuffer(*session.manifest().weights.buffer, weight.offset, held);
  return wanted == held;
}

PackageRunner::PackageRunner(const LinearSites &sites, ArrayRef<Operation *> ops, const Texts &texts,
                             const TextRunner::ReadWeight &readWeight, const std::filesystem::path &package,
                             DeviceKind device)
    : sites(sites), texts(texts), package(package), session(openSession(package, device)) {
  isLanguageModel =
      llvm::any_of(session.manifest().outputs, [](const manifest::Port &port) { return port.name == "logits"; });
  checkWeights(readWeight);
  checkTexts();
  for (Operation *op : ops)
    all.push_back(makeWanted(op));
}

/// An encoder must process a text in one step.
void PackageRunner::checkTexts() const {
  int64_t largest = session.target().maxTokens();
  for (const std::vector<int32_t> &text : texts)
    if (!isLanguageModel && int64_t(text.size()) > largest)
      throw makeError(package, "steps of at least " + Twine(text.size()) + " tokens, as a text has, but got " +
                                   Twine(largest) + " (nstfc --max-tokens)");
}

void PackageRunner::checkWeights(const TextRunner::ReadWeight &readWeight) const {
  const manifest::Manifest &manifest = session.manifest();
  for (const LinearSite &site : sites.sites) {
    std::string name = WeightOp(site.weight).getSymName().str(), shown = "'" + support::escape(name) + "'";
    const manifest::Weight *weight = findWeight(manifest, name);
    if (!weight)
      throw makeError(package, findWeight(manifest, name + ".codes")
                                   ? "weights that are numbers but those of " + shown + " are codes"
                                   : "a package of this model but it has no weight " + shown);
    if (weight->shape.dimensions != std::vector{site.getRows(), site.getColumns()} || !isFloatType(weight->type))
      throw makeError(package, "weight " + shown + " to be [" + Twine(site.getRows()) + ", " +
                                   Twine(site.getColumns()) + "] numbers but got " + weight->shape.str() + " " +
                                   manifest::nameOf(weight->type));
    if (!holds(session, *weight, *readWeight(site.weight)))
      throw makeError(package, "the numbers of this model but those of " + shown + " are others");
  }
}

/// Describes what to record: x of a linear, keys and values of an attention.
PackageRunner::Wanted PackageRunner::makeWanted(Operation *op) const {
  Wanted wanted{op};
  if (auto linear = dyn_cast<LinearOp>(op)) {
    const LinearSite &site = *llvm::find_if(sites.sites, [&](const LinearSite &site) { return site.op == linear; });
    wanted.weight = findWeight(session.manifest(), WeightOp(site.weight).getSymName());
    wanted.columns = site.getColumns();
  } else {
    auto location = dyn_cast<NameLoc>(op->getLoc());
    wanted.launch = location ? location.getName().str() : "";
    wanted.firstOperand = 1;
    wanted.operands = 2;
    wanted.columns = cast<RankedTensorType>(cast<AttentionOp>(op).getK().getType()).getShape().back();
  }
  std::optional<Place> place = find(wanted, session.target().buckets.back());
  if (!place)
    throw makeError(package, "a launch that reads numbers for '" +
                                 (wanted.weight ? wanted.weight->name : wanted.launch) + "' but none does");
  const manifest::Shape &shape = session.target().kernels[place->step->kernel].arguments[place->argument].shape;
  wanted.rowByRow = isLanguageModel && wanted.weight && !shape.hasTokens();
  return wanted;
}

/// Whether the argument has this name in some part of the kernel: "x", or "x_1" in a later part.
static bool isNamed(const manifest::KernelArgument &argument, StringRef name) {
  StringRef rest = argument.name;
  unsigned part;
  return rest.consume_front(name) && (rest.empty() || (rest.consume_front("_") && !rest.getAsInteger(10, part)));
}

/// The index of the input rows that are multiplied with the argument `last`: the nearest "x" before it.
static std::optional<size_t> findRows(ArrayRef<manifest::KernelArgument> arguments, size_t last) {
  for (size_t i = last; i-- > 0;)
    if (isNamed(arguments[i], "x"))
      return i;
  return std::nullopt;
}

std::optional<PackageRunner::Place> PackageRunner::find(const Wanted &wanted, const manifest::Bucket &bucket) const {
  std::optional<size_t> weights = session.manifest().weights.buffer;
  for (const manifest::Step &step : bucket.steps) {
    const std::vector<manifest::KernelArgument> &arguments = session.target().kernels[step.kernel].arguments;
    std::optional<size_t> first;
    for (size_t i = 0; i < arguments.size() && !first; ++i) {
      if (wanted.weight && step.arguments[i].buffer == weights && step.arguments[i].offset == wanted.weight->offset)
        first = findRows(arguments, i);
      if (!wanted.weight && step.hasName(wanted.launch) && isNamed(arguments[i], "k"))
        first = i;
    }
    if (!first || arguments.size() < *first + wanted.operands)
      continue;
    // Excludes other uses: a linear's matrix may also be a table of embeddings.
    auto read = ArrayRef(arguments).slice(*first, wanted.operands);
    if (llvm::all_of(read, [&](const manifest::KernelArgument &argument) {
          return isFloatType(argument.type) && !argument.shape.dimensions.empty() &&
                 argument.shape.dimensions.back() == wanted.columns;
        }))
      return Place{&step, *first};
  }
  return std::nullopt;
}

void PackageRunner::runTexts(MutableArrayRef<Wanted> group) {
  int64_t largest = group.front().rowByRow ? 1 : session.target().maxTokens();
  support::Progress progress("running the package", "texts", texts.size());
  for (size_t text = 0; text < texts.size(); ++text, progress.add()) {
    session.reset();
    for (size_t begin = 0; begin < texts[text].size();) {
      int64_t rows = std::min<int64_t>(largest, texts[text].size() - begin);
      for (const manifest::Port &port : session.manifest().inputs) {
        runtime::HostTensor value{ElementType::I32, {rows}, std::vector<std::byte>(rows * sizeof(int32_t))};
        if (port.name == "ids")
          std::memcpy(value.data.data(), texts[text].data() + begin, value.data.size());
        session.setInput(port.name, value);
      }
      const manifest::Bucket *bucket = session.target().bucketFor(rows);
      llvm::DenseMap<size_t, SmallVector<std::pair<Wanted *, size_t>>> seen; // by launch; first argument
      for (Wanted &wanted : group)
        if (std::optional<Place> place = bucket ? find(wanted, *bucket) : std::nullopt)
          seen[place->step - bucket->steps.data()].push_back({&wanted, place->argument});
      session.runSteps(rows, [&](const runtime::LaunchView &launch) {
        for (auto [wanted, first] : seen.lookup(launch.index()))
          for (unsigned i = 0; i < wanted->operands; ++i) {
            runtime::HostTensor read = launch.read(first + i);
            std::vector<float> numbers = reference::toFloats(read);
            // Of a cache only the rows of the text so far are valid.
            bool isCache = !launch.kernel().arguments[first + i].shape.hasTokens() && !wanted->weight;
            if (isCache)
              numbers.resize(std::min<size_t>(numbers.size(), (launch.position() + rows) * wanted->columns));
            llvm::append_range(wanted->numbers[i][text], numbers);
          }
      });
      begin += rows;
    }
  }
}

void PackageRunner::run(function_ref<bool(Operation *)> pending, const TextRunner::Observer &observer) {
  int64_t tokens = 0;
  for (const std::vector<int32_t> &text : texts)
    tokens += int64_t(text.size());
  std::vector<Wanted> now;
  llvm::copy_if(all, std::back_inserter(now), [&](const Wanted &wanted) { return pending(wanted.op); });
  for (MutableArrayRef<Wanted> rest = now; !rest.empty();) {
    size_t count = 0;
    for (uint64_t bytes = 0; count < rest.size() && rest[count].rowByRow == rest.front().rowByRow; ++count) {
      bytes += sizeof(float) * tokens * rest[count].operands * rest[count].columns;
      if (count > 0 && bytes > maxKept)
        break;
    }
    MutableArrayRef<Wanted> group = rest.take_front(count);
    for (Wanted &wanted : group)
      wanted.numbers.assign(wanted.operands, std::vector<std::vector<float>>(texts.size()));
    runTexts(group);
    for (Wanted &wanted : group) {
      std::vector<std::vector<Tensor>> tensors(wanted.operands);
      for (unsigned i = 0; i < wanted.operands; ++i)
        for (std::vector<float> &numbers : wanted.numbers[i])
          tensors[i].emplace_back(std::vector<int64_t>{int64_t(numbers.size()) / wanted.columns, wanted.columns},
                                  std::exchange(numbers, {}));
      observer(wanted.op, [&](size_t text, unsigned operand) -> const Tensor & {
        return tensors[operand - wanted.firstOperand][text];
      });
    }
    rest = rest.drop_front(count);
  }
}

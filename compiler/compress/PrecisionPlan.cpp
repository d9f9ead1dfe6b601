#include "compiler/compress/PrecisionPlan.h"

#include "passes/nstf/WeightPlan.h"
#include "support/Escape.h"

#include <cstdio>
#include <nlohmann/json.hpp>

using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using support::YamlMap;
using support::YamlValue;

PrecisionPlan PrecisionPlan::makeUniform(const LinearSites &found, const MatrixFormat &format,
                                         const std::string &weightsHash, const std::string &calibrationHash) {
  PrecisionPlan plan;
  plan.weightsHash = weightsHash;
  plan.calibrationHash = calibrationHash;
  plan.matrices.resize(found.sites.size(), {format, {}, {}, ""});
  return plan;
}

std::vector<MatrixFormat> PrecisionPlan::getFormats() const {
  std::vector<MatrixFormat> formats;
  for (const MatrixPlan &matrix : matrices)
    formats.push_back(matrix.format);
  return formats;
}

// Writing

static std::string print(double number, int digits = 6) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, number);
  return text;
}

/// A JSON string, which is also a YAML string.
static std::string quote(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

static std::string printKey(const std::string &name) {
  bool isPlain = !name.empty() && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
  return isPlain ? name : quote(name);
}

std::string PrecisionPlan::str(const LinearSites &found) const {
  std::string text = "weights_sha256: " + weightsHash + "\n";
  if (!calibrationHash.empty())
    text += "calibration: {sha256: " + calibrationHash + ", tokens: " + std::to_string(tokens) +
            (heldOut > 0 ? ", held_out: " + std::to_string(heldOut) : "") + "}\n";
  if (onFitted)
    text += "measured:\n";
  for (auto [name, measured] : {std::pair("fitted", &onFitted), std::pair("held_out", &onHeldOut)})
    if (const std::optional<Measured> &m = *measured)
      text += std::string("  ") + name + ": {positions: " + std::to_string(m->positions) + ", kl: " + print(m->kl) +
              ", perplexity: [" + print(m->perplexity) + ", " + print(m->comparedPerplexity) + "]}\n";
  if (!cost.empty())
    text += "cost: " + cost + "\n";
  if (!sensitivity.empty())
    text += "sensitivity: " + sensitivity + "\n";
  text += "layers:\n";
  for (auto [site, matrix] : llvm::zip_equal(found.sites, matrices)) {
    text += "  " + printKey(site.name) + ": {format: " + matrix.format.name;
    if (matrix.products)
      text += ", products: " + std::string(nameOf(*matrix.products));
    if (matrix.kl)
      text += ", kl: " + print(*matrix.kl, 3);
    if (!matrix.because.empty())
      text += ", because: " + quote(matrix.because);
    text += "}\n";
  }
  return text;
}

// Reading

static MatrixPlan readMatrix(const YamlValue &value, const LinearSite &site) {
  YamlMap map = value.map("a map with a format", {"format", "products", "kl", "because"});
  const YamlValue &name = map.get("format", "the matrix's");
  std::optional<MatrixFormat> format = MatrixFormat::parse(name.text("a format"));
  if (!format)
    name.fail(MatrixFormat::getNames());
  if (!format->fits(site.getColumns()))
    name.fail("groups of at most the " + std::to_string(site.getColumns()) + " inputs of '" +
              support::escape(site.name) + "'");
  MatrixPlan plan{*format, {}, {}, ""};
  if (const YamlValue *products = map.find("products")) {
    constexpr const char *expected = "bf16 or f32, or no key where products are like the others'";
    std::string type = products->text(expected);
    if (type != "bf16" && type != "f32")
      products->fail(expected);
    plan.products = type == "f32" ? support::ElementType::F32 : support::ElementType::BF16;
  }
  if (const YamlValue *kl = map.find("kl"))
    plan.kl = kl->number("a number").value;
  if (const YamlValue *because = map.find("because"))
    plan.because = because->scalar("a text");
  return plan;
}

static void requireHash(const YamlValue &value, const std::string &hash, const std::string &of) {
  if (std::string found = value.text("a hash"); found != hash)
    value.fail("a plan for " + of + " " + hash);
}

PrecisionPlan PrecisionPlan::read(const std::filesystem::path &path, const LinearSites &found,
                                  const std::string &weightsHash, const std::string &calibrationHash) {
  PrecisionPlan plan;
  YamlMap map = YamlValue::readFile(path).map(
      "a plan", {"weights_sha256", "calibration", "measured", "cost", "sensitivity", "layers"});
  requireHash(map.get("weights_sha256", "that of the model's weights"), weightsHash, "weights");
  plan.weightsHash = weightsHash;
  if (const YamlValue *calibration = map.find("calibration")) {
    YamlMap of = calibration->map("a calibration", {"sha256", "tokens", "held_out"});
    const YamlValue &hash = of.get("sha256", "the calibration's");
    if (calibrationHash.empty())
      hash.fail("no calibration, or --calibration");
    requireHash(hash, calibrationHash, "the calibration");
    if (const YamlValue *heldOut = of.find("held_out"))
      plan.heldOut = heldOut->integer("a number of tokens", 0);
  }
  plan.calibrationHash = calibrationHash;

  if (const YamlValue *cost = map.find("cost"))
    plan.cost = cost->scalar("bytes or a time");
  if (const YamlValue *sensitivity = map.find("sensitivity"))
    plan.sensitivity = sensitivity->scalar("forward or output");

  std::vector<std::string> names;
  for (const LinearSite &site : found.sites)
    names.push_back(site.name);
  for (auto [site, layer] : llvm::zip_equal(found.sites, readLayers(map, names)))
    plan.matrices.push_back(readMatrix(layer, site));
  return plan;
}

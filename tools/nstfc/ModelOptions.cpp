#include "tools/nstfc/ModelOptions.h"
#include "support/ControlBlock.h"
#include "support/Escape.h"
#include "tools/nstfc/Commands.h"

#include <CLI/CLI.hpp>
#include <stdexcept>

using namespace nstf;

void nstf::addRopeFactors(CLI::App &app, description::RopeFactors &factors) {
  auto set = [&factors](const std::string &name) {
    using enum description::RopeFactors;
    factors = name == "short" ? Short : name == "long" ? Long : Auto;
  };
  app.add_option_function<std::string>(
         "--rope-factors", set,
         "which of longrope's two lists holds; auto is the long one where the context is longer than "
         "original_max_position_embeddings, for texts of every length")
      ->check(CLI::IsMember({"short", "long", "auto"}))
      ->default_str("auto")
      ->type_name("WHICH");
}

/// Options that determine a package's numbers and its kernels.
void nstf::addModelOptions(CLI::App &app, CompileOptions &compile, std::string &precision) {
  app.add_option("model", compile.input,
                 "Hugging Face folder (config.json, *.safetensors), YAML graph or .mlir in the nstf dialect")
      ->type_name("FOLDER|FILE");
  app.add_option("--target", compile.targets, "chip, an alias or a file that describes one; repeatable")
      ->type_name("FILE.yaml|" + getTargetNames())
      ->take_all();
  app.add_option("--context", compile.context, "positions of a run, where others are wanted than the model says")
      ->type_name("N");
  addRopeFactors(app, compile.ropeFactors);
  app.add_option("--architecture", compile.architectures,
                 "a .yaml file that describes an architecture, beside those nstfc knows; repeatable")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("FILE.yaml");
  app.add_option("--templates", compile.overrides.templates,
                 "a folder of kernels and tuning, over those nstfc has: templates/README.md")
      ->type_name("FOLDER");
  std::vector<std::string> precisionNames = {"auto"};
  for (Precision known : precisions)
    precisionNames.push_back(getName(known).str());
  app.add_option("--precision", precision,
                 "type of matrix operands, weights and KV caches; sums are f32. auto is the one that most bytes of the "
                 "weights' matrices are stored in, without weights that of config.json, or else f32")
      ->check(CLI::IsMember(precisionNames))
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option(
         "--quantize", compile.quantize,
         "weights of linears as codes, rounded to nearest: int4, int5, int6 or int8 with a scale a row, with _asym "
         "also a zero; with _g32, _g64 or _g128 a scale and a zero a group (int4_g128), with _sym no zeros; e4m3fnuz "
         "likewise, without zeros")
      ->type_name("FORMAT");
  app.add_option(
         "--activations", compile.activations,
         "rows that linears read, as codes with a scale a row: i8 where the weights are int8, e4m3fnuz where they are "
         "e4m3fnuz (default: what the checkpoint says, else none)")
      ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
      ->type_name("TYPE");
  app.add_option("--kv-cache", compile.kvCache,
                 "what caches hold of keys and values, as codes with a scale for each token and head: i8, or e4m3fnuz "
                 "on chips that have it (default: what the checkpoint says, else none)")
      ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
      ->type_name("TYPE");
  app.add_option("--kv-order", compile.kvOrder,
                 "how caches lie: rows, or operands, in the order in which matrix cores read them (default: operands)")
      ->check(CLI::IsMember({"rows", "operands"}))
      ->type_name("ORDER");
  app.add_option("--fuse", compile.fusions,
                 "what shares a launch beside elementwise operations: all, none, or of pairs (two products that one "
                 "operation reads) and launches (those that need nothing of each other) the ones named (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"all", "none", "pairs", "launches"}))
      ->type_name("NAME,...");
  app.add_option(
         "--max-batch", compile.maxBatch,
         "requests that a step may have rows of, each with a position and caches of its own; more than 1: a row gives "
         "the same bits alone and beside 15 others")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--batch-invariant", compile.batchInvariant,
         "on: in steps of 1 to 16 rows, a row's bits do not depend on how many rows there are; one row then has "
         "the kernels of 16 (default: on with --max-batch of more than 1, else off)")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("SWITCH");
  app.add_option("--max-tokens", compile.maxTokens,
                 "tokens of the largest step; longer prompts run in pieces (default: the context, at most 512)")
      ->type_name("N");
}

void nstf::parseModelOptions(CompileOptions &compile, const std::string &precision) {
  if (compile.input.empty())
    throw std::runtime_error("expected a model but got none (--help shows the options)");
  compile.precision = parsePrecision(precision); // nothing means auto
  if (compile.maxBatch < 1 || compile.maxBatch > support::ControlBlock::maxRequests)
    throw std::runtime_error("--max-batch: expected 1 to " + std::to_string(support::ControlBlock::maxRequests) +
                             " but got " + std::to_string(compile.maxBatch));
  if (compile.maxBatch > 1 && compile.batchInvariant == "off")
    throw std::runtime_error("--batch-invariant: expected on with --max-batch=" + std::to_string(compile.maxBatch) +
                             ", for a request's bits do not depend on others, but got off");
  if (compile.maxTokens && *compile.maxTokens < 1)
    throw std::runtime_error("--max-tokens: expected 1 or more but got " + std::to_string(*compile.maxTokens));
}

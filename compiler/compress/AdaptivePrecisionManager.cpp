#include "compiler/compress/AdaptivePrecisionManager.h"

#include "compiler/compress/AssignPrecision.h"
#include "compiler/compress/RangeFault.h"
#include "support/Progress.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using support::ElementType;

/// Positions used to measure each matrix alone, and the number of logits kept in memory to measure the whole model.
static constexpr size_t alonePositions = 2048, wholeLogits = size_t(1) << 27;

static std::string print(const char *format, double number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

/// The first `positions` positions of the texts; the last text is cut.
static Texts takePositions(const Texts &texts, size_t positions) {
  Texts taken;
  for (const std::vector<int32_t> &text : texts) {
    size_t count = std::min(text.size(), positions);
    if (count < 2)
      break;
    taken.emplace_back(text.begin(), text.begin() + count);
    positions -= count;
  }
  return taken;
}

AdaptivePrecisionManager::AdaptivePrecisionManager(ModuleOp module, const RoundingContext &context,
                                                   const std::string &weightsHash)
    : module(module), context(context), weightsHash(weightsHash),
      runner(module, [&reader = context.reader](WeightOp weight) { return reader.read(weight); }) {
  if (!isLanguageModel(module))
    throw std::runtime_error("expected a language model, whose KL tells matrices apart, but got an encoder");
  auto facts = module->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto vocabulary = facts ? facts.getAs<IntegerAttr>("vocabulary") : IntegerAttr();
  size_t columns = vocabulary ? std::max<int64_t>(1, vocabulary.getInt()) : 1;
  split(std::max<size_t>(2, wholeLogits / columns));
}

void AdaptivePrecisionManager::split(size_t positions) {
  bool holdsOut = context.calibration->countHeldOut() > 0;
  for (auto [i, text] : llvm::enumerate(context.calibration->readTexts())) {
    size_t count = holdsOut ? context.calibration->getFitted()[i] : text.size();
    if (count >= 2)
      fitted.texts.emplace_back(text.begin(), text.begin() + int64_t(count));
    if (count < text.size()) {
      heldOut.texts.push_back(text);
      heldOut.first.push_back(count);
    }
  }
  fitted.texts = takePositions(fitted.texts, positions);
  if (!holdsOut)
    return;
  heldOut.texts = takePositions(heldOut.texts, std::max(positions, heldOut.texts.front().size()));
  if (heldOut.texts.back().size() <= heldOut.first[heldOut.texts.size() - 1]) // the cut removed its held-out tokens
    heldOut.texts.pop_back();
}

std::string AdaptivePrecisionManager::getIdentity() const {
  return weightsHash + " " + context.calibration->getHash() + " rounding " + std::to_string(int(context.rounding)) +
         " scaling " + std::to_string(int(context.scaling)) + (context.rotation ? " rotated" : "") + " positions " +
         std::to_string(alonePositions) + " held out " + std::to_string(context.calibration->countHeldOut());
}

void AdaptivePrecisionManager::measure(PrecisionPlan &plan) {
  plan.tokens = context.calibration->getTokens();
  plan.heldOut = context.calibration->countHeldOut();
  plan.onFitted = measure(plan, fitted);
  if (!heldOut.texts.empty())
    plan.onHeldOut = measure(plan, heldOut);
}

PrecisionPlan::Measured AdaptivePrecisionManager::measure(const PrecisionPlan &plan, MeasuredTexts &on) {
  const LinearSites &found = context.found;
  if (on.logits.empty())
    on.logits = runner.run(on.texts);
  ChannelScales scales(context, plan.getFormats());
  MatrixRounder rounder(context, scales);
  llvm::DenseMap<Operation *, size_t> siteOf;
  for (auto [i, site] : llvm::enumerate(found.sites))
    siteOf[site.op] = i;
  std::optional<size_t> input; // the input whose sites are being read, with its factor
  std::optional<quantize::Gptq> gptq;
  auto replace = [&](LinearOp op) -> std::shared_ptr<const Tensor> {
    auto site = siteOf.find(op);
    if (site == siteOf.end())
      return nullptr;
    if (size_t reads = found.sites[site->second].input; input != reads) {
      scales.chooseLayer(found.inputs[reads].layer);
      input = reads;
      gptq = rounder.factorInputs(reads);
    }
    return rounder.decode(site->second, gptq ? &*gptq : nullptr);
  };
  runtime::Divergence lost = compareLogits(on.texts, on.logits, runner.run(on.texts, {}, replace), on.first);
  return {lost.kl, lost.perplexity, lost.comparedPerplexity, lost.positions};
}

// The choice

namespace {

/// The number of steps that a budget allows, and the measured loss after them.
struct Allowed {
  size_t count;
  double loss;
};

} // namespace

/// The number of steps after which the measured loss is at most `maxLoss`. The sum of the matrices' own losses
/// determines which counts are tried. Nothing if the first choices already lose more.
static std::optional<Allowed> countAllowed(const PrecisionSteps &steps, double maxLoss,
                                           llvm::function_ref<double(size_t)> measure) {
  constexpr int trials = 12;
  std::optional<Allowed> best;
  size_t low = 0, high = steps.size();
  double ratio = 1; // of the measured loss to the sum
  for (int trial = 0; trial < trials && low < high; ++trial) {
    size_t count = std::clamp(steps.countWithin(maxLoss / ratio), low + 1, high);
    double loss = measure(count);
    if (loss <= maxLoss) {
      low = count;
      best = {count, loss};
    } else {
      high = count - 1;
    }
    ratio = std::max(0.1, loss / steps.getLoss(count));
  }
  if (!best)
    if (double loss = measure(0); loss <= maxLoss)
      best = {0, loss};
  return best;
}

/// Says for a matrix what the next cheaper choice would lose and save.
static std::string explain(const std::vector<MatrixCost> &matrix, const std::vector<Choice> &choices, size_t chosen,
                           const PrecisionCost &cost) {
  std::optional<size_t> next;
  for (size_t i = 0; i < choices.size(); ++i)
    if (choices[i].cost < choices[chosen].cost && (!next || choices[i].cost > choices[*next].cost))
      next = i;
  if (!next)
    return cost.predict ? "no format is faster" : "no format is smaller";
  return matrix[*next].format.name + " would cost " + print("%.2g", choices[*next].loss) + " and save " +
         print(cost.predict ? "%.3g" : "%.0f", choices[chosen].cost - choices[*next].cost) + " " + cost.unit;
}

AdaptivePrecisionManager::ProductChoice
AdaptivePrecisionManager::chooseProducts(size_t site, const Cancellation &cancellation) const {
  ElementType type = getProductType(module);
  // bf16 has fewer significant bits than f16, so if terms cancel, only f32 operands help.
  if (std::string fault = cancellation.findFault(site); !fault.empty())
    return {ElementType::F32, fault};
  if (std::string fault = findRangeFault(context, site, type); !fault.empty())
    return {ElementType::BF16, fault};
  return {type, ""};
}

ProductShape AdaptivePrecisionManager::getShape(size_t site, const MatrixFormat &format, ElementType products) const {
  const LinearSite &at = context.found.sites[site];
  if (format.codes)
    return {at.getRows(), at.getColumns(), format.name, products};
  return {at.getRows(), at.getColumns(), "", format.numbers};
}

PrecisionPlan AdaptivePrecisionManager::choose(const std::vector<MatrixFormat> &formats, const PrecisionBudget &budget,
                                               const PrecisionCost &cost, SensitivityMethod method,
                                               SearchRecord &record, const OnEstimate &onEstimate) {
  const LinearSites &found = context.found;
  Texts some = takePositions(fitted.texts, alonePositions);
  auto begin = std::chrono::steady_clock::now();
  Cancellation cancellation(found, some);
  std::vector<Tensor> own = runner.run(some, cancellation.getObserver());
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  std::vector<std::vector<MatrixFormat>> candidates(found.sites.size());
  std::vector<ProductChoice> products(found.sites.size());
  for (auto [i, site] : llvm::enumerate(found.sites)) {
    products[i] = chooseProducts(i, cancellation);
    for (const MatrixFormat &format : formats)
      if (format.fits(site.getColumns()))
        candidates[i].push_back(format);
    MatrixFormat alone = *MatrixFormat::parse(nameOf(products[i].type));
    if (!llvm::is_contained(candidates[i], alone))
      candidates[i].push_back(alone);
  }

  auto tell = [&](const Sensitivity &sensitivity, const std::string &what) {
    Sensitivity::Work work = sensitivity.getWork();
    std::string known =
        work.runs < work.all ? ", " + std::to_string(work.all - work.runs) + " of them done before" : "";
    onEstimate(what + ": " + std::to_string(work.all) + " runs" + known + ", about " +
               print("%.0f", std::ceil(work.models * seconds)) + " s, and as many roundings");
  };
  Sensitivity forward(context, candidates, SensitivityMethod::Forward, record);
  tell(forward, "measuring " + std::to_string(found.sites.size()) + " matrices in their formats");
  Sensitivity output(context, candidates, SensitivityMethod::Output, record);
  if (method == SensitivityMethod::Output)
    tell(output, "by the errors of their outputs instead");
  std::vector<std::vector<MatrixCost>> costs =
      (method == SensitivityMethod::Output ? output : forward).measure(runner, some, own);

  std::vector<std::vector<Choice>> choices(costs.size());
  support::Progress progress("pricing", "matrices", costs.size());
  for (auto [i, matrix] : llvm::enumerate(costs)) {
    for (const MatrixCost &of : matrix)
      choices[i].push_back(
          {cost.predict ? cost.predict(getShape(i, of.format, products[i].type)) : double(of.bytes), of.kl});
    progress.add();
  }
  PrecisionSteps steps(choices);
  auto makePlan = [&](const std::vector<size_t> &chosen) {
    PrecisionPlan plan;
    plan.weightsHash = weightsHash;
    plan.calibrationHash = context.calibration->getHash();
    plan.tokens = context.calibration->getTokens();
    plan.heldOut = context.calibration->countHeldOut();
    plan.cost = cost.name;
    plan.sensitivity = method == SensitivityMethod::Output ? "output" : "forward";
    for (auto [i, choice] : llvm::enumerate(chosen)) {
      const MatrixCost &of = costs[i][choice];
      const std::string &fault = products[i].because;
      plan.matrices.push_back({of.format, fault.empty() ? std::nullopt : std::optional(products[i].type), of.kl,
                               fault.empty() ? explain(costs[i], choices[i], choice, cost) : fault});
    }
    return plan;
  };
  auto measureOnce = [&](const PrecisionPlan &plan, MeasuredTexts &on) -> PrecisionPlan::Measured {
    std::string key = &on == &fitted ? "fitted" : "held out";
    for (const MatrixFormat &format : plan.getFormats())
      key += " " + format.name;
    if (std::optional<std::vector<double>> known = record.find(key))
      return {(*known)[0], (*known)[1], (*known)[2], size_t((*known)[3])};
    PrecisionPlan::Measured measured = measure(plan, on);
    record.add(key, {measured.kl, measured.perplexity, measured.comparedPerplexity, double(measured.positions)});
    return measured;
  };
  SmallVector<MeasuredTexts *> parts = {&fitted};
  if (!heldOut.texts.empty())
    parts.insert(parts.begin(), &heldOut);
  auto finish = [&](PrecisionPlan plan) {
    plan.onFitted = measureOnce(plan, fitted);
    if (!heldOut.texts.empty())
      plan.onHeldOut = measureOnce(plan, heldOut);
    return plan;
  };

  if (budget.bytes) {
    if (double smallest = steps.getCost(steps.size()); smallest > double(*budget.bytes))
      throw std::runtime_error("--max-bytes: expected at least the " + print("%.0f", smallest) +
                               " bytes that the smallest formats take but got " + std::to_string(*budget.bytes));
    return finish(makePlan(steps.getChoicesWithin(double(*budget.bytes))));
  }
  double maxLoss = budget.kl ? *budget.kl : std::log1p(*budget.perplexityIncrease);
  // The larger loss of both parts: if the fitted texts lose more, the held-out texts are merely easier.
  auto getLoss = [&](const PrecisionPlan &plan) {
    double largest = -INFINITY;
    for (MeasuredTexts *part : parts) {
      PrecisionPlan::Measured measured = measureOnce(plan, *part);
      double loss = budget.kl ? measured.kl : std::log(measured.comparedPerplexity / measured.perplexity);
      if (!(loss <= maxLoss))
        return loss;
      largest = std::max(largest, loss);
    }
    return largest;
  };
  std::optional<Allowed> allowed =
      countAllowed(steps, maxLoss, [&](size_t count) { return getLoss(makePlan(steps.getChoices(count))); });
  if (!allowed) {
    PrecisionPlan exact = finish(makePlan(steps.getChoices(0)));
    double kl = std::max(exact.onFitted->kl, exact.onHeldOut ? exact.onHeldOut->kl : 0);
    throw std::runtime_error(std::string(budget.kl ? "--max-kl" : "--max-perplexity-increase") +
                             ": expected at least what the most exact formats lose, KL " + print("%.3g", kl) +
                             ", but got less");
  }
  PrecisionPlan plan = makePlan(steps.getChoices(allowed->count));
  // The next step may exceed the budget while smaller steps after it don't.
  double ratio = std::max(0.1, allowed->loss / steps.getLoss(allowed->count));
  PrecisionPlan further = makePlan(steps.getChoicesBeyond(allowed->count, maxLoss / ratio));
  if (further.getFormats() != plan.getFormats() && getLoss(further) <= maxLoss)
    return finish(further);
  return finish(plan);
}

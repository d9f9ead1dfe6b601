// Converts the catalog's facts of a kernel to the cost model's query (KernelCost.h).
#include "compiler/catalog/KernelCost.h"
#include "dialects/nstf/Target.h"

using namespace mlir;
using namespace nstf;

std::string TuningCandidate::str() const {
  std::string text;
  for (const auto &[name, value] : parameters)
    text += name + "=" + std::to_string(value) + " ";
  text += schedule.str();
  return StringRef(text).rtrim().str();
}

KernelCost::KernelCost(KernelOp region, const TemplateBinding &binding, systolic::KernelOp program,
                       const Target &target)
    : region(region), binding(binding), program(program),
      model(program, TargetView(target.attribute(program.getContext()))) {}

static double getBytes(Value value, int64_t tokens) {
  auto type = cast<RankedTensorType>(value.getType());
  double elements = 1;
  for (int64_t size : type.getShape())
    elements *= ShapedType::isDynamic(size) ? tokens : size;
  return elements * type.getElementTypeBitWidth() / 8;
}

systolic::KernelQuery KernelCost::makeQuery(int64_t tokens) const {
  KernelOp kernel = region;
  systolic::KernelQuery query;
  query.tokens = tokens;
  query.operand = binding.operandType;
  for (const TemplateBinding::Parameter &parameter : binding.parameters)
    query.parameters[parameter.name.str()] = parameter.getValue(tokens);
  auto setBits = [&](const std::string &buffer, Type type) {
    if (Type element = getElementTypeOrSelf(type); element.isIntOrFloat())
      query.bits[buffer] = element.getIntOrFloatBitWidth();
  };
  for (const TemplateBinding::Buffer &buffer : binding.buffers)
    setBits(buffer.name, buffer.value.getType());
  setBits("y", kernel.getResultTypes().front());
  // A matrix of codes counts with the bytes of all its planes.
  for (DequantizeOp matrix : kernel.getBody().getOps<DequantizeOp>())
    for (const TemplateBinding::Buffer &buffer : binding.buffers) {
      if (buffer.value != matrix.getCodes())
        continue;
      double bytes = 0;
      for (Plane plane : {Plane::codes, Plane::high, Plane::scales, Plane::zeros})
        if (Value value = matrix.getPlane(plane))
          bytes += getBytes(value, tokens);
      query.bits[buffer.name] = 8 * bytes / cast<RankedTensorType>(matrix->getResult(0).getType()).getNumElements();
    }
  return query;
}

systolic::Cost KernelCost::estimate(int64_t tokens, const std::map<std::string, int64_t> &parameters,
                                    const support::Schedule &schedule) const {
  systolic::KernelQuery query = makeQuery(tokens);
  for (const auto &[name, value] : parameters)
    query.parameters[name] = value;
  query.schedule = schedule;
  return model.estimate(query);
}

KernelCost::Space KernelCost::rank(int64_t tokens) const {
  Space space;
  std::optional<DictionaryAttr> tune = systolic::KernelOp(program).getTune();
  if (!tune || tune->empty())
    return space;
  std::vector<TuningCandidate> all(1);
  for (NamedAttribute entry : *tune) {
    std::string name = entry.getName().str();
    for (Attribute value : cast<ArrayAttr>(entry.getValue()))
      if (auto text = dyn_cast<StringAttr>(value); text && !systolic::CostModel::judges(name))
        space.unjudged[name].push_back(text.str());
    if (space.unjudged.contains(name))
      continue;
    std::vector<TuningCandidate> longer;
    for (const TuningCandidate &one : all)
      for (Attribute value : cast<ArrayAttr>(entry.getValue())) {
        TuningCandidate &next = longer.emplace_back(one);
        if (auto number = dyn_cast<IntegerAttr>(value))
          next.parameters[name] = number.getInt();
        else
          next.schedule.set(name, cast<StringAttr>(value).getValue());
      }
    all = std::move(longer);
  }
  space.size = all.size();
  systolic::KernelQuery query = makeQuery(tokens);
  for (TuningCandidate &one : all) {
    for (const auto &[name, value] : one.parameters)
      query.parameters[name] = value;
    query.schedule = one.schedule;
    one.cost = model.estimate(query);
    if (one.cost.isLegal())
      space.legal.push_back(std::move(one));
    else
      space.refusal = one.cost.refusal;
  }
  llvm::stable_sort(space.legal, [](const TuningCandidate &one, const TuningCandidate &other) {
    return one.cost.microseconds < other.cost.microseconds;
  });
  return space;
}

#include "compiler/import/WideProducts.h"

#include "dialects/nstf/F32Product.h"
#include "dialects/nstf/NSTF.h"
#include "support/Escape.h"
#include "support/InputError.h"
#include "support/Json.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace nstf;

/// The name of a linear's matrix as a weight of the model; empty if something else reads the matrix too.
static std::string findMatrix(LinearOp op) {
  Operation *maker = op.getW().getDefiningOp();
  if (!maker || !maker->hasOneUse())
    return "";
  auto get = dyn_cast<GetOp>(maker);
  if (auto dequantize = dyn_cast<DequantizeOp>(maker))
    get = dequantize->getOperand(0).getDefiningOp<GetOp>();
  auto weight = get ? op->getParentOfType<ModuleOp>().lookupSymbol<WeightOp>(get.getSymbol()) : WeightOp();
  if (!weight)
    return "";
  std::optional<PlaneSourceAttr> plane = weight.getPlane();
  return plane ? plane->getMatrix().str() : weight.getSymName().str();
}

static RankedTensorType withElement(Value value, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(value.getType()).getShape(), element);
}

/// Converts a linear's operands to bf16.
static void widen(LinearOp op, llvm::DenseMap<Value, Value> &converted) {
  OpBuilder builder(op);
  Type bf16 = builder.getBF16Type();
  Value matrix = op.getW();
  if (auto get = matrix.getDefiningOp<GetOp>()) {
    auto weight = op->getParentOfType<ModuleOp>().lookupSymbol<WeightOp>(get.getSymbol());
    weight.setType(withElement(matrix, bf16));
  }
  matrix.setType(withElement(matrix, bf16));
  Value &inputs = converted[op.getX()];
  if (!inputs) {
    builder.setInsertionPointAfterValue(op.getX());
    inputs = ConvertOp::create(builder, op.getLoc(), withElement(op.getX(), bf16), op.getX(), bf16);
  }
  op.getXMutable().assign(inputs);
}

void nstf::import::setWideProducts(ModuleOp module, const description::Config &config) {
  const nlohmann::json *products = config.findObject("nstf_products");
  if (!products)
    return;
  std::string place = "'" + config.name() + "': nstf_products: ";
  llvm::StringMap<LinearOp> linears;
  module.walk([&](LinearOp op) {
    std::string matrix = findMatrix(op);
    StringRef name = matrix;
    name.consume_back(".weight");
    if (!name.empty())
      linears[name] = op;
  });
  llvm::DenseMap<Value, Value> converted;
  for (const auto &[name, type] : products->items()) {
    if (type != "bf16" && type != "f32")
      throw support::InputError(place + "expected the type bf16 or f32 but got " + support::describeJson(type));
    auto linear = linears.find(name);
    if (linear == linears.end())
      throw support::InputError(place + "expected a linear with a matrix of its own but got '" + support::escape(name) +
                                "'");
    if (type == "bf16")
      widen(linear->second, converted);
    else
      linear->second->setAttr(f32ProductAttributeName, UnitAttr::get(module.getContext()));
  }
}

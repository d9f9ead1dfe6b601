// nstf-quantize-weights: stores the matrices of linears as codes and scales (Passes.td).
//
//   %w = nstf.get @up : tensor<172x64xf16>             %c = nstf.get @up.codes : tensor<172x8xi32>
//   %y = nstf.linear %x, %w                     ->     %s = nstf.get @up.scales : tensor<172x1xf16>
//                                                      %w = nstf.dequantize %c, %s {format = #nstf.int<4, …>}
//                                                      %y = nstf.linear %x, %w
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "passes/nstf/WeightPlan.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace nstf {
#define GEN_PASS_DEF_QUANTIZEWEIGHTSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct QuantizeWeightsPass : nstf::impl::QuantizeWeightsPassBase<QuantizeWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();
    if (format.empty() && plan.empty())
      return;
    planes.clear();
    replaced.clear();
    SymbolTable symbols(getOperation());
    SmallVector<Matrix> matrices = findMatrices(*graph, symbols);
    if (failed(chooseFormats(matrices, countReaders(*graph))))
      return signalPassFailure();
    int64_t count = 0, before = 0, after = 0;
    llvm::MapVector<GetOp, std::map<std::string, Value>> made;
    for (Matrix &matrix : matrices) {
      if (!matrix.format)
        continue;
      int64_t columns = cast<RankedTensorType>(matrix.weight.getType()).getDimSize(1);
      CodeFormat attribute = matrix.format->getAttr(&getContext(), columns);
      std::string name = getFormatName(attribute, matrix.format->zeros);
      if (matrix.format->group > columns) {
        matrix.linear.emitError() << "expected groups of at most the " << columns << " columns of weight '"
                                  << matrix.weight.getSymName() << "' for " << name << " but got "
                                  << matrix.format->group << "; smaller groups or a scale a row take every matrix";
        return signalPassFailure();
      }
      Value &value = made[matrix.get][name];
      if (!value) {
        value = makeMatrix(matrix, attribute, symbols, after);
        ++count;
        before += countBytes(matrix.weight.getType());
      }
      matrix.linear.getWMutable().assign(value);
    }
    for (auto &[get, values] : made)
      if (get->use_empty())
        get.erase();
    DenseSet<StringAttr> used; // collected once: a walk for each weight would be quadratic
    graph->walk([&](GetOp get) { used.insert(get.getSymbolAttr().getAttr()); });
    for (auto weight : llvm::make_early_inc_range(getOperation().getOps<WeightOp>()))
      if (isReplaced(weight) && !used.contains(weight.getSymNameAttr()))
        weight.erase();
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Quantized").category(getArgument()).function(graph->getSymName()))
        << "matrices of linears in " + (format.empty() ? std::string("the plan's formats") : format.getValue())
        << remark::metric("matrices", count) << remark::metric("bytes_before", before)
        << remark::metric("bytes", after);
  }

private:
  /// A linear and the weight that it reads.
  struct Matrix {
    LinearOp linear;
    GetOp get;
    WeightOp weight;
    std::optional<WeightFormat> format = std::nullopt;
  };

  /// The linears whose weights are plain floats.
  static SmallVector<Matrix> findMatrices(GraphOp graph, SymbolTable &symbols) {
    SmallVector<Matrix> matrices;
    for (LinearOp linear : graph.getBody().getOps<LinearOp>()) {
      auto get = linear.getW().getDefiningOp<GetOp>();
      auto weight = get ? symbols.lookup<WeightOp>(get.getSymbol()) : WeightOp();
      if (weight && !weight.getGenerator() && !weight.getPlane() &&
          isa<Float32Type, Float16Type, BFloat16Type>(getElementTypeOrSelf(weight.getType())))
        matrices.push_back({linear, get, weight});
    }
    return matrices;
  }

  LogicalResult chooseFormats(MutableArrayRef<Matrix> matrices, const DenseMap<StringAttr, int64_t> &readers) {
    if (plan.empty()) {
      std::optional<WeightFormat> one = parseWeightFormat(format);
      if (!one)
        return getOperation().emitError()
               << "expected a format of weights (" << getWeightFormatNames() << ") but got '" << format << "'";
      for (Matrix &matrix : matrices)
        matrix.format = one;
      return success();
    }
    if (!format.empty())
      return getOperation().emitError() << "expected a format or a plan but got both";
    std::vector<std::string> names;
    for (Matrix &matrix : matrices)
      names.push_back(getMatrixName(matrix.linear, matrix.weight, readers.at(matrix.weight.getSymNameAttr())));
    try {
      for (auto [matrix, planned] : llvm::zip_equal(matrices, readFormats(plan, names)))
        matrix.format = planned;
    } catch (const support::InputError &error) {
      return emitError(UnknownLoc::get(&getContext())) << error.what();
    }
    return success();
  }

  static int64_t countBytes(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
  }

  bool isReplaced(WeightOp weight) { return replaced.contains(weight.getSymNameAttr()); }

  /// Creates the planes beside the weight, and the dequantize op that stands for the matrix.
  Value makeMatrix(Matrix &matrix, CodeFormat attribute, SymbolTable &symbols, int64_t &bytes) {
    OpBuilder builder(matrix.get);
    Location loc = matrix.get.getLoc();
    bool hasZeros = matrix.format->zeros;
    auto getPlane = [&](Plane plane) -> Value {
      if ((plane == Plane::high && !attribute.getHighBits()) || (plane == Plane::zeros && !hasZeros))
        return {};
      WeightOp made = findPlane(matrix.weight, plane, attribute, hasZeros, symbols, bytes);
      return GetOp::create(builder, loc, made.getType(), made.getSymName());
    };
    Value codes = getPlane(Plane::codes), high = getPlane(Plane::high), scales = getPlane(Plane::scales),
          zeros = getPlane(Plane::zeros);
    replaced.insert(matrix.weight.getSymNameAttr());
    return DequantizeOp::create(builder, loc, cast<RankedTensorType>(matrix.weight.getType()), codes, high, scales,
                                zeros, attribute);
  }

  /// Several ops may read one weight; they share its planes.
  WeightOp findPlane(WeightOp weight, Plane plane, CodeFormat attribute, bool zeros, SymbolTable &symbols,
                     int64_t &bytes) {
    auto type = cast<RankedTensorType>(weight.getType());
    auto source = PlaneSourceAttr::get(&getContext(), plane, weight.getSymName(), type.getDimSize(0), attribute, zeros,
                                       weight.getSourceAttr(), /*stored=*/nullptr);
    WeightOp &made = planes[source];
    if (made)
      return made;
    OpBuilder builder(weight);
    made = WeightOp::create(builder, weight.getLoc(), (weight.getSymName() + "." + stringifyPlane(plane)).str(),
                            attribute.getPlaneType(plane, type.getDimSize(0)));
    made.setPlaneAttr(source);
    symbols.insert(made); // renames the plane if its name is taken
    bytes += countBytes(made.getType());
    return made;
  }

  DenseMap<PlaneSourceAttr, WeightOp> planes;
  DenseSet<StringAttr> replaced;
};

} // namespace

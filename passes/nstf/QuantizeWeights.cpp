// nstf-quantize-weights: products read codes and scales (Passes.td).
//
//   %w = nstf.get @up : tensor<172x64xf16>             %c = nstf.get @up.codes : tensor<172x8xi32>
//   %y = nstf.linear %x, %w                     ->     %s = nstf.get @up.scales : tensor<172x1xf16>
//                                                      %w = nstf.dequantize %c, %s {format = #nstf.int<4, …>}
//                                                      %y = nstf.linear %x, %w
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "passes/nstf/WeightFormat.h"

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
    if (format.empty())
      return;
    std::optional<WeightFormat> wanted = parseWeightFormat(format);
    if (!wanted) {
      getOperation().emitError() << "expected a format of weights (" << getWeightFormatNames() << ") but got '"
                                 << format << "'";
      return signalPassFailure();
    }
    planes.clear();
    replaced.clear();
    SymbolTable symbols(getOperation());
    int64_t matrices = 0, before = 0, after = 0;
    for (GetOp get : llvm::make_early_inc_range(graph->getBody().getOps<GetOp>())) {
      auto weight = symbols.lookup<WeightOp>(get.getSymbol());
      SmallVector<LinearOp> readers;
      for (Operation *user : get->getUsers())
        if (auto linear = dyn_cast<LinearOp>(user); linear && linear.getW() == get.getResult())
          readers.push_back(linear);
      if (!weight || weight.getGenerator() || weight.getPlane() || readers.empty() ||
          !isa<Float32Type, Float16Type, BFloat16Type>(getElementTypeOrSelf(weight.getType())))
        continue;
      int64_t columns = cast<RankedTensorType>(weight.getType()).getDimSize(1);
      if (wanted->group > columns) {
        readers.front().emitError() << "expected groups of at most the " << columns << " columns of weight '"
                                    << weight.getSymName() << "' for " << format << " but got " << wanted->group
                                    << "; smaller groups or a scale a row take every matrix";
        return signalPassFailure();
      }
      ++matrices;
      before += countBytes(weight.getType());
      OpBuilder builder(get);
      Value matrix = makeMatrix(builder, get, weight, *wanted, symbols, after);
      for (LinearOp linear : readers)
        linear.getWMutable().assign(matrix);
      if (get->use_empty())
        get.erase();
    }
    for (auto weight : llvm::make_early_inc_range(getOperation().getOps<WeightOp>()))
      if (isReplaced(weight) && SymbolTable::symbolKnownUseEmpty(weight, getOperation()))
        weight.erase();
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Quantized").category(getArgument()).function(graph->getSymName()))
        << "matrices of linears in " + format << remark::metric("matrices", matrices)
        << remark::metric("bytes_before", before) << remark::metric("bytes", after);
  }

private:
  static int64_t countBytes(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
  }

  bool isReplaced(WeightOp weight) { return replaced.contains(weight.getSymNameAttr()); }

  /// The planes beside the weight, and the matrix that they stand for.
  Value makeMatrix(OpBuilder &builder, GetOp get, WeightOp weight, const WeightFormat &wanted, SymbolTable &symbols,
                   int64_t &bytes) {
    auto type = cast<RankedTensorType>(weight.getType());
    CodeFormat attribute = wanted.getAttr(&getContext(), type.getDimSize(1));
    auto getPlane = [&](Plane plane) -> Value {
      if ((plane == Plane::high && !attribute.getHighBits()) || (plane == Plane::zeros && !wanted.zeros))
        return {};
      WeightOp made = findPlane(weight, plane, attribute, wanted.zeros, symbols, bytes);
      return GetOp::create(builder, get.getLoc(), made.getType(), made.getSymName());
    };
    Value codes = getPlane(Plane::codes), high = getPlane(Plane::high), scales = getPlane(Plane::scales),
          zeros = getPlane(Plane::zeros);
    replaced.insert(weight.getSymNameAttr());
    return DequantizeOp::create(builder, get.getLoc(), type, codes, high, scales, zeros, attribute);
  }

  /// A weight may be read in several places.
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
    symbols.insert(made); // renames it where the name is taken
    bytes += countBytes(made.getType());
    return made;
  }

  DenseMap<PlaneSourceAttr, WeightOp> planes;
  DenseSet<StringAttr> replaced;
};

} // namespace

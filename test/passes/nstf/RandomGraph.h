// Random graphs for property tests: every op, shared and single uses, caches, several outputs.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace nstf::test {

/// A module of one graph with about `size` operations, the same for the same seed.
inline mlir::OwningOpRef<mlir::ModuleOp> makeRandomGraph(mlir::MLIRContext &context, unsigned seed, int size) {
  std::mt19937 random(seed);
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  mlir::Type f32 = builder.getF32Type();
  const int64_t positions = 16, width = 8, dynamic = mlir::ShapedType::kDynamic;
  auto rowsType = mlir::RankedTensorType::get({dynamic, width}, f32);
  auto matrixType = mlir::RankedTensorType::get({width, width}, f32);
  auto cacheType = mlir::RankedTensorType::get({positions, width}, f32);
  auto tableType = mlir::RankedTensorType::get({positions + 1, width}, f32);
  auto vectorType = mlir::RankedTensorType::get({width}, f32), headType = mlir::RankedTensorType::get({width / 2}, f32);

  builder.setInsertionPointToEnd(module->getBody());
  WeightOp::create(builder, loc, "matrix", matrixType);
  WeightOp::create(builder, loc, "vector", vectorType);
  WeightOp::create(builder, loc, "head", headType);
  WeightOp::create(builder, loc, "positions", tableType);
  const unsigned results = 1 + random() % 3;
  auto type = builder.getFunctionType({rowsType, rowsType}, llvm::SmallVector<mlir::Type>(results, rowsType));
  auto graph = GraphOp::create(builder, loc, "main", type, positions);
  for (unsigned i = 0; i != 2; ++i)
    graph.setInputName(i, "x" + std::to_string(i));
  for (unsigned i = 0; i != results; ++i)
    graph.setOutputName(i, "y" + std::to_string(i));

  mlir::Block &body = graph.getBody().front();
  llvm::SmallVector<mlir::Value> values(body.getArguments());
  // Prefers late values: this makes long chains, and a few distant uses.
  auto any = [&]() { return values[values.size() - 1 - std::min<size_t>(random() % values.size(), random() % 6)]; };
  int caches = 0;
  auto append = [&](mlir::Value rows) -> mlir::Value {
    std::string name = "cache" + std::to_string(caches++);
    mlir::OpBuilder outside(graph);
    StateOp::create(outside, loc, name, cacheType);
    auto cache = GetOp::create(builder, loc, cacheType, name);
    return KvAppendOp::create(builder, loc, rows, cache);
  };
  builder.setInsertionPointToEnd(&body);
  for (int i = 0; i < size; ++i) {
    switch (random() % 12) {
    case 0:
    case 1: {
      mlir::Value weight = GetOp::create(builder, loc, matrixType, "matrix");
      values.push_back(LinearOp::create(builder, loc, any(), weight, mlir::Value()));
      break;
    }
    case 2: {
      bool ofHeads = random() % 2;
      mlir::Value weight = GetOp::create(builder, loc, ofHeads ? headType : vectorType, ofHeads ? "head" : "vector");
      values.push_back(RmsNormOp::create(builder, loc, any(), weight, builder.getF64FloatAttr(1e-5)));
      break;
    }
    case 3:
      values.push_back(SiluOp::create(builder, loc, any()));
      break;
    case 4:
      values.push_back(SwigluOp::create(builder, loc, any(), any()));
      break;
    case 5:
      values.push_back(AddOp::create(builder, loc, any(), any()));
      break;
    case 6:
      values.push_back(MulOp::create(builder, loc, any(), any()));
      break;
    case 7:
      values.push_back(SoftmaxOp::create(builder, loc, any()));
      break;
    case 9: {
      mlir::Value weight = GetOp::create(builder, loc, vectorType, "vector");
      mlir::Value bias = random() % 2 ? weight : mlir::Value();
      values.push_back(LayerNormOp::create(builder, loc, any(), weight, bias, builder.getF64FloatAttr(1e-5)));
      break;
    }
    case 10: {
      mlir::Value table = GetOp::create(builder, loc, tableType, "positions");
      values.push_back(AddPositionsOp::create(builder, loc, any(), table, builder.getI64IntegerAttr(random() % 2)));
      break;
    }
    case 11:
      if (random() % 2)
        values.push_back(GeluOp::create(builder, loc, any(), /*tanh=*/random() % 2));
      else
        values.push_back(TanhOp::create(builder, loc, any()));
      break;
    case 8: {
      mlir::Value k = any();
      if (random() % 2)
        k = RopeOp::create(builder, loc, k, mlir::Value(), builder.getI64IntegerAttr(4),
                           builder.getDenseF64ArrayAttr({1.0, 0.5}), mlir::UnitAttr(), builder.getF64FloatAttr(1.0));
      mlir::Value keys = append(k), rows = append(any());
      values.push_back(AttentionOp::create(builder, loc, any(), keys, rows, mlir::ValueRange(),
                                           builder.getI64IntegerAttr(2), builder.getI64IntegerAttr(2),
                                           builder.getUnitAttr(), builder.getF64FloatAttr(0.5),
                                           random() % 2 ? builder.getI64IntegerAttr(3) : mlir::IntegerAttr()));
      break;
    }
    }
  }
  // Outputs: different results of operations, the last one and others from anywhere.
  while (values.size() < 2 + results)
    values.push_back(SiluOp::create(builder, loc, any()));
  llvm::SmallVector<mlir::Value> outputs = {values.back()};
  values.pop_back();
  while (outputs.size() < results) {
    size_t index = 2 + random() % (values.size() - 2);
    outputs.push_back(values[index]);
    values.erase(values.begin() + index);
  }
  ReturnOp::create(builder, loc, outputs);
  return module;
}

} // namespace nstf::test

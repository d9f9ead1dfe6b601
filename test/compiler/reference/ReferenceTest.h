// Shared by tests of the reference: a context with the dialect, modules from text, tensors from lists.
#pragma once

#include "compiler/reference/ReferenceModel.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nstf::test {

using namespace nstf::reference;

class ReferenceTest : public ::testing::Test {
protected:
  ReferenceTest() { context.loadDialect<NSTFDialect>(); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  /// Runs a graph @main of one result "y" whose arguments are named a, b, c, ….
  Tensor evaluate(const std::string &arguments, const std::string &type, const std::string &body,
                  const std::vector<Tensor> &inputs, int64_t tokens, int64_t position = 0) {
    auto module = parse("nstf.graph @main(" + arguments + ") -> (" + type +
                        " {nstf.name = \"y\"}) attributes {context = 100 : i64} {\n" + body +
                        "\nnstf.return %y : " + type + "\n}");
    ReferenceModel model(*module);
    ReferenceModel::Tensors named;
    for (size_t i = 0; i < inputs.size(); ++i)
      named[std::string(1, static_cast<char>('a' + i))] = inputs[i];
    return model.run(named, tokens, position).at("y");
  }

  static std::vector<double> numbers(const Tensor &tensor) { return {tensor.data(), tensor.data() + tensor.size()}; }

  mlir::MLIRContext context;
};

inline std::string argument(const std::string &name, const std::string &type) {
  return "%" + name + ": " + type + " {nstf.name = \"" + name + "\"}";
}

} // namespace nstf::test

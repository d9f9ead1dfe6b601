// A model written by hand, with the numbers of its weights in files of the test.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "compiler/reference/WeightReader.h"
#include "test/compiler/checkpoint/TestFiles.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <bit>

namespace nstf::test {

class HandModel : public TestFiles {
protected:
  HandModel() { context.loadDialect<NSTFDialect>(); }

  /// Declares a weight of a shape ("2x3") and writes its numbers as f32, or as bf16, which must hold them.
  void addWeight(const std::string &name, const std::string &shape, const std::vector<float> &numbers,
                 const std::string &type = "f32") {
    std::string bytes;
    for (float number : numbers) {
      const uint32_t bits = std::bit_cast<uint32_t>(number);
      for (int byte = type == "bf16" ? 2 : 0; byte < 4; ++byte)
        bytes += char(bits >> 8 * byte);
    }
    declarations += "nstf.weight @\"" + name + "\" : tensor<" + shape + "xf32> from <\"" + write(name, bytes) +
                    "\", offset = 0, type = " + type + ">\n";
  }

  /// Parses a language model of the weights, whose graph has these lines and gives %logits of `columns` numbers.
  void parse(const std::string &lines, int columns, const std::string &states = "") {
    const std::string type = "tensor<?x" + std::to_string(columns) + "xf32>";
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "module attributes {nstf.model = {name = \"hand\"}} {\n" + declarations + states +
            "nstf.graph @main(%ids: tensor<?xi32> {nstf.name = \"ids\"}) -> (" + type +
            " {nstf.name = \"logits\"}) attributes {context = 16 : i64} {\n" + lines + "nstf.return %logits : " + type +
            "\n}\n}\n",
        &context);
    ASSERT_TRUE(module);
    found = calibrate::findLinearSites(*module);
  }

  /// The line that reads a weight: `%NAME = nstf.get @WEIGHT`.
  static std::string get(const std::string &name, const std::string &weight, const std::string &shape) {
    return "%" + name + " = nstf.get @" + weight + " : tensor<" + shape + "xf32>\n";
  }

  size_t findSite(const std::string &name) const {
    for (size_t i = 0; i < found.sites.size(); ++i)
      if (found.sites[i].name == name)
        return i;
    ADD_FAILURE() << "no site " << name;
    return 0;
  }
  size_t findInput(const std::string &name) const { return found.sites[findSite(name)].input; }

  WeightOp findWeight(const std::string &name) const { return mlir::ModuleOp(*module).lookupSymbol<WeightOp>(name); }

  std::string hashWeights() const { return calibrate::hashWeights(*module, std::nullopt); }

  /// Statistics of what the model's linears read, in the test's folder.
  calibrate::Calibration makeCalibration(const calibrate::Texts &texts, bool diagonal = false) const {
    calibrate::CalibrationOptions options;
    options.diagonal = diagonal;
    calibrate::calibrate(*module, texts, folder / "calibration", options);
    return {folder / "calibration", hashWeights()};
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  calibrate::LinearSites found;
  reference::WeightReader reader{std::nullopt};

private:
  std::string declarations;
};

} // namespace nstf::test

// What rounding cost a matrix: measured as it is written, kept beside its shard, reported.
#pragma once

#include "compiler/quantize/Gptq.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nstf::compress {

/// What became of a matrix. Errors are relative: of the weights, and of the outputs on the calibration's tokens.
struct MatrixReport {
  size_t site;
  std::string name, format;
  int64_t rows, columns;
  double weightError;
  std::optional<double> outputError, largestOutputError, outputCosine;
  uint64_t bytesBefore, bytes;
  std::vector<double> rowScales, columnScales; ///< what was multiplied into it and is folded elsewhere; empty: nothing
  std::optional<double> kl;                    ///< of this matrix alone
};

/// Sums over rows, which are added in their order. Those of outputs are 0 where nobody knows the inputs.
struct RoundingErrors {
  double weight = 0, weightError = 0, output = 0, outputError = 0, both = 0, largest = 0;

  void add(const RoundingErrors &other);
  /// Into the note of a matrix, whose rows are in it.
  void describe(nlohmann::ordered_json &note) const;
};

/// Of rows beside what their codes mean; `gptq` knows the inputs, or is null.
RoundingErrors measureRounding(const quantize::Format &format, const Eigen::MatrixXd &rows,
                               const std::vector<quantize::CodedRow> &coded, const quantize::Gptq *gptq);
/// Of rows beside what they became.
RoundingErrors measureRounding(const Eigen::MatrixXd &rows, const Eigen::MatrixXd &rounded, const quantize::Gptq *gptq);

/// What a note says.
MatrixReport readMatrixReport(const nlohmann::ordered_json &note);

} // namespace nstf::compress

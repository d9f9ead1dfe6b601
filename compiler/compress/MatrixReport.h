// The error of rounding a matrix: measured while it is written, stored next to its shard, and reported.
#pragma once

#include "compiler/quantize/Gptq.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nstf::compress {

/// The result for a matrix. Errors are relative: of the weights, and of the outputs on the calibration's tokens.
struct MatrixReport {
  size_t site;
  std::string name, format;
  int64_t rows, columns;
  double weightError;
  std::optional<double> outputError, largestOutputError, outputCosine;
  uint64_t bytesBefore, bytes;
  std::vector<double> rowScales, columnScales; ///< factors in the matrix that are undone elsewhere; empty: none
  std::optional<double> kl;                    ///< with only this matrix compressed
};

/// Sums over rows, added in row order. Those of outputs are 0 if the inputs are unknown.
struct RoundingErrors {
  double weight = 0, weightError = 0, output = 0, outputError = 0, both = 0, largest = 0;

  void add(const RoundingErrors &other);
  /// Adds the errors to the note of a matrix. Precondition: all of its rows are added.
  void describe(nlohmann::ordered_json &note) const;
};

/// Errors of coded rows. `gptq` has the sums of the inputs, or is null.
RoundingErrors measureRounding(const quantize::Format &format, const Eigen::MatrixXd &rows,
                               const std::vector<quantize::CodedRow> &coded, const quantize::Gptq *gptq);
/// Errors of rounded rows.
RoundingErrors measureRounding(const Eigen::MatrixXd &rows, const Eigen::MatrixXd &rounded, const quantize::Gptq *gptq);

/// Reads a note.
MatrixReport readMatrixReport(const nlohmann::ordered_json &note);

} // namespace nstf::compress

#include "compiler/compress/MatrixReport.h"

#include <cmath>

using namespace nstf;
using namespace nstf::compress;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Json = nlohmann::ordered_json;

void RoundingErrors::add(const RoundingErrors &other) {
  weight += other.weight;
  weightError += other.weightError;
  output += other.output;
  outputError += other.outputError;
  both += other.both;
  largest = std::max(largest, other.largest);
}

void RoundingErrors::describe(Json &note) const {
  note["weight_error"] = weight > 0 ? std::sqrt(weightError / weight) : 0;
  if (output <= 0)
    return;
  note["output_error"] = std::sqrt(std::max(0.0, outputError) / output);
  note["largest_output_error"] = std::sqrt(std::max(0.0, largest) / (output / note["rows"].get<double>()));
  note["output_cosine"] = (output + both) / std::sqrt(output * (output + 2 * both + outputError));
}

RoundingErrors nstf::compress::measureRounding(const quantize::Format &format, const MatrixXd &rows,
                                               const std::vector<quantize::CodedRow> &coded,
                                               const quantize::Gptq *gptq) {
  MatrixXd rounded(rows.rows(), rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i) {
    std::vector<double> numbers = quantize::decodeRow(format, coded[i]);
    rounded.row(i) = VectorXd::Map(numbers.data(), rows.cols()).transpose();
  }
  return measureRounding(rows, rounded, gptq);
}

RoundingErrors nstf::compress::measureRounding(const MatrixXd &rows, const MatrixXd &rounded,
                                               const quantize::Gptq *gptq) {
  const MatrixXd error = rounded - rows;
  RoundingErrors errors{rows.squaredNorm(), error.squaredNorm(), 0, 0, 0, 0};
  if (!gptq)
    return errors;
  VectorXd outputErrors = gptq->getProducts(error, error);
  errors.outputError = outputErrors.sum();
  errors.largest = outputErrors.maxCoeff();
  errors.output = gptq->getProducts(rows, rows).sum();
  errors.both = gptq->getProducts(rows, error).sum();
  return errors;
}

MatrixReport nstf::compress::readMatrixReport(const Json &note) {
  MatrixReport report{note["site"],
                      note["name"],
                      note["format"],
                      note["rows"],
                      note["columns"],
                      note["weight_error"],
                      {},
                      {},
                      {},
                      note["bytes_before"],
                      note["bytes"],
                      note.value("row_scales", std::vector<double>()),
                      note.value("column_scales", std::vector<double>()),
                      {}};
  if (note.contains("output_error")) {
    report.outputError = note["output_error"].get<double>();
    report.largestOutputError = note["largest_output_error"].get<double>();
    report.outputCosine = note["output_cosine"].get<double>();
  }
  return report;
}

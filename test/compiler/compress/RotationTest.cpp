// The rotation of the residual stream: what becomes of each matrix, and that the model stays the same function.
#include "compiler/compress/Rotation.h"

#include "compiler/calibrate/TextRunner.h"
#include "test/compiler/calibrate/HandModel.h"

#include <gmock/gmock.h>
#include <random>

using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using nstf::test::getError;
using reference::Matrix;
using testing::HasSubstr;

namespace {

/// A stream of six channels with one MLP: two norms, an embedding and a linear with a bias write to it.
class RotationTest : public test::HandModel {
protected:
  void addWeights(float norm = 0.75f) {
    addRandom("table", "3x6", 18);
    addRandom("up.weight", "5x6", 30);
    addRandom("down.weight", "6x5", 30);
    addRandom("down.bias", "6", 6);
    addRandom("head.weight", "3x6", 18);
    addWeight("norm1", "6", {0.5f, 2, norm, -1, 1.5f, 3});
    addWeight("norm2", "6", {1, -0.25f, 2, 0.5f, 1.25f, 1});
  }

  void parseModel() {
    addWeights();
    parse(begin() + rmsNorm("n1", "x", "norm1") + mlp("n1") + "%h = nstf.add %x, %down : tensor<?x6xf32>\n" +
              rmsNorm("n2", "h", "norm2") + head("n2"),
          3);
  }

  std::string refuse(const std::string &lines) {
    addWeights();
    parse(begin() + lines, 3);
    return getError([&] { Rotation(*module, found, reader); });
  }

  static std::string begin() {
    return get("t", "table", "3x6") + get("norm1", "norm1", "6") + get("norm2", "norm2", "6") +
           get("up_w", "up.weight", "5x6") + get("down_w", "down.weight", "6x5") + get("down_b", "down.bias", "6") +
           get("head_w", "head.weight", "3x6") +
           "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<3x6xf32>) -> tensor<?x6xf32>\n";
  }
  static std::string rmsNorm(const std::string &result, const std::string &x, const std::string &norm) {
    return "%" + result + " = nstf.rms_norm %" + x + ", %" + norm +
           " {eps = 1.0e-3 : f64} : (tensor<?x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>\n";
  }
  static std::string mlp(const std::string &x) {
    return "%up = nstf.linear %" + x +
           ", %up_w : (tensor<?x6xf32>, tensor<5x6xf32>) -> tensor<?x5xf32>\n"
           "%act = nstf.silu %up : tensor<?x5xf32>\n"
           "%down = nstf.linear %act, %down_w, %down_b : (tensor<?x5xf32>, tensor<6x5xf32>, tensor<6xf32>) -> "
           "tensor<?x6xf32>\n";
  }
  static std::string head(const std::string &x) {
    return "%logits = nstf.linear %" + x + ", %head_w : (tensor<?x6xf32>, tensor<3x6xf32>) -> tensor<?x3xf32>\n";
  }

  /// Q, row by row.
  static Matrix getQ() {
    Matrix q = Matrix::Identity(6, 6);
    const quantize::OrthogonalMatrix matrix(6);
    for (int64_t i = 0; i < 6; ++i)
      matrix.multiply({q.row(i).data(), 6});
    return q;
  }

  Matrix readMatrix(const std::string &weight) { return reader.read(findWeight(weight))->values; }

private:
  void addRandom(const std::string &name, const std::string &shape, size_t count) {
    std::vector<float> numbers(count);
    for (float &number : numbers)
      number = float(int64_t(engine() % 2001) - 1000) / 500;
    addWeight(name, shape, numbers);
  }

  std::mt19937_64 engine;
};

TEST_F(RotationTest, ChangesWhatTouchesTheStream) {
  parseModel();
  Rotation rotation(*module, found, reader);
  for (const char *site : {"up", "down", "head"})
    EXPECT_TRUE(rotation.changes(findSite(site))) << site;
  EXPECT_TRUE(rotation.readsResidual(findInput("up")));
  EXPECT_FALSE(rotation.readsResidual(findInput("down")));
  EXPECT_TRUE(rotation.readsResidual(findInput("head")));
  for (const char *weight : {"table", "norm1", "norm2", "down.bias"})
    EXPECT_TRUE(rotation.changes(findWeight(weight))) << weight;
  for (const char *weight : {"up.weight", "down.weight", "head.weight"})
    EXPECT_FALSE(rotation.changes(findWeight(weight))) << weight;
}

TEST_F(RotationTest, MultipliesByTheNormAndQ) {
  parseModel();
  Rotation rotation(*module, found, reader);
  const Matrix q = getQ();
  Matrix up = readMatrix("up.weight"), down = readMatrix("down.weight"), table = readMatrix("table"),
         norm = readMatrix("norm1");
  const Matrix expectedUp = up * norm.row(0).asDiagonal() * q, expectedDown = q.transpose() * down,
               expectedTable = table * q;
  rotation.apply(findSite("up"), up);
  rotation.apply(findSite("down"), down);
  rotation.apply(findWeight("table"), table);
  rotation.apply(findWeight("norm1"), norm);
  EXPECT_LT((up - expectedUp).norm(), 1e-12);
  EXPECT_LT((down - expectedDown).norm(), 1e-12);
  EXPECT_LT((table - expectedTable).norm(), 1e-12);
  EXPECT_EQ(norm, Matrix::Ones(1, 6));
}

TEST_F(RotationTest, TheModelStaysTheSame) {
  parseModel();
  Rotation rotation(*module, found, reader);
  auto readRotated = [&](WeightOp weight) {
    auto tensor = std::make_shared<Tensor>(*reader.read(weight));
    if (rotation.changes(weight))
      rotation.apply(weight, tensor->values);
    return tensor;
  };
  auto rotate = [&](LinearOp op) -> std::shared_ptr<const Tensor> {
    for (size_t i = 0; i < found.sites.size(); ++i)
      if (found.sites[i].op == op) {
        auto tensor = std::make_shared<Tensor>(*reader.read(found.sites[i].weight));
        rotation.apply(i, tensor->values);
        return tensor;
      }
    return nullptr;
  };
  const Texts texts = {{0, 1, 2, 1}};
  TextRunner own(*module, [&](WeightOp weight) { return reader.read(weight); }), rotated(*module, readRotated);
  const Matrix expected = own.run(texts)[0].values, got = rotated.run(texts, {}, rotate)[0].values;
  EXPECT_GT(expected.norm(), 1);
  EXPECT_LT((got - expected).norm(), 1e-9);
}

TEST_F(RotationTest, UndoesWhatItApplied) {
  parseModel();
  Rotation rotation(*module, found, reader);
  for (const char *name : {"up", "down", "head"}) {
    Matrix matrix = readMatrix(std::string(name) + ".weight");
    rotation.apply(findSite(name), matrix);
    EXPECT_GT((matrix - readMatrix(std::string(name) + ".weight")).norm(), 0.1);
    rotation.undo(findSite(name), matrix);
    EXPECT_LT((matrix - readMatrix(std::string(name) + ".weight")).norm(), 1e-12) << name;
  }
}

TEST_F(RotationTest, AColumnThatTheNormEndsStaysZero) {
  addWeights(/*norm=*/0);
  parse(begin() + rmsNorm("n1", "x", "norm1") + head("n1"), 3);
  Rotation rotation(*module, found, reader);
  Matrix matrix = readMatrix("head.weight"), expected = matrix;
  expected.col(2).setZero();
  rotation.apply(0, matrix);
  rotation.undo(0, matrix);
  EXPECT_LT((matrix - expected).norm(), 1e-12);
}

TEST_F(RotationTest, SumsAreOfRotatedInputs) {
  parseModel();
  Rotation rotation(*module, found, reader);
  const Matrix x = readMatrix("up.weight"), norm = readMatrix("norm1"); // any rows of a norm's result
  const Matrix rotated = x * norm.row(0).cwiseInverse().asDiagonal() * getQ();
  Eigen::MatrixXd sums = Eigen::MatrixXd(x.transpose() * x).triangularView<Eigen::Lower>(), others = sums;
  rotation.applySums(findInput("up"), sums);
  EXPECT_LT(
      (Eigen::MatrixXd(sums - rotated.transpose() * rotated).triangularView<Eigen::Lower>()).toDenseMatrix().norm(),
      1e-9);
  rotation.applySums(findInput("down"), others); // which the stream does not reach
  EXPECT_EQ(others, Eigen::MatrixXd(Eigen::MatrixXd(x.transpose() * x).triangularView<Eigen::Lower>()));
}

TEST_F(RotationTest, RefusesOtherReadersOfTheStream) {
  EXPECT_THAT(refuse("%y = nstf.layer_norm %x, %norm1 {eps = 0.0 : f64} : (tensor<?x6xf32>, tensor<6xf32>) -> "
                     "tensor<?x6xf32>\n" +
                     head("y")),
              HasSubstr("--rotate: expected a residual stream that norms of RMS read but got nstf.layer_norm"));
}

TEST_F(RotationTest, RefusesNormsThatShareAWeight) {
  EXPECT_THAT(refuse(rmsNorm("n1", "x", "norm1") + mlp("n1") + "%h = nstf.add %x, %down : tensor<?x6xf32>\n" +
                     rmsNorm("n2", "h", "norm1") + head("n2")),
              HasSubstr("expected a norm with a weight of its own but got nstf.rms_norm"));
}

TEST_F(RotationTest, RefusesOtherReadersOfANorm) {
  EXPECT_THAT(refuse(rmsNorm("n1", "x", "norm1") + "%act = nstf.silu %n1 : tensor<?x6xf32>\n" + head("act")),
              HasSubstr("expected norms that linears with weights of numbers read but got nstf.silu"));
}

TEST_F(RotationTest, RefusesOtherWritersToTheStream) {
  EXPECT_THAT(refuse(rmsNorm("n1", "x", "norm1") + mlp("n1") + "%y = nstf.silu %down : tensor<?x6xf32>\n" +
                     "%h = nstf.add %x, %y : tensor<?x6xf32>\n" + rmsNorm("n2", "h", "norm2") + head("n2")),
              HasSubstr("expected a residual stream that linears write to but got nstf.silu"));
}

} // namespace

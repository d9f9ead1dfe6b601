// The work that the cost model counts in templates, its estimates for schedules, and that a smaller chip is never
// faster.
#include "passes/analysis/CostModel.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "templates/Templates.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nstf::systolic {
namespace {

using testing::HasSubstr;

class CostModelTest : public testing::Test {
protected:
  CostModelTest() {
    context.loadDialect<SystolicDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect>();
  }

  KernelOp parse(const std::string &name) {
    module = mlir::parseSourceString<mlir::ModuleOp>(*templateText("kernels/" + name + ".mlir"), &context);
    return *module->getOps<KernelOp>().begin();
  }

  KernelQuery matmul(int64_t m, int64_t n, int64_t k, int64_t BM, int64_t BN, int64_t BK, const std::string &waves) {
    KernelQuery query;
    query.parameters = {{"M", m}, {"N", n}, {"K", k}, {"BM", BM}, {"BN", BN}, {"BK", BK}, {"ROWS", m}};
    query.schedule.set("waves", waves);
    query.tokens = m;
    return query;
  }

  Cost estimate(KernelOp kernel, const Target &target, const KernelQuery &query) {
    return modelOf(kernel, target).estimate(query);
  }

  CostModel modelOf(KernelOp kernel, const Target &target) {
    return CostModel(kernel, TargetView(target.attribute(&context)));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Target target = findTarget("gfx942");
};

TEST_F(CostModelTest, CountsWhatAMatmulDoes) {
  KernelWork work = countWork(parse("matmul"), matmul(500, 1000, 4096, 128, 64, 32, "2x2"));
  EXPECT_EQ(work.rows, 4);
  EXPECT_EQ(work.columns, 16);
  ASSERT_EQ(work.phases.size(), 2u);
  EXPECT_EQ(work.phases[0].storedBytes, 128 * 64 * 4);
  const PhaseWork &loop = work.phases[1];
  EXPECT_EQ(loop.rounds, 128);
  ASSERT_EQ(loop.loads.size(), 2u);
  EXPECT_EQ(loop.loads[0].bytes, 128 * 32 * 2);
  EXPECT_EQ(loop.loads[0].rowBytes, 64);
  EXPECT_TRUE(loop.loads[0].isOperand && loop.loads[0].byRow && !loop.loads[0].byColumn);
  EXPECT_TRUE(loop.loads[1].isOperand && !loop.loads[1].byRow && loop.loads[1].byColumn);
  ASSERT_EQ(loop.products.size(), 1u);
  EXPECT_EQ(loop.products[0].m, 128);
  EXPECT_EQ(loop.products[0].n, 64);
  EXPECT_EQ(loop.products[0].k, 32);
  EXPECT_TRUE(loop.products[0].type.isF16());
}

TEST_F(CostModelTest, CountsCodesByTheirBits) {
  KernelQuery query = matmul(64, 64, 64, 32, 32, 32, "2x2");
  query.bits["w"] = 4.25;
  KernelWork work = countWork(parse("matmul"), query);
  EXPECT_EQ(work.phases[1].loads[1].bytes, 32 * 32 * 4.25 / 8);
  EXPECT_TRUE(work.phases[1].loads[1].isCodes);
  EXPECT_FALSE(work.phases[1].loads[0].isCodes);
}

TEST_F(CostModelTest, CountsWhatANormDoes) {
  KernelQuery query;
  query.parameters = {{"M", 16}, {"N", 4096}, {"ROWS", 16}};
  KernelWork work = countWork(parse("rms_norm"), query);
  EXPECT_EQ(work.rows, 4);
  EXPECT_EQ(work.columns, 1);
  ASSERT_EQ(work.phases.size(), 3u);
  EXPECT_EQ(work.phases[1].rounds, 16);
  EXPECT_EQ(work.phases[1].loads.size(), 1u);
  EXPECT_EQ(work.phases[2].loads.size(), 2u);
  EXPECT_EQ(work.phases[2].storedBytes, 4 * 256 * 4);
}

TEST_F(CostModelTest, EveryTemplateHasATime) {
  for (std::string_view file : templateNames("kernels/")) {
    std::string name(file.substr(8, file.size() - 8 - 5));
    KernelOp kernel = parse(name);
    KernelQuery query;
    query.tokens = 16;
    query.operand = mlir::Builder(&context).getF16Type();
    for (const char *chip : {"gfx90a", "gfx942"}) {
      Cost cost = estimate(kernel, findTarget(chip), query);
      EXPECT_EQ(cost.refusal, "") << name;
      EXPECT_GT(cost.microseconds, 0.5) << name;
      EXPECT_LT(cost.microseconds, 1000) << name;
    }
  }
}

TEST_F(CostModelTest, MoreWorkTakesLonger) {
  KernelOp kernel = parse("matmul");
  double last = 0;
  for (int64_t size : {512, 1024, 2048, 4096, 8192}) {
    Cost cost = estimate(kernel, target, matmul(size, size, size, 128, 128, 64, "2x4"));
    EXPECT_GT(cost.microseconds, last);
    last = cost.microseconds;
  }
  Cost large = estimate(kernel, target, matmul(8192, 8192, 8192, 256, 224, 32, "4x2"));
  EXPECT_EQ(large.limiter, "matrix");
  EXPECT_EQ(large.workgroups, 32 * 37);
  EXPECT_EQ(large.rounds, 4);
}

TEST_F(CostModelTest, SaysWhichRuleRefuses) {
  KernelOp kernel = parse("matmul");
  auto refusal = [&](int64_t BM, int64_t BN, int64_t BK, const char *waves) {
    return estimate(kernel, target, matmul(1024, 1024, 1024, BM, BN, BK, waves)).refusal;
  };
  EXPECT_EQ(refusal(64, 64, 64, "2x2"), "");
  EXPECT_EQ(refusal(64, 64, 64, "4x8"), "expected at most 1024 work-items in a workgroup but got 32 waves of 64");
  EXPECT_THAT(refusal(16, 64, 64, "2x2"), HasSubstr("to tile a product of 16x64x64 on 2x2 waves"));
  EXPECT_EQ(refusal(256, 256, 32, "2x2"), "expected at most 128 accumulators a lane but got 256");
  EXPECT_THAT(refusal(256, 256, 256, "4x4"), HasSubstr("expected at most 65536 bytes of LDS but got 262144"));
  KernelQuery query = matmul(64, 64, 64, 32, 32, 32, "2x2");
  query.operand = mlir::Builder(&context).getI32Type();
  EXPECT_EQ(estimate(kernel, target, query).refusal,
            "expected products of a type that matrix cores multiply but got i32");
}

/// Halves each constant, on both chips.
TEST_F(CostModelTest, ASmallerChipIsNeverFaster) {
  KernelOp kernel = parse("matmul");
  int64_t Target::*fields[] = {&Target::computeUnits,      &Target::hbmReadBandwidth,    &Target::hbmWriteBandwidth,
                               &Target::mallReadBandwidth, &Target::l2ReadBytesPerClock, &Target::l1BytesPerClock,
                               &Target::l2Channels};
  const int64_t tiles[][3] = {{32, 32, 128},  {64, 64, 64},   {128, 64, 64},
                              {128, 128, 32}, {128, 128, 64}, {16, 64, 128}};
  const int64_t shapes[][3] = {
      {512, 512, 512}, {2048, 2048, 2048}, {16, 4096, 4096}, {1000, 760, 1048}, {4096, 512, 4096}};
  for (const char *chip : {"gfx90a", "gfx942"}) {
    Target whole = findTarget(chip);
    std::vector<CostModel> models = {modelOf(kernel, whole)};
    for (int64_t Target::*field : fields) {
      Target half = whole;
      half.*field /= 2;
      models.push_back(modelOf(kernel, half));
    }
    for (auto [m, n, k] : shapes)
      for (auto [BM, BN, BK] : tiles)
        for (const char *waves : {"1x1x4", "1x1x8", "2x2", "2x4", "4x2", "1x4"}) {
          KernelQuery query = matmul(m, n, k, BM, BN, BK, waves);
          double least = models.front().estimate(query).microseconds;
          for (size_t i = 1; i < models.size(); ++i)
            EXPECT_GE(models[i].estimate(query).microseconds, least)
                << chip << " field " << i - 1 << " " << m << "x" << n << "x" << k << " BM=" << BM << " BN=" << BN
                << " BK=" << BK << " " << waves;
        }
  }
}

} // namespace
} // namespace nstf::systolic

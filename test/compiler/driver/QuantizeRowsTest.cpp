// Quantised rows at sizes that no tile divides: every code and scale on both chips equals the reference's.
#include "test/compiler/driver/KernelTest.h"

using namespace nstf;
using namespace nstf::test;

namespace {

class QuantizeRowsTest : public KernelTest, public ::testing::WithParamInterface<const char *> {};

TEST_P(QuantizeRowsTest, CodesAndScales) {
  std::string code = GetParam(), arguments, results, body, names, types;
  int64_t count = 0;
  auto add = [&](std::string &list, const std::string &entry) { list += (list.empty() ? "" : ", ") + entry; };
  for (auto [columns, group, type] :
       {std::tuple(64, 64, "f32"), std::tuple(1, 1, "f32"), std::tuple(36, 12, "f32"), std::tuple(38, 38, "f16"),
        std::tuple(172, 43, "bf16"), std::tuple(300, 300, "f32"), std::tuple(4096, 128, "f32"),
        std::tuple(4097, 4097, "f32"), std::tuple(9000, 9000, "f16")}) {
    std::string n = std::to_string(count++), x = tensorType({-1, columns}, type),
                codes = tensorType({-1, columns}, code), scales = tensorType({-1, columns / group});
    add(arguments, "%x" + n + ": " + x + " {nstf.name = \"x" + n + "\"}");
    add(results, codes + " {nstf.name = \"q" + n + "\"}, " + scales + " {nstf.name = \"s" + n + "\"}");
    body += "%q" + n + ", %s" + n + " = nstf.quantize %x" + n + " {type = " + code +
            ", group = " + std::to_string(group) + "} : " + x + " -> " + codes + ", " + scales + "\n";
    add(names, "%q" + n + ", %s" + n);
    add(types, codes + ", " + scales);
  }
  options.maxTokens = 65;
  if (code != "i8")
    options.targets = {"gfx942"};
  compile("nstf.graph @main(" + arguments + ") -> (" + results + ") attributes {context = 128 : i64} {\n" + body +
          "nstf.return " + names + " : " + types + "\n}\n");
  if (!HasFatalFailure())
    expectReference({{1, 2, 16, 17, 64, 65}, {}});
}

// The norm's kernel quantises its rows if nothing else reads them.
TEST_P(QuantizeRowsTest, OfNorms) {
  std::string code = GetParam(), weights, arguments, results, body, names, types;
  int64_t count = 0;
  auto add = [&](std::string &list, const std::string &entry) { list += (list.empty() ? "" : ", ") + entry; };
  for (auto [norm, columns] : {std::pair("rms_norm", 1),
                               {"rms_norm", 38},
                               {"rms_norm", 300},
                               {"rms_norm", 4097},
                               {"rms_norm", 9000},
                               {"layer_norm", 172},
                               {"layer_norm", 4096},
                               {"l2_normalize", 64}}) {
    std::string n = std::to_string(count++), x = tensorType({-1, columns}), w = tensorType({columns}),
                codes = tensorType({-1, columns}, code), scales = tensorType({-1, 1});
    bool hasWeight = norm != std::string("l2_normalize");
    weights += hasWeight ? "nstf.weight @w" + n + " : " + w + "\n" : "";
    body += hasWeight ? "%w" + n + " = nstf.get @w" + n + " : " + w + "\n" : "";
    body += "%y" + n + " = nstf." + norm + " %x" + n + (hasWeight ? ", %w" + n : "") + " {eps = 1.0e-5 : f64} : (" + x +
            (hasWeight ? ", " + w : "") + ") -> " + x + "\n";
    add(arguments, "%x" + n + ": " + x + " {nstf.name = \"x" + n + "\"}");
    add(results, codes + " {nstf.name = \"q" + n + "\"}, " + scales + " {nstf.name = \"s" + n + "\"}");
    body += "%q" + n + ", %s" + n + " = nstf.quantize %y" + n + " {type = " + code +
            ", group = " + std::to_string(columns) + "} : " + x + " -> " + codes + ", " + scales + "\n";
    add(names, "%q" + n + ", %s" + n);
    add(types, codes + ", " + scales);
  }
  options.maxTokens = 65;
  if (code != "i8")
    options.targets = {"gfx942"};
  compile(weights + "nstf.graph @main(" + arguments + ") -> (" + results + ") attributes {context = 128 : i64} {\n" +
          body + "nstf.return " + names + " : " + types + "\n}\n");
  if (!HasFatalFailure())
    expectReference({{1, 17, 65}, {}});
}

INSTANTIATE_TEST_SUITE_P(Types, QuantizeRowsTest, ::testing::Values("i8", "f8E4M3FNUZ"),
                         [](const auto &info) { return info.param; });

} // namespace

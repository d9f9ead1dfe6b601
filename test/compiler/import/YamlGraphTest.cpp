// Graphs in YAML: the import of one, and the error line of every defect.
#include "compiler/import/YamlGraph.h"

#include "compiler/description/GraphDescription.h"
#include "compiler/import/GraphBuilder.h"
#include "test/compiler/import/ImportTest.h"

#include <fstream>
#include <sstream>

using namespace nstf;
using namespace nstf::description;
using namespace nstf::import;
using namespace nstf::test;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

std::string readText(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class YamlGraphTest : public ImportTest {
protected:
  /// The result of importing this text; each line begins with `@`.
  std::string imported(const std::string &text, ImportOptions options = {}) {
    std::string file = write("graph.yaml", text);
    return printed([&](mlir::MLIRContext *context) { return importYamlGraph(file, context, options); });
  }

  /// A graph of input x [tokens, 4] and weight w [4, 4] with these nodes (from line 9 on) and the output `y`.
  std::string withNodes(const std::string &nodes) {
    return imported("name: g\n"
                    "context: 8\n"
                    "inputs:\n"
                    "  x: [tokens, 4]\n"
                    "weights:\n"
                    "  w: [4, 4]\n"
                    "  v: [4]\n"
                    "nodes:\n" +
                    nodes + "outputs: {result: y}\n");
  }
};

TEST_F(YamlGraphTest, Mlp) {
  write("mlp.yaml", readText(std::string(NSTF_SOURCE_DIR) + "/test/compiler/import/Inputs/mlp.yaml"));
  writeTensors("mlp.safetensors",
               {{"fc1.weight", {33, 20}}, {"fc1.bias", {33}}, {"fc2.weight", {20, 33}}, {"head.weight", {7, 20}}});
  auto import = [&](mlir::MLIRContext *context) { return importYamlGraph(path("mlp.yaml"), context); };
  std::string text = printed(import);
  EXPECT_THAT(text, HasSubstr("nstf.weight @fc2.weight : tensor<20x33xf32> from <\"mlp.safetensors\", offset = "));
  EXPECT_THAT(text, HasSubstr("nstf.graph @mlp(%arg0: tensor<?x20xf32> {nstf.name = \"x\"}"));
  EXPECT_THAT(text, HasSubstr("-> (tensor<?x7xf32> {nstf.name = \"probabilities\"}, tensor<?xi32> {nstf.name = "
                              "\"choice\"}) attributes {context = 64 : i64}"));
  EXPECT_THAT(text, HasSubstr("(tensor<?x20xf32>, tensor<33x20xf32>, tensor<33xf32>) -> tensor<?x33xf32> "
                              "loc(\"fc1\"(\"mlp.yaml\":21:3))"));
  std::filesystem::remove(path("mlp.safetensors"));
  EXPECT_THAT(printed(import), HasSubstr("No such file"));
}

TEST_F(YamlGraphTest, NodesInAnyOrderAndAttributesOfEveryKind) {
  std::string text = withNodes("  y: {op: rms_norm, operands: [r, v], attributes: {eps: 0}}\n"
                               "  r: {op: rope, operands: [a], attributes: {head_size: 2 + 2, inv_freq: [1, 0.5], "
                               "interleaved: true, scale: 2}}\n"
                               "  a: {op: linear, operands: [x, w]}\n");
  EXPECT_THAT(text, HasSubstr("nstf.weight @w : tensor<4x4xf32> loc"));
  EXPECT_THAT(text, HasSubstr("{head_size = 4 : i64, interleaved, inv_freq = array<f64: 1.000000e+00, 5.000000e-01>, "
                              "scale = 2.000000e+00 : f64}"));
  EXPECT_THAT(text, HasSubstr("{eps = 0.000000e+00 : f64}"));
}

TEST_F(YamlGraphTest, TypesByExpressionAndInputsByCondition) {
  auto graph = [&](const std::string &type, const std::string &bias) {
    return imported("name: g\nabout: a product\n"
                    "parameters: {type: \"'" +
                    type + "'\", bias: " + bias +
                    "}\n"
                    "inputs:\n"
                    "  x: {type: \"{type}\", shape: [2, 4], about: rows}\n"
                    "  w: {type: \"{type}\", shape: [3, 4]}\n"
                    "  b: {shape: [3], when: bias}\n"
                    "nodes:\n"
                    "  product: {op: linear, operands: [x, w, b | none]}\n"
                    "  y: {op: convert, operands: [product], attributes: {type: type}, when: type != 'f32'}\n"
                    "outputs: {y: y | product}\n");
  };
  std::string text = graph("bf16", "true");
  EXPECT_THAT(text, HasSubstr("(tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3xf32>) -> tensor<2x3xf32>"));
  EXPECT_THAT(text, HasSubstr("nstf.convert %0 {type = bf16}"));
  text = graph("f32", "false");
  EXPECT_THAT(text, HasSubstr("(tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>"));
  EXPECT_THAT(text, Not(HasSubstr("convert")));
  EXPECT_THAT(graph("f8", "false"),
              HasSubstr("graph.yaml:5:3: 'x': expected a type of f32, f16, bf16, i32, e4m3fnuz or i8 but got 'f8'"));
}

TEST_F(YamlGraphTest, RepeatedSections) {
  const char *text = R"(
name: tower
parameters: {depth: 3, width: 4, wide: depth > 2}
context: 8
inputs: {x: [tokens, width]}
repeat:
  floor:
    count: depth
    prefix: "floors.{i}."
    carry: {h: {first: x, next: out}}
    weights:
      w: {shape: [width, width], tensor: "w{i * 10}"}
      b: {shape: [width], when: i == 1}
    nodes:
      product: {op: linear, operands: [h, w, b | none]}
      out: {op: add, operands: [product, h], when: wide}
nodes:
  y: {op: silu, operands: [floor.h]}
outputs: {y: y}
)";
  std::string module = imported(text);
  EXPECT_THAT(module, HasSubstr("@floors.2.w"));
  EXPECT_THAT(module, HasSubstr("loc(\"floors.2.out\"("));
  EXPECT_THAT(module, HasSubstr("nstf.linear %2, %3, %4 : (tensor<?x4xf32>, tensor<4x4xf32>, tensor<4xf32>)"));
  EXPECT_THAT(module, testing::Not(HasSubstr("@floors.0.b")));
  write("c.safetensors", "");
  std::string withFile = std::string(text) + "checkpoint: c.safetensors\n";
  writeTensors("c.safetensors", {{"w0", {4, 4}}, {"w10", {4, 4}}, {"floors.1.b", {4}}});
  EXPECT_THAT(imported(withFile), HasSubstr("tensor 'w20' is missing ("));
}

TEST_F(YamlGraphTest, WrongNodes) {
  EXPECT_THAT(withNodes("  y: {op: lineer, operands: [x, w]}\n"),
              StartsWith("graph.yaml:9:3: node 'y': unknown op 'lineer', did you mean 'linear'? (known: add, "
                         "add_positions, argmax, attention, "));
  EXPECT_THAT(withNodes("  y: {op: graph, operands: [x]}\n"), HasSubstr("unknown op 'graph'"));
  EXPECT_THAT(withNodes("  y: {op: silu, operands: [z]}\n"), StartsWith("graph.yaml:9:28: unknown operand 'z'"));
  EXPECT_THAT(withNodes("  y: {op: silu, operands: []}\n"), HasSubstr("requires a single operand"));
  EXPECT_THAT(withNodes("  a: {op: add, operands: [x, c]}\n"
                        "  b: {op: silu, operands: [a]}\n"
                        "  c: {op: silu, operands: [b]}\n"
                        "  y: {op: silu, operands: [c]}\n"),
              StartsWith("graph.yaml:9:3: cycle: 'a' reads 'c', which reads 'b', which reads 'a'\n"));
  EXPECT_THAT(withNodes("  y: {op: silu, operands: [y]}\n"), StartsWith("graph.yaml:9:3: cycle: 'y' reads 'y'\n"));
  EXPECT_THAT(withNodes("  y: {op: silu, operands: [x]}\n  y: {op: silu, operands: [x]}\n"),
              StartsWith("graph.yaml:10:3: expected every key once but got 'y' again"));
  EXPECT_THAT(withNodes("  x: {op: silu, operands: [x]}\n"), StartsWith("graph.yaml:9:3: expected different names"));
  EXPECT_THAT(withNodes("  y: {op: silu}\n"),
              HasSubstr("expected the key 'operands' with those of node 'y' but got none"));
  EXPECT_THAT(
      withNodes("  y: {op: silu, operand: [x]}\n"),
      StartsWith("graph.yaml:9:17: expected one of the keys op, operands, results, attributes, when but got 'operand', "
                 "did you mean 'operands'?"));
  EXPECT_THAT(withNodes("  y: {op: silu, operands: [x | none | w]}\n"), HasSubstr("'name | none'"));
}

TEST_F(YamlGraphTest, WrongShapes) {
  EXPECT_THAT(withNodes("  a: {op: silu, operands: [x]}\n  y: {op: linear, operands: [a, v]}\n"),
              StartsWith("graph.yaml:10:3: 'nstf.linear' op operand #1 must be static [rows, columns] tensor"));
  EXPECT_THAT(withNodes("  y: {op: add, operands: [x, w]}\n"), StartsWith("graph.yaml:9:3: 'nstf.add' op "));
  EXPECT_THAT(withNodes("  y: {op: embedding, operands: [x, v]}\n"),
              StartsWith("graph.yaml:9:3: 'nstf.embedding' op operand #0"));
  EXPECT_THAT(withNodes("  y: {op: linear, operands: [x, w, v, v]}\n"),
              StartsWith("graph.yaml:9:3: 'nstf.linear' op "));
  std::string text = imported("name: g\ncontext: 8\ninputs: {x: [tokens, 4]}\nweights: {w: [4, 5]}\nnodes:\n"
                              "  y: {op: linear, operands: [x, w]}\noutputs: {y: y}\n");
  EXPECT_THAT(text, StartsWith("graph.yaml:6:3: 'nstf.linear' op expected K of x and w to be equal but got 4 and 5"));
}

TEST_F(YamlGraphTest, WrongAttributes) {
  auto norm = [&](const std::string &attributes) {
    return withNodes("  y: {op: rms_norm, operands: [x, v], attributes: {" + attributes + "}}\n");
  };
  EXPECT_THAT(norm("epsilon: 1"),
              StartsWith("graph.yaml:9:3: node 'y': 'rms_norm' has no attribute 'epsilon' (known: eps)"));
  EXPECT_THAT(norm("eps: \"'small'\""), HasSubstr("attribute 'eps' can't be 'small'"));
  EXPECT_THAT(norm("eps: [1, 2]"), HasSubstr("attribute 'eps' can't be [1, 2]"));
  EXPECT_THAT(norm(""), StartsWith("graph.yaml:9:3: 'nstf.rms_norm' op requires attribute 'eps'"));
  EXPECT_THAT(norm("eps: -1"), HasSubstr("eps"));
  EXPECT_THAT(norm("eps: small"), StartsWith("graph.yaml:9:52: in 'small': unknown name 'small'"));
}

TEST_F(YamlGraphTest, WrongFiles) {
  EXPECT_THAT(imported("a: [\n"), StartsWith("graph.yaml:2:1: expected YAML but got this: "));
  EXPECT_THAT(imported(""), HasSubstr("expected the file to be a map"));
  EXPECT_THAT(imported("- 1\n"), HasSubstr("expected the file to be a map"));
  EXPECT_THAT(imported("name: g\n"), HasSubstr("expected the key 'inputs' with the graph's inputs but got none"));
  EXPECT_THAT(imported("name: g\nnodez: {}\n"), StartsWith("graph.yaml:2:1: expected one of the keys name"));
  EXPECT_THAT(imported("name: g\ninputs: {x: [tokens, 4]}\nnodes: {}\noutputs: {y: x}\n"),
              StartsWith("graph.yaml:2:10: input 'x' has 'tokens' rows: expected a key 'context'"));
  EXPECT_THAT(imported("name: g\ncontext: 0\ninputs: {}\nnodes: {}\noutputs: {y: x}\n"),
              StartsWith("graph.yaml:2:10: expected the context to be a whole number of at least 1 but got 0"));
  EXPECT_THAT(imported("name: g\ninputs: {x: [4, tokens]}\nnodes: {}\noutputs: {y: x}\n"),
              HasSubstr("expected 'tokens' as the first extent of an input only"));
  EXPECT_THAT(imported("name: g\ninputs: {x: [4, 0]}\nnodes: {}\noutputs: {y: x}\n"),
              HasSubstr("an extent of 'x' to be a whole number of at least 1 but got 0"));
  EXPECT_THAT(imported("name: g\ninputs: {x: {type: f99, shape: [4]}}\nnodes: {}\noutputs: {y: x}\n"),
              HasSubstr(" to be f32, f16, bf16, i32, e4m3fnuz or i8 but got 'f99'"));
  EXPECT_THAT(imported("name: g\ninputs: {}\nnodes: {}\noutputs: {}\n"), HasSubstr("expected at least one output"));
  EXPECT_THAT(imported("name: g\nparameters: {n: 1 +}\ninputs: {}\nnodes: {}\noutputs: {y: x}\n"),
              StartsWith("graph.yaml:2:17: parameter 'n': in '1 +': expected a value"));
  EXPECT_THAT(imported("name: g\nparameters: {n: {key: n}}\ninputs: {}\nnodes: {}\noutputs: {y: x}\n"),
              HasSubstr("a graph has no configuration to read"));
  EXPECT_THAT(imported("name: g\nparameters: {n: 3}\nchecks: [{that: n % 2 == 0, message: \"n is {n}\"}]\n"
                       "inputs: {}\nnodes: {}\noutputs: {y: x}\n"),
              StartsWith("graph.yaml:3:10: n is 3"));
  EXPECT_THAT(
      imported("name: g\ninputs: {}\nrepeat: {s: {count: 1000000000, prefix: a}}\nnodes: {}\noutputs: {y: x}\n"),
      StartsWith("graph.yaml:3:10: expected the count of 's' to be at most 10000 but got 1000000000"));
  EXPECT_THAT(imported("name: g\ninputs: {}\nrepeat: {s: {count: 2, prefix: a, carry: {h: {first: s.h, next: h}}}}\n"
                       "nodes: {}\noutputs: {y: s.h}\n"),
              HasSubstr("cycle: the carried value"));
  EXPECT_THAT(
      imported("name: g\ninputs: {x: [4, 4]}\nweights: {w: {shape: [4], when: false}}\nnodes: {}\noutputs: {y: w}\n"),
      HasSubstr("operand 'w' isn't there: its condition is false"));
  EXPECT_THAT(imported("name: g\narchitectures: [A]\ninputs: {x: [4, 4]}\nnodes: {}\noutputs: {y: x}\n"),
              HasSubstr("describes an architecture"));
}

// A file that is cut off, or has a wrong byte, is read or refused, but never crashes the importer.
TEST_F(YamlGraphTest, DamagedFiles) {
  std::string whole = readText(std::string(NSTF_SOURCE_DIR) + "/test/compiler/import/Inputs/mlp.yaml") + "\n" +
                      readText(std::string(NSTF_SOURCE_DIR) + "/templates/models/llama.yaml");
  whole = whole.substr(whole.find("name: llama"));
  int refused = 0, read = 0;
  uint64_t state = 1;
  for (int i = 0; i < 600; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::string text = whole;
    size_t at = (state >> 33) % text.size();
    if (i % 3 == 0)
      text.resize(at);
    else if (i % 3 == 1)
      text[at] = "[]{}:|?-\n'\"1a \t#&*!"[(state >> 20) % 19];
    else
      text.erase(at, (state >> 10) % 30);
    try {
      readGraphDescription(text, "damaged.yaml");
      ++read;
    } catch (const support::InputError &error) {
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 20);
}

// graph.schema.json and the reader know the same keys.
TEST_F(YamlGraphTest, SchemaKnowsTheReadersKeys) {
  auto schema =
      nlohmann::json::parse(readText(std::string(NSTF_SOURCE_DIR) + "/compiler/description/graph.schema.json"));
  for (const auto &[kind, keys] : knownKeys()) {
    const nlohmann::json &place = kind == "document" ? schema : schema.at("$defs").at(kind);
    std::set<std::string> known(keys.begin(), keys.end()), described;
    for (const auto &[key, value] : place.at("properties").items())
      described.insert(key);
    EXPECT_EQ(described, known) << kind;
    EXPECT_EQ(place.at("additionalProperties"), false) << kind;
  }
}

} // namespace

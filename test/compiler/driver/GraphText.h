// Writes nstf graphs as text: many operations of many sizes in one module, so that one compilation tests them all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nstf::test {

/// "tensor<?x64xf32>"; -1 stands for the tokens of the step.
inline std::string tensorType(const std::vector<int64_t> &shape, const std::string &element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  return text + element + ">";
}

/// A value of the graph: its name and type.
struct TextValue {
  std::string name, type;
};

class GraphText {
public:
  static constexpr int64_t tokens = -1;

  explicit GraphText(int64_t context, int64_t vocabulary = 0) : context(context), vocabulary(vocabulary) {}

  TextValue input(const std::vector<int64_t> &shape, const std::string &element = "f32", std::string name = "") {
    if (name.empty())
      name = "in" + std::to_string(inputs++);
    TextValue value{"%" + name, tensorType(shape, element)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type + " {nstf.name = \"" + name + "\"}";
    return value;
  }

  TextValue weight(const std::vector<int64_t> &shape, const std::string &element = "f32") {
    return symbol("weight", "w", shape, element);
  }
  TextValue state(const std::vector<int64_t> &shape, const std::string &element = "f32") {
    return symbol("state", "s", shape, element);
  }

  /// `name` is "linear" or such; `attributes` is "{…}" or empty. Operands of attention from the fourth on are scales.
  TextValue op(const std::string &name, const std::vector<TextValue> &operands, const std::string &type,
               const std::string &attributes = "") {
    TextValue result = fresh(type);
    std::string types;
    body += result.name + " = nstf." + name;
    for (const TextValue &operand : operands) {
      bool isScales = name == "attention" && &operand == &operands[0] + 3;
      body += (types.empty() ? " " : isScales ? " scales " : ", ") + operand.name;
      types += (types.empty() ? "" : ", ") + operand.type;
    }
    // Elementwise operations and softmax are written with a single type.
    bool isSameType = true;
    for (const char *other : {"linear", "embedding", "rms_norm", "rope", "kv_append", "attention", "argmax", "last_row",
                              "first_row", "mean_rows", "layer_norm", "l2_normalize", "add_positions", "convert"})
      isSameType &= name != other;
    body += " " + attributes + " : " + (isSameType ? type : "(" + types + ") -> " + type) + "\n";
    return result;
  }

  void output(const TextValue &value) {
    std::string name = "out" + std::to_string(outputs++);
    results += (results.empty() ? "" : ", ") + value.type + " {nstf.name = \"" + name + "\"}";
    names += (names.empty() ? "" : ", ") + value.name;
    types += (types.empty() ? "" : ", ") + value.type;
  }

  std::string text() const {
    std::string attributes =
        "module attributes {nstf.model = {name = \"kernels\", architecture = \"test\", vocabulary = " +
        std::to_string(vocabulary) + " : i64}} {\n";
    return attributes + symbols + "nstf.graph @main(" + arguments + ") -> (" + results +
           ") attributes {context = " + std::to_string(context) + " : i64} {\n" + body + "nstf.return " + names +
           " : " + types + "\n}\n}\n";
  }

private:
  TextValue fresh(const std::string &type) { return {"%v" + std::to_string(values++), type}; }

  TextValue symbol(const std::string &kind, const std::string &prefix, const std::vector<int64_t> &shape,
                   const std::string &element = "f32") {
    std::string name = "@" + prefix + std::to_string(values);
    std::string type = tensorType(shape, element);
    symbols += "nstf." + kind + " " + name + " : " + type + "\n";
    TextValue result = fresh(type);
    body += result.name + " = nstf.get " + name + " : " + type + "\n";
    return result;
  }

  int64_t context, vocabulary;
  int inputs = 0, outputs = 0, values = 0;
  std::string symbols, arguments, results, body, names, types;
};

} // namespace nstf::test

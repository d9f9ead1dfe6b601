// What a YAML file says about a graph: the reader.

#include "compiler/description/GraphDescription.h"

#include "support/Escape.h"
#include "support/Yaml.h"

#include <algorithm>
#include <set>

using namespace nstf;

const std::map<std::string, std::vector<std::string>> &nstf::knownKeys() {
  static const std::map<std::string, std::vector<std::string>> keys = {
      {"document",
       {"name", "about", "architectures", "optional_prefix", "refuse", "parameters", "checks", "context", "checkpoint",
        "model", "inputs", "weights", "states", "repeat", "nodes", "outputs"}},
      {"parameter", {"key", "tensor", "about", "type", "nullable", "default", "minimum", "maximum", "one_of"}},
      {"check", {"that", "message"}},
      {"model", {"vocabulary", "bos", "eos"}},
      {"input", {"type", "shape", "about", "when"}},
      {"weight", {"type", "shape", "when", "tensor", "stored", "slice", "transposed"}},
      {"slice", {"axis", "from", "count"}},
      {"state", {"type", "shape", "about", "when"}},
      {"repeat", {"count", "variable", "prefix", "carry", "weights", "states", "nodes"}},
      {"carry", {"first", "next"}},
      {"node", {"op", "operands", "attributes", "when"}},
  };
  return keys;
}

namespace {

class Reader {
public:
  explicit Reader(const std::string &file) { graph.file = file; }

  GraphDescription read(const std::string &text) {
    YAML::Node root;
    try {
      root = support::loadYaml(text);
    } catch (const YAML::Exception &error) {
      throw ImportError(graph.file, place(error.mark), "not YAML: " + error.msg);
    }
    readDocument(root);
    return std::move(graph);
  }

private:
  using Entry = std::pair<YAML::Node, YAML::Node>;

  static Place place(const YAML::Mark &mark) { return {mark.line + 1, mark.column + 1}; }
  static Place place(const YAML::Node &node) { return place(node.Mark()); }

  /// The message is one line, whatever a quoted text of the file holds.
  [[noreturn]] void fail(Place place, std::string message) {
    std::replace_if(message.begin(), message.end(), [](unsigned char c) { return c < ' '; }, ' ');
    throw ImportError(graph.file, place, message);
  }

  /// The entries of a map in their order, each key once.
  std::vector<Entry> entries(const YAML::Node &node, const std::string &what) {
    if (!node.IsMap())
      fail(place(node), "expected " + what + " to be a map");
    std::vector<Entry> result;
    std::set<std::string> seen;
    for (const auto &entry : node) {
      std::string key = scalar(entry.first, "a key of " + what);
      if (!seen.insert(key).second)
        fail(place(entry.first),
             "expected different keys in " + what + " but got '" + support::escape(key) + "' twice");
      result.emplace_back(entry.first, entry.second);
    }
    return result;
  }

  /// The same by name, for maps whose keys the format gives.
  std::map<std::string, YAML::Node> fields(const YAML::Node &node, const std::string &what, const std::string &kind) {
    const std::vector<std::string> &known = knownKeys().at(kind);
    std::map<std::string, YAML::Node> result;
    for (const Entry &entry : entries(node, what)) {
      std::string key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        std::string list;
        for (const std::string &name : known)
          list += (list.empty() ? "" : ", ") + name;
        fail(place(entry.first), "unknown key '" + support::escape(key) + "' in " + what + " (known: " + list + ")");
      }
      result.emplace(key, entry.second);
    }
    return result;
  }

  std::string scalar(const YAML::Node &node, const std::string &what) {
    if (!node.IsScalar())
      fail(place(node), "expected " + what + " to be a single value");
    return node.Scalar();
  }

  std::vector<YAML::Node> list(const YAML::Node &node, const std::string &what) {
    if (!node.IsSequence())
      fail(place(node), "expected " + what + " to be a list");
    return {node.begin(), node.end()};
  }

  Expression expression(const YAML::Node &node, const std::string &what) {
    if (node.IsNull())
      return Expression();
    try {
      return Expression(scalar(node, what));
    } catch (const ImportError &error) {
      if (error.place.line)
        throw;
      fail(place(node), what + ": " + error.what());
    }
  }

  std::vector<Expression> expressions(const YAML::Node &node, const std::string &what) {
    std::vector<Expression> result;
    for (const YAML::Node &item : list(node, what))
      result.push_back(expression(item, what));
    return result;
  }

  OperandDescription operand(const YAML::Node &node, const std::string &what) {
    OperandDescription result;
    result.place = place(node);
    std::string text = scalar(node, what);
    for (size_t at = 0; at <= text.size();) {
      size_t bar = std::min(text.find('|', at), text.size());
      std::string name = text.substr(at, bar - at);
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
      at = bar + 1;
      if (name == "none" && at > text.size() && !result.alternatives.empty()) {
        result.optional = true;
        break;
      }
      if (name.empty() || name == "none")
        fail(result.place, "expected " + what + " to be 'name', 'name | name' or 'name | none' but got '" +
                               support::escape(text) + "'");
      result.alternatives.push_back(name);
    }
    return result;
  }

  /// A text or a list of them.
  std::vector<std::string> texts(const YAML::Node &node, const std::string &kind, const std::string &what) {
    if (!node.IsSequence())
      return {scalar(node, "the " + kind + " of " + what)};
    std::vector<std::string> result;
    for (const YAML::Node &item : node)
      result.push_back(scalar(item, "a " + kind + " of " + what));
    return result;
  }

  bool boolean(const YAML::Node &node, const std::string &what) {
    std::string text = scalar(node, what);
    if (text != "true" && text != "false")
      fail(place(node), "expected " + what + " to be true or false but got '" + support::escape(text) + "'");
    return text == "true";
  }

  void checkName(const YAML::Node &key, const std::string &what) {
    if (key.Scalar().empty() || key.Scalar().find_first_of("|{} ") != std::string::npos || key.Scalar() == "none")
      fail(place(key), "expected " + what + " name without blanks and |{}, and not 'none', but got '" +
                           support::escape(key.Scalar()) + "'");
  }

  void readParameters(const YAML::Node &node) {
    for (auto &[key, value] : entries(node, "parameters")) {
      ParameterDescription parameter;
      parameter.name = key.Scalar();
      parameter.place = place(key);
      bool isName = std::all_of(parameter.name.begin(), parameter.name.end(),
                                [](unsigned char c) { return std::isalnum(c) || c == '_'; });
      if (!isName || parameter.name.empty() || std::isdigit(static_cast<unsigned char>(parameter.name[0])) ||
          parameter.name == "tokens")
        fail(parameter.place, "expected a parameter's name of letters, digits and _ (and not 'tokens') but got '" +
                                  support::escape(parameter.name) + "'");
      std::string what = "parameter '" + support::escape(parameter.name) + "'";
      if (!value.IsMap()) {
        parameter.value = expression(value, what);
      } else {
        auto field = fields(value, what, "parameter");
        if (field.count("key") == field.count("tensor"))
          fail(parameter.place,
               what + ": expected a 'key' or a 'tensor' but it has " + (field.count("key") ? "both" : "none"));
        if (field.count("tensor"))
          parameter.tensor = scalar(field["tensor"], "the tensor of " + what);
        else if (parameter.keys = texts(field["key"], "key", what); parameter.keys.empty())
          fail(place(field["key"]), what + ": expected at least one key");
        parameter.type = field.count("type")     ? scalar(field["type"], "the type of " + what)
                         : field.count("tensor") ? "boolean"
                                                 : "integer";
        static const std::set<std::string> types = {"integer", "float", "boolean", "text", "integers", "texts", "rope"};
        if (!types.count(parameter.type) || (field.count("tensor") && parameter.type != "boolean"))
          fail(place(field["type"]),
               what + ": expected a type of " +
                   (field.count("tensor") ? "boolean" : "integer, float, boolean, text, integers, texts or rope") +
                   " but got '" + support::escape(parameter.type) + "'");
        if (field.count("nullable"))
          parameter.nullable = boolean(field["nullable"], "nullable of " + what);
        if (field.count("about"))
          parameter.about = scalar(field["about"], "what is said about " + what);
        if (field.count("default"))
          parameter.value = expression(field["default"], "the default of " + what);
        if (field.count("minimum"))
          parameter.minimum = expression(field["minimum"], "the minimum of " + what);
        if (field.count("maximum"))
          parameter.maximum = expression(field["maximum"], "the maximum of " + what);
        if (field.count("one_of"))
          parameter.oneOf = expressions(field["one_of"], "one_of of " + what);
      }
      graph.parameters.push_back(std::move(parameter));
    }
  }

  void readChecks(const YAML::Node &node) {
    for (const YAML::Node &item : list(node, "checks")) {
      auto field = fields(item, "a check", "check");
      if (!field.count("that"))
        fail(place(item), "expected a check to have a condition 'that'");
      CheckDescription check;
      check.place = place(item);
      check.condition = expression(field["that"], "a check");
      if (field.count("message"))
        check.message = scalar(field["message"], "the message of a check");
      graph.checks.push_back(std::move(check));
    }
  }

  /// `name: [shape]` or `name: {shape: …, …}`; `kind` is input, weight or state.
  std::vector<TensorDescription> tensors(const YAML::Node &node, const std::string &kind) {
    std::vector<TensorDescription> result;
    for (auto &[key, value] : entries(node, kind + "s")) {
      checkName(key, "a " + kind + "'s");
      TensorDescription tensor;
      tensor.name = key.Scalar();
      tensor.place = place(key);
      tensor.type = "f32";
      std::string what = kind + " '" + support::escape(tensor.name) + "'";
      if (value.IsSequence()) {
        tensor.shape = expressions(value, "the shape of " + what);
      } else {
        auto field = fields(value, what, kind);
        if (!field.count("shape"))
          fail(tensor.place, what + ": expected a shape but it has none");
        tensor.shape = expressions(field["shape"], "the shape of " + what);
        if (field.count("type"))
          tensor.type = scalar(field["type"], "the type of " + what);
        if (field.count("when"))
          tensor.when = expression(field["when"], "the condition of " + what);
        if (field.count("about"))
          tensor.about = scalar(field["about"], "what is said about " + what);
        if (field.count("tensor"))
          tensor.tensors = texts(field["tensor"], "tensor", what);
        readStored(field, what, tensor);
      }
      static const std::set<std::string> types = {"f32", "f16", "bf16", "i32"};
      if (!types.count(tensor.type) && tensor.type.find('{') == std::string::npos)
        fail(tensor.place,
             what + ": expected a type of f32, f16, bf16 or i32 but got '" + support::escape(tensor.type) + "'");
      result.push_back(std::move(tensor));
    }
    return result;
  }

  void readStored(std::map<std::string, YAML::Node> &field, const std::string &what, TensorDescription &tensor) {
    if (field.count("stored"))
      tensor.stored = expressions(field["stored"], "the stored shape of " + what);
    if (field.count("transposed"))
      tensor.transposed = boolean(field["transposed"], "transposed of " + what);
    if (!field.count("slice"))
      return;
    if (!field.count("stored"))
      fail(place(field["slice"]), what + ": expected a slice beside a stored shape only");
    auto part = fields(field["slice"], "the slice of " + what, "slice");
    if (part.size() != 3)
      fail(place(field["slice"]), what + ": expected a slice to have an axis, a from and a count");
    tensor.slice = {place(field["slice"]), expression(part["axis"], "the axis of the slice of " + what),
                    expression(part["from"], "the start of the slice of " + what),
                    expression(part["count"], "the count of the slice of " + what)};
  }

  std::vector<NodeDescription> nodes(const YAML::Node &map) {
    std::vector<NodeDescription> result;
    for (auto &[key, value] : entries(map, "nodes")) {
      checkName(key, "a node's");
      NodeDescription node;
      node.name = key.Scalar();
      node.place = place(key);
      std::string what = "node '" + support::escape(node.name) + "'";
      auto field = fields(value, what, "node");
      if (!field.count("op") || !field.count("operands"))
        fail(node.place,
             what + ": expected an op and operands but it has no '" + (field.count("op") ? "operands" : "op") + "'");
      node.op = scalar(field["op"], "the op of " + what);
      for (const YAML::Node &item : list(field["operands"], "the operands of " + what))
        node.operands.push_back(operand(item, "an operand of " + what));
      if (field.count("attributes"))
        for (auto &[name, values] : entries(field["attributes"], "the attributes of " + what)) {
          NodeDescription::Attribute attribute{name.Scalar(), place(name), {}, values.IsSequence()};
          std::string attributeName = "attribute '" + support::escape(attribute.name) + "' of " + what;
          if (attribute.isList)
            attribute.values = expressions(values, attributeName);
          else
            attribute.values.push_back(expression(values, attributeName));
          node.attributes.push_back(std::move(attribute));
        }
      if (field.count("when"))
        node.when = expression(field["when"], "the condition of " + what);
      result.push_back(std::move(node));
    }
    return result;
  }

  void readSection(std::map<std::string, YAML::Node> &field, SectionDescription &section) {
    if (field.count("weights"))
      section.weights = tensors(field["weights"], "weight");
    if (field.count("states"))
      section.states = tensors(field["states"], "state");
    if (field.count("nodes"))
      section.nodes = nodes(field["nodes"]);
  }

  void readRepeats(const YAML::Node &node) {
    for (auto &[key, value] : entries(node, "repeat")) {
      RepeatDescription repeat;
      repeat.name = key.Scalar();
      repeat.place = place(key);
      std::string what = "section '" + support::escape(repeat.name) + "'";
      auto field = fields(value, what, "repeat");
      if (!field.count("count") || !field.count("prefix"))
        fail(repeat.place, what + ": expected a count and a prefix");
      repeat.count = expression(field["count"], "the count of " + what);
      repeat.prefix = scalar(field["prefix"], "the prefix of " + what);
      repeat.variable = field.count("variable") ? scalar(field["variable"], "the variable of " + what) : "i";
      if (field.count("carry"))
        for (auto &[name, ends] : entries(field["carry"], "the carried values of " + what)) {
          checkName(name, "a carried value's");
          auto end = fields(ends, "carried value '" + support::escape(name.Scalar()) + "'", "carry");
          if (end.size() != 2)
            fail(place(name), "carried value '" + support::escape(name.Scalar()) + "': expected 'first' and 'next'");
          repeat.carries.push_back({name.Scalar(), place(name), operand(end["first"], "the first of a carried value"),
                                    operand(end["next"], "the next of a carried value")});
        }
      readSection(field, repeat);
      graph.repeats.push_back(std::move(repeat));
    }
  }

  void readDocument(const YAML::Node &root) {
    auto field = fields(root, "the file", "document");
    for (const char *key : {"name", "inputs", "nodes", "outputs"})
      if (!field.count(key))
        fail(place(root), std::string("expected a key '") + key + "' but the file has none");
    graph.name = scalar(field["name"], "the name");
    if (field.count("about"))
      graph.about = scalar(field["about"], "what is said about the file");
    if (field.count("architectures"))
      for (const YAML::Node &item : list(field["architectures"], "architectures"))
        graph.architectures.push_back(scalar(item, "an architecture"));
    if (field.count("optional_prefix"))
      graph.optionalPrefix = scalar(field["optional_prefix"], "the optional prefix");
    if (field.count("refuse"))
      for (auto &[key, reason] : entries(field["refuse"], "refuse"))
        graph.refused.emplace_back(key.Scalar(), scalar(reason, "a reason to refuse"));
    if (field.count("parameters"))
      readParameters(field["parameters"]);
    if (field.count("checks"))
      readChecks(field["checks"]);
    graph.contextPlace = place(root);
    if (field.count("context")) {
      graph.context = expression(field["context"], "the context");
      graph.contextPlace = place(field["context"]);
    }
    if (field.count("checkpoint"))
      graph.checkpoint = scalar(field["checkpoint"], "the checkpoint");
    if (field.count("model"))
      for (auto &[key, value] : fields(field["model"], "model", "model"))
        graph.model.emplace_back(key, expression(value, "'" + support::escape(key) + "' of the model"));
    graph.inputs = tensors(field["inputs"], "input");
    readSection(field, graph);
    if (field.count("repeat"))
      readRepeats(field["repeat"]);
    for (auto &[key, value] : entries(field["outputs"], "outputs"))
      graph.outputs.push_back({key.Scalar(), operand(value, "output '" + support::escape(key.Scalar()) + "'")});
    if (graph.outputs.empty())
      fail(place(field["outputs"]), "expected at least one output");
  }

  GraphDescription graph;
};

} // namespace

GraphDescription nstf::readGraphDescription(const std::string &text, const std::string &file) {
  return Reader(file).read(text);
}

// Reads a graph description from YAML.

#include "compiler/description/GraphDescription.h"

#include "support/Escape.h"
#include "support/Yaml.h"

#include <algorithm>
#include <set>
#include <span>

using namespace nstf;
using namespace nstf::description;

const std::map<std::string, std::vector<std::string>> &nstf::description::knownKeys() {
  static const std::map<std::string, std::vector<std::string>> keys = {
      {"document",
       {"name", "about", "architectures", "optional_prefix", "refuse", "parameters", "checks", "context", "checkpoint",
        "model", "inputs", "weights", "states", "repeat", "nodes", "outputs"}},
      {"parameter",
       {"key", "tensor", "about", "type", "nullable", "default", "minimum", "maximum", "one_of", "unless_differ"}},
      {"check", {"that", "message"}},
      {"model", {"vocabulary", "bos", "eos"}},
      {"input", {"type", "shape", "order", "heads", "about", "when"}},
      {"weight", {"type", "shape", "when", "tensor", "stored", "slice", "transposed"}},
      {"slice", {"axis", "from", "count"}},
      {"state", {"type", "shape", "order", "heads", "about", "when"}},
      {"repeat", {"count", "variable", "prefix", "carry", "weights", "states", "nodes"}},
      {"carry", {"first", "next"}},
      {"node", {"op", "operands", "results", "attributes", "when"}},
  };
  return keys;
}

/// Types of stored tensors first.
static constexpr std::string_view tensorTypes[] = {"f32", "f16", "bf16", "i32", "e4m3fnuz", "i8"};

static std::span<const std::string_view> getTensorTypes(TensorKind kind) {
  return std::span(tensorTypes).first(kind == TensorKind::Input ? 6 : 4);
}

bool nstf::description::isTensorType(std::string_view type, TensorKind kind) {
  return std::ranges::count(getTensorTypes(kind), type) != 0;
}

std::string nstf::description::describeTensorTypes(TensorKind kind) {
  std::string names;
  for (std::span types = getTensorTypes(kind); std::string_view type : types)
    names += (names.empty() ? "" : type == types.back() ? " or " : ", ") + std::string(type);
  return names;
}

namespace {

using support::YamlEntry;
using support::YamlMap;
using support::YamlValue;

class Reader {
public:
  explicit Reader(const std::string &file) { graph.file = file; }

  GraphDescription read(const std::string &text) {
    readDocument(YamlValue::readText(text, graph.file));
    return std::move(graph);
  }

private:
  /// A map with the keys that the format defines for `kind`.
  static YamlMap fields(const YamlValue &value, const std::string &what, const std::string &kind) {
    return value.map(what + " to be a map", knownKeys().at(kind));
  }

  static std::vector<YamlEntry> entries(const YamlValue &value, const std::string &what) {
    return value.entries(what + " to be a map");
  }

  static std::string scalar(const YamlValue &value, const std::string &what) {
    return value.scalar(what + " to be a single value");
  }

  static std::vector<YamlValue> list(const YamlValue &value, const std::string &what) {
    return value.list(what + " to be a list");
  }

  static Expression expression(const YamlValue &value, const std::string &what) {
    if (value.isNull())
      return Expression();
    try {
      return Expression(scalar(value, what));
    } catch (const support::InputError &error) {
      if (error.place.line)
        throw;
      value.place().error(what + ": " + error.message);
    }
  }

  static std::vector<Expression> expressions(const YamlValue &value, const std::string &what) {
    std::vector<Expression> result;
    for (const YamlValue &item : list(value, what))
      result.push_back(expression(item, what));
    return result;
  }

  static OperandDescription operand(const YamlValue &value, const std::string &what) {
    OperandDescription result;
    result.place = value.place();
    std::string text = scalar(value, what);
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
        value.fail(what + " to be 'name', 'name | name' or 'name | none'");
      result.alternatives.push_back(name);
    }
    return result;
  }

  /// Reads a text or a list of texts.
  static std::vector<std::string> texts(const YamlValue &value, const std::string &kind, const std::string &what) {
    if (!value.isList())
      return {scalar(value, "the " + kind + " of " + what)};
    std::vector<std::string> result;
    for (const YamlValue &item : value.list(""))
      result.push_back(scalar(item, "a " + kind + " of " + what));
    return result;
  }

  static void checkName(const YamlEntry &entry, const std::string &what) { checkName(entry.name, entry.place, what); }

  static void checkName(const std::string &name, const support::Place &place, const std::string &what) {
    if (name.find_first_of("|{} ") != std::string::npos || name == "none")
      place.error("expected " + what + " name without blanks and |{}, and not 'none', but got '" +
                  support::escape(name) + "'");
  }

  void readParameters(const YamlValue &map) {
    for (const auto &[name, place, value] : entries(map, "parameters")) {
      ParameterDescription parameter;
      parameter.name = name;
      parameter.place = place;
      bool isName = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
      if (!isName || std::isdigit(static_cast<unsigned char>(name[0])) || name == "tokens")
        place.error("expected a parameter's name of letters, digits and _ (and not 'tokens') but got '" +
                    support::escape(name) + "'");
      std::string what = "parameter '" + support::escape(name) + "'";
      if (value.isMap())
        readParameter(fields(value, what, "parameter"), what, parameter);
      else
        parameter.value = expression(value, what);
      graph.parameters.push_back(std::move(parameter));
    }
  }

  static void readParameter(const YamlMap &field, const std::string &what, ParameterDescription &parameter) {
    const YamlValue *key = field.find("key"), *tensor = field.find("tensor"), *type = field.find("type");
    if (!key == !tensor)
      parameter.place.error(what + ": expected a 'key' or a 'tensor' but got " + (key ? "both" : "none"));
    if (tensor)
      parameter.tensor = scalar(*tensor, "the tensor of " + what);
    else if (parameter.keys = texts(*key, "key", what); parameter.keys.empty())
      key->fail("at least one key of " + what);
    parameter.type = type ? scalar(*type, "the type of " + what) : tensor ? "boolean" : "integer";
    static const std::set<std::string> types = {"integer", "float", "boolean", "text", "integers", "texts", "rope"};
    if (type && (!types.count(parameter.type) || (tensor && parameter.type != "boolean")))
      type->fail("the type of " + what + " to be " +
                 (tensor ? "boolean" : "integer, float, boolean, text, integers, texts or rope"));
    if (const YamlValue *nullable = field.find("nullable"))
      parameter.nullable = nullable->boolean("nullable of " + what);
    if (const YamlValue *about = field.find("about"))
      parameter.about = scalar(*about, "what is said about " + what);
    if (const YamlValue *value = field.find("default"))
      parameter.value = expression(*value, "the default of " + what);
    if (const YamlValue *minimum = field.find("minimum"))
      parameter.minimum = expression(*minimum, "the minimum of " + what);
    if (const YamlValue *maximum = field.find("maximum"))
      parameter.maximum = expression(*maximum, "the maximum of " + what);
    if (const YamlValue *oneOf = field.find("one_of"))
      parameter.oneOf = expressions(*oneOf, "one_of of " + what);
    if (const YamlValue *tensors = field.find("unless_differ"))
      if (parameter.unlessDiffer = texts(*tensors, "tensor", what);
          parameter.unlessDiffer.size() < 2 || parameter.type != "boolean")
        tensors->fail("unless_differ of " + what + ", which has to be a boolean, to name two tensors or more");
  }

  void readChecks(const YamlValue &checks) {
    for (const YamlValue &item : list(checks, "checks")) {
      YamlMap field = fields(item, "a check", "check");
      CheckDescription check;
      check.place = item.place();
      check.condition = expression(field.get("that", "a condition"), "a check");
      if (const YamlValue *message = field.find("message"))
        check.message = scalar(*message, "the message of a check");
      graph.checks.push_back(std::move(check));
    }
  }

  /// Reads `name: [shape]` or `name: {shape: …, …}`; `kind` is input, weight or state.
  static std::vector<TensorDescription> tensors(const YamlValue &map, const std::string &kind) {
    std::vector<TensorDescription> result;
    for (const YamlEntry &entry : entries(map, kind + "s")) {
      checkName(entry, "a " + kind + "'s");
      TensorDescription tensor;
      tensor.name = entry.name;
      tensor.place = entry.place;
      tensor.type = "f32";
      std::string what = kind + " '" + support::escape(tensor.name) + "'";
      if (entry.value.isList())
        tensor.shape = expressions(entry.value, "the shape of " + what);
      else
        readTensor(fields(entry.value, what, kind), what, tensor);
      TensorKind use = kind == "input" ? TensorKind::Input : TensorKind::Stored;
      if (!isTensorType(tensor.type, use) && tensor.type.find('{') == std::string::npos)
        tensor.place.error("expected the type of " + what + " to be " + describeTensorTypes(use) + " but got '" +
                           support::escape(tensor.type) + "'");
      result.push_back(std::move(tensor));
    }
    return result;
  }

  static void readTensor(const YamlMap &field, const std::string &what, TensorDescription &tensor) {
    tensor.shape = expressions(field.get("shape", "the shape of " + what), "the shape of " + what);
    if (const YamlValue *type = field.find("type"))
      tensor.type = scalar(*type, "the type of " + what);
    if (const YamlValue *order = field.find("order")) {
      tensor.order = scalar(*order, "the order of " + what);
      tensor.heads = expression(field.get("heads", "the heads of " + what), "the heads of " + what);
    }
    if (const YamlValue *when = field.find("when"))
      tensor.when = expression(*when, "the condition of " + what);
    if (const YamlValue *about = field.find("about"))
      tensor.about = scalar(*about, "what is said about " + what);
    if (const YamlValue *tensors = field.find("tensor"))
      tensor.tensors = texts(*tensors, "tensor", what);
    if (const YamlValue *stored = field.find("stored"))
      tensor.stored = expressions(*stored, "the stored shape of " + what);
    if (const YamlValue *transposed = field.find("transposed"))
      tensor.transposed = transposed->boolean("transposed of " + what);
    if (const YamlValue *slice = field.find("slice")) {
      if (!field.has("stored"))
        slice->place().error(what + ": expected a slice beside a stored shape only");
      YamlMap part = fields(*slice, "the slice of " + what, "slice");
      auto number = [&](const char *key) {
        return expression(part.get(key, "a number"), std::string("the ") + key + " of the slice of " + what);
      };
      tensor.slice = {slice->place(), number("axis"), number("from"), number("count")};
    }
  }

  static std::vector<NodeDescription> nodes(const YamlValue &map) {
    std::vector<NodeDescription> result;
    for (const YamlEntry &entry : entries(map, "nodes")) {
      checkName(entry, "a node's");
      NodeDescription node;
      node.name = entry.name;
      node.place = entry.place;
      std::string what = "node '" + support::escape(node.name) + "'";
      YamlMap field = fields(entry.value, what, "node");
      node.op = scalar(field.get("op", "an operation of " + what), "the op of " + what);
      for (const YamlValue &item : list(field.get("operands", "those of " + what), "the operands of " + what))
        node.operands.push_back(operand(item, "an operand of " + what));
      if (const YamlValue *results = field.find("results"))
        for (const YamlValue &item : list(*results, "the results of " + what)) {
          node.results.push_back(scalar(item, "a result of " + what));
          checkName(node.results.back(), item.place(), "a result's");
        }
      if (const YamlValue *attributes = field.find("attributes"))
        for (const auto &[name, place, values] : entries(*attributes, "the attributes of " + what)) {
          NodeDescription::Attribute attribute{name, place, {}, values.isList()};
          std::string attributeName = "attribute '" + support::escape(name) + "' of " + what;
          if (attribute.isList)
            attribute.values = expressions(values, attributeName);
          else
            attribute.values.push_back(expression(values, attributeName));
          node.attributes.push_back(std::move(attribute));
        }
      if (const YamlValue *when = field.find("when"))
        node.when = expression(*when, "the condition of " + what);
      result.push_back(std::move(node));
    }
    return result;
  }

  static void readSection(const YamlMap &field, SectionDescription &section) {
    if (const YamlValue *weights = field.find("weights"))
      section.weights = tensors(*weights, "weight");
    if (const YamlValue *states = field.find("states"))
      section.states = tensors(*states, "state");
    if (const YamlValue *map = field.find("nodes"))
      section.nodes = nodes(*map);
  }

  void readRepeats(const YamlValue &map) {
    for (const YamlEntry &entry : entries(map, "repeat")) {
      RepeatDescription repeat;
      repeat.name = entry.name;
      repeat.place = entry.place;
      std::string what = "section '" + support::escape(repeat.name) + "'";
      YamlMap field = fields(entry.value, what, "repeat");
      repeat.count = expression(field.get("count", "that of " + what), "the count of " + what);
      repeat.prefix = scalar(field.get("prefix", "that of " + what), "the prefix of " + what);
      repeat.variable = "i";
      if (const YamlValue *variable = field.find("variable"))
        repeat.variable = scalar(*variable, "the variable of " + what);
      if (const YamlValue *carry = field.find("carry"))
        for (const YamlEntry &carried : entries(*carry, "the carried values of " + what)) {
          checkName(carried, "a carried value's");
          YamlMap end = fields(carried.value, "carried value '" + support::escape(carried.name) + "'", "carry");
          repeat.carries.push_back({carried.name, carried.place,
                                    operand(end.get("first", "a value"), "the first of a carried value"),
                                    operand(end.get("next", "a value"), "the next of a carried value")});
        }
      readSection(field, repeat);
      graph.repeats.push_back(std::move(repeat));
    }
  }

  void readDocument(const YamlValue &root) {
    YamlMap field = fields(root, "the file", "document");
    graph.name = scalar(field.get("name", "that of the graph"), "the name");
    if (const YamlValue *about = field.find("about"))
      graph.about = scalar(*about, "what is said about the file");
    if (const YamlValue *architectures = field.find("architectures"))
      for (const YamlValue &item : list(*architectures, "architectures"))
        graph.architectures.push_back(scalar(item, "an architecture"));
    if (const YamlValue *prefix = field.find("optional_prefix"))
      graph.optionalPrefix = scalar(*prefix, "the optional prefix");
    if (const YamlValue *refuse = field.find("refuse"))
      for (const YamlEntry &entry : entries(*refuse, "refuse"))
        graph.refused.emplace_back(entry.name, scalar(entry.value, "a reason to refuse"));
    if (const YamlValue *parameters = field.find("parameters"))
      readParameters(*parameters);
    if (const YamlValue *checks = field.find("checks"))
      readChecks(*checks);
    graph.contextPlace = root.place();
    if (const YamlValue *context = field.find("context")) {
      graph.context = expression(*context, "the context");
      graph.contextPlace = context->place();
    }
    if (const YamlValue *checkpoint = field.find("checkpoint"))
      graph.checkpoint = scalar(*checkpoint, "the checkpoint");
    if (const YamlValue *model = field.find("model"))
      for (const YamlMap map = fields(*model, "model", "model"); const YamlEntry &entry : map.all())
        graph.model.emplace_back(entry.name,
                                 expression(entry.value, "'" + support::escape(entry.name) + "' of the model"));
    graph.inputs = tensors(field.get("inputs", "the graph's inputs"), "input");
    field.get("nodes", "the graph's nodes");
    readSection(field, graph);
    if (const YamlValue *repeat = field.find("repeat"))
      readRepeats(*repeat);
    const YamlValue &outputs = field.get("outputs", "the graph's outputs");
    for (const YamlEntry &entry : entries(outputs, "outputs"))
      graph.outputs.push_back({entry.name, operand(entry.value, "output '" + support::escape(entry.name) + "'")});
    if (graph.outputs.empty())
      outputs.place().error("expected at least one output but got none");
  }

  GraphDescription graph;
};

} // namespace

GraphDescription nstf::description::readGraphDescription(const std::string &text, const std::string &file) {
  return Reader(file).read(text);
}

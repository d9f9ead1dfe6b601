// Evaluates the parameters of a graph description.

#include "compiler/description/Parameters.h"
#include "support/Escape.h"

#include <algorithm>

using namespace nstf;
using namespace nstf::checkpoint;
using namespace nstf::description;

Scope nstf::description::getScope(const Parameters &parameters) {
  return [&parameters](const std::string &name) -> const ParameterValue * {
    auto found = parameters.find(name);
    return found == parameters.end() ? nullptr : &found->second;
  };
}

static bool isNull(const ParameterValue &value) { return std::holds_alternative<std::monostate>(value); }

/// `value` converted to `type`, or nothing if that is impossible. A whole number can become a float, or a list with
/// that number.
static std::optional<ParameterValue> convert(const ParameterValue &value, const std::string &type) {
  const int64_t *integer = std::get_if<int64_t>(&value);
  if (type == "integer" && integer)
    return value;
  if (type == "float" && integer)
    return static_cast<double>(*integer);
  if ((type == "float" && std::holds_alternative<double>(value)) ||
      (type == "boolean" && std::holds_alternative<bool>(value)) ||
      (type == "text" && std::holds_alternative<std::string>(value)))
    return value;
  if (type == "integers" && integer)
    return std::vector<int64_t>{*integer};
  if ((type == "integers" && std::holds_alternative<std::vector<int64_t>>(value)) ||
      (type == "texts" && std::holds_alternative<std::vector<std::string>>(value)))
    return value;
  return std::nullopt;
}

static std::string articleFor(const std::string &type) {
  return type == "integer"    ? "a whole number"
         : type == "float"    ? "a number"
         : type == "boolean"  ? "true or false"
         : type == "integers" ? "a whole number or a list of them"
         : type == "texts"    ? "a list of texts"
                              : "a text";
}

namespace {

class Evaluation {
public:
  Evaluation(const GraphDescription &description, const ParameterSource *source, const Checkpoint *checkpoint,
             std::vector<std::string> *notes)
      : description(description), source(source), checkpoint(checkpoint), notes(notes), scope(getScope(parameters)) {}

  Parameters run() {
    if (source)
      for (const auto &[key, reason] : description.refused)
        if (ParameterValue value = source->find(key); !isNull(value))
          throw support::InputError("'" + source->name() + "': " + key + " is not supported: " + reason);
    for (const ParameterDescription &parameter : description.parameters)
      parameters[parameter.name] = evaluate(parameter);
    for (const CheckDescription &check : description.checks)
      run(check);
    return std::move(parameters);
  }

private:
  ParameterValue evaluate(const ParameterDescription &parameter) {
    if (!parameter.tensor.empty()) {
      if (checkpoint)
        return static_cast<bool>(checkpoint->find(parameter.tensor, description.optionalPrefix));
      return parameter.value ? evaluate(*parameter.value, parameter.place) : ParameterValue(true);
    }
    if (parameter.keys.empty())
      return evaluate(*parameter.value, parameter.place);
    if (!source)
      parameter.place.error("parameter '" + support::escape(parameter.name) +
                            "' reads a key, but a graph has no configuration to read");

    if (parameter.type == "rope")
      return evaluateRope(parameter);
    std::string key = parameter.keys[0];
    ParameterValue value;
    for (const std::string &candidate : parameter.keys)
      if (value = source->find(candidate); !isNull(value)) {
        key = candidate;
        break;
      }
    std::string where = "'" + source->name() + "': ";
    if (isNull(value) && parameter.nullable && source->has(parameter.keys[0]))
      return value;
    if (isNull(value)) {
      if (!parameter.value)
        throw support::InputError(where + "expected a key '" + support::escape(key) + "' but it has none");
      try {
        value = parameter.value->evaluate(scope);
      } catch (const support::InputError &error) {
        throw support::InputError(where + "no '" + support::escape(key) +
                                  "', and its default doesn't work: " + error.message);
      }
      if (isNull(value)) // a default of null, which the graph compares with null
        return value;
    }
    std::optional<ParameterValue> converted = convert(value, parameter.type);
    if (!converted)
      throw support::InputError(where + "expected " + key + " to be " + articleFor(parameter.type) + " but got " +
                                describe(value));
    checkBound(parameter, where + key, *converted, parameter.minimum, "at least", /*sign=*/1);
    checkBound(parameter, where + key, *converted, parameter.maximum, "at most", /*sign=*/-1);
    checkOneOf(parameter, where, key, *converted);
    if (const bool *flag = std::get_if<bool>(&*converted); flag && *flag)
      return !differ(parameter.unlessDiffer, where + key);
    return *converted;
  }

  /// Whether the checkpoint has two of these tensors with different bytes.
  bool differ(const std::vector<std::string> &tensors, const std::string &where) {
    Checkpoint::Entry first;
    for (const std::string &tensor : tensors) {
      Checkpoint::Entry entry = checkpoint ? checkpoint->find(tensor, description.optionalPrefix) : Checkpoint::Entry();
      if (!first)
        first = entry;
      if (!entry || (entry.tensor->type == first.tensor->type && entry.tensor->shape == first.tensor->shape &&
                     std::ranges::equal(entry.file->bytes(*entry.tensor), first.file->bytes(*first.tensor))))
        continue;
      if (notes)
        notes->push_back(where + " is true but '" + support::escape(first.tensor->name) + "' and '" +
                         support::escape(entry.tensor->name) + "' differ: taken as false");
      return true;
    }
    return false;
  }

  /// Older and newer files have different keys; a file with several must have the same rope under each.
  RopeScaling evaluateRope(const ParameterDescription &parameter) {
    std::vector<std::string> given;
    for (const std::string &key : parameter.keys)
      if (ParameterValue value = source->find(key); !isNull(value) && describe(value) != "{}")
        given.push_back(key);
    if (given.empty())
      return RopeScaling();
    const std::string where = "'" + source->name() + "': ";
    RopeScaling rope = readRopeScaling(*source, given[0]);
    checkOneOf(parameter, where, given[0], std::string(RopeScaling::kindNames[rope.kind]));
    auto thetaOf = [&](const std::string &key) { return describe(source->find(key + ".rope_theta")); };
    for (const std::string &key : given)
      if (readRopeScaling(*source, key) != rope || thetaOf(key) != thetaOf(given[0]))
        throw support::InputError(where + "expected one rope but got " + given[0] + " and " + key + ", which differ");
    return rope;
  }

  void checkBound(const ParameterDescription &parameter, const std::string &where, const ParameterValue &value,
                  const std::optional<Expression> &bound, const char *relation, int sign) {
    if (!bound)
      return;
    ParameterValue limit = evaluate(*bound, parameter.place);
    auto number = [&](const ParameterValue &v) -> double {
      if (const int64_t *integer = std::get_if<int64_t>(&v))
        return static_cast<double>(*integer);
      if (const double *real = std::get_if<double>(&v))
        return *real;
      parameter.place.error("parameter '" + support::escape(parameter.name) + "': expected bounds of numbers only");
    };
    // Written such that NaN violates every bound.
    if (!((number(value) - number(limit)) * sign >= 0))
      throw support::InputError(where + ": expected " + relation + " " + describe(limit) + " but got " +
                                describe(value));
  }

  void checkOneOf(const ParameterDescription &parameter, const std::string &where, const std::string &key,
                  const ParameterValue &value) {
    if (parameter.oneOf.empty())
      return;
    if (const auto *items = std::get_if<std::vector<std::string>>(&value)) { // checks each item
      for (const std::string &item : *items)
        checkOneOf(parameter, where, key, item);
      return;
    }
    std::string list;
    for (const Expression &allowed : parameter.oneOf) {
      ParameterValue candidate = evaluate(allowed, parameter.place);
      if (describe(candidate) == describe(value))
        return;
      list += (list.empty() ? "" : " or ") + describe(candidate);
    }
    throw support::InputError(where + "expected " + key + " to be " + list + " but got " + describe(value));
  }

  void run(const CheckDescription &check) {
    std::string message;
    try {
      if (check.condition.evaluateCondition(scope))
        return;
      message = check.message.empty() ? "expected " + check.condition.text() : interpolate(check.message, scope);
    } catch (const support::InputError &error) {
      check.place.error(error.message);
    }
    if (source)
      throw support::InputError("'" + source->name() + "': " + message);
    check.place.error(message);
  }

  ParameterValue evaluate(const Expression &expression, const support::Place &place) {
    try {
      return expression.evaluate(scope);
    } catch (const support::InputError &error) {
      place.error(error.message);
    }
  }

  const GraphDescription &description;
  const ParameterSource *source;
  const Checkpoint *checkpoint;
  std::vector<std::string> *notes;
  Parameters parameters;
  Scope scope;
};

} // namespace

Parameters nstf::description::evaluateParameters(const GraphDescription &description, const ParameterSource *source,
                                                 const Checkpoint *checkpoint, std::vector<std::string> *notes) {
  return Evaluation(description, source, checkpoint, notes).run();
}

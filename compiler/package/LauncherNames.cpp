// Chooses the launcher's names (LauncherNames.h). Names of models and tensors may contain any bytes.
#include "compiler/package/LauncherNames.h"

#include <algorithm>

namespace nstf::launcher {

using manifest::ElementType;

static bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Keywords of C++17 and C++20, and macros of the standard library and of GNU compilers that are not all upper case.
static bool isReserved(const std::string &name) {
  static const std::set<std::string> words = {"alignas",      "alignof",   "and",          "and_eq",
                                              "asm",          "assert",    "auto",         "bitand",
                                              "bitor",        "bool",      "break",        "case",
                                              "catch",        "char",      "char8_t",      "char16_t",
                                              "char32_t",     "class",     "co_await",     "co_return",
                                              "co_yield",     "compl",     "concept",      "const",
                                              "const_cast",   "consteval", "constexpr",    "constinit",
                                              "continue",     "decltype",  "default",      "delete",
                                              "do",           "double",    "dynamic_cast", "else",
                                              "enum",         "errno",     "explicit",     "export",
                                              "extern",       "false",     "float",        "for",
                                              "friend",       "goto",      "i386",         "if",
                                              "inline",       "int",       "linux",        "long",
                                              "mutable",      "namespace", "new",          "noexcept",
                                              "not",          "not_eq",    "nullptr",      "offsetof",
                                              "operator",     "or",        "or_eq",        "private",
                                              "protected",    "public",    "register",     "reinterpret_cast",
                                              "requires",     "return",    "setjmp",       "short",
                                              "signed",       "sizeof",    "static",       "static_assert",
                                              "static_cast",  "stderr",    "stdin",        "stdout",
                                              "struct",       "switch",    "template",     "this",
                                              "thread_local", "throw",     "true",         "try",
                                              "typedef",      "typeid",    "typename",     "union",
                                              "unix",         "unsigned",  "using",        "va_arg",
                                              "va_copy",      "va_end",    "va_start",     "virtual",
                                              "void",         "volatile",  "wchar_t",      "while",
                                              "xor",          "xor_eq"};
  bool capitals =
      name.size() > 1 && std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return capitals || words.count(name) != 0;
}

std::string identifier(std::string_view text) {
  std::string name;
  for (char c : text) {
    c = isLetter(c) || isDigit(c) ? c : '_';
    if (c != '_' || (!name.empty() && name.back() != '_')) // "__" and a leading "_" are reserved
      name += c;
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  if (name.empty())
    return "unnamed";
  if (isDigit(name.front()))
    name = "n" + name;
  return isReserved(name) ? name + "_" : name;
}

std::string NameSet::add(std::string_view text) {
  std::string base = identifier(text), name = base;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = base + (base.back() == '_' ? "" : "_") + std::to_string(number);
  return name;
}

Names makeNames(const manifest::Manifest &manifest) {
  Names names;
  names.space = identifier(manifest.model.name);
  if (names.space.size() < 5 || names.space.compare(names.space.size() - 5, 5, "model") != 0)
    names.space += names.space.back() == '_' ? "model" : "_model";
  NameSet buffers({});
  for (const manifest::Buffer &buffer : manifest.buffers)
    names.buffers.push_back(buffers.add(buffer.name));
  // Inputs are parameters of Model::step: avoids the names in its body. Outputs are functions of Model: avoids its
  // others.
  NameSet inputs({"Buffer", "impl", "std", "tokens"});
  for (const manifest::Port &port : manifest.inputs)
    names.inputs.push_back(inputs.add(port.name));
  NameSet outputs({"address", "Buffer", "hipStream_t", "impl", "Impl", "maxTokens", "Model", "position", "reset", "std",
                   "step", "stream", "target", "WeightFunction"});
  for (const manifest::Port &port : manifest.outputs)
    names.outputs.push_back(outputs.add(port.name));
  return names;
}

std::string literal(std::string_view text) {
  std::string result = "\"";
  char before = 0;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) { // three octal digits, so that a following digit is not part of the escape
      result += '\\';
      for (int shift : {6, 3, 0})
        result += static_cast<char>('0' + (byte >> shift & 7));
    } else {
      if (c == '"' || c == '\\' || (c == '?' && before == '?')) // the last: no trigraphs
        result += '\\';
      result += c;
    }
    before = c;
  }
  return result + "\"";
}

std::string comment(std::string_view text) {
  std::string result;
  for (char c : text) // no backslash, which could continue the comment on the next line
    result += c < 0x20 || c >= 0x7f || c == '\\' || c == '?' ? '.' : c;
  return result;
}

std::string cppType(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return "double";
  case ElementType::F32:
    return "float";
  case ElementType::F16:
  case ElementType::BF16:
    return "std::uint16_t";
  case ElementType::I64:
    return "std::int64_t";
  case ElementType::I32:
    return "std::int32_t";
  case ElementType::I16:
    return "std::int16_t";
  case ElementType::I8:
    return "std::int8_t";
  case ElementType::U8:
  case ElementType::F8E4M3FNUZ:
    return "std::uint8_t";
  default: // types that no manifest has
    return "";
  }
}

std::string describe(ElementType type) {
  bool isBits = type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F8E4M3FNUZ;
  return std::string(manifest::nameOf(type)) + (isBits ? " (its bits)" : "");
}

std::string describe(const manifest::Port &port) { return describe(port.type) + " " + port.shape.str(); }

} // namespace nstf::launcher

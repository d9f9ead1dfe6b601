#include "support/Yaml.h"
#include "support/TextLimits.h"

#include <sstream>
#include <yaml-cpp/eventhandler.h>

namespace nstf::support {

namespace {

/// Goes through a document without building it.
class NestingCheck : public YAML::EventHandler {
public:
  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    for (YAML::anchor_t around : open)
      if (around == anchor)
        throw YAML::ParserException(mark, "expected a value but got an alias of the value around it");
  }
  void OnScalar(const YAML::Mark &, const std::string &, YAML::anchor_t, const std::string &) override {}
  void OnSequenceStart(const YAML::Mark &mark, const std::string &, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnSequenceEnd() override { open.pop_back(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnMapEnd() override { open.pop_back(); }

private:
  void enter(const YAML::Mark &mark, YAML::anchor_t anchor) {
    if (open.size() == maxNesting)
      throw YAML::ParserException(mark, "expected values nested at most " + std::to_string(maxNesting) + " deep");
    open.push_back(anchor);
  }
  std::vector<YAML::anchor_t> open; // of the lists and maps around; 0: without an anchor
};

} // namespace

YAML::Node loadYaml(const std::string &text) {
  if (text.size() > maxYamlBytes)
    throw YAML::ParserException(YAML::Mark(), "expected at most " + std::to_string(maxYamlBytes) +
                                                  " bytes of YAML but got " + std::to_string(text.size()));
  std::istringstream stream(text);
  NestingCheck check;
  YAML::Parser(stream).HandleNextDocument(check);
  return YAML::Load(text);
}

} // namespace nstf::support

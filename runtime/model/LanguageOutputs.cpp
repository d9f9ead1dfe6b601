#include "runtime/model/LanguageOutputs.h"
#include "nstf/Encoder.h"

#include <stdexcept>

namespace nstf::runtime {

using manifest::ElementType;

LanguageOutputs::LanguageOutputs(const Session &session) : session(session) {
  const manifest::Manifest &manifest = session.manifest();
  auto fail = [&](const std::string &what) {
    throw std::runtime_error(session.package().folder().string() + ": expected a language model, with " + what +
                             "; run other packages with named inputs and outputs");
  };
  if (Encoder::accepts(manifest))
    throw std::runtime_error(session.package().folder().string() +
                             ": expected a language model but got an encoder, which makes no text");
  const manifest::Port *ids = manifest.findInput("ids");
  if (!ids || ids->type != ElementType::I32 || ids->shape.str() != "[tokens]" || manifest.inputs.size() != 1)
    fail("one input \"ids\", i32 [tokens]");
  if (!manifest.model.context || !manifest.model.vocabulary)
    fail("a context and a vocabulary");
  context = *manifest.model.context;
  vocabulary = *manifest.model.vocabulary;
  const int64_t requests = session.maxRequests();
  const manifest::Port *ofLogits = manifest.findOutput("logits"), *ofNext = manifest.findOutput("next");
  if (!ofLogits || ofLogits->type != ElementType::F32 ||
      ofLogits->shape.dimensions != std::vector<int64_t>{requests, vocabulary})
    fail("an output \"logits\", f32 [" + std::to_string(requests) + ", " + std::to_string(vocabulary) + "]");
  logits = ofLogits->buffer;
  if (ofNext && ofNext->type == ElementType::I32 && ofNext->shape.dimensions == std::vector<int64_t>{requests})
    next = ofNext->buffer;
}

void LanguageOutputs::checkPrompt(std::span<const int32_t> prompt, int64_t position) const {
  if (prompt.empty())
    throw std::runtime_error("expected a prompt of at least one token but got none");
  for (int32_t id : prompt)
    if (id < 0 || id >= vocabulary)
      throw std::runtime_error("expected token ids from 0 to " + std::to_string(vocabulary - 1) + " but got " +
                               std::to_string(id));
  const int64_t left = context - position;
  if (static_cast<int64_t>(prompt.size()) > left)
    throw std::runtime_error("expected a prompt of at most " + std::to_string(left) + " tokens, " +
                             (position ? "what is left of the model's context" : "the model's context") + ", but got " +
                             std::to_string(prompt.size()));
}

std::vector<float> LanguageOutputs::readLogits(std::size_t request) const {
  std::vector<float> row(vocabulary);
  const std::size_t bytes = row.size() * sizeof(float);
  session.readBuffer(logits, request * bytes, std::as_writable_bytes(std::span(row)));
  return row;
}

int32_t LanguageOutputs::readNext(std::size_t request) const {
  int32_t token;
  session.readBuffer(*next, request * sizeof(token), std::as_writable_bytes(std::span(&token, 1)));
  if (token < 0 || token >= vocabulary)
    throw std::runtime_error("expected the device to choose a token from 0 to " + std::to_string(vocabulary - 1) +
                             " but got " + std::to_string(token));
  return token;
}

} // namespace nstf::runtime

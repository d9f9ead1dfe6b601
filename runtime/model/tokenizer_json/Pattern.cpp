#include "runtime/model/tokenizer_json/Pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdexcept>

namespace nstf::runtime {

namespace {

std::string messageOf(int error) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(error, text, sizeof(text));
  return reinterpret_cast<const char *>(text);
}

const pcre2_code *codeOf(const std::shared_ptr<const void> &code) {
  return static_cast<const pcre2_code *>(code.get());
}

/// One thread's memory for the compiled code's backtracking. PCRE2's default of 32 KiB is too small for long runs.
pcre2_match_context *matchContext() {
  struct Context {
    pcre2_match_context *context = pcre2_match_context_create(nullptr);
    pcre2_jit_stack *stack = pcre2_jit_stack_create(32 << 10, 8 << 20, nullptr);
    Context() {
      if (context && stack)
        pcre2_jit_stack_assign(context, nullptr, stack);
    }
    ~Context() {
      pcre2_jit_stack_free(stack);
      pcre2_match_context_free(context);
    }
  };
  thread_local Context context;
  return context.context;
}

/// Calls `found` with each match, in the semantics of Oniguruma's find_iter.
template <typename Found> void forEachMatch(const pcre2_code *code, std::string_view text, Found found) {
  std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(pcre2_match_data_create(1, nullptr),
                                                                           &pcre2_match_data_free);
  auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  std::size_t start = 0, lastEnd = SIZE_MAX;
  while (start <= text.size()) {
    // The text is known to be UTF-8; checking it at each start would make this quadratic.
    int result = pcre2_match(code, subject, text.size(), start, PCRE2_NO_UTF_CHECK, data.get(), matchContext());
    if (result == PCRE2_ERROR_JIT_STACKLIMIT)
      result = pcre2_match(code, subject, text.size(), start, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data.get(), nullptr);
    if (result == PCRE2_ERROR_NOMATCH)
      return;
    if (result < 0)
      throw std::runtime_error("cannot split the text by the tokenizer's pattern: " + messageOf(result));
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(data.get());
    // \K in a lookahead can make a match that ends before it begins.
    if (ends[1] < ends[0])
      throw std::runtime_error("cannot split the text by the tokenizer's pattern: a match ends before it begins");
    if (ends[0] == ends[1] && ends[1] == lastEnd) {
      do
        ++start;
      while (start < text.size() && (text[start] & 0xc0) == 0x80);
      continue;
    }
    start = lastEnd = ends[1];
    found(ends[0], ends[1]);
  }
}

template <typename Found> void forEachOccurrence(const std::string &fixed, std::string_view text, Found found) {
  if (fixed.empty())
    return;
  for (std::size_t at = text.find(fixed); at != std::string_view::npos; at = text.find(fixed, at + fixed.size()))
    found(at, at + fixed.size());
}

} // namespace

Pattern Pattern::compile(std::string_view expression) {
  std::string translated = translateOniguruma(expression);
  std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), &pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_max_pattern_length(context.get(), 1 << 16);
  int error = 0;
  PCRE2_SIZE offset = 0;
  // In Ruby syntax, ^ and $ always match at lines.
  pcre2_code *code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &offset, context.get());
  if (!code)
    throw std::runtime_error(messageOf(error) + " before \"" + translated.substr(std::min(offset, translated.size())) +
                             "\"");
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); // if it fails, matching is slower
  Pattern pattern;
  pattern.code = std::shared_ptr<const void>(code, [](const void *p) { pcre2_code_free((pcre2_code *)p); });
  return pattern;
}

Pattern Pattern::literal(std::string_view text) {
  Pattern pattern;
  pattern.fixed = text;
  return pattern;
}

std::vector<Span> Pattern::split(std::string_view text) const {
  std::vector<Span> spans;
  std::size_t done = 0;
  auto found = [&](std::size_t begin, std::size_t end) {
    if (done < begin)
      spans.push_back({done, begin, false});
    spans.push_back({begin, end, true});
    done = end;
  };
  if (code)
    forEachMatch(codeOf(code), text, found);
  else
    forEachOccurrence(fixed, text, found);
  if (done < text.size())
    spans.push_back({done, text.size(), false});
  return spans;
}

std::string Pattern::replace(std::string_view text, std::string_view by, std::size_t max) const {
  std::string result;
  for (const Span &span : split(text)) {
    result += span.isMatch ? by : text.substr(span.begin, span.end - span.begin);
    if (result.size() > max)
      break;
  }
  return result;
}

} // namespace nstf::runtime

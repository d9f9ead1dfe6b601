#include "compiler/quantize/Exactness.h"

std::string nstf::quantize::compareWithInt8(const FloatCodes &chosen) {
  std::string figures;
  auto add = [&](bool isChosen, const char *text) {
    if (isChosen)
      figures += (figures.empty() ? "" : ", ") + std::string(text);
  };
  add(chosen.weights, "weights 0.0004 beside 0.0060");
  add(chosen.rows, "weights and the rows they multiply 0.0012 beside 0.0112");
  add(chosen.caches, "caches 0.0018 beside 0.0172");
  return figures.empty()
             ? ""
             : "int8 takes as many bytes as e4m3fnuz and is ten times as exact (KL on stories260K: " + figures + ")";
}

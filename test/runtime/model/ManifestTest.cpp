// The manifest reader: the result for a good manifest, and the message for each kind of mistake.
#include "nstf/Manifest.h"
#include "support/Sha256.h"
#include "test/runtime/model/GoodManifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// The reader's message for a document.
std::string messageOf(const json &document) {
  try {
    manifest::parseManifest(test::sealed(document).dump(), "m.json");
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no error";
}

/// The reader's message for the good manifest with `value` at `pointer`.
std::string messageWith(const char *pointer, json value) {
  json document = test::goodManifest();
  document[json::json_pointer(pointer)] = std::move(value);
  return messageOf(document);
}

TEST(Manifest, GoodOneIsRead) {
  manifest::Manifest manifest = manifest::parseManifest(test::sealed(test::goodManifest()).dump(), "m.json");
  EXPECT_EQ(manifest.model.context, 16);
  EXPECT_EQ(manifest.model.bos, 1);
  EXPECT_EQ(manifest::describeSampling(*manifest.model.sampling).dump(), R"({"do_sample":true,"top_k":3,"top_p":0.5})");
  ASSERT_EQ(manifest.targets.size(), 1u);
  const manifest::Target &target = manifest.targets[0];
  EXPECT_EQ(target.bucketRanges(), "1, 2-4");
  EXPECT_EQ(target.bucketFor(1), &target.buckets[0]);
  EXPECT_EQ(target.bucketFor(3), &target.buckets[1]);
  EXPECT_EQ(target.bucketFor(5), nullptr);
  EXPECT_EQ(target.buckets[1].steps[1].kernel, 1u);
  EXPECT_EQ(target.buckets[1].steps[1].arguments[2].offset, 128u);
  EXPECT_EQ(target.kernels[0].arguments[1].shape.str(), "[tokens]");
  EXPECT_EQ(manifest.weights.tensors[1].source->storedType, manifest::ElementType::F16);
}

TEST(Manifest, OptionalPartsMayBeAbsent) {
  json document = test::goodManifest();
  for (const char *pointer :
       {"/model/bos", "/model/eos", "/model/sampling", "/model/tokenizer", "/model/architecture", "/weights/seed",
        "/targets/0/arena", "/targets/0/kernels/0/template", "/targets/0/kernels/0/vgprs",
        "/targets/0/buckets/0/steps/0/after", "/targets/0/buckets/0/steps/0/queue"})
    document = document.patch({{{"op", "remove"}, {"path", pointer}}});
  manifest::Manifest manifest = manifest::parseManifest(test::sealed(document).dump(), "m.json");
  EXPECT_FALSE(manifest.model.bos);
  EXPECT_EQ(manifest.model.tokenizer.kind, "none");
}

TEST(Manifest, ErrorsNameFileAndPlace) {
  EXPECT_EQ(messageWith("/targets/0/kernels/1/block/0", "x"),
            "m.json: $.targets[0].kernels[1].block[0]: expected an integer from 1 to 1024 but got \"x\"");
  EXPECT_EQ(messageWith("/targets/0/buckets/1/steps/0/kernel", "apend"),
            "m.json: $.targets[0].buckets[1].steps[0].kernel: expected a kernel of target gfx942 but got \"apend\"");
  EXPECT_EQ(messageWith("/version", 1),
            "m.json: $.version: expected a package of version 4 but got one of version 1: compile it again");
  EXPECT_THAT(messageWith("/version", 5), HasSubstr("$.version: expected an integer from 1 to 4 but got 5"));
  EXPECT_EQ(messageWith("/inputs/0/buffer", "idz"),
            "m.json: $.inputs[0].buffer: expected the name of a buffer but got \"idz\"");
}

TEST(Manifest, OffsetsStayInsideTheirBuffers) {
  EXPECT_THAT(messageWith("/targets/0/buckets/0/steps/1/arguments/2/offset", 132),
              StartsWith("m.json: $.targets[0].buckets[0].steps[1].arguments[2].offset: expected the 256 bytes of "
                         "\"arena\" to hold [32] i32"));
  EXPECT_THAT(messageWith("/targets/0/buckets/0/steps/1/arguments/2/offset", 281474976710656u),
              HasSubstr("too little"));
  EXPECT_THAT(messageWith("/targets/0/buckets/0/steps/1/arguments/2/offset", -4), HasSubstr("but got -4"));
  EXPECT_THAT(messageWith("/targets/0/buckets/0/steps/1/arguments/2/offset", 126), HasSubstr("a multiple of 4"));
  EXPECT_THAT(messageWith("/weights/tensors/0/offset", 136), HasSubstr("a place inside the 256 bytes"));
  EXPECT_THAT(messageWith("/weights/tensors/0/offset", 64), HasSubstr("\"table\" ends at 192"));
  EXPECT_THAT(messageWith("/control/fields/position", 62), HasSubstr("inside the control block"));
  EXPECT_THAT(messageWith("/control/fields/position", 0), HasSubstr("\"tokens\" stands there"));
  EXPECT_THAT(messageWith("/targets/0/kernels/0/arguments/3/offset", 32), HasSubstr("kernarg_size 32"));
  EXPECT_THAT(messageWith("/targets/0/kernels/0/arguments/3/offset", 16), HasSubstr("no other argument has"));
}

TEST(Manifest, RequestsHaveBlocksAndSlots) {
  json manifest = test::goodManifest();
  manifest["control"] = {
      {"size", 64}, {"requests", 3}, {"fields", {{"tokens", 0}, {"position", 4}, {"first", 8}, {"slot", 12}}}};
  manifest["buffers"][2]["size"] = 256;
  manifest["buffers"][6]["size"] = 192;
  manifest["buffers"][6]["slots"] = 3;
  EXPECT_EQ(manifest::parseManifest(test::sealed(manifest).dump(), "m.json").control.requests, 3);
  auto with = [&](const char *pointer, const json &value) {
    json edited = manifest;
    edited[json::json_pointer(pointer)] = value;
    return messageOf(edited);
  };
  EXPECT_THAT(with("/control/requests", 0), HasSubstr("$.control.requests"));
  EXPECT_THAT(with("/control/requests", 257), HasSubstr("$.control.requests"));
  EXPECT_THAT(with("/control/requests", 2), HasSubstr("as many requests as state \"cache\" has slots, 3, but got 2"));
  EXPECT_THAT(with("/control/fields/slot", 8), HasSubstr("an offset of its own but \"first\" stands there"));
  EXPECT_THAT(with("/control/fields/first", 62), HasSubstr("inside the control block of 64 bytes"));
  EXPECT_THAT(with("/control/fields/other", 16), HasSubstr("(tokens, position, first, slot) but got \"other\""));
  EXPECT_THAT(with("/buffers/2/size", 255), HasSubstr("at most the 255 bytes of its buffer for 4 blocks"));
  EXPECT_THAT(with("/buffers/6/size", 64), HasSubstr("the 192 bytes of [16, 1] for 3 slots"));
  EXPECT_THAT(with("/buffers/6/slots", 300), HasSubstr("$.buffers[6].slots"));
}

TEST(Manifest, SizesMustFitTogether) {
  EXPECT_THAT(messageWith("/buffers/3/size", 8), HasSubstr("to hold [tokens] i32 at 4 tokens"));
  EXPECT_THAT(messageWith("/targets/0/buckets/1/max_tokens", 5), HasSubstr("at 5 tokens"));
  EXPECT_THAT(messageWith("/targets/0/buckets/1/max_tokens", 17), HasSubstr("at most the model's context of 16"));
  EXPECT_THAT(messageWith("/targets/0/buckets/1/min_tokens", 1), HasSubstr("more than the 1 of the bucket before"));
  EXPECT_THAT(messageWith("/weights/tensors/0/size", 124), HasSubstr("the 128 bytes of [32, 1] f32"));
  EXPECT_THAT(messageWith("/buffers/6/size", 128), HasSubstr("expected the 64 bytes of [16, 1] but got 128"));
  EXPECT_THAT(messageWith("/weights/tensors/0/shape", json::array({1u << 30, 1u << 30})), HasSubstr("at most 2^48"));
  EXPECT_THAT(messageWith("/targets/0/arena/peak", 257), HasSubstr("at most the 256 bytes"));
  EXPECT_THAT(messageWith("/targets/0/kernels/1/block", json::array({1024, 2, 1})),
              HasSubstr("at most 1024 work items"));
  EXPECT_THAT(messageWith("/targets/0/buckets/0/steps/1/grid/0", 2147483647), HasSubstr("fewer than 2^32"));
}

TEST(Manifest, LargerContextOrVocabularyIsNoWayOut) {
  EXPECT_THAT(messageWith("/model/context", 17), HasSubstr("a row for each of the 17 positions"));
  EXPECT_THAT(messageWith("/model/vocabulary", 33), HasSubstr("a last dimension of 33"));
  EXPECT_THAT(messageWith("/model/eos/0", 32), HasSubstr("from 0 to 31 but got 32"));
  EXPECT_THAT(messageWith("/model/sampling/do_sample", 1), HasSubstr("expected true or false but got 1"));
  EXPECT_THAT(messageWith("/model/sampling/top_k", -1), HasSubstr("from 0 to 2147483647 but got -1"));
  EXPECT_THAT(messageWith("/model/sampling/top_p", 0), HasSubstr("expected a number in (0, 1] but got 0"));
}

TEST(Manifest, LimitsOfInputs) {
  manifest::Manifest manifest = manifest::parseManifest(test::sealed(test::goodManifest()).dump(), "m.json");
  EXPECT_EQ(manifest.limitOf(manifest.inputs[0]), 32);
  manifest.inputs[0].limit = 30; // the table may have fewer rows than the vocabulary
  EXPECT_EQ(manifest.limitOf(manifest.inputs[0]), 30);
  manifest.inputs[0].limit.reset();
  EXPECT_EQ(manifest.limitOf(manifest.inputs[0]), 32);
  manifest.inputs[0].name = "token_types";
  EXPECT_EQ(manifest.limitOf(manifest.inputs[0]), std::nullopt);
  EXPECT_THAT(messageWith("/inputs/0/limit", 0), HasSubstr("$.inputs[0].limit: expected an integer from 1"));
  EXPECT_THAT(messageWith("/outputs/1/limit", 5), HasSubstr("expected a limit at an input of type i32 only"));
}

TEST(Manifest, OrdersOfCaches) {
  const nlohmann::json keys = {{"operand", "keys"}, {"heads", 1}};
  // [16, 1] of i32: the 16 positions are padded to 64, the head's column to 64 bytes.
  EXPECT_THAT(messageWith("/buffers/6/order", keys),
              HasSubstr("expected the 4096 bytes of [16, 1] (keys in operand order, 1 head) but got 64"));
  EXPECT_THAT(messageWith("/targets/0/kernels/0/arguments/3/order", keys),
              HasSubstr("expected keys in operand order, 1 head for argument \"cache\" but \"cache\" holds rows"));
  EXPECT_THAT(messageWith("/buffers/6/order", {{"operand", "queries"}, {"heads", 1}}),
              HasSubstr("$.buffers[6].order.operand: expected one of"));
  EXPECT_THAT(messageWith("/buffers/6/order", {{"operand", "keys"}, {"heads", 2}}),
              HasSubstr("$.buffers[6].order.heads: expected 1 but got 2"));
  EXPECT_THAT(messageWith("/buffers/6/order", {{"operand", "scales"}, {"heads", 1}}),
              HasSubstr("expected the 256 bytes of [16, 1] (scales in operand order, 1 head) but got 64"));
}

TEST(Manifest, ConstantMemoryIsNotWritten) {
  EXPECT_THAT(messageWith("/targets/0/kernels/0/arguments/2/access", "write"),
              HasSubstr("may be written for argument \"table\" but \"weights\" is of kind \"weights\""));
}

TEST(Manifest, ArgumentsPointToTheirType) {
  EXPECT_EQ(messageWith("/targets/0/buckets/0/steps/0/arguments/1/buffer", "weights"),
            "m.json: $.targets[0].buckets[0].steps[0].arguments[1]: expected i32 for argument \"ids\" but \"weights\" "
            "holds f32 at offset 0");
  EXPECT_THAT(messageWith("/targets/0/buckets/0/steps/0/arguments/0/buffer", "logits"),
              HasSubstr("\"logits\" holds f32"));
  EXPECT_THAT(messageWith("/targets/0/kernels/0/arguments/3/type", "f32"), HasSubstr("\"cache\" holds i32"));
  json document = test::goodManifest();
  document["weights"]["tensors"].erase(0);
  EXPECT_THAT([&] { manifest::parseManifest(test::sealed(document).dump(), "m.json"); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("a weight at offset 0 for argument \"table\"")));
}

TEST(Manifest, NamesStandOnce) {
  EXPECT_THAT(messageWith("/buffers/0/name", "arena"), HasSubstr("a name no other buffer has"));
  EXPECT_THAT(messageWith("/buffers/0/kind", "arena"), HasSubstr("one buffer of kind \"arena\""));
  EXPECT_THAT(messageWith("/targets/0/kernels/0/symbol", "score"), HasSubstr("a symbol no other kernel has"));
  EXPECT_THAT(messageWith("/outputs/1/buffer", "logits"), HasSubstr("a buffer no other one has"));
  std::string text = test::goodManifest().dump();
  text.insert(1, "\"version\": 1, ");
  EXPECT_THAT([&] { manifest::parseManifest(text, "m.json"); },
              testing::ThrowsMessage<std::runtime_error>(
                  HasSubstr("expected each key once in an object but got 'version' again")));
}

TEST(Manifest, FilesStayInsideThePackage) {
  EXPECT_THAT(messageWith("/targets/0/code_object", "../../etc/passwd"), HasSubstr("a file inside the package"));
  EXPECT_THAT(messageWith("/weights/tensors/0/source/file", "a/../../b"), HasSubstr("a file inside the package"));
}

TEST(Manifest, TargetIds) {
  EXPECT_EQ(messageWith("/targets/0/id", "gfx90a:sramecc+:xnack-"), "no error");
  EXPECT_EQ(messageWith("/targets/0/id", "gfx9-4-generic:xnack-"), "no error");
  for (const char *bad : {"", "gfx", "sm_90", "gfx942:", "gfx942:foo+", "gfx942:xnack", "GFX942"})
    EXPECT_THAT(messageWith("/targets/0/id", bad), HasSubstr("a target ID such as gfx942")) << bad;
}

TEST(Manifest, NotJson) {
  EXPECT_THAT([] { manifest::parseManifest("{\"format\": \n", "m.json"); },
              testing::ThrowsMessage<std::runtime_error>(StartsWith("m.json:2:")));
  EXPECT_THAT([] { manifest::parseManifest("", "m.json"); }, testing::Throws<std::runtime_error>());
  EXPECT_THAT([] { manifest::parseManifest("[1]", "m.json"); },
              testing::ThrowsMessage<std::runtime_error>("m.json: $: expected an object but got an array of 1"));
  std::string deep(100000, '[');
  EXPECT_THAT([&] { manifest::parseManifest(deep, "m.json"); }, testing::Throws<std::runtime_error>());
  EXPECT_THAT([&] { manifest::parseManifest(deep + std::string(100000, ']'), "m.json"); },
              testing::Throws<std::runtime_error>());
}

TEST(Manifest, DigestShowsEdits) {
  json document = test::sealed(test::goodManifest());
  EXPECT_NO_THROW(manifest::parseManifest(document.dump(2), "m.json")); // white space does not count
  document["model"]["name"] = "another";                                // well-formed but changed
  EXPECT_THAT([&] { manifest::parseManifest(document.dump(), "m.json"); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("it was edited")));
  document.erase("digest");
  EXPECT_THAT([&] { manifest::parseManifest(document.dump(), "m.json"); },
              testing::ThrowsMessage<std::runtime_error>("m.json: $: expected a member \"digest\" but it is missing"));
}

TEST(Manifest, GridsAreTheTilesOfAStep) {
  EXPECT_EQ(messageWith("/targets/0/buckets/1/steps/0/grid/0", 5),
            "m.json: $.targets[0].buckets[1].steps[0].grid: expected [4, 1, 1], the tiles of \"append\" in a step of 4 "
            "tokens, but got [5, 1, 1]");
  EXPECT_THAT(messageWith("/targets/0/buckets/1/steps/0/grid", {2, 2, 1}), HasSubstr("expected [4, 1, 1]"));
  EXPECT_THAT(messageWith("/targets/0/kernels/0/tiling/0/tile", 2), HasSubstr("expected [2, 1, 1], the tiles of"));
  EXPECT_THAT(messageWith("/targets/0/kernels/1/tiling/0/extent", uint64_t(1) << 48),
              HasSubstr("expected [more than 2^31, 1, 1]"));
  EXPECT_THAT(messageWith("/targets/0/kernels/1/tiling/0/per_token", 1), HasSubstr("\"extent\" or \"per_token\""));
  // Without tiling a launch still must not be larger than HIP allows.
  json document = test::goodManifest();
  document["targets"][0]["kernels"][0].erase("tiling");
  document["targets"][0]["buckets"][1]["steps"][0]["grid"] = {100000, 100000, 1};
  EXPECT_THAT(
      [&] { manifest::parseManifest(test::sealed(document).dump(), "m.json"); },
      testing::ThrowsMessage<std::runtime_error>(HasSubstr("at most 2147483647 workgroups but 100000 x 100000")));
}

} // namespace

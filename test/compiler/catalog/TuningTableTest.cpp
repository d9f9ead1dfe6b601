// Tuning rows: what is read, what is refused and where; and every shipped file is valid.
#include "compiler/catalog/TuningTable.h"
#include "compiler/catalog/TuningOverrides.h"
#include "compiler/catalog/TuningText.h"
#include "templates/Templates.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <stdexcept>

namespace nstf {
namespace {

const std::string head = "provenance: {date: 2026-11-21, tool: by hand, kind: predicted}\n";

std::string failureOf(const std::string &text) {
  try {
    parseTuning(text, "f32.yaml");
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no failure";
}

TEST(TuningTable, Rows) {
  TuningTable table = parseTuning(head + "rows:\n"
                                         "  - when: {M: [1, 16], N: [1, 64]}\n"
                                         "    set: {BM: 16, BN: 64}\n"
                                         "    because: few rows\n"
                                         "  - when: {M: [17, 64]}\n"
                                         "    set: {BM: 64}\n"
                                         "    because: more rows\n",
                                  "f32.yaml");
  EXPECT_EQ(table.provenance, "predicted, by hand, 2026-11-21");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].parameters, (std::map<std::string, int64_t>{{"BM", 16}, {"BN", 64}}));
  EXPECT_EQ(table.rows[0].because, "few rows");
  // Both ends belong to a range, and all ranges of a row must hold.
  EXPECT_EQ(table.find({{"M", 1}, {"N", 64}}), 0u);
  EXPECT_EQ(table.find({{"M", 16}, {"N", 1}}), 0u);
  EXPECT_EQ(table.find({{"M", 16}, {"N", 65}}), std::nullopt);
  EXPECT_EQ(table.find({{"M", 17}, {"N", 65}}), 1u);
  EXPECT_EQ(table.find({{"M", 64}}), 1u);
  EXPECT_EQ(table.find({{"M", 65}}), std::nullopt);
  // An extent that the template does not have is never in range.
  EXPECT_EQ(table.find({{"N", 1}}), std::nullopt);
}

TEST(TuningTable, RestsOfDivisions) {
  TuningTable table = parseTuning(head + "rows:\n"
                                         "  - {when: {M: [1, 99], K%32: [1, 31]}, set: {BM: 1}, because: a}\n",
                                  "f32.yaml");
  EXPECT_EQ(table.find({{"M", 8}, {"K", 33}}), 0u);
  EXPECT_EQ(table.find({{"M", 8}, {"K", 31}}), 0u);
  EXPECT_EQ(table.find({{"M", 8}, {"K", 64}}), std::nullopt);
  EXPECT_EQ(table.find({{"M", 8}}), std::nullopt);
  EXPECT_EQ(table.rows[0].getMismatch({{"M", 8}, {"K", 64}}), "K%32 is 0, not 1 to 31");
  EXPECT_EQ(table.rows[0].getMismatch({{"M", 8}}), "there is no K");
}

TEST(TuningTable, TheInnerRowDecidesWhateverTheOrder) {
  std::vector<std::string> rows = {
      "  - {when: {M: [1, 8]}, set: {BM: 1}, because: a}\n", "  - {when: {M: [1, 16]}, set: {BM: 2}, because: b}\n",
      "  - {set: {BM: 3}, because: c}\n", "  - {when: {M: [1, 8], K%4: [1, 3]}, set: {BM: 4}, because: d}\n"};
  std::ranges::sort(rows);
  do {
    TuningTable table = parseTuning(head + "rows:\n" + rows[0] + rows[1] + rows[2] + rows[3], "f32.yaml");
    auto find = [&](const std::map<std::string, int64_t> &extents) {
      return table.rows[*table.find(extents)].parameters.at("BM");
    };
    EXPECT_EQ(find({{"M", 8}}), 1);
    EXPECT_EQ(find({{"M", 9}}), 2);
    EXPECT_EQ(find({{"M", 17}}), 3);
    EXPECT_EQ(find({}), 3);
    EXPECT_EQ(find({{"M", 8}, {"K", 5}}), 4);
    EXPECT_EQ(find({{"M", 8}, {"K", 4}}), 1);
  } while (std::ranges::next_permutation(rows).found);
}

TEST(TuningTable, PrecedenceGoesBeforeRanges) {
  TuningTable table = parseTuning(head + "rows:\n"
                                         "  - {when: {M: [1, 16]}, set: {BM: 1}, because: a}\n"
                                         "  - {when: {N: [1, 16]}, set: {BM: 2}, precedence: 1, because: b}\n"
                                         "  - {when: {M: [1, 16], N: [1, 8]}, set: {BM: 3}, because: c}\n"
                                         "  - {when: {N: [1, 4]}, set: {BM: 4}, precedence: -1, because: d}\n",
                                  "f32.yaml");
  EXPECT_EQ(table.find({{"M", 16}, {"N", 17}}), 0u);
  EXPECT_EQ(table.find({{"M", 16}, {"N", 16}}), 1u);
  EXPECT_EQ(table.find({{"M", 17}, {"N", 4}}), 1u);
  EXPECT_EQ(table.find({{"M", 16}, {"N", 8}}), 1u); // not the third row, though its ranges lie inside
  EXPECT_EQ(table.find({{"M", 17}, {"N", 17}}), std::nullopt);
}

TEST(TuningTable, OverlapsOfOnePrecedence) {
  auto rows = [](const std::string &one, const std::string &other) {
    return failureOf(head + "rows:\n  - {when: {" + one + "}, set: {}, because: a}\n  - {when: {" + other +
                     "}, set: {}, because: b}\n");
  };
  const std::string message =
      "f32.yaml:4:5: expected ranges apart from those of row 1 (line 3), one inside the other, or "
      "another precedence, but got row 2 that overlaps it with the same";
  EXPECT_EQ(rows("M: [1, 16]", "M: [16, 64]"), message);
  EXPECT_EQ(rows("M: [1, 16]", "N: [1, 64]"), message);
  EXPECT_EQ(rows("M: [1, 16], N: [1, 64]", "M: [8, 64], N: [64, .inf]"), message);
  EXPECT_EQ(rows("M: [1, 16], K%4: [1, 3]", "M: [1, 16], K%8: [1, 3]"), message);
  EXPECT_EQ(rows("M: [1, 16]", "M: [1, 16]"), message); // each lies inside the other
  EXPECT_EQ(rows("M: [1, 16]", "M: [17, .inf]"), "no failure");
  EXPECT_EQ(rows("M: [1, 16], N: [1, 64]", "M: [8, 64], N: [65, .inf]"), "no failure");
  EXPECT_EQ(rows("M: [1, 16]", "M: [1, 8], N: [1, 64]"), "no failure");
}

TEST(TuningTable, OpenEnds) {
  TuningTable table = parseTuning(head + "rows:\n"
                                         "  - {when: {M: [3072, .inf]}, set: {}, because: a}\n"
                                         "  - {when: {M: [-.inf, 4]}, set: {}, because: b}\n",
                                  "f32.yaml");
  EXPECT_EQ(table.find({{"M", INT64_MAX}}), 0u);
  EXPECT_EQ(table.find({{"M", 3071}}), std::nullopt);
  EXPECT_EQ(table.find({{"M", 0}}), 1u);
  EXPECT_EQ(table.rows[0].getMismatch({{"M", 3071}}), "M is 3071, not at least 3072");
  EXPECT_EQ(table.rows[1].getMismatch({{"M", 5}}), "M is 5, not at most 4");
}

TEST(TuningTable, Schedules) {
  TuningTable table = parseTuning(
      head + "rows:\n"
             "  - set: {BM: 16}\n"
             "    schedule: {waves: 2x4x8, sum: 16 blocks, buffers: 3, ahead: 1 block, through: lds, order: merged, "
             "priorities: falling}\n"
             "    because: all of it\n"
             "  - {when: {M: [1, 2]}, set: {BM: 16}, schedule: {sum: all}, because: one field}\n",
      "f32.yaml");
  EXPECT_EQ(table.rows[0].schedule.str(),
            "waves=2x4x8 sum=16 buffers=3 ahead=1 through=lds order=merged priorities=falling");
  EXPECT_EQ(table.rows[1].schedule.str(), "sum=all");
  auto field = [](const std::string &text) {
    return failureOf(head + "rows:\n  - {set: {}, schedule: {" + text + "}, because: x}\n");
  };
  EXPECT_EQ(field("waves: [2, 4]"), "f32.yaml:3:33: expected a text but got a list of 2");
  EXPECT_EQ(field("waves: 2"),
            "f32.yaml:3:33: expected waves to be ROWSxCOLUMNS or ROWSxCOLUMNSxK, such as 2x4 or 2x4x8, "
            "but got '2'");
  EXPECT_EQ(field("sum: 16"), "f32.yaml:3:31: expected sum with its unit, '16 blocks', but got '16'");
  EXPECT_EQ(field("ahead: 2 rounds"),
            "f32.yaml:3:33: expected ahead to be a number of at least 1, such as '2 blocks', but got '2 rounds'");
  EXPECT_EQ(field("buffers: 2, ahead: 3 blocks, through: lds"),
            "f32.yaml:3:64: expected ahead of at most the 2 buffers past the registers but got 3");
  EXPECT_EQ(field("depth: 2"), "f32.yaml:3:26: expected one of the keys waves, sum, buffers, ahead, through, order, "
                               "priorities but got 'depth'");
}

TEST(TuningOverrides, ParametersAndFields) {
  TuningOverrides overrides;
  EXPECT_TRUE(overrides.empty());
  for (const char *text : {"waves=2x4", "BN=64", "BM=0", "sum=8 blocks"})
    EXPECT_EQ(overrides.add(text), "") << text;
  EXPECT_FALSE(overrides.empty());
  EXPECT_EQ(overrides.getTexts(), (std::vector<std::string>{"BM=0", "BN=64", "waves=2x4", "sum=8"}));
  EXPECT_EQ(overrides.add("BN=32"), "expected each parameter once but got BN twice");
  EXPECT_EQ(overrides.add("sum=all"), "expected each parameter once but got sum twice");
  EXPECT_EQ(overrides.add("buffers=4"), "expected buffers to be a number of 1 to 3 but got '4'");
  EXPECT_EQ(overrides.add("SCHEDULE=1"), "expected order=VALUE in place of the parameter but got 'SCHEDULE=1'");
  for (const char *text : {"", "=1", "BK", "BK=", "BK=x", "BK=-1", "BK=65537", "BK=1=2"})
    EXPECT_EQ(overrides.add(text),
              "expected NAME=VALUE with a whole number of 0 to 65536 but got '" + std::string(text) + "'");
}

TEST(TuningTable, FilesFromTheMostSpecialToTheMostGeneral) {
  EXPECT_THAT(listTuningFiles({"mine", "gfx942"}, "matmul", "bf16"),
              testing::ElementsAre(
                  "tuning/mine/matmul/bf16.yaml", "tuning/gfx942/matmul/bf16.yaml", "tuning/default/matmul/bf16.yaml",
                  "tuning/mine/matmul/f16.yaml", "tuning/gfx942/matmul/f16.yaml", "tuning/default/matmul/f16.yaml",
                  "tuning/mine/matmul/f32.yaml", "tuning/gfx942/matmul/f32.yaml", "tuning/default/matmul/f32.yaml"));
  EXPECT_THAT(listTuningFiles({}, "matmul", "e4m3fnuz"),
              testing::ElementsAre("tuning/default/matmul/e4m3fnuz.yaml", "tuning/default/matmul/i8.yaml",
                                   "tuning/default/matmul/f32.yaml"));
  // A chip file with the chip's own name adds its folder once.
  EXPECT_THAT(listTuningFiles({"gfx942", "gfx942"}, "rope", "f32"),
              testing::ElementsAre("tuning/gfx942/rope/f32.yaml", "tuning/default/rope/f32.yaml"));
}

TEST(TuningTable, Refusals) {
  auto row = [](const std::string &text) { return failureOf(head + "rows:\n  - " + text + "\n"); };
  EXPECT_EQ(failureOf("rows: []\n"), "f32.yaml:1:1: expected the key 'provenance' with who says so but got none");
  EXPECT_EQ(failureOf(head), "f32.yaml:1:1: expected the key 'rows' with a list of rows but got none");
  EXPECT_EQ(failureOf("provenance: {date: 2026-11-21, tool: by hand}\nrows: []\n"),
            "f32.yaml:1:13: expected the key 'kind' with a text but got none");
  EXPECT_EQ(failureOf(head + "rows: all\n"), "f32.yaml:2:7: expected a list of rows but got 'all'");
  EXPECT_EQ(failureOf(head + "rows: []\nchip: gfx942\n"),
            "f32.yaml:3:1: expected one of the keys provenance, rows but got 'chip'");
  EXPECT_EQ(failureOf("- a\n- b\n"), "f32.yaml:1:1: expected a map but got a list of 2");
  EXPECT_EQ(row("{set: {BM: 16}}"), "f32.yaml:3:5: expected the key 'because' with a reason but got none");
  EXPECT_EQ(row("{because: none}"), "f32.yaml:3:5: expected the key 'set' with the parameters but got none");
  EXPECT_EQ(row("{set: [BM], because: x}"), "f32.yaml:3:11: expected a map of parameters but got a list of 1");
  EXPECT_EQ(row("{set: {BM: large}, because: x}"), "f32.yaml:3:16: expected an integer of at least 0 but got 'large'");
  EXPECT_EQ(row("{set: {BM: 1.5}, because: x}"), "f32.yaml:3:16: expected an integer of at least 0 but got '1.5'");
  EXPECT_EQ(row("{set: {BM: [16]}, because: x}"),
            "f32.yaml:3:16: expected an integer of at least 0 but got a list of 1");
  EXPECT_EQ(row("{set: {BM: -1}, because: x}"), "f32.yaml:3:16: expected an integer of at least 0 but got '-1'");
  EXPECT_EQ(row("{set: {BM: 1, BM: 2}, because: x}"), "f32.yaml:3:19: expected every key once but got 'BM' again");
  EXPECT_EQ(row("{when: [M], set: {BM: 1}, because: x}"),
            "f32.yaml:3:12: expected a map of ranges but got a list of 1");
  EXPECT_EQ(row("{when: {M: 16}, set: {BM: 1}, because: x}"),
            "f32.yaml:3:16: expected a range [lowest, highest] but got '16'");
  EXPECT_EQ(row("{when: {M: [16, 1]}, set: {BM: 1}, because: x}"),
            "f32.yaml:3:16: expected a range [lowest, highest] but got [16, 1]");
  EXPECT_EQ(row("{when: {M: [1, 2], M: [3, 4]}, set: {BM: 1}, because: x}"),
            "f32.yaml:3:24: expected every key once but got 'M' again");
  for (const char *name : {"M%", "M%0", "M%-3", "M%x", "M%4%2"})
    EXPECT_EQ(row("{when: {" + std::string(name) + ": [1, 2]}, set: {BM: 1}, because: x}"),
              "f32.yaml:3:13: expected NAME or NAME%DIVISOR but got '" + std::string(name) + "'");
  EXPECT_EQ(row("{set: {BM: 1}, because: [x]}"), "f32.yaml:3:29: expected a text but got a list of 1");
  // The line is that of the mistake, not of the file's begin.
  EXPECT_EQ(
      failureOf(head +
                "rows:\n  - set: {BM: 16}\n    because: x\n  - set:\n      BM: 16\n      BN: wide\n    because: y\n"),
      "f32.yaml:7:11: expected an integer of at least 0 but got 'wide'");
  EXPECT_THAT(failureOf(head + "rows:\n  - {set: {BM: 16\n"), testing::StartsWith("f32.yaml:"));
  EXPECT_EQ(failureOf(""), "f32.yaml:1:1: expected a map but got nothing");
}

TEST(TuningTable, TunedRows) {
  const std::string row =
      "  - {when: {M: [1, 2]}, set: {BM: 16}, because: x, tuned: {by: predicted, us: 5.5, interval: [5, "
      "6.25], runner_up: \"BM=32, 5.6 us\", chip: mi300x, compute_units: 304, clock: 2100}}\n";
  TuningTable table = parseTuning(head + "rows:\n" + row, "f32.yaml");
  ASSERT_TRUE(table.rows[0].tuned);
  EXPECT_EQ(table.rows[0].tuned->by, "predicted");
  EXPECT_EQ(table.rows[0].tuned->microseconds, 5.5);
  EXPECT_EQ(table.rows[0].tuned->max, 6.25);
  EXPECT_EQ(table.rows[0].tuned->runnerUp, "BM=32, 5.6 us");
  EXPECT_EQ(table.rows[0].tuned->computeUnits, 304);
  auto edit = [&](const std::string &from, const std::string &to) {
    std::string edited = row;
    return failureOf(head + "rows:\n" + edited.replace(edited.find(from), from.size(), to));
  };
  EXPECT_THAT(edit("predicted", "guessed"), testing::HasSubstr("expected predicted or measured but got 'guessed'"));
  EXPECT_THAT(edit("us: 5.5", "us: -1"), testing::HasSubstr("expected a time in us of at least 0 but got '-1'"));
  EXPECT_THAT(edit("us: 5.5", "us: 7"),
              testing::HasSubstr("expected an interval with the time in it but got one without"));
  EXPECT_THAT(edit("[5, 6.25]", "[5]"), testing::HasSubstr("expected a range [min, max] but got a list of 1"));
  EXPECT_THAT(edit("compute_units: 304", "compute_units: 0"),
              testing::HasSubstr("expected an integer of at least 1 but got '0'"));
  EXPECT_THAT(edit("chip: mi300x, ", ""), testing::HasSubstr("expected the key 'chip' with a text but got none"));
}

TEST(TuningText, PutsRowsIntoFiles) {
  TuningRow row;
  row.ranges = {{"M", {512, 512}}, {"N", {3072, INT64_MAX}}};
  row.parameters = {{"BM", 64}, {"BN", 32}};
  row.schedule.set("waves", "2x4");
  row.schedule.set("sum", "16");
  row.because = "the \"best\" of 3";
  row.tuned = TunedTime{"predicted", 5.5, 5, 6.25, "BM=32, 5.6 us", "mi300x", 304, 2100};
  const std::string text =
      putRow("", "f16.yaml", row, "# mine\n", "{date: 2026-11-28, tool: nstf-tune, kind: predicted}");
  EXPECT_EQ(text,
            "# mine\nprovenance: {date: 2026-11-28, tool: nstf-tune, kind: predicted}\nrows:\n"
            "  - when: {M: [512, 512], N: [3072, .inf]}\n    set: {BM: 64, BN: 32}\n"
            "    schedule: {waves: 2x4, sum: 16 blocks}\n"
            "    tuned: {by: predicted, us: 5.50, interval: [5.00, 6.25], runner_up: \"BM=32, 5.6 us\", chip: mi300x, "
            "compute_units: 304, clock: 2100}\n    because: \"the \\\"best\\\" of 3\"\n");
  TuningTable table = parseTuning(text, "f16.yaml");
  EXPECT_EQ(table.rows[0].ranges, row.ranges);
  EXPECT_EQ(table.rows[0].parameters, row.parameters);
  EXPECT_EQ(table.rows[0].schedule, row.schedule);
  EXPECT_EQ(table.rows[0].because, row.because);
  // A row for another shape is appended; one of equal ranges replaces the old one; all else stays.
  TuningRow other = row;
  other.ranges["M"] = {16, 16};
  std::string two = putRow(text, "f16.yaml", other, "", "");
  EXPECT_EQ(two, text + formatRow(other));
  row.parameters["BM"] = 128;
  EXPECT_EQ(putRow(two, "f16.yaml", row, "", ""),
            text.substr(0, text.find("  - ")) + formatRow(row) + formatRow(other));
  // An overlapping row is refused.
  row.ranges = {{"M", {16, 512}}, {"N", {4096, INT64_MAX}}};
  EXPECT_THROW(putRow(two, "f16.yaml", row, "", ""), support::InputError);
  EXPECT_THROW(putRow("rows: x", "f16.yaml", row, "", ""), support::InputError);
}

TEST(TuningTable, Buckets) {
  auto parse = [](const std::string &lines) { return parseBuckets(head + "buckets:\n" + lines, "buckets.yaml"); };
  std::vector<TokenBucket> buckets = parse("  - {max: 1, because: a}\n  - {max: 16, because: b}\n");
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[1].max, 16);
  EXPECT_EQ(buckets[1].because, "b");
  auto failure = [&](const std::string &lines) -> std::string {
    try {
      parse(lines);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no failure";
  };
  EXPECT_EQ(failure("  - {max: 0, because: a}\n"), "buckets.yaml:3:11: expected an integer of at least 1 but got '0'");
  EXPECT_EQ(failure("  - {max: 4, because: a}\n  - {max: 4, because: b}\n"),
            "buckets.yaml:4:11: expected an integer of at least 5 but got '4'");
  EXPECT_EQ(failure("  - {max: 4}\n"), "buckets.yaml:3:5: expected the key 'because' with a reason but got none");
  EXPECT_EQ(failure("  all\n"), "buckets.yaml:3:3: expected a list of buckets but got 'all'");
  EXPECT_FALSE(parseBuckets(*templateText("tuning/buckets.yaml"), "buckets.yaml").empty());
}

TEST(TuningTable, TemplateRules) {
  auto rules = parseTemplateRules(head + "linear:\n  - {rows: [1, 4], when: {K: [1, 9]}, take: matvec, because: few}\n"
                                         "  - {take: matmul, because: many}\n",
                                  "templates.yaml");
  ASSERT_EQ(rules["linear"].size(), 2u);
  EXPECT_EQ(rules["linear"][0].rows, (std::pair<int64_t, int64_t>(1, 4)));
  EXPECT_EQ(getMismatch(rules["linear"][0].ranges, {{"K", 10}}), "K is 10, not 1 to 9");
  EXPECT_EQ(rules["linear"][1].rows, (std::pair<int64_t, int64_t>(1, INT64_MAX)));
  EXPECT_EQ(rules["linear"][1].templateName, "matmul");
  for (auto [text, message] :
       {std::pair("linear: matmul\n", ":9: expected a list of templates but got 'matmul'"),
        std::pair("linear: [{because: x}]\n", ":10: expected the key 'take' with a template but got none"),
        std::pair("linear: [{take: x, because: x, by: me}]\n",
                  ":32: expected one of the keys rows, when, take, because but got 'by'")})
    try {
      parseTemplateRules(head + text, "templates.yaml");
      ADD_FAILURE() << text;
    } catch (const std::runtime_error &error) {
      EXPECT_EQ(error.what(), std::string("templates.yaml:2") + message);
    }
  // Shipped rules name existing templates.
  for (const auto &[operation, lines] : parseTemplateRules(*templateText("tuning/templates.yaml"), "templates.yaml"))
    for (const TemplateRule &rule : lines)
      EXPECT_TRUE(templateText("kernels/" + rule.templateName + ".mlir")) << rule.templateName;
}

// The parameters that a template declares, parsed from its text.
std::set<std::string> parametersOf(const std::string &name) {
  std::optional<std::string_view> text = templateText("kernels/" + name + ".mlir");
  if (!text)
    return {};
  std::string whole(*text);
  std::smatch params;
  if (!std::regex_search(whole, params, std::regex(R"(params = \{([^}]*)\})")))
    return {};
  std::string list = params[1];
  std::regex entry(R"((\w+) = -?\d+)");
  std::set<std::string> names;
  for (std::sregex_iterator it(list.begin(), list.end(), entry), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

TEST(TuningTable, ShippedFilesNameParametersOfTheirTemplates) {
  std::vector<std::string_view> files = templateNames("tuning/");
  std::set<std::string> tuned;
  for (std::string_view file : files) {
    SCOPED_TRACE(std::string(file));
    if (file == "tuning/buckets.yaml" || file == "tuning/templates.yaml")
      continue;
    // tuning/<default or a chip>/<template>/<type>.yaml
    std::smatch parts;
    std::string name(file);
    ASSERT_TRUE(std::regex_match(name, parts, std::regex(R"(tuning/(\w+)/(\w+)/(\w+)\.yaml)")));
    bool isDefault = parts[1] == "default";
    EXPECT_TRUE(isDefault || templateText("targets/" + parts[1].str() + ".yaml")) << "no such target";
    std::set<std::string> parameters = parametersOf(parts[2]);
    ASSERT_FALSE(parameters.empty()) << "no such template";
    std::set<std::string> extents = parameters;
    extents.insert("REQUESTS"); // every kernel has it (KernelChooser)
    if (parts[2] == "generic")  // its binding adds them (TensorSlot.cpp)
      extents.insert({"reduced", "contiguous"});
    if (parts[2] == "matvec" || parts[2] == "matmul") // likewise (bindings/LayerOps.cpp)
      extents.insert({"F16", "BYTES", "BITS", "MATRICES"});
    if (isDefault)
      tuned.insert(parts[2]);
    TuningTable table = parseTuning(*templateText(file), name);
    EXPECT_FALSE(table.rows.empty());
    for (const TuningRow &row : table.rows) {
      for (const auto &[extent, range] : row.ranges)
        EXPECT_TRUE(extents.contains(extent.substr(0, extent.find('%')))) << extent;
      for (const auto &[parameter, value] : row.parameters)
        EXPECT_TRUE(parameters.contains(parameter)) << parameter;
      EXPECT_TRUE(row.schedule.waves); // regardless of the template's default
      EXPECT_FALSE(row.because.empty());
    }
    // The last row covers all sizes, so that no size falls back to the template's defaults by oversight.
    EXPECT_TRUE(!isDefault || table.rows.back().ranges.empty());
  }
  // Each template has rows for every chip.
  std::set<std::string> templates;
  for (std::string_view name : templateNames("kernels/"))
    templates.insert(std::string(name.substr(8, name.size() - 8 - 5)));
  EXPECT_EQ(tuned, templates);
}

} // namespace
} // namespace nstf

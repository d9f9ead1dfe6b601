// nstf-emu trace: prints the instructions that one wave executes, or the writers of an element.
#include "runtime/emulator/launch/Trace.h"
#include "support/Escape.h"
#include "tools/nstf-emu/Commands.h"
#include "tools/nstf-emu/Options.h"

#include <CLI/CLI.hpp>
#include <bit>
#include <charconv>
#include <iostream>

namespace nstf::emulator::tool {
namespace {

struct Arguments {
  SessionArguments session;
  LaunchLimits limits;
  size_t launch = 0;
  std::string workgroup = "0,0,0", lanes = "0-3", pc;
  std::vector<std::string> watch;
  bool fault = false;
  TraceOptions trace;
};

[[noreturn]] void bad(const std::string &option, const std::string &expected, const std::string &got) {
  throw InputError(option + ": expected " + expected + " but got '" + support::escape(got) + "'");
}

bool readNumber(std::string_view text, uint64_t &value) {
  bool isHex = text.starts_with("0x");
  text.remove_prefix(isHex ? 2 : 0);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, isHex ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(at)) != text.npos; text.remove_prefix(end + at.size()))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

std::array<uint32_t, 3> parseWorkgroup(const std::string &text) {
  std::array<uint32_t, 3> result = {0, 0, 0};
  std::vector<std::string_view> parts = split(text, ",");
  uint64_t value = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i >= 3 || !readNumber(parts[i], value) || value > UINT32_MAX)
      bad("--workgroup", "X,Y,Z", text);
    result[i] = uint32_t(value);
  }
  return result;
}

/// "0-3,32"
uint64_t parseLanes(const std::string &text) {
  uint64_t mask = 0;
  for (std::string_view part : split(text, ",")) {
    std::vector<std::string_view> ends = split(part, "-");
    uint64_t first = 0, last = 0;
    if (ends.size() > 2 || !readNumber(ends.front(), first) || !readNumber(ends.back(), last) || first > last ||
        last >= Wave::width)
      bad("--lanes", "lanes from 0 to 63, such as 0-3,32", text);
    for (uint64_t lane = first; lane <= last; ++lane)
      mask |= uint64_t(1) << lane;
  }
  return mask;
}

/// "0x40..0x80", "0x40": offsets from the kernel's entry; the end is included.
void parsePc(const std::string &text, TraceOptions &options) {
  if (text.empty())
    return;
  std::vector<std::string_view> ends = split(text, "..");
  if (ends.size() > 2 || !readNumber(ends.front(), options.pcBegin) || !readNumber(ends.back(), options.pcEnd) ||
      options.pcBegin > options.pcEnd++)
    bad("--pc", "offsets from the kernel's entry, such as 0x40..0x80", text);
}

/// "c[17]" gives the element's index, "c[3, 4]" its indices by dimension.
WatchedElement parseWatch(const std::string &text, const LaunchSession &session) {
  std::string name = text.substr(0, text.find('['));
  const BufferDescription *buffer = session.file().buffer(name);
  auto fail = [&] { bad("--watch", "an element of a buffer, such as c[17] or c[3,4]", text); };
  if (!buffer || name.size() == text.size() || text.back() != ']')
    fail();
  std::string inside = text.substr(name.size() + 1, text.size() - name.size() - 2);
  std::vector<uint64_t> indices;
  for (std::string_view part : split(inside, ",")) {
    while (part.starts_with(" "))
      part.remove_prefix(1);
    if (!readNumber(part, indices.emplace_back()))
      fail();
  }
  uint64_t index = indices.front();
  if (indices.size() > 1) {
    if (indices.size() != buffer->shape.size())
      fail();
    index = 0;
    for (size_t d = 0; d < indices.size(); ++d) {
      if (indices[d] >= uint64_t(buffer->shape[d]))
        fail();
      index = index * uint64_t(buffer->shape[d]) + indices[d];
    }
  }
  if (index >= buffer->elements())
    bad("--watch", "an element below " + std::to_string(buffer->elements()), text);
  uint64_t begin = reinterpret_cast<uint64_t>(session.contents(name).data());
  return {buffer, index, begin + index * sizeOf(buffer->type)};
}

void checkPlace(const PreparedLaunch &launch, const TraceOptions &options) {
  const LaunchShape &shape = launch.shape;
  uint64_t items = uint64_t(shape.block[0]) * shape.block[1] * shape.block[2];
  uint64_t waves = (items + Wave::width - 1) / Wave::width;
  for (int i = 0; i < 3; ++i)
    if (options.workgroup[i] >= shape.grid[i])
      throw InputError("--workgroup: expected a workgroup of a grid of " + std::to_string(shape.grid[0]) + "," +
                       std::to_string(shape.grid[1]) + "," + std::to_string(shape.grid[2]) + " but got " +
                       std::to_string(options.workgroup[0]) + "," + std::to_string(options.workgroup[1]) + "," +
                       std::to_string(options.workgroup[2]));
  if (options.wave >= waves)
    throw InputError("--wave: expected one of " + std::to_string(waves) + " waves but got " +
                     std::to_string(options.wave));
}

int finish(const LaunchSession &session, const LaunchResult &result) {
  if (!result.fault)
    return fine;
  std::cout << std::flush;
  std::cerr << "fault: " << describe(session, *result.fault) << "\n";
  return foundFault;
}

int traceLaunch(LaunchSession &session, size_t number, LaunchOptions launchOptions, const TraceOptions &options) {
  TraceMonitor monitor(session, options, std::cout);
  launchOptions.monitor = &monitor;
  try {
    return finish(session, session.run(session.launches()[number], launchOptions));
  } catch (const TraceEnd &) {
    return fine;
  }
}

int runBefore(LaunchSession &session, size_t launch, const LaunchOptions &options) {
  for (size_t i = 0; i < launch; ++i)
    if (int status = finish(session, session.run(session.launches()[i], options)))
      return status;
  return fine;
}

/// Finds the first fault or finding, then runs everything again up to that point and shows the wave's last
/// instructions.
int traceFault(const Arguments &arguments, const LaunchOptions &launchOptions, TraceOptions options) {
  std::optional<Finding> finding;
  size_t number = 0;
  bool isFault = false;
  {
    LaunchSession session(LaunchFile::read(arguments.session.file), arguments.session.options());
    for (; number < session.launches().size(); ++number) {
      LaunchResult result = session.run(session.launches()[number], launchOptions);
      isFault = result.findings.empty();
      finding = isFault ? result.fault : result.findings.front();
      if (finding)
        break;
    }
    if (!finding) {
      std::cout << "no launch ends with a fault" << (session.checks() ? " or a finding\n" : "\n");
      return fine;
    }
    std::cerr << finding->check << ": launch " << number << ": " << describe(session, *finding) << "\n";
  }
  options.workgroup = finding->workgroup;
  options.wave = finding->wave;
  if (finding->lanes) { // the first of the lanes concerned
    options.lanes = 0;
    for (unsigned lane = 0; lane < Wave::width && std::popcount(options.lanes) < 4; ++lane)
      options.lanes |= finding->lanes & uint64_t(1) << lane;
  }
  if (!isFault)
    options.stopAt = finding->offset;
  if (!options.last)
    options.last = 16;
  SessionOptions sessionOptions = arguments.session.options();
  sessionOptions.check = "";
  LaunchSession session(LaunchFile::read(arguments.session.file), sessionOptions);
  if (int status = runBefore(session, number, launchOptions))
    return status;
  traceLaunch(session, number, launchOptions, options);
  return foundFault;
}

int watch(const Arguments &arguments, LaunchSession &session, LaunchOptions launchOptions) {
  std::vector<WatchedElement> watched;
  for (const std::string &text : arguments.watch)
    watched.push_back(parseWatch(text, session));
  if (int status = runBefore(session, arguments.launch, launchOptions))
    return status;
  WatchMonitor monitor(std::move(watched), std::cout);
  launchOptions.monitor = &monitor;
  LaunchResult result = session.run(session.launches()[arguments.launch], launchOptions);
  if (!monitor.printed())
    std::cout << "no store and no atomic of launch " << arguments.launch << " touches what is watched\n";
  return finish(session, result);
}

int trace(const Arguments &arguments) {
  TraceOptions options = arguments.trace;
  options.workgroup = parseWorkgroup(arguments.workgroup);
  options.lanes = parseLanes(arguments.lanes);
  parsePc(arguments.pc, options);
  InterruptGuard guard;
  LaunchOptions launchOptions = arguments.limits.launchOptions(nullptr);
  if (arguments.fault)
    return traceFault(arguments, launchOptions, options);
  SessionOptions sessionOptions = arguments.session.options();
  sessionOptions.check = "";
  LaunchSession session(LaunchFile::read(arguments.session.file), sessionOptions);
  if (arguments.launch >= session.launches().size())
    throw InputError("--launch: expected one of the file's " + std::to_string(session.launches().size()) +
                     " launches, counted from 0, but got " + std::to_string(arguments.launch));
  checkPlace(session.launches()[arguments.launch], options);
  if (!arguments.watch.empty())
    return watch(arguments, session, launchOptions);
  if (int status = runBefore(session, arguments.launch, launchOptions))
    return status;
  return traceLaunch(session, arguments.launch, launchOptions, options);
}

} // namespace

Command addTrace(CLI::App &app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command =
      app.add_subcommand("trace", "print one wave's instructions with the registers they read and write");
  command->footer(
      "\nOf each instruction: its number in the wave, its offset from the kernel's entry, EXEC, SCC and VCC before it, "
      "what it reads, accesses\nand writes. The launches before the traced one run as usual; a fault ends the trace "
      "with its message and exit status 2. Examples:\n"
      "  nstf-emu trace launch.yaml --workgroup=1,0,0 --wave=2 --lanes=0-3,63 --pc=0x40..0x80\n"
      "  nstf-emu trace launch.yaml --watch=c[17]            who writes element 17 of buffer c, and what\n"
      "  nstf-emu trace launch.yaml --fault --check=memory   what led to the first fault or finding");
  arguments->session.add(*command);
  arguments->session.addCheck(*command);
  arguments->limits.add(*command, false);
  command->add_option("--launch", arguments->launch, "which of the file's launches, counted from 0")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--workgroup", arguments->workgroup, "its number in x, y and z")
      ->capture_default_str()
      ->type_name("X,Y,Z");
  command->add_option("--wave", arguments->trace.wave, "its number in the workgroup")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--pc", arguments->pc, "only instructions at these offsets from the kernel's entry")
      ->type_name("A..B");
  command->add_option("--lanes", arguments->lanes, "lanes whose values of vector registers are shown")
      ->capture_default_str()
      ->type_name("LIST");
  command->add_option("--skip", arguments->trace.skip, "leave out the first ones")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--max", arguments->trace.max, "instructions to print at most, 0: any number")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--last", arguments->trace.last, "only the last ones, before the wave's end or its fault")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command->add_flag("--fault", arguments->fault,
                    "find the first fault, or finding of --check, and show its wave's last instructions (--last, 16)");
  command
      ->add_option("--watch", arguments->watch,
                   "instead of a wave: print every write to this element by any wave; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME[INDEX]");
  return [arguments] { return trace(*arguments); };
}

} // namespace nstf::emulator::tool

// The C header of a kernel that is compiled alone: argument struct, launch geometry, and the caller's obligations. It
// is C99 and C++11 and needs <stddef.h> and <stdint.h>; templates/CONTRACT.md explains what it guarantees.
#pragma once

#include "nstf/Manifest.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nstf {

struct KernelHeader {
  /// The kernel of one target.
  struct Launch {
    std::string target; ///< "gfx942"
    manifest::Kernel kernel;
    uint64_t workgroups = 1; ///< per launch; if rows vary, per block of rows
    int64_t rowsFactor = 1;  ///< if rows vary: the kernel's rows for each row of the launch
    int64_t rowsTile = 1;    ///< if rows vary: the kernel's rows in a block
  };

  std::string name;                                        ///< an identifier; prefix of every name in the header
  std::string about;                                       ///< what the kernel computes
  std::string command;                                     ///< the command that made the kernel
  std::string compiler;                                    ///< "nstf 0.1.0, LLVM 22.1.8"
  std::vector<std::pair<std::string, std::string>> values; ///< the values of the options, ("m", "64")
  std::vector<std::string> argumentAbouts;                 ///< one for each argument
  std::vector<bool> argumentsAreCodes;                     ///< for each: codes of a format; any bits are valid
  std::vector<bool> argumentsAreOwn;                       ///< for each: memory of the launch alone
  std::optional<size_t> control;                           ///< index of the control block's argument
  std::optional<int64_t> maxRows;                          ///< if the rows of a launch are known only at run time
  bool readsTokens = false, readsPosition = false;         ///< the kernel reads them from the control block
  std::vector<Launch> launches;                            ///< at least one; all have the same arguments
};

/// The text of the header.
std::string kernelHeaderText(const KernelHeader &header);

/// Converts `text` to a C99 and C++11 identifier that does not become a keyword when "_something" is appended.
std::string kernelIdentifier(std::string_view text);

} // namespace nstf

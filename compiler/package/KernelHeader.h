// The C header of a kernel that was compiled alone: argument struct, launch geometry, and what a caller must hold to.
// It is C99 and C++11 and needs <stddef.h> and <stdint.h>; templates/CONTRACT.md explains what it promises.
#pragma once

#include "nstf/Manifest.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nstf {

struct KernelHeader {
  /// What one target launches.
  struct Launch {
    std::string target; ///< "gfx942"
    manifest::Kernel kernel;
    uint64_t workgroups = 1; ///< of a launch; with rows that vary, of each block of rows
    int64_t rowsFactor = 1;  ///< with rows that vary: for each row of the launch so many of the kernel's own
    int64_t rowsTile = 1;    ///< of which a block has so many
  };

  std::string name;                                        ///< an identifier; everything in the header starts with it
  std::string about;                                       ///< what it computes
  std::string command;                                     ///< how it was made
  std::string compiler;                                    ///< "nstf 0.1.0, LLVM 22.1.8"
  std::vector<std::pair<std::string, std::string>> values; ///< the options' values, ("m", "64")
  std::vector<std::string> argumentAbouts;                 ///< one for each argument
  std::vector<bool> argumentsAreCodes;                     ///< for each: any bits are codes, of a format
  std::vector<bool> argumentsAreOwn;                       ///< for each: memory for the launch alone
  std::optional<size_t> control;                           ///< which argument is the control block
  std::optional<int64_t> maxRows;                          ///< where the rows of a launch are read at run time
  bool readsTokens = false, readsPosition = false;         ///< from the control block
  std::vector<Launch> launches;                            ///< at least one; the arguments are the same in all
};

/// The text of the header.
std::string kernelHeaderText(const KernelHeader &header);

/// A C99 and C++11 identifier for `text`, of which no keyword can be made by adding "_something".
std::string kernelIdentifier(std::string_view text);

} // namespace nstf

// The loads, products, computations and stores of a work item of a kernel template for given parameters. They are
// counted on the template itself, whose types name their axes, so nothing is instantiated.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "support/Schedule.h"

#include <map>
#include <string>
#include <vector>

namespace nstf::systolic {

/// The parameters of a kernel that its template leaves open.
struct KernelQuery {
  std::map<std::string, int64_t> parameters; ///< override the template's
  support::Schedule schedule;                ///< overrides fields of the template's
  mlir::Type operand;                        ///< type of the operands of matrix products; null: the template's OPERAND
  std::map<std::string, double> bits;        ///< bits of an element in memory, by buffer, if different from its type
  int64_t tokens = 1, position = 0;          ///< values of the control block, where it is read

  int64_t getParameter(KernelOp kernel, llvm::StringRef name) const;
};

/// A tile that is loaded from memory.
struct LoadWork {
  double bytes = 0;
  double rowBytes = 0;                  ///< contiguous in memory
  int64_t elements = 0;                 ///< elements of the tile
  bool isOneRow = false;                ///< all waves along rows load the same row
  bool byRow = false, byColumn = false; ///< depends on the grid's first axis, or on the others
  bool isOperand = false;               ///< whether it is an operand of the matrix cores
  bool isCodes = false;                 ///< whether it is decoded to numbers
};

/// A product on the matrix cores.
struct ProductWork {
  int64_t m = 0, n = 0, k = 0;
  mlir::Type type; ///< type of the operands
};

/// The work of each round of a loop; the first phase of a kernel is the work outside of loops.
struct PhaseWork {
  int64_t rounds = 1; ///< rounds in a work item, including those of enclosing loops
  std::vector<LoadWork> loads;
  std::vector<ProductWork> products;
  double dotElements = 0;     ///< elements multiplied and added on the vector units
  int64_t dotColumns = 0;     ///< columns of a row of these
  double dotBytes = 4;        ///< bytes of an operand of these
  double vectorElements = 0;  ///< results of elementwise operations and reductions
  double transcendentals = 0; ///< exponentials, logarithms and roots among these
  double storedBytes = 0;
};

struct KernelWork {
  int64_t rows = 1, columns = 1; ///< work items along the grid's first axis, and along the others
  std::vector<PhaseWork> phases;

  int64_t getWorkItems() const { return rows * columns; }
};

/// Precondition: `kernel` is that of a template, with the functions that it calls in the same module.
KernelWork countWork(KernelOp kernel, const KernelQuery &query);

} // namespace nstf::systolic

// What a work item of a kernel template loads, multiplies, computes and stores, at any parameters: counted from the
// template as it stands, whose types name their axes, so that nothing is instantiated.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "support/Schedule.h"

#include <map>
#include <string>
#include <vector>

namespace nstf::systolic {

/// The numbers of a kernel that its template leaves open.
struct KernelQuery {
  std::map<std::string, int64_t> parameters; ///< over the template's
  support::Schedule schedule;                ///< fields over the template's
  mlir::Type operand;                        ///< of matrix products; null: the template's OPERAND
  std::map<std::string, double> bits;        ///< that an element takes in memory, by buffer, where that isn't its type
  int64_t tokens = 1, position = 0;          ///< of the step, where the control block is asked for them

  int64_t getParameter(KernelOp kernel, llvm::StringRef name) const;
};

/// A tile that memory gives.
struct LoadWork {
  double bytes = 0;
  double rowBytes = 0;                  ///< side by side in memory
  int64_t elements = 0;                 ///< that become numbers
  bool isOneRow = false;                ///< that waves along rows all load
  bool byRow = false, byColumn = false; ///< differs from work item to work item along the grid's first axis, or others
  bool isOperand = false;               ///< of a product on the matrix cores
  bool isCodes = false;                 ///< numbers are made of it
};

/// A product on the matrix cores.
struct ProductWork {
  int64_t m = 0, n = 0, k = 0;
  mlir::Type type; ///< of its operands
};

/// What a loop does in each of its rounds; the first of a kernel: what it does in none.
struct PhaseWork {
  int64_t rounds = 1; ///< of a work item, those of the loops around it included
  std::vector<LoadWork> loads;
  std::vector<ProductWork> products;
  double dotElements = 0;     ///< multiplied and added on the vector units
  int64_t dotColumns = 0;     ///< of a row of such
  double dotBytes = 4;        ///< of an operand
  double vectorElements = 0;  ///< results of elementwise operations and reductions
  double transcendentals = 0; ///< of those exp, log, root
  double storedBytes = 0;
};

struct KernelWork {
  int64_t rows = 1, columns = 1; ///< work items along the grid's first axis, and the others
  std::vector<PhaseWork> phases;

  int64_t getWorkItems() const { return rows * columns; }
};

/// Precondition: `kernel` is as a template has it, with the functions that it calls beside it.
KernelWork countWork(KernelOp kernel, const KernelQuery &query);

} // namespace nstf::systolic

// Random graphs of tensor code as text: chains, sums, slices, concatenations and gathers, mixed with nstf ops. Values
// stay small, so that one tolerance suits all.
#pragma once

#include "test/compiler/driver/GraphText.h"

#include <algorithm>
#include <random>

namespace nstf::test {

class RandomTensors {
public:
  explicit RandomTensors(unsigned seed) : random(seed) {
    for (const Shape &shape : {Shape{-1, 6}, Shape{4, 6}, Shape{-1, 2, 3}, Shape{6}, Shape{-1}}) {
      std::string name = "in" + std::to_string(values.size());
      inputs += (inputs.empty() ? "%" : ", %") + name + ": " + tensorType(shape) + " {nstf.name = \"" + name + "\"}";
      values.push_back({"%" + name, shape});
    }
    inputCount = values.size();
    while (values.size() < inputCount + 14)
      addOp();
  }

  std::string text() const {
    std::string results, names, types;
    // The last values, and one from the middle that has other readers too.
    for (size_t i : {inputCount + 5, values.size() - 2, values.size() - 1}) {
      std::string type = tensorType(values[i].shape);
      results += (results.empty() ? "" : ", ") + type + " {nstf.name = \"out" + std::to_string(i) + "\"}";
      names += (names.empty() ? "" : ", ") + values[i].name;
      types += (types.empty() ? "" : ", ") + type;
    }
    return "module {\nnstf.graph @main(" + inputs + ") -> (" + results + ") attributes {context = 64 : i64} {\n" +
           "%c0 = arith.constant 0 : index\n%zero = arith.constant 0.0 : f32\n%quarter = arith.constant 0.25 : f32\n" +
           "%tokens = tensor.dim %in0, %c0 : tensor<?x6xf32>\n" + body + "nstf.return " + names + " : " + types +
           "\n}\n}\n";
  }

private:
  using Shape = std::vector<int64_t>;
  struct Value {
    std::string name;
    Shape shape;
  };

  int64_t below(int64_t limit) { return int64_t(random() % uint64_t(limit)); }
  /// Usually one of the latest values, so that ops build on each other and share operands.
  const Value &pick() { return values[below(3) ? values.size() - 1 - below(5) : below(values.size())]; }
  std::string fresh() { return "%v" + std::to_string(numbers++); }

  std::string empty(const Shape &shape) {
    std::string name = fresh();
    body += name + " = tensor.empty(" + (!shape.empty() && shape[0] < 0 ? "%tokens" : "") + ") : " + tensorType(shape) +
            "\n";
    return name;
  }

  /// "affine_map<(d0, d1) -> (d1)>"
  static std::string map(size_t rank, const std::vector<size_t> &dims) {
    std::string from, to;
    for (size_t i = 0; i < rank; ++i)
      from += (i ? ", d" : "d") + std::to_string(i);
    for (size_t dim : dims)
      to += (to.empty() ? "d" : ", d") + std::to_string(dim);
    return "affine_map<(" + from + ") -> (" + to + ")>";
  }

  static std::vector<size_t> all(size_t rank) {
    std::vector<size_t> dims(rank);
    for (size_t i = 0; i < rank; ++i)
      dims[i] = i;
    return dims;
  }

  struct Operand {
    Value value;
    std::vector<size_t> dims;
  };

  /// A generic whose body computes %r from %p0, %p1, … and %acc.
  void generic(size_t rank, const std::vector<Operand> &operands, const std::string &init, const Shape &shape,
               const std::vector<size_t> &dims, const std::string &code) {
    std::string maps, names, types, arguments, kinds;
    for (const Operand &operand : operands) {
      maps += map(rank, operand.dims) + ", ";
      arguments += "%p" + std::to_string(&operand - operands.data()) + ": f32, ";
      names += (names.empty() ? "" : ", ") + operand.value.name;
      types += (types.empty() ? "" : ", ") + tensorType(operand.value.shape);
    }
    for (size_t i = 0; i < rank; ++i) {
      bool isParallel = std::find(dims.begin(), dims.end(), i) != dims.end();
      kinds += std::string(i ? ", " : "") + (isParallel ? "\"parallel\"" : "\"reduction\"");
    }
    Value result{fresh(), shape};
    body += result.name + " = linalg.generic {indexing_maps = [" + maps + map(rank, dims) + "], iterator_types = [" +
            kinds + "]} ins(" + names + " : " + types + ") outs(" + init + " : " + tensorType(shape) + ") {\n^bb0(" +
            arguments + "%acc: f32):\n" + code + "linalg.yield %r : f32\n} -> " + tensorType(shape) + "\n";
    values.push_back(result);
  }

  void define(const Shape &shape, const std::string &op) {
    Value result{fresh(), shape};
    body += result.name + " = " + op + "\n";
    values.push_back(result);
  }

  static std::string list(const Shape &numbers) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : ", ") + (number < 0 ? "%tokens" : std::to_string(number));
    return "[" + text + "]";
  }

  void addOp() {
    Value v = pick();
    size_t rank = v.shape.size(), dim = below(rank);
    bool isStatic = v.shape[dim] > 0;
    std::string type = tensorType(v.shape);
    switch (below(10)) {
    case 0: {
      const char *functions[] = {"math.tanh", "math.absf", "arith.negf", "math.sin"};
      return define(v.shape, std::string(functions[below(4)]) + " " + v.name + " : " + type);
    }
    case 1: {
      const char *functions[] = {"arith.maximumf", "arith.subf", "arith.mulf"};
      Value w = v;
      for (int i = 0; i < 8 && w.name == v.name; ++i)
        if (const Value &other = pick(); other.shape == v.shape)
          w = other;
      return generic(rank, {{v, all(rank)}, {w, all(rank)}}, empty(v.shape), v.shape, all(rank),
                     "%1 = " + std::string(functions[below(3)]) + " %p0, %p1 : f32\n%r = math.tanh %1 : f32\n");
    }
    case 2: // along one of its dimensions
      for (const Value &w : values)
        if (w.shape.size() == 1 && w.shape[0] == v.shape[dim])
          return generic(rank, {{v, all(rank)}, {w, {dim}}}, empty(v.shape), v.shape, all(rank),
                         "%1 = arith.addf %p0, %p1 : f32\n%r = arith.mulf %1, %quarter : f32\n");
      return;
    case 3: {
      if (rank < 2)
        return;
      Shape shape = v.shape;
      shape.erase(shape.begin() + dim);
      std::vector<size_t> dims = all(rank);
      dims.erase(dims.begin() + dim);
      std::string init = fresh(), start = empty(shape);
      body += init + " = linalg.fill ins(%zero : f32) outs(" + start + " : " + tensorType(shape) + ") -> " +
              tensorType(shape) + "\n";
      const char *kinds[] = {"arith.addf", "arith.maximumf", "arith.minnumf", "arith.subf"};
      return generic(rank, {{v, all(rank)}}, init, shape, dims,
                     "%1 = arith.mulf %p0, %quarter : f32\n%r = " + std::string(kinds[below(4)]) + " %acc, %1 : f32\n");
    }
    case 4: {
      if (rank < 2 || (rank == 2 && v.shape[0] < 0))
        return;
      std::vector<size_t> dims = all(rank);
      std::swap(dims[rank - 1], dims[rank - 2]);
      Shape shape = v.shape;
      std::swap(shape[rank - 1], shape[rank - 2]);
      if (shape.back() < 0)
        return;
      return generic(rank, {{v, dims}}, empty(shape), shape, all(rank), "%r = arith.negf %p0 : f32\n");
    }
    case 5: {
      if (!isStatic || v.shape[dim] < 3)
        return;
      Shape offsets(rank, 0), sizes = v.shape, strides(rank, 1);
      offsets[dim] = below(2);
      strides[dim] = 1 + below(2);
      sizes[dim] = (v.shape[dim] - offsets[dim] + strides[dim] - 1) / strides[dim];
      return define(sizes, "tensor.extract_slice " + v.name + list(offsets) + " " + list(sizes) + " " + list(strides) +
                               " : " + type + " to " + tensorType(sizes));
    }
    case 6: {
      if (!isStatic || v.shape[dim] > 20)
        return;
      Value w = pick();
      Shape shape = w.shape, other = v.shape;
      if (shape.size() != rank || shape[dim] < 0)
        w = v, shape = w.shape;
      other[dim] = shape[dim];
      if (shape != other)
        w = v, shape = w.shape;
      shape[dim] += v.shape[dim];
      return define(shape, "tensor.concat dim(" + std::to_string(dim) + ") " + v.name + ", " + w.name + " : (" + type +
                               ", " + tensorType(w.shape) + ") -> " + tensorType(shape));
    }
    case 7: {
      if (!isStatic)
        return;
      Shape low(rank, 0), high(rank, 0), shape = v.shape;
      low[dim] = below(3);
      high[dim] = 1 + below(2);
      shape[dim] += low[dim] + high[dim];
      std::string arguments;
      for (size_t i = 0; i < rank; ++i)
        arguments += (i ? ", %i" : "%i") + std::to_string(i) + ": index";
      return define(shape, "tensor.pad " + v.name + " low" + list(low) + " high" + list(high) + " {\n^bb0(" +
                               arguments + "):\ntensor.yield %quarter : f32\n} : " + type + " to " + tensorType(shape));
    }
    case 8: // every second element along a dimension, from the end, as a gather
      if (!isStatic)
        return;
      {
        std::string indices;
        for (size_t i = 0; i < rank; ++i)
          indices += (i ? ", " : "") + (i == dim ? std::string("%at") : "%x" + std::to_string(i));
        std::string code = "%s = arith.constant " + std::to_string(v.shape[dim]) + " : index\n";
        for (size_t i = 0; i < rank; ++i)
          code += "%x" + std::to_string(i) + " = linalg.index " + std::to_string(i) + " : index\n";
        std::string own = "%x" + std::to_string(dim);
        code += "%1 = arith.addi " + own + ", " + own +
                " : index\n%at = arith.subi %s, %1 : index\n%2 = tensor.extract " + v.name + "[" + indices +
                "] : " + type + "\n%r = arith.subf %p0, %2 : f32\n";
        return generic(rank, {{v, all(rank)}}, empty(v.shape), v.shape, all(rank), code);
      }
    default:
      if (rank == 2)
        return define(v.shape, "nstf.silu " + v.name + " : " + type);
      if (rank == 3 && v.shape[1] > 0) {
        Shape shape = {v.shape[0], v.shape[1] * v.shape[2]};
        return define(shape,
                      "tensor.collapse_shape " + v.name + " [[0], [1, 2]] : " + type + " into " + tensorType(shape));
      }
    }
  }

  std::mt19937 random;
  std::vector<Value> values;
  size_t inputCount, numbers = 0;
  std::string inputs, body;
};

} // namespace nstf::test

// Layout conversions in several rounds (Rounds.h), and the folder and verifier of convert_layout.
#include "dialects/systolic/Rounds.h"

using namespace mlir;
using namespace nstf::systolic;

/// Whether the digit `whole` contains `part`: then it consists of a digit below, `part`, and a digit above.
static bool contains(const Digit &whole, const Digit &part) {
  int64_t below = part.stride / whole.stride;
  return whole.dim == part.dim && part.stride % whole.stride == 0 && whole.count % (below * part.count) == 0;
}

std::optional<RoundDigits> nstf::systolic::findRounds(FragmentAttr from, FragmentAttr to, ArrayRef<int64_t> shape,
                                                      ArrayRef<int64_t> part) {
  RoundDigits rounds;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] % part[dim])
      return std::nullopt;
    Digit digit{int64_t(dim), shape[dim] / part[dim], part[dim]};
    auto holds = [&](FragmentAttr layout) {
      return llvm::any_of(layout.getReg(), [&](const Digit &whole) { return contains(whole, digit); });
    };
    while (digit.count > 1 && digit.stride > 0 && !(holds(from) && holds(to)))
      --digit.stride;
    if (digit.stride == 0)
      return std::nullopt;
    if (digit.count > 1)
      rounds.push_back(digit);
  }
  return rounds;
}

RoundLayout nstf::systolic::splitIntoRounds(FragmentAttr layout, ArrayRef<Digit> rounds, unsigned rank) {
  RoundLayout split;
  int64_t count = 1;
  for (const Digit &round : rounds)
    count *= round.count;
  split.registers.resize(count);
  for (int64_t number = 0; number < layout.getNumRegisters(); ++number) {
    SmallVector<int64_t> coordinates = layout.getRegisterCoordinates(number, rank);
    int64_t index = 0;
    for (const Digit &round : rounds)
      index = index * round.count + coordinates[round.dim] / round.stride % round.count;
    split.registers[index].push_back(number);
  }
  SmallVector<Digit> reg(layout.getReg()), lane(layout.getLane()), wave(layout.getWave());
  for (const Digit &round : rounds) {
    Digit *whole = llvm::find_if(reg, [&](const Digit &digit) { return contains(digit, round); });
    int64_t below = round.stride / whole->stride;
    Digit above{round.dim, whole->count / (below * round.count), round.stride * round.count};
    whole->count = below;
    reg.insert(whole + 1, above);
    for (SmallVector<Digit> *digits : {&reg, &lane, &wave})
      for (Digit &digit : *digits)
        if (digit.dim == round.dim && digit.stride > round.stride)
          digit.stride /= round.count;
  }
  split.part = FragmentAttr::getCanonical(layout.getContext(), reg, lane, wave);
  return split;
}

std::optional<RoundDigits> nstf::systolic::findRounds(ConvertLayoutOp op) {
  SmallVector<int64_t> part(cast<LdsType>(op.getThrough().front().getType()).getShape());
  if (op.getTransposed())
    std::reverse(part.begin(), part.end());
  return findRounds(getFragment(op.getTile().getType()), getFragment(op.getResult().getType()),
                    getTileType(op.getTile()).getShape(), part);
}

// convert_layout

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) { return getTile().getType() == getType() ? getTile() : Value(); }

bool ConvertLayoutOp::staysInWaves() {
  FragmentAttr from = getFragment(getTile().getType()), to = getFragment(getResult().getType());
  auto isReplicated = [](const Digit &digit) { return digit.dim < 0; };
  return from && to && from.getWave() == to.getWave() && llvm::none_of(from.getWave(), isReplicated);
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getTile().getType()), to = cast<RankedTensorType>(getResult().getType());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType()) // convert_layout_c1
    return emitOpError() << "expected one shape and element type but got " << from << " and " << to;
  if (getTransposed() && (getThrough().empty() || from.getRank() != 2)) // convert_layout_c2
    return emitOpError("expected a tile of rank 2 and an array for transposed");
  if (getApart() && (getThrough().size() != 1 || !staysInWaves())) // convert_layout_c4
    return emitOpError() << "expected one array and waves that keep what they have for apart but got " << from
                         << " and " << to;
  if (getThrough().empty())
    return success();
  auto array = cast<LdsType>(getThrough().front().getType());
  bool isOne = llvm::all_equal(getThrough().getTypes()) && array.getBuffers() == 1;
  if (!isOne || array.getShape().size() != size_t(from.getRank()) ||
      array.getElementType() != from.getElementType()) // convert_layout_c2
    return emitOpError() << "expected arrays of one type, with one buffer of the tile's rank and element type, but got "
                         << getThrough().getTypes();
  if (!getFragment(from) || !getFragment(to) || !findRounds(*this)) // convert_layout_c3
    return emitOpError() << "expected an array that holds a part of " << from << " and of " << to << " but got "
                         << array;
  return success();
}

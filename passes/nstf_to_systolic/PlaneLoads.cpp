#include "passes/nstf_to_systolic/PlaneLoads.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nstf;
using systolic::AxesAttr;

void PlaneLoads::addBuffers(unsigned position) {
  buffers[Plane::codes] = program.getArgument(position);
  program.getArgument(position).setType(makeBuffer(Plane::codes));
  SmallVector<Type> types(program.getArgumentTypes());
  types[position] = makeBuffer(Plane::codes);
  program.setFunctionType(FunctionType::get(program.getContext(), types, {}));
  for (Plane plane : {Plane::high, Plane::scales, Plane::zeros})
    if (matrix.getPlane(plane)) {
      program.insertBuffer(++position, makeBuffer(plane), name + "_" + stringifyPlane(plane).str());
      buffers[plane] = program.getArgument(position);
    }
}

MemRefType PlaneLoads::makeBuffer(Plane plane) {
  auto type = cast<RankedTensorType>(matrix.getPlane(plane).getType());
  auto buffer = MemRefType::Builder(whole).setElementType(type.getElementType());
  SmallVector<Attribute> names(cast<AxesAttr>(whole.getMemorySpace()).getNames());
  SmallVector<int64_t> shape(whole.getShape());
  for (unsigned dim = 0; dim < 2; ++dim)
    if (type.getDimSize(dim) != matrix.getType().getDimSize(dim)) {
      names[dim] = addAxis(names[dim], plane, type.getDimSize(dim));
      shape[dim] = 1; // systolic-instantiate sets the real size, from the parameter
    }
  return buffer.setShape(shape).setMemorySpace(AxesAttr::get(program.getContext(), names));
}

Attribute PlaneLoads::addAxis(Attribute axis, StringRef suffix, int64_t size) {
  std::string text =
      isa<StringAttr>(axis) ? cast<StringAttr>(axis).str() : "A" + std::to_string(cast<IntegerAttr>(axis).getInt());
  StringAttr added = builder.getStringAttr(text + "_" + suffix);
  NamedAttrList parameters(program.getParams());
  parameters.set(added, builder.getI64IntegerAttr(size));
  program.setParamsAttr(parameters.getDictionary(program.getContext()));
  return added;
}

RankedTensorType PlaneLoads::withColumns(Plane plane, Type element, int64_t size) {
  SmallVector<Attribute> names(cast<AxesAttr>(tile.getEncoding()).getNames());
  SmallVector<int64_t> shape(tile.getShape());
  names[along] = addAxis(names[along], plane, size);
  // Until systolic-instantiate runs, tiles have the sizes that the template's file gives.
  shape[along] = std::max<int64_t>(shape[along] * size / columns, 1);
  return RankedTensorType::get(shape, element, AxesAttr::get(program.getContext(), names));
}

Value PlaneLoads::loadPlane(Plane plane, Type element, int64_t size, Value column, Value row, Value rows) {
  auto type = withColumns(plane, element, size);
  Value place = row ? row : load.getIndices()[0];
  auto made = systolic::LoadOp::create(builder, loc, type, buffers.at(plane), ValueRange{place, column}, ValueRange(),
                                       rows, Value());
  copyModifiers(made);
  return made;
}

void PlaneLoads::copyModifiers(systolic::LoadOp made) {
  made.setTransposed(load.getTransposed());
  if (Value when = load.getWhen())
    made.getWhenMutable().assign(when);
}

void PlaneLoads::loadPlanes(Type scale, Operation *place) {
  loaded = {};
  Value column = load.getIndices()[1];
  if (format.isPacked()) {
    loaded.codes = loadWords(Plane::codes, 4, column);
    if (format.getHighBits())
      loaded.high = loadWords(Plane::high, format.getHighBits(), column);
  } else {
    auto made = systolic::LoadOp::create(builder, loc, withElement(format.getElementType(Plane::codes)),
                                         buffers.at(Plane::codes), load.getIndices(), ValueRange(), Value(), Value());
    copyModifiers(made);
    loaded.codes = made;
  }
  if (matrix.getZeros())
    loadZeros();
  builder.setInsertionPoint(place);
  loaded.scales = loadPlane(Plane::scales, scale, countGroups(), getGroup());
}

Value PlaneLoads::loadWords(Plane plane, int64_t bits, Value column) {
  int64_t perWord = 32 / bits;
  return loadPlane(plane, builder.getI32Type(), columns / perWord,
                   arith::DivUIOp::create(builder, loc, column, constant(perWord)));
}

void PlaneLoads::loadZeros() {
  auto rowType = RankedTensorType::get(tile.getDimSize(1 - along), builder.getI32Type(),
                                       AxesAttr::get(program.getContext(), {getAxis(1 - along)}));
  Value first = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), load.getIndices()[0]);
  Value row = arith::AddIOp::create(builder, loc, systolic::IotaOp::create(builder, loc, rowType, 0),
                                    systolic::BroadcastOp::create(builder, loc, rowType, first, 0));
  Value perWord = makeSplat(rowType, int32_t(format.getZerosPerWord()));
  Value word = arith::DivUIOp::create(builder, loc, row, perWord);
  loaded.zeros = loadPlane(Plane::zeros, builder.getI32Type(), countGroups(), getGroup(), constant(0), word);
  Value shift = arith::MulIOp::create(builder, loc, arith::RemUIOp::create(builder, loc, row, perWord),
                                      makeSplat(rowType, int32_t(format.getBits())));
  loaded.shifts = systolic::BroadcastOp::create(builder, loc, loaded.zeros.getType(), shift, along);
}

Value PlaneLoads::getCodes(bool raised) {
  if (format.getNumberType())
    return arith::ExtFOp::create(builder, loc, withElement(number), loaded.codes);
  if (!format.isPacked())
    return arith::SIToFPOp::create(builder, loc, withElement(number), loaded.codes);
  Value low = unpack(4, loaded.codes, raised);
  if (!format.getHighBits())
    return low;
  Value high = unpack(format.getHighBits(), loaded.high);
  return math::FmaOp::create(builder, loc, high, makeSplat(16), low);
}

Value PlaneLoads::unpack(int64_t bits, Value words, bool raised) {
  return systolic::UnpackOp::create(builder, loc, withElement(number), bits, words, along, raised);
}

Value PlaneLoads::makeSplat(RankedTensorType type, double value) {
  auto element = cast<FloatType>(type.getElementType());
  APFloat exact(value);
  bool isInexact;
  exact.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, exact));
}

Value PlaneLoads::makeSplat(RankedTensorType type, int32_t value) {
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getI32IntegerAttr(value)));
}

Value PlaneLoads::getGroup() {
  if (format.getGroups() == 1)
    return constant(0);
  return arith::DivUIOp::create(builder, loc, load.getIndices()[1], constant(format.getGroupSize()));
}

Value PlaneLoads::repeat(Value groups, RankedTensorType type) {
  return systolic::BroadcastOp::create(builder, loc, type, groups, along, /*each=*/true);
}

Value PlaneLoads::getZeros(Type type, bool raised) {
  int64_t offset = !format.isPacked() ? format.getMiddle() : raised ? -systolic::UnpackOp::getRaise(number) : 0;
  auto zerosType = cast<RankedTensorType>(loaded.scales.getType()).clone(type);
  if (!loaded.zeros)
    return format.getMiddle() == offset ? Value() : makeSplat(zerosType, double(format.getMiddle() - offset));
  auto words = cast<RankedTensorType>(loaded.zeros.getType());
  Value zero = arith::AndIOp::create(builder, loc, arith::ShRUIOp::create(builder, loc, loaded.zeros, loaded.shifts),
                                     makeSplat(words, int32_t((1 << format.getBits()) - 1)));
  Value zeros = arith::UIToFPOp::create(builder, loc, words.clone(type), zero);
  if (offset != 0)
    zeros = arith::SubFOp::create(builder, loc, zeros, makeSplat(words.clone(type), double(offset)));
  return zeros;
}

Value PlaneLoads::subtractZeros(Value value) {
  Value zeros = getZeros(number);
  return zeros ? Value(arith::SubFOp::create(builder, loc, value, repeat(zeros))) : value;
}

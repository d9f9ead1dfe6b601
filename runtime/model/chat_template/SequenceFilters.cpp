// Filters of whole lists and dicts: order, groups, sums.
#include "runtime/model/chat_template/Access.h"
#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/chat_template/Filters.h"
#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"
#include "runtime/model/chat_template/Text.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

/// The sort, group or comparison key of an element: a member, with texts compared case-insensitively.
struct Key {
  Value path, fallback = Value::none();
  bool caseSensitive = false;

  Value of(Context &context, const Value &element) const {
    const Value value = getPath(context, element, path, fallback);
    return !caseSensitive && value.isText() ? context.text(toLower(value.getText())) : value;
  }
};

/// The elements sorted by `keyOf`, which is called once for each.
template <typename KeyOf>
std::vector<Value> sortBy(Context &context, const std::vector<Value> &elements, bool reverse, KeyOf keyOf) {
  std::vector<Entry> keyed;
  for (const Value &element : elements)
    keyed.push_back({keyOf(element), element});
  std::stable_sort(keyed.begin(), keyed.end(), [&](const Entry &left, const Entry &right) {
    return reverse ? isLess(context, right.key, left.key) : isLess(context, left.key, right.key);
  });
  std::vector<Value> sorted;
  for (const Entry &entry : keyed)
    sorted.push_back(entry.value);
  return sorted;
}

Value sort(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "sort", arguments, {"reverse", "case_sensitive", "attribute"});
  // Several members as keys: "age,name".
  std::vector<Key> keys;
  if (bound.hasValue(2) && bound.get(2).isText())
    for (std::string_view path : splitAt(context, bound.text(2), ",", -1, false))
      keys.push_back({Value::text(path), Value::none(), bound.flag(1)});
  else
    keys.push_back({bound.get(2), Value::none(), bound.flag(1)});
  const std::vector<Value> sorted = sortBy(context, collect(context, value), bound.flag(0), [&](const Value &element) {
    std::vector<Value> parts;
    for (const Key &key : keys)
      parts.push_back(key.of(context, element));
    return context.list(parts);
  });
  return context.list(sorted);
}

Value dictSort(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "dictsort", arguments, {"case_sensitive", "by", "reverse"});
  const std::string_view by = bound.text(1, "key");
  if (by != "key" && by != "value")
    context.fail("expected 'key' or 'value' as 'by' of 'dictsort'");
  if (!value.is(Kind::Dict))
    context.fail("expected a dict to sort but got " + std::string(describe(value)));
  const Key key{Value::integer(by == "value"), Value::none(), bound.flag(0)};
  const std::vector<Value> sorted = sortBy(context, collect(context, value.as(Kind::Items)), bound.flag(2),
                                           [&](const Value &pair) { return key.of(context, pair); });
  return context.list(sorted);
}

Value groupBy(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "groupby", arguments, {"attribute", "default", "case_sensitive"}, 1);
  const Key key{bound.get(0), bound.get(1), bound.flag(2)}, shown{bound.get(0), bound.get(1), true};
  const std::vector<Value> sorted =
      sortBy(context, collect(context, value), false, [&](const Value &element) { return key.of(context, element); });
  std::vector<Value> groups, group;
  auto finishGroup = [&] {
    if (group.empty())
      return;
    const Value parts[] = {shown.of(context, group[0]), context.list(group)};
    groups.push_back(context.sequence(Kind::Tuple, parts, /*group=*/true));
    group.clear();
  };
  for (const Value &element : sorted) {
    if (!group.empty() && !isEqual(context, key.of(context, group[0]), key.of(context, element)))
      finishGroup();
    group.push_back(element);
  }
  finishGroup();
  return context.list(groups);
}

/// Behaves like a Python generator: `make` computes all elements when the first one is requested.
template <typename Make> Value makeLater(Context &context, Make make) {
  return makeIterator(context,
                      [make, elements = static_cast<Iterator *>(nullptr)](Context &context, Value &element) mutable {
                        if (!elements)
                          elements = &iterate(context, make(context));
                        return elements->next(context, element);
                      });
}

Value unique(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "unique", arguments, {"case_sensitive", "attribute"});
  const Key key{bound.get(1), Value::none(), bound.flag(0)};
  auto walk = [key, seen = std::vector<Entry>(), value,
               elements = static_cast<Iterator *>(nullptr)](Context &context, Value &element) mutable {
    if (!elements)
      elements = &iterate(context, value);
    while (elements->next(context, element)) {
      const Value found = key.of(context, element);
      if (find(context, seen, found))
        continue;
      context.addMemory(sizeof(Entry));
      seen.push_back({found, Value::none()});
      return true;
    }
    return false;
  };
  return makeIterator(context, std::move(walk));
}

template <bool largest> Value extreme(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, largest ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  const Key key{bound.get(1), Value::none(), bound.flag(0)};
  Iterator &elements = iterate(context, value);
  Value best, element;
  if (!elements.next(context, best))
    return context.undefined("an empty sequence has neither 'min' nor 'max'");
  Value bestKey = key.of(context, best);
  while (elements.next(context, element)) {
    const Value elementKey = key.of(context, element);
    if (largest ? isLess(context, bestKey, elementKey) : isLess(context, elementKey, bestKey)) {
      best = element;
      bestKey = elementKey;
    }
  }
  return best;
}

Value sum(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "sum", arguments, {"attribute", "start"});
  Value result = bound.get(1, Value::integer(0));
  if (result.isText())
    context.fail("expected numbers to add but got " + std::string(describe(result)));
  Iterator &elements = iterate(context, value);
  for (Value element; elements.next(context, element);)
    result = add(context, result, getPath(context, element, bound.get(0)));
  return result;
}

Value join(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "join", arguments, {"d", "attribute"});
  const std::string_view separator = bound.has(0) ? toText(context, bound.get(0)) : "";
  Iterator &elements = iterate(context, value);
  TextBuilder out(context);
  bool first = true;
  for (Value element; elements.next(context, element); first = false) {
    out += first ? "" : separator;
    out += toText(context, getPath(context, element, bound.get(1)));
  }
  return out.finish();
}

Value length(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "length", arguments, {});
  return Value::integer(getLength(context, value));
}

Value first(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "first", arguments, {});
  Value element;
  return iterate(context, value).next(context, element) ? element
                                                        : context.undefined("an empty sequence has no first element");
}

Value last(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "last", arguments, {});
  if (value.is(Kind::Iterator))
    context.fail("expected a sequence but got an iterator, which 'list' makes one");
  if (value.isText()) {
    context.stepBytes(value.getText().size());
    const int64_t count = getLength(context, value);
    return count ? getItem(context, value, Value::integer(count - 1))
                 : context.undefined("an empty text has no last character");
  }
  Value element;
  return reversed(context, value).get<Iterator>().next(context, element)
             ? element
             : context.undefined("an empty sequence has no last element");
}

Value list(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "list", arguments, {});
  return context.list(collect(context, value));
}

Value reverse(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "reverse", arguments, {});
  return reversed(context, value);
}

Value items(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "items", arguments, {});
  return makeLater(context, [value](Context &context) {
    if (!value.is(Kind::Dict) && !value.isUndefined())
      context.fail("expected a dict for 'items' but got " + std::string(describe(value)));
    return value.isUndefined() ? value : value.as(Kind::Items);
  });
}

Value makeBatches(Context &context, const Value &value, int64_t size, const Value &fill) {
  std::vector<Value> batches, batch;
  auto finishBatch = [&] {
    batches.push_back(context.list(batch));
    batch.clear();
  };
  auto push = [&](const Value &element) {
    context.addMemory(sizeof(Value));
    batch.push_back(element);
  };
  Iterator &elements = iterate(context, value);
  for (Value element; elements.next(context, element); push(element))
    if (static_cast<int64_t>(batch.size()) == size)
      finishBatch();
  while (!fill.is(Kind::None) && !batch.empty() && static_cast<int64_t>(batch.size()) < size)
    push(fill);
  if (!batch.empty())
    finishBatch();
  return context.list(batches);
}

Value batch(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "batch", arguments, {"linecount", "fill_with"}, 1);
  return makeLater(context, [value, size = bound.integer(0), fill = bound.get(1)](Context &context) {
    return makeBatches(context, value, size, fill);
  });
}

Value makeSlices(Context &context, const Value &value, int64_t slices, const Value &fill) {
  const std::vector<Value> elements = collect(context, value);
  if (slices == 0)
    context.fail("division by zero");
  const auto count = static_cast<int64_t>(elements.size());
  std::vector<Value> result;
  for (int64_t i = 0, begin = 0; i < slices; ++i) {
    const bool larger = i < count % slices;
    const int64_t end = begin + count / slices + larger;
    std::vector<Value> part(elements.begin() + begin, elements.begin() + end);
    if (!fill.is(Kind::None) && !larger)
      part.push_back(fill);
    context.addMemory(sizeof(Value));
    result.push_back(context.list(part));
    begin = end;
  }
  return context.list(result);
}

Value slice(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "slice", arguments, {"slices", "fill_with"}, 1);
  return makeLater(context, [value, slices = bound.integer(0), fill = bound.get(1)](Context &context) {
    return makeSlices(context, value, slices, fill);
  });
}

const Filter filters[] = {
    {"sort", sort},         {"dictsort", dictSort}, {"groupby", groupBy}, {"unique", unique},   {"min", extreme<false>},
    {"max", extreme<true>}, {"sum", sum},           {"join", join},       {"length", length},   {"count", length},
    {"first", first},       {"last", last},         {"list", list},       {"reverse", reverse}, {"items", items},
    {"batch", batch},       {"slice", slice},
};

} // namespace

const std::span<const Filter> sequenceFilters = filters;

} // namespace nstf::runtime::jinja

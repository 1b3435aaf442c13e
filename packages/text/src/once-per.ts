/**
 * A function whose answer for an object is worked out once and kept as long as the object is: what a
 * schema or a configuration says is asked again and again, and does not change. An answer may be
 * `undefined`. One that threw is worked out anew.
 *
 * ```ts
 * const namesOf = oncePer((fields: ReadonlyMap<string, object>) => [...fields.keys()].sort());
 * const fields = new Map([['b', {}], ['a', {}]]);
 * namesOf(fields) === namesOf(fields); // true
 * ```
 */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let entry = known.get(key);
    if (entry === undefined) {
      entry = { value: make(key) };
      known.set(key, entry);
    }
    return entry.value;
  };
}

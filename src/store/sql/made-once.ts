/** A function whose result is made once for each object, and kept for as long as the object is in use. */
export function madeOnce<Key extends object, Result extends object>(make: (key: Key) => Result): (key: Key) => Result {
  const made = new WeakMap<Key, Result>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const result = make(key);
    made.set(key, result);
    return result;
  };
}

/** A question about an object, answered once as long as the object lives. */
export function objectMemo<V extends object, T>(answer: (value: V) => T): (value: V) => T {
  const known = new WeakMap<V, { readonly answer: T }>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before.answer;
    const found = { answer: answer(value) };
    known.set(value, found);
    return found.answer;
  };
}

/** Makes a value at its first use for an object, and keeps it as long as the object exists. A fault is not kept. */
export function oncePer<Owner extends object, Value>(make: (owner: Owner) => Value): (owner: Owner) => Value {
  const made = new WeakMap<Owner, { readonly value: Value }>();
  return (owner) => {
    const found = made.get(owner);
    if (found !== undefined) return found.value;
    const value = make(owner);
    made.set(owner, { value });
    return value;
  };
}

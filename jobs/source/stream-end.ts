/** A value that is known only once a stream has ended. */

interface StreamEnd<Value> {
  /** Called when the stream ends. Throws the second time, because a stream that is read twice would count everything twice. */
  readonly reach: (value: Value) => void;
  /** Throws before the end: an incomplete value would look like a complete one. */
  readonly value: () => Value;
}

/** `items`: the items of the stream, for the error message. */
export function createStreamEnd<Value>(items: string): StreamEnd<Value> {
  let end: { readonly value: Value } | undefined;
  return {
    reach: (value) => {
      if (end !== undefined) throw new Error(`expected the ${items} to be read once`);
      end = { value };
    },
    value: () => {
      if (end === undefined) throw new Error(`expected all ${items} to be read first`);
      return end.value;
    },
  };
}

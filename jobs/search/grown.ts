/** Arrays that grow by doubling: the same one while it is long enough, else a longer copy with zeros behind. */

export function grownBytes(array: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const longer = new Uint8Array(Math.max(length, 2 * array.length));
  longer.set(array);
  return longer;
}

export function grownNumbers(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const longer = new Uint32Array(Math.max(length, 2 * array.length));
  longer.set(array);
  return longer;
}

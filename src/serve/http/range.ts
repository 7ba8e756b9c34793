/** Byte ranges of a file (RFC 9110, section 14). */

export interface ByteRange {
  /** Both inclusive. */
  readonly first: number;
  readonly last: number;
}

/**
 * What of a file of that size is asked for. Undefined means all of it: without a `Range`, with one in a form that we do
 * not serve (several ranges, other units), and with one that nobody understands. Null means that there is nothing there.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return lastBytes(Number(to), size);
  const first = Number(from);
  const last = Math.min(to === '' ? size - 1 : Number(to), size - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first < size ? { first, last } : null;
}

function lastBytes(length: number, size: number): ByteRange | null {
  return length > 0 && size > 0 ? { first: Math.max(size - length, 0), last: size - 1 } : null;
}

/**
 * Frees the memory of old arrays, which V8 notices only when its heap is full: for minutes a server would hold that of several snapshots.
 * A buffer that takes over the memory is young, and collected with the next young garbage.
 */
export function freeMemory(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) structuredClone(buffer, { transfer: [buffer] });
}

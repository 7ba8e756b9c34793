/**
 * An answer's JSON while it is written: text that is joined as text, and bytes that were ready before. All answers are
 * written into the same memory, one after the other, so an answer has to be begun and ended without a pause.
 */
export interface Output {
  /** To be appended to. */
  text: string;
  /** How much of the memory is written. */
  length: number;
}

export const beginOutput = (): Output => ({ text: '', length: 0 });

/** Makes room behind all that is there: the first of so many bytes, all of which are to be written. */
export function takeRoom(out: Output, size: number): { readonly bytes: Uint8Array; readonly start: number } {
  settleText(out);
  const start = out.length;
  out.length += size;
  return { bytes: roomFor(out.length), start };
}

/** A copy of what was written, as UTF-8, with room behind it. */
export function endOutput(out: Output): Buffer {
  settleText(out);
  const bytes = Buffer.allocUnsafeSlow(out.length + ROOM).subarray(0, out.length);
  bytes.set(memory.subarray(0, out.length));
  if (memory.length > KEPT) memory = Buffer.allocUnsafeSlow(KEPT);
  return bytes;
}

/** Free bytes behind an ended output: as much as a notice takes, mostly. */
export const ROOM = 512;

/** Of what is seldom more than a page; an export of thousands of events takes its room for as long as it needs it. */
const KEPT = 512 * 1024;

let memory = Buffer.allocUnsafeSlow(KEPT);

function roomFor(length: number): Buffer {
  if (length > memory.length) {
    const larger = Buffer.allocUnsafeSlow(2 * length);
    larger.set(memory);
    memory = larger;
  }
  return memory;
}

/** UTF-16 takes three bytes a unit at most when it is written as UTF-8. */
function settleText(out: Output): void {
  const { text, length } = out;
  out.text = '';
  out.length += roomFor(length + 3 * text.length).write(text, length);
}

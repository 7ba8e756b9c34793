/**
 * An answer's JSON while it is written: text that is joined as text, and bytes that were ready before. All answers are
 * written into the same memory, one after the other, so an answer has to be begun and ended without a pause.
 */
import { CalendarError } from '../../calendar/errors.ts';

export interface Output {
  /** To be appended to. */
  text: string;
  /** How much of the memory is written. */
  length: number;
  /** Has no part of the memory: all of it stays text. */
  readonly isAside: boolean;
}

/** D10: bytes of an answer as JSON, before it is compressed; extensions are part of it. */
export const MAX_ANSWER_BYTES = 32 * 1_024 * 1_024;

export const beginOutput = (): Output => ({ text: '', length: 0, isAside: false });

/** For a piece of text that is written while an answer is. */
export const beginAside = (): Output => ({ text: '', length: 0, isAside: true });

/**
 * To be called for each entry of whatever is long. Throws QUERY_TOO_COMPLEX once there is more than an answer may hold;
 * text that has become long goes into the memory, because joining and encoding all of it at the end would take a
 * multiple of its size at once.
 */
export function checkRoom(out: Output): void {
  const { text, length } = out;
  if (text.length < LONG_TEXT) return;
  // A unit of UTF-16 takes a byte at least.
  if (length + text.length > MAX_ANSWER_BYTES) abandonOutput();
  if (!out.isAside) settleText(out);
}

/** UTF-16 units. */
export const LONG_TEXT = 64 * 1_024;

/** Makes room behind all that is there: the first of so many bytes, all of which are to be written. */
export function takeRoom(out: Output, size: number): { readonly bytes: Uint8Array; readonly start: number } {
  settleText(out);
  const start = out.length;
  const length = start + size;
  if (length > MAX_ANSWER_BYTES) abandonOutput();
  out.length = length;
  return { bytes: roomFor(length), start };
}

/** A copy of what was written, as UTF-8. */
export function endOutput(out: Output): Buffer {
  settleText(out);
  if (out.length > MAX_ANSWER_BYTES) abandonOutput();
  const bytes = Buffer.allocUnsafeSlow(out.length);
  bytes.set(memory.subarray(0, out.length));
  letGo();
  return bytes;
}

/** Ends what is not going to be sent. */
export function dropOutput(): void {
  letGo();
}

/** The answer that a client gets in place of one that is too large, however it was worked out. */
export function tooLarge(): CalendarError {
  const most = MAX_ANSWER_BYTES / (1_024 * 1_024);
  return new CalendarError(
    'QUERY_TOO_COMPLEX',
    `The answer would be larger than ${most} MiB: ask for fewer fields, or for a smaller page.`,
  );
}

/** Of what is seldom more than a page; an export of thousands of events takes its room for as long as it needs it. */
const KEPT = 512 * 1024;

let memory = Buffer.allocUnsafeSlow(KEPT);

function abandonOutput(): never {
  letGo();
  throw tooLarge();
}

function letGo(): void {
  if (memory.length > KEPT) memory = Buffer.allocUnsafeSlow(KEPT);
}

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
  if (text.length === 0) return;
  out.text = '';
  const written = roomFor(length + 3 * text.length).write(text, length);
  // Node writes what fits, or nothing, and does not complain.
  if (written < text.length) {
    throw new Error(`expected to write ${text.length} characters or more, wrote ${written} bytes`);
  }
  out.length += written;
}

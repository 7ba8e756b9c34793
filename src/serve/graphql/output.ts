/** The text of an answer while it is written (D10, D14): encoded in slices, between which other work has its turn. */
import { CalendarError } from '../../calendar/errors.ts';
import { UNBOUNDED, type Work } from '../admission/admission.ts';

/** D10: bytes of an answer's JSON before compression, extensions included. */
export const MAX_ANSWER_BYTES = 32 * 1_024 * 1_024;

/** UTF-16 units of an answer that are written without a pause: a slice is as long or a little longer. */
const SLICE_UNITS = 64 * 1_024;

/** Bytes reserved at a time once an answer exceeds its estimate. */
const MORE_BYTES = 1_024 * 1_024;

/** I17: the resized copies of a picture, the narrowest first; null if visitors load the original. */
export type CopiesOf = (original: string) => readonly PictureCopy[] | null;

export interface PictureCopy {
  readonly url: string;
  /** Pixels. */
  readonly width: number;
}

/** An answer's JSON while it is written: complete slices as UTF-8, and the text after them. */
export class Output {
  /** Writers append to it. */
  text = '';
  /** The last one may be shorter than a slice. */
  readonly #slices: Buffer[] = [];
  readonly #work: Work;
  #reserved: number;
  /** Bytes of all slices so far. */
  #length = 0;
  /** Bytes of all slices at the latest pause. */
  #lengthAtPause = 0;

  /** For values that are not in the snapshot. */
  readonly copiesOf: CopiesOf;

  /** `reserved`: the estimated bytes, which were reserved before (D14). */
  constructor(work = UNBOUNDED, reserved = 0, copiesOf: CopiesOf = () => null) {
    this.#work = work;
    this.#reserved = reserved;
    this.copiesOf = copiesOf;
  }

  /** Encodes the text if it is a slice. Throws QUERY_TOO_COMPLEX if the answer exceeds its limit. */
  settle(): void {
    if (this.text.length >= SLICE_UNITS) this.#encode();
  }

  /** Between two entries of a list: after each slice, other work has its turn. Reserves more bytes if the answer exceeds its estimate. */
  pause(): Promise<void> | undefined {
    this.settle();
    if (this.#length === this.#lengthAtPause) return undefined;
    this.#lengthAtPause = this.#length;
    return this.#length > this.#reserved ? this.#reserveMore() : this.#work.nextTurn();
  }

  /** A pause where no more may have been written, but time has passed. */
  nextTurn(): Promise<void> | undefined {
    return this.#work.nextTurn();
  }

  async #reserveMore(): Promise<void> {
    this.#reserved += MORE_BYTES;
    await this.#work.reserve(MORE_BYTES);
    await this.#work.nextTurn();
  }

  /** The returned function removes all that is written from here on. */
  checkpoint(): () => void {
    const { text } = this;
    const slices = this.#slices.length;
    const length = this.#length;
    const lengthAtPause = this.#lengthAtPause;
    return () => {
      this.text = text;
      this.#slices.length = slices;
      this.#length = length;
      this.#lengthAtPause = lengthAtPause;
    };
  }

  /** All that was written, as UTF-8; a short answer is one slice. Throws QUERY_TOO_COMPLEX. */
  end(): readonly Buffer[] {
    if (this.text !== '' || this.#slices.length === 0) this.#encode();
    return this.#slices;
  }

  #encode(): void {
    const slice = encode(this.text);
    this.text = '';
    this.#length += slice.length;
    if (this.#length > MAX_ANSWER_BYTES) throw tooLarge();
    this.#slices.push(slice);
  }
}

/**
 * As UTF-8, in memory of its own: a short text would share Node's pool, and keep it as long as it is cached. To write a text and copy it
 * costs 34 µs for 16 KB, to count its bytes and write it 50 µs.
 */
function encode(text: string): Buffer {
  if (text.length > LONGEST_IN_SCRATCH) {
    const long = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    long.write(text);
    return long;
  }
  const { written } = ENCODER.encodeInto(text, SCRATCH);
  const encoded = Buffer.allocUnsafeSlow(written);
  encoded.set(SCRATCH.subarray(0, written));
  return encoded;
}

/** UTF-16 units. */
const LONGEST_IN_SCRATCH = 2 * SLICE_UNITS;
/** The most that UTF-8 takes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3;
const SCRATCH = new Uint8Array(LONGEST_IN_SCRATCH * BYTES_PER_UNIT);
const ENCODER = new TextEncoder();

/** The error that a client gets instead of an answer that is too large, however the answer was made. */
export function tooLarge(): CalendarError {
  const most = MAX_ANSWER_BYTES / (1_024 * 1_024);
  return new CalendarError(
    'QUERY_TOO_COMPLEX',
    `The response would be larger than ${most} MiB: ask for fewer fields, or for a smaller page.`,
  );
}

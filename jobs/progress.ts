/** A terminal, as far as the bar needs one: `process.stderr` is one. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

export interface ProgressOptions {
  readonly output: ProgressOutput;
  /** Bytes to come. */
  readonly total: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** How far the reading is, as one line that is drawn over. Where the output is no terminal, nothing is ever written. */
export interface Progress {
  readonly bytes: (count: number) => void;
  readonly record: () => void;
  /** Takes the line away. */
  readonly end: () => void;
}

const EVERY = 100;
const WIDTH = 30;
const CLEAR_LINE = '\r\u001b[K';

export function createProgress({ output, total, now }: ProgressOptions): Progress {
  if (output.isTTY !== true) return { bytes: () => {}, record: () => {}, end: () => {} };
  let bytes = 0;
  let records = 0;
  let drawn = Number.NEGATIVE_INFINITY;

  function draw(): void {
    const at = now();
    if (at - drawn < EVERY) return;
    drawn = at;
    output.write(CLEAR_LINE + progressLine({ bytes, total, records }));
  }

  return {
    bytes: (count) => {
      bytes += count;
      draw();
    },
    record: () => {
      records++;
    },
    end: () => {
      output.write(CLEAR_LINE);
    },
  };
}

interface Reached {
  readonly bytes: number;
  readonly total: number;
  readonly records: number;
}

function progressLine({ bytes, total, records }: Reached): string {
  const share = total === 0 ? 1 : Math.min(1, bytes / total);
  const done = Math.floor(share * WIDTH);
  const bar = '█'.repeat(done) + '░'.repeat(WIDTH - done);
  return `${bar} ${Math.floor(share * 100)} %, ${records.toLocaleString('en')} records`;
}

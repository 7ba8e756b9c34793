/** A terminal, as far as the bar needs one: `process.stderr` is one. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

interface ProgressOptions {
  readonly output: ProgressOutput;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** How far the reading is, as one line that is drawn over. Where the output is no terminal, nothing is ever written. */
export interface Progress {
  /** How many bytes are to come: known when the source is open, and the source is told of the bar before that. */
  readonly start: (total: number) => void;
  readonly bytes: (count: number) => void;
  readonly record: () => void;
  /** Takes the line away. */
  readonly end: () => void;
}

const EVERY = 100;
const WIDTH = 30;
const CLEAR_LINE = '\r\u001b[K';

export function createProgress({ output, now }: ProgressOptions): Progress {
  if (output.isTTY !== true) return SILENT;
  let total = 0;
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
    start: (bytesToCome) => {
      total = bytesToCome;
    },
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

const SILENT: Progress = { start: () => {}, bytes: () => {}, record: () => {}, end: () => {} };

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

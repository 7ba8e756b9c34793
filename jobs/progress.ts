/** One line on a terminal about a build: its step, the records done and in total, and the elapsed time. */

export interface Progress {
  readonly step: (name: string) => void;
  /** How many records this step has, as far as is known. */
  readonly expect: (records: number) => void;
  /** One more record of this step is done. */
  readonly record: () => void;
  /** Removes the line. */
  readonly end: () => void;
}

interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** Least milliseconds between two updates of the line. */
const EVERY_MS = 100;
/** Moves to the beginning of the line and clears it. */
const CLEAR = '\r\u001b[K';

/** Undefined for an output that is no terminal. `clock`: milliseconds. */
export function createProgress(terminal: Terminal, clock: () => number): Progress | undefined {
  if (terminal.isTTY !== true) return undefined;
  const begun = clock();
  let shownAt = Number.NEGATIVE_INFINITY;
  let name = '';
  let done = 0;
  let expected = 0;

  function show(): void {
    const now = clock();
    if (now - shownAt < EVERY_MS) return;
    shownAt = now;
    const of = expected < done ? '' : ` of ${expected.toLocaleString('en')}`;
    const records = done === 0 ? '' : ` ${done.toLocaleString('en')}${of}`;
    terminal.write(`${CLEAR}${name}${records}, ${Math.floor((now - begun) / 1_000)} s`);
  }

  return {
    step(next) {
      name = next;
      done = 0;
      expected = 0;
      shownAt = Number.NEGATIVE_INFINITY;
      show();
    },
    expect: (records) => {
      expected = records;
    },
    record() {
      done++;
      show();
    },
    end: () => void terminal.write(CLEAR),
  };
}

import { shortened } from './display-text.ts';

/** The log that each part of a process writes to; a pino logger is one. The values of an event are fields. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

type Write = (fields: Readonly<Record<string, unknown>>, event: string) => void;

/** The first letters of a name that a stranger chose, for a log line. */
export function briefly(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shortened(text, MOST_LETTERS);
}

const MOST_LETTERS = 100;

interface ThrottleOptions {
  /** Lines in each period. */
  readonly most: number;
  /** Milliseconds. */
  readonly periodMs: number;
  /** Milliseconds since any fixed time. */
  readonly clock: () => number;
}

/** Called for each line that is due. Null if the line is to be left out, else the number of lines that were left out since the last one. */
export type Throttle = () => number | null;

/** For lines that strangers can cause a thousand times a second. */
export function createThrottle({ most, periodMs, clock }: ThrottleOptions): Throttle {
  let periodBegan = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let leftOut = 0;
  return () => {
    const now = clock();
    if (now >= periodBegan + periodMs) {
      periodBegan = now;
      lines = 0;
    }
    if (lines === most) {
      leftOut++;
      return null;
    }
    lines++;
    const suppressed = leftOut;
    leftOut = 0;
    return suppressed;
  };
}

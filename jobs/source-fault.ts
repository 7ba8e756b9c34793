/** Faults of a source that stop a build. Their messages may quote records, which may not be public. */
import { CalendarError } from '../src/calendar/errors.ts';

interface Fault {
  /** The file, with its line if there is one. */
  readonly place: string;
  /** `expected JSON`. */
  readonly expected: string;
  /** `found "x"`, or `but …`: anything that may quote a record. */
  readonly found: string;
  /** `wait until the file is complete`. */
  readonly advice?: string;
}

/** INVALID_SOURCE. H9: its public message leaves out what was found. */
export function sourceFault({ place, expected, found, advice }: Fault): CalendarError {
  const ending = advice === undefined ? '' : `; ${advice}`;
  return new CalendarError('INVALID_SOURCE', `${place}: ${expected}, ${found}${ending}`, {
    publicMessage: `${place}: ${expected}${ending}`,
  });
}

/** INVALID_SOURCE with a message that is public as a whole: it quotes nothing but the licence. */
export function publicFault(file: string, message: string): CalendarError {
  return new CalendarError('INVALID_SOURCE', `${file}: ${message}`);
}

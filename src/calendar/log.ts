/** The log that each part of a process writes to; a pino logger is one. The values of an event are fields. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

type Write = (fields: Readonly<Record<string, unknown>>, event: string) => void;

/** What a stranger named, as a log line shows it: its first letters. */
export function briefly(text: string | undefined): string | undefined {
  return text !== undefined && text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}

const MOST_LETTERS = 100;

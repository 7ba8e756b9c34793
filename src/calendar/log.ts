/** The log that each part of a process writes to; a pino logger is one. The values of an event are fields. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

type Write = (fields: Readonly<Record<string, unknown>>, event: string) => void;

/** The log of every entry point: pino, one line an event, with its values as fields. */
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { printable } from '../calendar/display-text.ts';
import type { CoreSettings } from '../settings/core.ts';

export interface LogOptions {
  /** Lines below this level are not written. */
  readonly level: string;
  /** Text for people, or pino's own JSON for log collectors. */
  readonly format: CoreSettings['logFormat'];
  /** Fields of every line. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly output?: DestinationStream;
}

/** Writes to stdout synchronously unless another output is given, so that a dying process has written its reason. */
export function createLog({ level, format, fields, output = destination(1) }: LogOptions): Logger {
  const options = {
    level,
    base: fields ?? null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const write = format === 'json' ? (line: string) => line : textLine;
  return pino(options, { write: (line) => output.write(printable(write(line))) });
}

/** `2026-11-20 11:14:08.123Z warn snapshot refused reason="…"`; the level `info` is omitted. */
function textLine(line: string): string {
  const { time, level, msg, err, ...fields }: Readonly<Record<string, unknown>> = JSON.parse(line);
  const words = [
    String(time).replace('T', ' '),
    ...(level === 'info' ? [] : [String(level)]),
    String(msg).replaceAll('\n', '\\n'),
    ...Object.entries(fields).map(([name, value]) => `${name}=${written(value)}`),
  ];
  return `${words.join(' ')}\n${stackOf(err)}`;
}

function written(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && !/^[^\s"=]+$/.test(text) ? JSON.stringify(text) : text;
}

/** The stack of an unexpected error. */
function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null || !('stack' in err)) return '';
  return String(err.stack).replaceAll(/^/gm, '    ').concat('\n');
}

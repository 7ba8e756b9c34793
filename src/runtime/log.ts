/** The log of every entry point: pino, one line an event, with its values as fields. */
import {
  type DestinationStream,
  destination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';
import { printable } from '../calendar/display-text.ts';
import type { CoreSettings } from '../settings/core.ts';
import { sourceStack } from './stacks.ts';

export interface LogOptions {
  /** Lines below this level are not written. */
  readonly level: string;
  /** Text for people, or pino's own JSON for log collectors. */
  readonly format: CoreSettings['logFormat'];
  /** Fields of every line. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** For tests, in place of stdout. */
  readonly output?: DestinationStream;
}

/** Writes synchronously, so that a dying process has written its reason. */
export function createLog({ level, format, fields, output = destination(1) }: LogOptions): Logger {
  const options = {
    level,
    base: fields ?? null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializedError },
  };
  const lineOf = format === 'json' ? (line: string) => line : textLine;
  return pino(options, { write: (line) => output.write(printable(lineOf(line))) });
}

/** What was thrown, with the stack of an error in terms of the sources. */
function serializedError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const serialized = stdSerializers.err(thrown);
  if (typeof serialized.stack === 'string') serialized.stack = sourceStack(serialized.stack);
  return serialized;
}

/** `2026-11-20 11:14:08.123Z warn snapshot refused reason="…"`; the level `info` is omitted. */
function textLine(line: string): string {
  const { time, level, msg, err, ...fields }: Readonly<Record<string, unknown>> = JSON.parse(line);
  const levelWords = level === 'info' ? [] : [String(level)];
  const words = [
    String(time).replace('T', ' '),
    ...levelWords,
    String(msg).replaceAll('\n', '\\n'),
    ...Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`),
  ];
  return `${words.join(' ')}\n${errorText(err)}`;
}

/** A text without blanks, quotation marks and equals signs as it is; any other value as JSON. */
function fieldText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const isBareWord = /^[^\s"=]+$/.test(value);
  return isBareWord ? value : JSON.stringify(value);
}

/** The stack of an unexpected error, indented; or what was thrown in place of an error. */
function errorText(err: unknown): string {
  if (err === undefined) return '';
  const hasStack = typeof err === 'object' && err !== null && 'stack' in err;
  const text = hasStack ? String(err.stack) : thrownText(err);
  return text.replaceAll(/^/gm, '    ').concat('\n');
}

function thrownText(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : JSON.stringify(thrown);
}

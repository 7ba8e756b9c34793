import { printable, printableLine } from './display-text.ts';
import { readingFaultText } from './failures.ts';

/**
 * Every expected failure of this project, as one class with a code. Callers branch on `code`; the message is for people and says what was
 * expected, what was found, and where.
 */
export class CalendarError extends Error {
  readonly code: ErrorCode;
  /** Names of the GraphQL arguments that were refused, as the interface's `extensions.invalidArgs`. */
  readonly invalidArgs: readonly string[] | undefined;
  /** For each of these arguments, what was expected and found. */
  readonly reasons: readonly string[] | undefined;
  /** H9: the message without values of records, which may not be public; undefined if the message has none. */
  readonly publicMessage: string | undefined;

  constructor(code: ErrorCode, message: string, options: CalendarErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'CalendarError';
    this.code = code;
    this.invalidArgs = options.invalidArgs;
    this.reasons = options.reasons;
    this.publicMessage = options.publicMessage;
  }
}

interface CalendarErrorOptions {
  readonly cause?: unknown;
  readonly invalidArgs?: readonly string[];
  readonly reasons?: readonly string[];
  readonly publicMessage?: string | undefined;
}

const ERROR_CODES = [
  // Errors of programs, for operators.
  'INVALID_SETTING',
  'INVALID_SOURCE',
  'BUILD_REFUSED',
  'BUILD_LOCKED',
  'DISK_FULL',
  'SNAPSHOT_UNUSABLE',
  'ORIGIN_UNUSABLE',
  // Errors of endpoints, for clients.
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'QUERY_TOO_COMPLEX',
  'PERSISTED_QUERY_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'NOT_FOUND',
  'GONE',
  'PAYLOAD_TOO_LARGE',
  'OVERLOADED',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'SERVICE_UNAVAILABLE',
  'TIMEOUT',
  'INTERNAL_SERVER_ERROR',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The error about a setting. `name`: that of its variable. */
export function invalidSetting(name: string, expected: string, found: string): CalendarError {
  return new CalendarError('INVALID_SETTING', `${name}: expected ${expected}, found ${found}`);
}

export function isCalendarError(value: unknown): value is CalendarError {
  return value instanceof CalendarError;
}

/** For a terminal: one line. Only messages about settings have more, where they show how a command is used. */
export function printableMessage({ code, message }: CalendarError): string {
  return code === 'INVALID_SETTING' ? printable(message) : printableLine(message);
}

/** Whether the error means that a file does not exist. */
export function isMissing(thrown: unknown): boolean {
  return systemCodeOf(thrown) === 'ENOENT';
}

/** For the `catch` of a reading: gives this value for a file that does not exist, and throws every other error again. */
export function ifMissing<Value>(value: Value): (thrown: unknown) => Value {
  return (thrown) => {
    if (isMissing(thrown)) return value;
    throw thrown;
  };
}

/** The code of an error of the system or of Node, such as `ENOENT`; empty for any other value. */
export function systemCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

/** The message of any thrown value, for logs and reports. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Why a file or a folder cannot be read, in plain words. */
export function readingFault(thrown: unknown): string {
  return readingFaultText(systemCodeOf(thrown)) ?? messageOf(thrown);
}

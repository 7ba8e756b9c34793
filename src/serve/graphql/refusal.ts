/** Errors as clients see them: refused requests, and failed fields with their places in the document. `mask.ts` logs the unexpected ones. */
import type { GraphQLError, GraphQLFormattedError, SourceLocation } from 'graphql';
import { shortened } from '../../calendar/display-text.ts';
import { type ErrorCode, isCalendarError } from '../../calendar/errors.ts';
import type { Mask } from './mask.ts';

/** A request that is refused as a whole: the code decides the HTTP status. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly errors: readonly GraphQLFormattedError[];
}

export function isRefusal<Value extends object>(value: Value | Refusal): value is Refusal {
  return 'code' in value;
}

/** Thrown on the way to a refusal. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

/** Limits the errors that graphql-js collects for one request. */
export const ERROR_LIMIT = { maxErrors: 20 };

export function refusalOfErrors(code: ErrorCode, errors: readonly GraphQLError[]): Refusal {
  return { code, errors: errors.map((error) => formatted(error, error.message, { code })) };
}

/** `reason`: what was expected and found, and where. */
export function refuse(code: ErrorCode, message: string, reason?: string): Refusal {
  const extensions = reason === undefined ? { code } : { code, reason };
  return { code, errors: [{ message: shortened(message, LONGEST_MESSAGE), extensions }] };
}

/** Errors of an execution as clients see them: expected ones by their code, all others without their cause. */
export function presentErrors(errors: readonly GraphQLError[], mask: Mask): readonly GraphQLFormattedError[] {
  return errors.map((error) => {
    const { message, extensions } = seenByClients(error.originalError ?? error, mask);
    return formatted(error, message, extensions);
  });
}

/** For errors outside of any field. */
export function refusalOfThrown(thrown: unknown, mask: Mask): Refusal {
  const { code, message, extensions } = seenByClients(thrown, mask);
  return { code, errors: [{ message: shortened(message, LONGEST_MESSAGE), extensions }] };
}

interface Seen {
  readonly code: ErrorCode;
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** D1: a client sees only messages that were written for clients; the log has the rest. */
function seenByClients(thrown: unknown, mask: Mask): Seen {
  if (isCalendarError(thrown) && FOR_CLIENTS.has(thrown.code)) {
    const { code, message, invalidArgs, reasons } = thrown;
    return { code, message, extensions: { code, invalidArgs, reasons } };
  }
  const thrownCode = isCalendarError(thrown) ? thrown.code : INTERNAL.code;
  const { code, message } = HIDDEN[thrownCode] ?? INTERNAL;
  // Every request fails so until a snapshot is open.
  const id = thrownCode === 'SERVICE_UNAVAILABLE' ? undefined : mask(thrown);
  return { code, message, extensions: { code, id } };
}

type Hidden = Pick<Seen, 'code' | 'message'>;

const INTERNAL: Hidden = { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' };
const CLOSED: Hidden = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The calendar is not ready yet. Try again in a moment.',
};

/** Client-facing texts of errors whose own messages name files or statements, or the snapshot's state as `/readyz` has it. */
const HIDDEN: Readonly<Partial<Record<ErrorCode, Hidden>>> = {
  SERVICE_UNAVAILABLE: CLOSED,
  // H14: another snapshot takes its place in a moment.
  SNAPSHOT_UNUSABLE: CLOSED,
  TIMEOUT: { code: 'TIMEOUT', message: 'The calendar took too long to answer.' },
};

/** Codes that only faults of the request have: their messages are written for clients. */
const FOR_CLIENTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'OVERLOADED',
  'QUERY_TOO_COMPLEX',
]);

/** graphql-js repeats names and values of the request, which may have any length. */
const LONGEST_MESSAGE = 1_000;

/** The error with this message, at its place in the document and in the answer. */
function formatted(
  error: GraphQLError,
  message: string,
  extensions: Readonly<Record<string, unknown>>,
): GraphQLFormattedError {
  const shown = { message: shortened(message, LONGEST_MESSAGE) };
  const locations = locationsOf(error);
  const placed = locations === undefined ? shown : { ...shown, locations };
  return error.path === undefined ? { ...placed, extensions } : { ...placed, path: error.path, extensions };
}

/** The beginnings of the error's nodes; undefined if it has none. */
function locationsOf({ nodes, locations }: GraphQLError): readonly SourceLocation[] | undefined {
  const tokens = nodes?.flatMap(({ loc }) => loc?.startToken ?? []) ?? [];
  return tokens.length === 0 ? locations : tokens.map(({ line, column }) => ({ line, column }));
}

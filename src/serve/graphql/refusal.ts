/** Errors as clients see them: refused requests, and failed fields with their places in the document. */
import type { GraphQLError, GraphQLFormattedError, SourceLocation } from 'graphql';
import { type ErrorCode, isCalendarError } from '../../calendar/errors.ts';

/** A request that is refused as a whole: the code decides the HTTP status. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly errors: readonly GraphQLFormattedError[];
}

/** Logs an unexpected error, and returns the id that the client is shown in its place. */
export type Mask = (thrown: unknown) => string;

/** Limits the errors that graphql-js collects for one request. */
export const MAX_ERRORS = { maxErrors: 20 };

export function refusalOf(code: ErrorCode, errors: readonly GraphQLError[]): Refusal {
  return { code, errors: errors.map((error) => withCode(error, { code })) };
}

/** `reason`: what was expected and found, and where. */
export function refuse(code: ErrorCode, message: string, reason?: string): Refusal {
  return { code, errors: [{ message: shortened(message), extensions: { code, ...(reason && { reason }) } }] };
}

/** Errors of an execution as clients see them: expected ones by their code, all others without their cause. */
export function presentErrors(errors: readonly GraphQLError[], mask: Mask): readonly GraphQLFormattedError[] {
  return errors.map((error) => {
    const { message, extensions } = seenByClients(error.originalError ?? error, mask);
    return { ...withCode(error, extensions), message: shortened(message) };
  });
}

/** For errors outside of any field. */
export function refusalFor(thrown: unknown, mask: Mask): Refusal {
  const { code, message, extensions } = seenByClients(thrown, mask);
  return { code, errors: [{ message: shortened(message), extensions }] };
}

interface Seen {
  readonly code: ErrorCode;
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** D1: a client sees only messages that were written for clients; the log has the rest. */
function seenByClients(thrown: unknown, mask: Mask): Seen {
  if (isCalendarError(thrown)) {
    const { code, message, invalidArgs, reasons } = thrown;
    if (FOR_CLIENTS.has(code)) {
      const more = {
        ...(invalidArgs !== undefined && { invalidArgs }),
        ...(reasons !== undefined && { reasons }),
      };
      return { code, message, extensions: { code, ...more } };
    }
    const words = WORDS[code];
    if (words !== undefined) return { code, message: words, extensions: { code, id: mask(thrown) } };
  }
  return { code: INTERNAL, message: INTERNAL_MESSAGE, extensions: { code: INTERNAL, id: mask(thrown) } };
}

const INTERNAL = 'INTERNAL_SERVER_ERROR';
const INTERNAL_MESSAGE = 'Internal server error';

/** Codes that only faults of the request have: their messages are written for clients. */
const FOR_CLIENTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'OVERLOADED',
  'QUERY_TOO_COMPLEX',
]);

export const NOT_OPEN = 'The calendar is not open yet. Try again in a moment.';

/** Messages in place of the original ones, which name files and statements. */
const WORDS: Partial<Readonly<Record<ErrorCode, string>>> = {
  SERVICE_UNAVAILABLE: NOT_OPEN,
  TIMEOUT: 'The calendar took too long to answer.',
};

/** graphql-js repeats names and values of the request, which may have any length. */
const LONGEST_MESSAGE = 1_000;

function withCode(error: GraphQLError, extensions: Readonly<Record<string, unknown>>): GraphQLFormattedError {
  const { message, path } = error;
  const locations = locationsOf(error);
  return {
    message: shortened(message),
    ...(locations !== undefined && { locations }),
    ...(path !== undefined && { path }),
    extensions,
  };
}

function shortened(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
}

/** The beginnings of the error's nodes; undefined if it has none. */
function locationsOf({ nodes, locations }: GraphQLError): readonly SourceLocation[] | undefined {
  const tokens = nodes?.flatMap(({ loc }) => loc?.startToken ?? []) ?? [];
  return tokens.length === 0 ? locations : tokens.map(({ line, column }) => ({ line, column }));
}

/** What a client is told of a request that is not answered, and of fields that failed. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, isCalendarError } from '../../calendar/errors.ts';

/** A request that is refused as a whole: the code decides the HTTP status. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly errors: readonly GraphQLFormattedError[];
}

/** Logs what nobody foresaw and gives the id that the client is shown in its place. */
export type Conceal = (thrown: unknown) => string;

/** For graphql-js: how many errors it may find in one request before it stops looking. */
export const MAX_ERRORS = { maxErrors: 20 };

export function refusalOf(code: ErrorCode, errors: readonly GraphQLError[]): Refusal {
  return { code, errors: errors.map((error) => withCode(error, { code })) };
}

export function refuse(code: ErrorCode, message: string): Refusal {
  return refusalOf(code, [new GraphQLError(message)]);
}

/** Errors of an execution as clients see them: foreseen ones by their code, all others without a word on the cause. */
export function presentErrors(
  errors: readonly GraphQLError[],
  conceal: Conceal,
): readonly GraphQLFormattedError[] {
  return errors.map((error) => presentError(error, conceal));
}

function presentError(error: GraphQLError, conceal: Conceal): GraphQLFormattedError {
  const cause = error.originalError ?? error;
  if (isCalendarError(cause) && PUBLIC.has(cause.code)) {
    return withCode(error, {
      code: cause.code,
      ...(cause.invalidArgs !== undefined && { invalidArgs: cause.invalidArgs }),
      ...(cause.reasons !== undefined && { reasons: cause.reasons }),
    });
  }
  return { ...withCode(error, { code: INTERNAL, id: conceal(cause) }), message: INTERNAL_MESSAGE };
}

/** For what failed outside of any field. */
export function concealed(thrown: unknown, conceal: Conceal): Refusal {
  const extensions = { code: INTERNAL, id: conceal(thrown) };
  return { code: INTERNAL, errors: [{ message: INTERNAL_MESSAGE, extensions }] };
}

const INTERNAL = 'INTERNAL_SERVER_ERROR';
const INTERNAL_MESSAGE = 'Internal server error';

/** Codes whose messages are written for clients and may come out of a field. */
const PUBLIC: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['BAD_USER_INPUT', 'TIMEOUT']);

/** graphql-js repeats names and values of the request, which a client may have made as long as it likes. */
const LONGEST_MESSAGE = 1_000;

function withCode(error: GraphQLError, extensions: Readonly<Record<string, unknown>>): GraphQLFormattedError {
  const { message, locations, path } = error;
  return {
    message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message,
    ...(locations !== undefined && { locations }),
    ...(path !== undefined && { path }),
    extensions,
  };
}

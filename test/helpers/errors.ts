/** Assertions about refusals. */
import * as assert from 'uvu/assert';
import { type CalendarError, type ErrorCode, isCalendarError } from '../../src/calendar/errors.ts';

/** Expects a refusal with that code and a message that matches. */
export async function rejects(
  attempt: Promise<unknown>,
  code: ErrorCode,
  message: RegExp = /./,
): Promise<CalendarError> {
  const thrown: unknown = await attempt.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!isCalendarError(thrown))
    throw new Error(`expected ${code}, found ${String(thrown)}`, { cause: thrown });
  assert.is(thrown.code, code);
  assert.match(thrown.message, message);
  return thrown;
}

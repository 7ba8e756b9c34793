/** Assertions about refusals. */
import * as assert from 'uvu/assert';
import { type CalendarError, type ErrorCode, isCalendarError } from '../../src/calendar/errors.ts';

/** Expects a CalendarError with that code and a message that matches, and returns it. Other errors become the cause of the failure. */
export async function rejects(
  attempt: Promise<unknown>,
  code: ErrorCode,
  message: RegExp = /./,
): Promise<CalendarError> {
  const error = await errorOf(attempt, code);
  assert.is(error.code, code, `expected ${code}, found ${error.code}: ${error.message}`);
  assert.match(error.message, message);
  return error;
}

async function errorOf(attempt: Promise<unknown>, code: ErrorCode): Promise<CalendarError> {
  try {
    await attempt;
  } catch (thrown) {
    if (isCalendarError(thrown)) return thrown;
    throw new Error(`expected ${code}, found ${String(thrown)}`, { cause: thrown });
  }
  throw new Error(`expected ${code}, found no error`);
}

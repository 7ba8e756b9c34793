/** F4: repeat rules as RFC 5545 defines them, with the parts that a source may use. */
import { expandByDefinition } from '../jobs/recurrence/by-definition.ts';
import { DAY, readWritten, wallOf } from './clock.ts';

/** Wall readings of a rule's occurrences up to and with `lastDay`; null when the rule is none. */
export function expandRule(text: string, start: number, lastDay: number): readonly number[] | null {
  if (!/(?:^|;)FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;|$)/.test(text)) return null;
  const [, until] = /(?:^|;)UNTIL=([^;]*)/.exec(text) ?? [];
  const last = until === undefined ? Number.POSITIVE_INFINITY : readUntil(until);
  return expandByDefinition(text, start, Math.min(last, (lastDay + 1) * DAY - 1));
}

/** `20261231T200000` is Oslo's wall clock; with Z it is an instant, read on that clock. */
function readUntil(text: string): number {
  const written = readWritten(text.replace(/^(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5'));
  if (written === null) throw new Error(`expected an UNTIL with a time, found ${text}`);
  return written.offset === null ? written.wall : wallOf(written.wall);
}

/** RRULEs and EXRULEs (RFC 5545, 3.8.5.3) as programs write them: slips that leave no doubt are passed over. */
import { formatWall } from '../../../src/calendar/time.ts';
import type { AddFinding } from '../../feeds/slice.ts';
import { excerpt } from '../../records.ts';
import type { EventAllowance } from '../../recurrence/allowance.ts';
import { expand } from '../../recurrence/expand.ts';
import { isFlaw, type Rule, readRule } from '../../recurrence/rule.ts';
import type { Property } from './content.ts';
import { type Moment, OSLO, plainRule, readMoment, UTC } from './values.ts';

export interface WrittenRule {
  readonly text: string;
  readonly rule: Rule;
}

/** Null, after a finding, when it cannot be read. */
export function ruleOf(
  { name, value, line }: Property,
  start: Moment,
  addFinding: AddFinding,
): WrittenRule | null {
  // 3.3.10: of days, the parts that tell the time MUST be ignored.
  const plain = plainRule(value, start.isDate ? /^BY(?:HOUR|MINUTE|SECOND)=/i : undefined);
  const { text, slips } = repaired(plain);
  const rule = ofDays(start, readRule(text, { clock: start.zone.offsetAt, isOfFeed: true }));
  if (!isFlaw(rule) && slips.length > 0) {
    const expected = 'a rule without what is passed over here';
    addFinding({
      action: 'changed value',
      line,
      id: null,
      field: name,
      expected,
      found: excerpt(slips.join(', ')),
    });
  }
  if (!isFlaw(rule)) return { text, rule };
  const { part, expected, found } = rule;
  addFinding({
    action: name === 'RRULE' ? 'dropped series' : 'dropped date',
    line,
    id: null,
    field: `${name};${part}`,
    expected,
    found: excerpt(found),
  });
  return null;
}

/** What recurs within a day is no series of days. */
function ofDays({ isDate }: Moment, rule: ReturnType<typeof readRule>): ReturnType<typeof readRule> {
  if (!isDate || isFlaw(rule) || !/^(?:HOUR|MINUTE|SECOND)LY$/.test(rule.frequency)) return rule;
  const expected = 'a rule of days, because the start is a date alone';
  return { part: 'FREQ', expected, found: rule.frequency };
}

interface Repaired {
  readonly text: string;
  /** What was passed over. */
  readonly slips: readonly string[];
}

/** A rule without the slips that leave no doubt about what is meant. */
function repaired(rule: string): Repaired {
  const slips: string[] = [];
  const parts = rule.split(';').map((part) => part.replace(/\s+/g, ''));
  if (parts.join(';') !== rule) slips.push('blanks');
  const hasNoOrdinals = parts.some((part) => /^FREQ=(?:DAILY|WEEKLY)$/i.test(part));
  const kept = new Set<string>();
  for (const part of parts) {
    const plain = plainPart(part, hasNoOrdinals);
    if (plain === null || kept.has(plain) || plain !== part) slips.push(part);
    if (plain !== null) kept.add(plain);
  }
  // Of one date in each period, the first and the last are that date.
  const alone = [...kept].filter((part) => /^BY/i.test(part));
  const [only = ''] = alone;
  if (alone.length === 1 && /^BYSETPOS=[+-]?1$/i.test(only)) {
    slips.push(only);
    kept.delete(only);
  }
  const isBoth = ['COUNT=', 'UNTIL='].every((name) =>
    [...kept].some((part) => part.toUpperCase().startsWith(name)),
  );
  if (isBoth) slips.push('COUNT with UNTIL: the first of them ends it');
  return { text: [...kept].join(';'), slips };
}

/** Null for what says nothing. */
function plainPart(part: string, hasNoOrdinals: boolean): string | null {
  const at = part.indexOf('=');
  const name = part.slice(0, at).toUpperCase();
  const value = part.slice(at + 1);
  if (at === -1) return part;
  if (name.startsWith('X-') || value === '') return null;
  if (name === 'UNTIL' && /[-:.]/.test(value)) return `UNTIL=${plainUntil(value) ?? value}`;
  if (!name.startsWith('BY')) return part;
  const list = value.replace(/,{2,}/g, ',').replace(/^,|,$/g, '');
  return `${part.slice(0, at + 1)}${name === 'BYDAY' && hasNoOrdinals ? list.replace(/[+-]?\d+/g, '') : list}`;
}

/** As RFC 3339 would write it. */
function plainUntil(written: string): string | null {
  const moment = readMoment(written, OSLO);
  if (moment === null) return null;
  const text = formatWall(moment.wall).replace(/[-:]/g, '').replace(' ', 'T');
  if (moment.isDate) return text.slice(0, 8);
  return moment.zone === UTC ? `${text}Z` : text;
}

/** 3.8.5.3: the start counts as the first, whether or not the rule gives it. Null when it is all there is. */
export function countedFromStart(
  written: WrittenRule,
  start: Moment,
  allowance: EventAllowance,
): WrittenRule | null {
  const { text, rule } = written;
  const from = start.wall;
  if (rule.count === null) return written;
  const isGiven = expand(
    rule,
    { start: from, from, until: from, keep: () => true, most: 1 },
    allowance,
  ).walls;
  if (isGiven.length > 0) return written;
  const count = rule.count - 1;
  return count === 0
    ? null
    : { text: text.replace(/COUNT=\d+/i, `COUNT=${count}`), rule: { ...rule, count } };
}

/** What is private from a date on ends before it. */
export function endedBefore(end: number, { text, rule }: WrittenRule): WrittenRule {
  if (end > (rule.until ?? Number.POSITIVE_INFINITY) || end === Number.POSITIVE_INFINITY)
    return { text, rule };
  const parts = text.split(';').filter((part) => !/^UNTIL=/i.test(part));
  const until = formatWall(end - 1)
    .replace(/[-:]/g, '')
    .replace(' ', 'T');
  return { text: [...parts, `UNTIL=${until}`].join(';'), rule: { ...rule, until: end - 1 } };
}

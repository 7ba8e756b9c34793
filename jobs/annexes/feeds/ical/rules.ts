/** Rules of VEVENTs as programs write them: mistakes that leave their meaning certain are mended, and named. */
import { excerpt } from '../../../records.ts';
import type { EventAllowance } from '../../../recurrence/allowance.ts';
import { expand } from '../../../recurrence/expand.ts';
import { isFlaw, type Rule, type RuleFlaw, readRule } from '../../../recurrence/rule.ts';
import type { AddFinding } from '../last-good.ts';
import { cite } from './citations.ts';
import type { Property } from './properties.ts';
import { type Moment, plainRule } from './values.ts';

/** Null, after a finding, if it cannot be read. */
export function ruleOf(property: Property, start: Moment, addFinding: AddFinding): Rule | null {
  // 3.3.10: for days, the parts with times MUST be ignored.
  const plain = plainRule(property.value, start.isDate ? /^BY(?:HOUR|MINUTE|SECOND)=/i : undefined);
  const { text, slips } = repaired(plain);
  const rule = ofDays(start, readRule(text, { clock: start.zone.offsetAt, isOfFeed: true }));
  if (isFlaw(rule)) {
    const action = property.name === 'RRULE' ? 'dropped series' : 'dropped date';
    const { part, expected, found } = rule;
    const field = `${property.name};${part}`;
    addFinding({ ...cite(property), action, field, expected, found: excerpt(found) });
    return null;
  }
  const backslashes = /\\[,;]/.test(property.value) ? ['backslashes'] : [];
  const allSlips = [...backslashes, ...slips];
  const expected = 'a rule without the parts that are ignored here';
  if (allSlips.length > 0) addFinding({ ...cite(property), expected, found: excerpt(allSlips.join(', ')) });
  return rule;
}

/** A rule with a period shorter than a day is not a series of days. */
function ofDays({ isDate }: Moment, rule: Rule | RuleFlaw): Rule | RuleFlaw {
  if (!isDate || isFlaw(rule) || !/^(?:HOUR|MINUTE|SECOND)LY$/.test(rule.frequency)) return rule;
  const expected = 'a rule of days, because the start has no time';
  return { part: 'FREQ', expected, found: rule.frequency };
}

interface RepairedRule {
  readonly text: string;
  /** The parts that were left out or changed, as written. */
  readonly slips: readonly string[];
}

/** A rule without the mistakes that leave its meaning certain. */
function repaired(rule: string): RepairedRule {
  const { parts, slips } = plainParts(rule);
  const byParts = parts.filter((part) => /^BY/i.test(part));
  // With one date in each period, the first and the last are that date.
  const needless = byParts.length === 1 ? byParts.filter((part) => /^BYSETPOS=[+-]?1$/i.test(part)) : [];
  const text = parts.filter((part) => !needless.includes(part)).join(';');
  const hasTwoEnds = /(?:^|;)COUNT=/i.test(text) && /(?:^|;)UNTIL=/i.test(text);
  const endSlips = hasTwoEnds ? ['COUNT with UNTIL: whichever comes first ends it'] : [];
  return { text, slips: [...slips, ...needless, ...endSlips] };
}

interface PlainParts {
  /** Each once. */
  readonly parts: readonly string[];
  readonly slips: readonly string[];
}

function plainParts(rule: string): PlainParts {
  const hasNoOrdinals = /FREQ=(?:DAILY|WEEKLY)(?:;|$)/i.test(rule);
  const parts = new Set<string>();
  const slips: string[] = [];
  for (const written of rule.split(';')) {
    const part = plainPart(written, hasNoOrdinals);
    if (part !== written || parts.has(part)) slips.push(written);
    if (part !== '') parts.add(part);
  }
  return { parts: [...parts], slips };
}

/** Empty for a part that says nothing. `hasNoOrdinals`: weekdays of this rule have no numbers, as in `2MO`. */
function plainPart(written: string, hasNoOrdinals: boolean): string {
  const part = written.replace(/\s+/g, '');
  const at = part.indexOf('=');
  if (at === -1) return part;
  const name = part.slice(0, at).toUpperCase();
  const value = part.slice(at + 1);
  if (name.startsWith('X-') || value === '') return '';
  // In RFC 3339's form; an offset is passed over, and the reading is that of the event's clock.
  if (name === 'UNTIL') return part.replace(/[+-]\d\d:?\d\d$|[-:]|\.\d+/g, '');
  if (!name.startsWith('BY')) return part;
  const list = value.replace(/,{2,}/g, ',').replace(/^,|,$/g, '');
  const isOfWeekdays = name === 'BYDAY' && hasNoOrdinals;
  return `${part.slice(0, at + 1)}${isOfWeekdays ? list.replace(/[+-]?\d+/g, '') : list}`;
}

/** 3.8.5.3: the start counts as the first, whether the rule yields it or not. Null if there are no others. */
export function countedFromStart(rule: Rule, { wall }: Moment, allowance: EventAllowance): Rule | null {
  if (rule.count === null) return rule;
  const wanted = { start: wall, from: wall, until: wall, keep: () => true, most: 1 };
  if (expand(rule, wanted, allowance).walls.length > 0) return rule;
  return rule.count === 1 ? null : { ...rule, count: rule.count - 1 };
}

/** A series in which all dates from one on are private ends before that date. `end`: infinite if none are private. */
export function endedBefore(end: number, rule: Rule): Rule {
  const hasEarlierEnd = rule.until !== null && rule.until < end;
  return hasEarlierEnd || end === Number.POSITIVE_INFINITY ? rule : { ...rule, until: end - 1 };
}

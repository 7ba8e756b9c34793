/** Rules of VEVENTs as programs write them: mistakes that leave their meaning certain are mended, and named. */
import { excerpt } from '../../../records.ts';
import type { EventAllowance } from '../../../recurrence/allowance.ts';
import { expand } from '../../../recurrence/expand.ts';
import { isFlaw, type Rule, type RuleFlaw, readRule } from '../../../recurrence/rule.ts';
import type { AddFinding } from '../last-good.ts';
import { cite } from './citations.ts';
import type { Property } from './content.ts';
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
  if (/\\[,;]/.test(property.value)) slips.unshift('backslashes');
  const expected = 'a rule without the parts that are ignored here';
  if (slips.length > 0) addFinding({ ...cite(property), expected, found: excerpt(slips.join(', ')) });
  return rule;
}

/** A rule with a period shorter than a day is not a series of days. */
function ofDays({ isDate }: Moment, rule: Rule | RuleFlaw): Rule | RuleFlaw {
  if (!isDate || isFlaw(rule) || !/^(?:HOUR|MINUTE|SECOND)LY$/.test(rule.frequency)) return rule;
  const expected = 'a rule of days, because the start has no time';
  return { part: 'FREQ', expected, found: rule.frequency };
}

/** A rule without mistakes that leave its meaning certain, and these. */
function repaired(rule: string) {
  const hasNoOrdinals = /FREQ=(?:DAILY|WEEKLY)(?:;|$)/i.test(rule);
  const slips: string[] = [];
  const good = new Set<string>();
  for (const part of rule.split(';')) {
    const plain = plainPart(part, hasNoOrdinals);
    if (plain !== part || good.has(plain)) slips.push(part);
    if (plain !== '') good.add(plain);
  }
  // With one date in each period, the first and the last are that date.
  const [only = '', another] = [...good].filter((part) => /^BY/i.test(part));
  if (another === undefined && /^BYSETPOS=[+-]?1$/i.test(only)) {
    slips.push(only);
    good.delete(only);
  }
  const text = [...good].join(';');
  if (/(?:^|;)COUNT=/i.test(text) && /(?:^|;)UNTIL=/i.test(text))
    slips.push('COUNT with UNTIL: whichever comes first ends it');
  return { text, slips };
}

/** Empty for a part that says nothing. */
function plainPart(written: string, hasNoOrdinals: boolean): string {
  const part = written.replace(/\s+/g, '');
  const at = part.indexOf('=');
  const name = part.slice(0, at).toUpperCase();
  const value = part.slice(at + 1);
  if (at === -1) return part;
  if (name.startsWith('X-') || value === '') return '';
  // In RFC 3339's form; an offset is passed over, and the reading is that of the event's clock.
  if (name === 'UNTIL') return part.replace(/[+-]\d\d:?\d\d$|[-:]|\.\d+/g, '');
  if (!name.startsWith('BY')) return part;
  const list = value.replace(/,{2,}/g, ',').replace(/^,|,$/g, '');
  return `${part.slice(0, at + 1)}${name === 'BYDAY' && hasNoOrdinals ? list.replace(/[+-]?\d+/g, '') : list}`;
}

/** 3.8.5.3: the start counts as the first, whether the rule yields it or not. Null if there are no others. */
export function countedFromStart(rule: Rule, { wall }: Moment, allowance: EventAllowance): Rule | null {
  if (rule.count === null) return rule;
  const wanted = { start: wall, from: wall, until: wall, keep: () => true, most: 1 };
  if (expand(rule, wanted, allowance).walls.length > 0) return rule;
  return rule.count === 1 ? null : { ...rule, count: rule.count - 1 };
}

/** A series in which all dates from one on are private ends before that date. */
export function endedBefore(end: number, rule: Rule): Rule {
  return end > (rule.until ?? Number.POSITIVE_INFINITY) || end === Number.POSITIVE_INFINITY
    ? rule
    : { ...rule, until: end - 1 };
}

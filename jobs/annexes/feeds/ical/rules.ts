/** Rules of VEVENTs as programs write them: mistakes that leave their meaning certain are corrected, and reported. */
import { excerpt } from '../../../findings.ts';
import type { EventAllowance } from '../../../recurrence/allowance.ts';
import { expand } from '../../../recurrence/expand.ts';
import { isFlaw, type Rule, type RuleFlaw, readRule } from '../../../recurrence/rule.ts';
import type { AddFinding } from '../last-good.ts';
import { cite } from './citations.ts';
import type { Property } from './properties.ts';
import { type Moment, plainRule } from './values.ts';

/** The rule of an RRULE or EXRULE. Null, after a finding, if it cannot be read. */
export function readRuleOf(property: Property, start: Moment, addFinding: AddFinding): Rule | null {
  // 3.3.10: for days, the parts with times MUST be ignored.
  const plain = plainRule(property.value, start.isDate ? /^BY(?:HOUR|MINUTE|SECOND)=/i : undefined);
  const { text, corrected } = correctedRule(plain);
  const rule = ofDays(start, readRule(text, { clock: start.zone.offsetAt, isOfFeed: true }));
  if (isFlaw(rule)) {
    const action = property.name === 'RRULE' ? 'dropped series' : 'dropped date';
    const { parts, expected, found } = rule;
    const field = `${property.name};${parts}`;
    addFinding({ ...cite(property), action, field, expected, found: excerpt(found) });
    return null;
  }
  const allCorrected = /\\[,;]/.test(property.value) ? ['backslashes', ...corrected] : corrected;
  if (allCorrected.length > 0) {
    const expected = 'a rule without the parts that are ignored here';
    addFinding({ ...cite(property), expected, found: excerpt(allCorrected.join(', ')) });
  }
  return rule;
}

/** A rule with a period shorter than a day is not a series of days. */
function ofDays({ isDate }: Moment, rule: Rule | RuleFlaw): Rule | RuleFlaw {
  if (!isDate || isFlaw(rule) || !/^(?:HOUR|MINUTE|SECOND)LY$/.test(rule.frequency)) return rule;
  const expected = 'a rule of days, because the start has no time';
  return { parts: 'FREQ', expected, found: rule.frequency };
}

interface CorrectedRule {
  readonly text: string;
  /** The parts that were left out or changed, as written, and mistakes of several parts. */
  readonly corrected: readonly string[];
}

/** Corrects the mistakes that leave the meaning of a rule certain. */
function correctedRule(rule: string): CorrectedRule {
  const { parts, corrected } = correctedParts(rule);
  const byParts = parts.filter((part) => /^BY/i.test(part));
  // With one date in each period, the first and the last are that date.
  const needless = byParts.length === 1 ? byParts.filter((part) => /^BYSETPOS=[+-]?1$/i.test(part)) : [];
  const text = parts.filter((part) => !needless.includes(part)).join(';');
  const hasTwoEnds = /(?:^|;)COUNT=/i.test(text) && /(?:^|;)UNTIL=/i.test(text);
  const twoEnds = hasTwoEnds ? ['COUNT with UNTIL: whichever comes first ends it'] : [];
  return { text, corrected: [...corrected, ...needless, ...twoEnds] };
}

interface CorrectedParts {
  /** Each once. */
  readonly parts: readonly string[];
  /** As written. */
  readonly corrected: readonly string[];
}

function correctedParts(rule: string): CorrectedParts {
  const hasOrdinals = !/FREQ=(?:DAILY|WEEKLY)(?:;|$)/i.test(rule);
  const corrections = hasOrdinals ? CORRECTIONS : [...CORRECTIONS, ORDINALS];
  const parts = new Set<string>();
  const corrected: string[] = [];
  for (const written of rule.split(';')) {
    const part = correctedPart(written, corrections);
    if (part !== written || parts.has(part)) corrected.push(written);
    if (part !== '') parts.add(part);
  }
  return { parts: [...parts], corrected };
}

/** A mistake in the values of some parts. */
interface Correction {
  /** The names of the parts. */
  readonly name: RegExp;
  readonly mistake: RegExp;
  readonly replacement: string;
}

const CORRECTIONS: readonly Correction[] = [
  // `2026-06-01T10:00:00.5+02:00` → `20260601T100000`. The offset is passed over: the reading is that of the event's clock.
  { name: /^UNTIL$/i, mistake: /[+-]\d\d:?\d\d$|[-:]|\.\d+/g, replacement: '' },
  // `MO,,TU` → `MO,TU`
  { name: /^BY/i, mistake: /,{2,}/g, replacement: ',' },
  // `,MO,TU,` → `MO,TU`
  { name: /^BY/i, mistake: /^,|,$/g, replacement: '' },
];
/** In a daily or weekly rule, `2MO` → `MO`. */
const ORDINALS: Correction = { name: /^BYDAY$/i, mistake: /[+-]?\d+/g, replacement: '' };

/** Empty for a part that says nothing. */
function correctedPart(written: string, corrections: readonly Correction[]): string {
  const part = written.replace(/\s+/g, '');
  const at = part.indexOf('=');
  if (at === -1) return part;
  const name = part.slice(0, at);
  const value = part.slice(at + 1);
  if (/^X-/i.test(name) || value === '') return '';
  const correctedValue = corrections
    .filter((correction) => correction.name.test(name))
    .reduce((text, { mistake, replacement }) => text.replace(mistake, replacement), value);
  return `${name}=${correctedValue}`;
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

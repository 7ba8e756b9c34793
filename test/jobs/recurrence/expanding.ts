/** Expands a rule as a test writes it. */
import { createAllowance } from '../../../jobs/recurrence/allowance.ts';
import { type Expansion, expand, type Wanted } from '../../../jobs/recurrence/expand.ts';
import { isFlaw, type Rule, readRule } from '../../../jobs/recurrence/rule.ts';
import { wallAt } from '../../helpers/moments.ts';

export function ruleOf(text: string): Rule {
  const rule = readRule(text);
  if (isFlaw(rule)) throw new Error(`${text}: expected ${rule.expected}, found ${rule.found}`);
  return rule;
}

/** Every reading from the start to the end of 2028, unless something else is wanted; with an allowance of its own. */
export function expanded(text: string, start: number, wanted: Partial<Wanted> = {}): Expansion {
  const until = wallAt('2028-12-31 23:59:59');
  return expand(
    ruleOf(text),
    { start, from: start, until, keep: () => true, ...wanted },
    createAllowance().forEvent(),
  );
}

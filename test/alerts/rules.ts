/** The rules of docs/alerts.yml. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../src/package.ts';

export const RULES = packagePath('docs/alerts.yml');

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

export function rulesIn(text: string): readonly Rule[] {
  return parse(text).groups.flatMap((group: { readonly rules: readonly Rule[] }) => group.rules);
}

export const rules = rulesIn(readFileSync(RULES, 'utf8'));
export const alerts = rules.map(({ alert }) => alert);

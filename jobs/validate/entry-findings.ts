/** G2: findings about an entry of a source, with the place that they name. */
import type { Action } from '../../src/calendar/actions.ts';
import { excerpt, type Origin, type Reporter } from '../findings.ts';
import { fieldName, type Path } from './salvage.ts';

/** The present entry, as findings name it. */
export interface Subject {
  readonly origin: Origin;
  readonly id: string | null;
  readonly reporter: Pick<Reporter, 'addFinding'>;
}

/** What a finding says about a part of an entry. */
export interface FindingDetail {
  readonly at: Path;
  readonly expected: string;
  /** The value that was found, or words about it. */
  readonly found?: unknown;
  readonly foundText?: string | undefined;
  readonly isFurther?: boolean;
}

/** Reports a finding about a part of the entry. */
export function addFinding({ origin, id, reporter }: Subject, action: Action, detail: FindingDetail): void {
  const { at, expected, found, foundText = excerpt(found), isFurther } = detail;
  const finding = { action, origin, id, field: fieldName(at), expected, found: foundText };
  reporter.addFinding(isFurther ? { ...finding, isFurther } : finding);
}

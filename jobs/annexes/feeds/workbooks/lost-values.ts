/** The cells of a sheet whose values cannot be read, as findings. */

import type { AddFinding } from '../last-good.ts';
import { MOST_COLUMNS } from '../table-rows.ts';

/** A cell without a value that can be read. */
interface LostValue {
  /** The row, from 1. */
  readonly line: number;
  /** The name of the cell. */
  readonly field: string;
  /** From 0. */
  readonly column: number;
  readonly expected: string;
  readonly found: string;
}

/** A column of formulas can have thousands, so each column is reported once. */
export interface LostValues {
  readonly add: (value: LostValue) => void;
  /** Reports the first of each column and each expectation, with the number of the others. */
  readonly report: (addFinding: AddFinding) => void;
}

export function createLostValues(): LostValues {
  const losses = new Map<string, { readonly first: LostValue; others: number }>();

  function add(value: LostValue): void {
    // Columns beyond the limit are counted as one, as they are read.
    const key = `${Math.min(value.column, MOST_COLUMNS)} ${value.expected}`;
    const known = losses.get(key);
    if (known === undefined) losses.set(key, { first: value, others: 0 });
    else known.others += 1;
  }

  function report(addFinding: AddFinding): void {
    for (const { first, others } of losses.values()) {
      const { line, field, expected } = first;
      const found = others === 0 ? first.found : `${first.found} (and ${others} more in this column)`;
      addFinding({ action: 'dropped value', line, field, expected, found });
    }
  }

  return { add, report };
}

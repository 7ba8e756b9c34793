/** G2: the findings about one feed, up to a limit. */
import type { AddFinding, Emit, NewFinding } from './last-good.ts';

/** More than a report stores. */
const MOST_FINDINGS = 20_000;

interface Findings {
  readonly add: AddFinding;
  /** Called at the end: adds the number of those beyond the limit. */
  readonly end: () => void;
}

/** Emits findings up to the limit, and counts the rest. */
export function createFeedFindings(emit: Emit): Findings {
  let count = 0;

  function emitFinding({ line = null, id = null, field = null, ...finding }: NewFinding): void {
    emit({ list: 'findings', ...finding, line, id, field });
  }

  function add(finding: NewFinding): void {
    count += 1;
    if (count <= MOST_FINDINGS) emitFinding(finding);
  }

  function end(): void {
    if (count <= MOST_FINDINGS) return;
    emitFinding({
      action: 'changed value',
      expected: `at most ${MOST_FINDINGS} findings about a feed`,
      found: `${count - MOST_FINDINGS} more, which are only counted`,
    });
  }

  return { add, end };
}

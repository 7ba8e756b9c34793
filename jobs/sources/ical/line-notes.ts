import type { Complain } from '../../feeds/slice.ts';
import { excerpt } from '../../report/excerpt.ts';
import type { LineNote } from './components.ts';
import type { ContentLine } from './lines.ts';

const MOST_LINES = 100;

export interface LineNotes {
  /** The same lines; tells of those that were not UTF-8. */
  readonly watch: (lines: Iterable<ContentLine>) => Iterable<ContentLine>;
  readonly note: LineNote;
  /** To be called when all lines have been read: says how many more there were. */
  readonly end: () => void;
}

/** What is wrong with lines, whatever they belong to. A file that is no calendar at all is not named line by line. */
export function createLineNotes(complain: Complain): LineNotes {
  let noted = 0;
  let last: number | null = null;

  function say(line: number, expected: string, found: string): void {
    noted++;
    last = line;
    if (noted > MOST_LINES) return;
    complain({ action: 'changed value', line, id: null, field: null, expected, found });
  }

  function* watch(lines: Iterable<ContentLine>): Generator<ContentLine, void, undefined> {
    for (const line of lines) {
      if (line.charset !== null)
        say(line.number, 'UTF-8', `${line.charset}, and read as such: ${excerpt(line.text)}`);
      yield line;
    }
  }

  function end(): void {
    if (noted <= MOST_LINES) return;
    const found = `${noted - MOST_LINES} more lines that are not, up to this one`;
    complain({
      action: 'changed value',
      line: last,
      id: null,
      field: null,
      expected: 'iCalendar in UTF-8',
      found,
    });
  }

  return {
    watch,
    note: ({ number, text }, expected) => say(number, `${expected} (left out)`, excerpt(text)),
    end,
  };
}

/** F17: rows for a correction sheet that lack only the decision: an editor pastes them, and writes yes or no beside each event. */
import { printableLine } from './display-text.ts';

interface Undecided {
  readonly feed: string;
  readonly id: string;
  readonly title: string;
  readonly start: string | null;
  readonly place: string | null;
  /** What the approval is of; absent or null if it is of all versions. */
  readonly version?: string | null;
}

/** With tabs between the cells of Id, Godkjent and Merknad: spreadsheets paste such texts into cells. */
export function decisionRows(events: readonly Undecided[]): readonly string[] {
  return events.filter(({ id }) => CELL.test(id)).map((event) => `${event.id}\t\t${noteOf(event)}`);
}

/**
 * A spreadsheet would run `=…` as a formula, also with a full-width sign or after a character without a form, and read a quotation mark as
 * the beginning of a cell with several lines.
 */
const CELL = /^(?![\s\p{Cf}\p{Default_Ignorable_Code_Point}=+\-@"'\uff1d\uff0b\uff0d\uff20])[^\t\r\n]+$/u;

/** Begins with a day or the id of a feed, because strangers write the rest, a date too: none of it is run as a formula. */
function noteOf({ feed, title, start, place, version = null }: Undecided): string {
  const parts = [start, place === null ? title : `${title}, ${place}`];
  const line = parts.filter((part) => part !== null).join(' ');
  const beginsWithDay = start !== null && /^\d{4}-\d{2}-\d{2}(?: |$)/.test(start);
  const end = version === null ? '' : ` [${version}]`;
  return printableLine((beginsWithDay ? line : `${feed} ${line}`).replace(/\s+/g, ' ')) + end;
}

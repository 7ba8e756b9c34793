/** F17: rows for a correction sheet that lack only the decision: an editor pastes them, and writes yes or no beside each event. */
import { printableLine } from './display-text.ts';

interface Undecided {
  readonly feed: string;
  readonly id: string;
  readonly title: string;
  readonly start: string | null;
  readonly place: string | null;
}

/** With tabs between the cells of Id, Godkjent and Merknad: spreadsheets paste such texts into cells. */
export function decisionRows(events: readonly Undecided[]): readonly string[] {
  return events.filter(({ id }) => CELL.test(id)).map((event) => `${event.id}\t\t${noteOf(event)}`);
}

/** A spreadsheet would run `=…` as a formula, and read a quotation mark as the beginning of a cell with several lines. */
const CELL = /^[^\s=+\-@"'][^\t\r\n]*$/;

/** Begins with a date or the id of a feed, because strangers write titles: none of them is run as a formula. */
function noteOf({ feed, title, start, place }: Undecided): string {
  const what = place === null ? title : `${title}, ${place}`;
  return printableLine(`${start ?? feed} ${what}`.replace(/\s+/g, ' '));
}

/** Feeds of a few events, sources with one of them, and snapshot folders that have had one. */
import { cpSync } from 'node:fs';
import { isoSecond } from '../../src/calendar/time.ts';
import { NOW } from './calendar.ts';
import type { FeedBuild } from './feeds.ts';
import { temporaryFolder } from './folder.ts';
import { sourceFolder } from './native-source.ts';

export const entry = (uid: string, more = '') =>
  `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20260401T100000Z\r\nSUMMARY:Kveld ${uid}\r\n${more}END:VEVENT\r\n`;
export const calendar = (...entries: readonly string[]) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${entries.join('')}END:VCALENDAR\r\n`;
/** An event of a page with what schema.org needs, and more. */
export const linkedEvent = (
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  '@type': 'Event',
  name: 'Kor',
  startDate: '2027-02-14T19:00',
  ...more,
});
export const GOOD = calendar(entry('a'), entry('b'));
/** The calendar's own records, beside those of a feed. */
export const CALENDAR_EVENTS = [1, 2, 3].map((at) => ({
  id: `own${at}`,
  title_nb: `Egen ${at}`,
  dates: [{ start: '2026-02-01 19:00' }],
}));

/** A source of three events of its own and one feed. */
export const folderOf = (feed: object, more: object = {}) =>
  sourceFolder({
    'events.json': CALENDAR_EVENTS,
    'sources.json': [{ id: 'hall', kind: 'ical', ...feed }],
    ...more,
  });

export const healthOf = ({ report }: FeedBuild) =>
  report.feeds.map(({ state, reason, since }) => ({ state, reason, since }))[0];
export const copyOf = (folder: string) => {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};
export const DAY_LATER = NOW + 86_400;
export const iso = isoSecond;

/** Feeds of a few events, sources with one of them, and snapshot folders that have had one. */
import { cpSync } from 'node:fs';
import { NOW } from './calendar.ts';
import type { FeedBuild } from './feeds.ts';
import { temporaryFolder } from './folder.ts';
import { sourceFolder } from './native-source.ts';

/** An event of an iCalendar feed. `more`: further lines, each with its line break. */
export const vevent = (uid: string, more = '') =>
  `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20260401T100000Z\r\nSUMMARY:Kveld ${uid}\r\n${more}END:VEVENT\r\n`;

/** An iCalendar feed of these events. */
export const vcalendar = (...events: readonly string[]) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`;

export const TWO_EVENTS = vcalendar(vevent('a'), vevent('b'));

/** An event of a page with what schema.org needs, and more. */
export const linkedEvent = (
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  '@type': 'Event',
  name: 'Kor',
  startDate: '2027-02-14T19:00',
  ...more,
});

/** The calendar's own records, beside those of a feed. */
export const CALENDAR_EVENTS = [1, 2, 3].map((at) => ({
  id: `own${at}`,
  title_nb: `Egen ${at}`,
  dates: [{ start: '2026-02-01 19:00' }],
}));

/** A source of three events of its own and the feed `hall`, which is iCalendar unless `feed` says otherwise. `more`: further files. */
export const sourceWithFeed = (feed: object, more: object = {}) =>
  sourceFolder({
    'events.json': CALENDAR_EVENTS,
    'sources.json': [{ id: 'hall', kind: 'ical', ...feed }],
    ...more,
  });

/** The health of a build's first feed. */
export const firstHealthOf = ({ report }: FeedBuild) =>
  report.feeds.map(({ state, reason, since }) => ({ state, reason, since }))[0];

export const copyOfFolder = (folder: string) => {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};

export const DAY_LATER = NOW + 86_400;

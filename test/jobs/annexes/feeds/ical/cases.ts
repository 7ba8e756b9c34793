/** Cases of iCalendar files as texts. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCalendarFeed } from '../../../../../jobs/annexes/feeds/ical/calendar.ts';
import type { FeedReader } from '../../../../../jobs/annexes/feeds/reading.ts';
import { linesMarked } from '../../../../helpers/feed-reading.ts';
import { datesOf, type ServedEvent, type ServedFeed } from '../../../../helpers/feeds.ts';

export interface IcalCase {
  readonly uid: string;
  /** The title of the test. */
  readonly title: string;
  /** VEVENTs. */
  readonly entries: readonly string[];
  /** The dates, as `whenOf` writes them. */
  readonly dates: string;
  /** Findings: `action field: expected, found`. */
  readonly findings: readonly string[];
}

/**
 * Cases as a text, one after the other. The first word of a case is its UID, and the rest its title, which may begin with a section of
 * RFC 5545:
 *
 *     # quiz 3.8.4.4: should cancel a date by an entry with only its RECURRENCE-ID
 *       DTSTART:20260601T080000Z         properties of the entry; its UID and `SUMMARY:Kveld` are added unless it has others
 *       RRULE:FREQ=DAILY;COUNT=2
 *       +                                another entry
 *       SUMMARY                          without a title
 *       RECURRENCE-ID:20260602T080000Z
 *       STATUS:CANCELLED
 *       = 2026-06-01 10:00, …            dates that an endpoint gives, on several lines where they are many
 *       ! changed value end (DTEND): …   a finding about it
 */
export function casesOf(text: string): readonly IcalCase[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.split('\n').map((line) => line.trim());
      const [, uid = '', written = ''] = /^(\S+) (.*)$/.exec(head) ?? [];
      const title = /^\d/.test(written) ? `RFC 5545, ${written}` : written;
      const body = lines.filter((line) => line !== '' && !/^[=!] /.test(line)).join('\n');
      const entries = body === '' ? [] : body.split(/^\+\n/m).map((entry) => eventOf(uid, entry.trim()));
      return {
        uid,
        title,
        entries,
        dates: linesMarked(lines, '=').join(', '),
        findings: linesMarked(lines, '!'),
      };
    });
}

function eventOf(uid: string, text: string): string {
  const lines = text.split('\n');
  const has = (name: string) => lines.some((line) => new RegExp(`^${name}(?:$|[:;])`).test(line));
  const own = [...(has('UID') ? [] : [`UID:${uid}`]), ...(has('SUMMARY') ? [] : ['SUMMARY:Kveld'])];
  const all = ['BEGIN:VEVENT', ...own, ...lines.filter((line) => line !== 'SUMMARY'), 'END:VEVENT'];
  return all.map((line) => `${line}\r\n`).join('');
}

/** Reads VEVENTs as `casesOf` has them, with lines `+` between. */
export const readEntries: FeedReader = ([document], task, emit) => {
  const entries = String(document?.bytes).split(/^\+\n/m);
  const text = entries.map((entry, place) => eventOf(`${place + 1}`, entry.trim())).join('');
  return readCalendarFeed([{ origin: null, bytes: Buffer.from(text) }], task, emit);
};

/** Dates on Norway's clock: `2026-06-01 10:00–11:00 Kafeen, 2026-06-02–2026-06-03 all day`. */
export function whenOf(event: ServedEvent | null): string {
  const lines = datesOf(event).map((line) =>
    line
      .replace(/:00[+-]\d\d:00/g, '')
      .replace(/^(\S+) (\S+) \| (?=\d{4})(?:\1 )?/, '$1 $2–')
      .replace(/ 00:00–(\S+) 00:00(?= \| all day)/, '–$1')
      .replaceAll(' | ', ' '),
  );
  return lines.join(', ');
}

/** Adds a test for each case: its dates at the endpoint, and the findings about it. */
export function testCases<Feeds>(
  test: Test<Feeds>,
  cases: readonly IcalCase[],
  feedOf: (feeds: Feeds) => ServedFeed,
): void {
  for (const { uid, title, dates, findings } of cases)
    test(title, async (feeds) => {
      const feed = feedOf(feeds);
      assert.is(whenOf(await feed.event(uid)), dates);
      assert.equal(findingsOf(feed, uid), findings);
    });
}

/** The findings about an event, as a case has them. */
function findingsOf(feed: ServedFeed, uid: string): readonly string[] {
  return (
    feed
      .findingsOf(uid)
      // Cases of one file have equal titles and times (G9).
      .filter(({ action }) => action !== 'likely same')
      .map(({ action, field, expected, found }) => `${action} ${field}: ${expected}, ${found}`)
  );
}

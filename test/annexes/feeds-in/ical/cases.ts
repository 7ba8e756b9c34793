/** Cases of iCalendar files as texts. */
import type { ServedFeed } from '../../../helpers/feeds.ts';

export interface IcalCase {
  readonly uid: string;
  /** The title of the test. */
  readonly title: string;
  /** VEVENTs. */
  readonly entries: readonly string[];
  /** As `datesOf` writes them. */
  readonly dates: readonly string[];
  /** Findings: `action field: expected, found`. */
  readonly told: readonly string[];
}

/**
 *     # quiz 3.8.4.4: should read a cancellation that says only of what date it is
 *       DTSTART:20260601T080000Z         what the entry says; its UID and `SUMMARY:Kveld` unless it says others
 *       RRULE:FREQ=DAILY;COUNT=2
 *       +                                another entry
 *       SUMMARY                          without a title
 *       RECURRENCE-ID:20260602T080000Z
 *       STATUS:CANCELLED
 *       = 2026-06-01 10:00:00+02:00      a date that an endpoint gives
 *       ! changed value end (DTEND): …   a finding about it
 */
export function casesOf(text: string): readonly IcalCase[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.split('\n').map((line) => line.trim());
      const [, uid = '', title = ''] = /^(\S+) (.*)$/.exec(head) ?? [];
      const marked = (mark: string) =>
        lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2));
      const said = lines.filter((line) => line !== '' && !/^[=!] /.test(line)).join('\n');
      const entries = said === '' ? [] : said.split(/^\+\n/m).map((entry) => eventOf(uid, entry.trim()));
      return { uid, title, entries, dates: marked('='), told: marked('!') };
    });
}

function eventOf(uid: string, said: string): string {
  const lines = said.split('\n');
  const has = (name: string) => lines.some((line) => line === name || line.startsWith(`${name}:`));
  const own = [...(has('UID') ? [] : [`UID:${uid}`]), ...(has('SUMMARY') ? [] : ['SUMMARY:Kveld'])];
  const all = ['BEGIN:VEVENT', ...own, ...lines.filter((line) => line !== 'SUMMARY'), 'END:VEVENT'];
  return all.map((line) => `${line}\r\n`).join('');
}

/** The findings about an event, as a case has them. */
export function toldOf(feed: ServedFeed, uid: string): readonly string[] {
  return feed
    .findingsOf(uid)
    .map(({ action, field, expected, found }) => `${action} ${field}: ${expected}, ${found}`);
}

/** Our own JSON-LD feed as a source: it has the dates of the calendar that it was written from. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLinkedData } from '../../../../../jobs/annexes/feeds/jsonld/events.ts';
import { parseInputDatetime } from '../../../../../src/calendar/input-datetime.ts';
import { isObject } from '../../../../../src/calendar/json.ts';
import { formatOslo } from '../../../../../src/calendar/time.ts';
import { packagePath } from '../../../../../src/package.ts';
import { assertAbove } from '../../../../helpers/assertions.ts';
import { readDocuments } from '../../../../helpers/feed-reading.ts';
import { startBuilt } from '../../../../helpers/running.ts';
import { nodesOf, occurrencesIn, titleOf } from '../../../../src/annexes/feeds/asked.ts';

const NOON = Date.parse('2026-11-20T12:00:00+01:00') / 1000;
/** The first ones of the list: its series are among them. */
const EVENTS = 30;

const test = suite('linked data, there and back');

test('L2: should read the sample’s own feed as the sample', async () => {
  const { url, close } = await startBuilt(packagePath('data/sample'), NOON);
  const nodes = await nodesOf(url, { pageSize: EVENTS });
  const response = await fetch(`${url}/events.jsonld?pageSize=${EVENTS}&repetitions=all`);
  const { events, findings } = readDocuments(readLinkedData, await response.text());
  await close();
  const expected = occurrencesIn(nodes).map(({ node, startDate, endDate, allDay, eventCancelled }) =>
    lineOf({ title: titleOf(node), start: startDate, end: endDate, allDay, eventCancelled }),
  );
  const read = events.flatMap((event) =>
    listOf(event.dates).map(({ start, end, eventCancelled }) => {
      const [from, to] = [instantOf(start, 0), end === undefined ? instantOf(start, 0) : instantOf(end, 1)];
      return lineOf({
        title: String(event.title_nb ?? event.title_en),
        start: formatOslo(from),
        end: formatOslo(/\d{2}:\d{2}/.test(String(start)) ? to : instantOf(end ?? start, 1)),
        allDay: !/\d{2}:\d{2}/.test(String(start)),
        eventCancelled: eventCancelled === true,
      });
    }),
  );
  assert.equal([findings, read.sort()], [[], expected.sort()]);
  assertAbove(expected.length, 5 * EVENTS, 'dates');
});

test.run();

interface Line {
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly allDay: boolean;
  readonly eventCancelled: boolean;
}

function lineOf({ title, start, end, allDay, eventCancelled }: Line): string {
  const flags = [allDay ? 'all day' : '', eventCancelled ? 'cancelled' : ''];
  return [title.replace(/\s+/g, ' ').trim(), start, end, ...flags].join(' | ');
}

/** The midnight so many days after a date. */
function instantOf(written: unknown, daysLater: number): number {
  const text = String(written);
  const instant = parseInputDatetime(text.replace(/(\d{2}:\d{2})([+-])/, '$1:00$2'));
  if (instant !== null) return instant;
  const day = new Date(Date.parse(`${text}T00:00:00Z`) + daysLater * 86_400_000).toISOString().slice(0, 10);
  const winter = parseInputDatetime(`${day} 00:00:00+01:00`) ?? Number.NaN;
  return formatOslo(winter).endsWith('+01:00') ? winter : winter - 3_600;
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

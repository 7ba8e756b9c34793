/** E12: the status of a date, from the native record to the answers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceFolder, validatedEvents } from '../helpers/native-source.ts';
import { type Running, startBuilt } from '../helpers/running.ts';

const test = suite('status');

const START = '2031-06-20 19:30';
const BEFORE = '2031-06-19 19:30';

interface StateCase {
  readonly event: object;
  readonly date: object;
  readonly status: string;
  readonly isShown?: boolean;
}

/** Fields of an event and of its date, with the status that the date has. */
const STATES: readonly StateCase[] = [
  { event: {}, date: {}, status: 'SCHEDULED' },
  { event: {}, date: { eventCancelled: true }, status: 'CANCELLED' },
  { event: {}, date: { status: 'postponed' }, status: 'POSTPONED' },
  { event: {}, date: { status: 'RESCHEDULED' }, status: 'RESCHEDULED' },
  { event: {}, date: { status: 'RESCHEDULED', previousStart: BEFORE }, status: 'RESCHEDULED', isShown: true },
  { event: {}, date: { previousStart: BEFORE }, status: 'RESCHEDULED', isShown: true },
  { event: {}, date: { previousStart: BEFORE, eventCancelled: false }, status: 'RESCHEDULED', isShown: true },
  { event: {}, date: { previousStart: BEFORE, eventCancelled: true }, status: 'CANCELLED' },
  { event: {}, date: { previousStart: BEFORE, status: 'POSTPONED' }, status: 'POSTPONED' },
  { event: {}, date: { previousStart: BEFORE, status: 'SCHEDULED' }, status: 'SCHEDULED' },
  { event: { status: 'POSTPONED' }, date: {}, status: 'POSTPONED' },
  { event: { status: 'POSTPONED' }, date: { eventCancelled: false }, status: 'SCHEDULED' },
  { event: { status: 'CANCELLED' }, date: { previousStart: BEFORE }, status: 'RESCHEDULED', isShown: true },
  { event: { eventCancelled: true }, date: { status: 'SCHEDULED' }, status: 'SCHEDULED' },
];

for (const { event, date, status, isShown = false } of STATES) {
  test(`E12: should read ${JSON.stringify({ ...event, date })} as ${status}`, async () => {
    const dates = [{ start: START, ...date }];
    const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'Kor', ...event, dates }]);
    const [found] = events[0]?.dates ?? [];
    const before = isShown ? Date.parse('2031-06-19T17:30:00Z') / 1_000 : null;
    assert.equal([found?.status, found?.previousStart, findings], [status, before, []]);
  });
}

test('E12, G2: should prefer the status to a contradicting eventCancelled, and report it', async () => {
  const dates = [{ start: START, status: 'CANCELLED', eventCancelled: false }];
  const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'Kor', dates }]);
  assert.is(events[0]?.dates[0]?.status, 'CANCELLED');
  assert.equal(
    findings.map(({ field, expected }) => [field, expected]),
    [['dates[0].eventCancelled', 'true, because the status is CANCELLED']],
  );
});

test('E12, G2: should drop an unknown status, and report it', async () => {
  const dates = [{ start: START, status: 'maybe', eventCancelled: true }];
  const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'Kor', dates }]);
  assert.is(events[0]?.dates[0]?.status, 'CANCELLED');
  assert.equal(
    findings.map(({ action, field }) => [action, field]),
    [['dropped value', 'dates[0].status']],
  );
});

const ANSWERED = 'status previousStartDate eventCancelled';

interface Context {
  running: Running;
}

const served = suite<Context>('status at the endpoint');

served.before(async (context) => {
  const source = sourceFolder({
    'events.json': [
      {
        id: 'e',
        title_nb: 'Kor',
        dates: [
          { start: '2031-06-20 19:30' },
          { start: '2031-06-21 19:30', status: 'POSTPONED' },
          { start: '2031-06-22 19:30', previousStart: '2031-06-18 19:30' },
          { start: '2031-06-23', previousStart: '2031-06-17' },
          { start: '2031-06-24 19:30', status: 'CANCELLED' },
        ],
      },
      { id: 'off', title_nb: 'Av', dates: [{ start: '2031-06-20 19:30', status: 'POSTPONED' }] },
    ],
  });
  context.running = await startBuilt(source, Date.parse('2031-06-01T08:00:00Z') / 1_000);
});
served.after(({ running }) => running.close());

served('E12: should answer with the status and previous start of each date', async ({ running }) => {
  const query = `{ eventByID(eventID: "e") { ${ANSWERED} repetitions { ${ANSWERED} } } }`;
  const { repetitions, ...first } = JSON.parse((await running.post(query)).text).data.eventByID;
  const states = [first, ...repetitions].map((date) => ANSWERED.split(' ').map((name) => date[name]));
  assert.equal(states, [
    ['SCHEDULED', null, false],
    ['POSTPONED', null, true],
    ['RESCHEDULED', '2031-06-18 19:30:00+02:00', false],
    ['RESCHEDULED', '2031-06-17 00:00:00+02:00', false],
    ['CANCELLED', null, true],
  ]);
});

served('B8, E12: should leave out events with only cancelled and postponed dates', async ({ running }) => {
  const query = '{ events(filter: { cancelledNotIncluded: true }) { data { id } } }';
  assert.equal(JSON.parse((await running.post(query)).text).data.events.data, [{ id: 'e' }]);
});

served('E12, I4: should write the status of each date in JSON-LD', async ({ running }) => {
  const graph = JSON.parse((await running.send('/events.jsonld?event=e')).text)['@graph'];
  const linked = graph.map((date: Readonly<Record<string, string>>) => [
    date.eventStatus?.replace('https://schema.org/', ''),
    date.previousStartDate,
  ]);
  assert.equal(linked, [
    ['EventScheduled', undefined],
    ['EventPostponed', undefined],
    ['EventRescheduled', '2031-06-18T19:30:00+02:00'],
    ['EventRescheduled', '2031-06-17'],
    ['EventCancelled', undefined],
  ]);
});

served('E12, I2: should write the status of each date in iCalendar', async ({ running }) => {
  const calendar = (await running.send('/events.ics?event=e')).text;
  const written = [...calendar.matchAll(/^STATUS:(\w+)/gm)].map(([, status]) => status);
  assert.equal(written, ['CONFIRMED', 'CANCELLED', 'CONFIRMED', 'CONFIRMED', 'CANCELLED']);
});

test.run();
served.run();

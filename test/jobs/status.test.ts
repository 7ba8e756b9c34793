/** E12: the state of a date, from the native record to the answers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceFolder, validatedEvents } from '../helpers/native-source.ts';
import { startBuilt } from '../helpers/running.ts';

const test = suite('status');

const START = '2031-06-20 19:30';
const BEFORE = '2031-06-19 19:30';

/** Fields of an event and of its date, the state of the date, and whether the previous start is shown. */
const STATES: readonly (readonly [event: object, date: object, status: string, isShown?: boolean])[] = [
  [{}, {}, 'SCHEDULED'],
  [{}, { eventCancelled: true }, 'CANCELLED'],
  [{}, { status: 'postponed' }, 'POSTPONED'],
  [{}, { status: 'RESCHEDULED' }, 'RESCHEDULED'],
  [{}, { status: 'RESCHEDULED', previousStart: BEFORE }, 'RESCHEDULED', true],
  [{}, { previousStart: BEFORE }, 'RESCHEDULED', true],
  [{}, { previousStart: BEFORE, eventCancelled: false }, 'RESCHEDULED', true],
  [{}, { previousStart: BEFORE, eventCancelled: true }, 'CANCELLED'],
  [{}, { previousStart: BEFORE, status: 'POSTPONED' }, 'POSTPONED'],
  [{}, { previousStart: BEFORE, status: 'SCHEDULED' }, 'SCHEDULED'],
  [{ status: 'POSTPONED' }, {}, 'POSTPONED'],
  [{ status: 'POSTPONED' }, { eventCancelled: false }, 'SCHEDULED'],
  [{ status: 'CANCELLED' }, { previousStart: BEFORE }, 'RESCHEDULED', true],
  [{ eventCancelled: true }, { status: 'SCHEDULED' }, 'SCHEDULED'],
];

for (const [event, date, status, isShown = false] of STATES) {
  test(`E12: should make ${status} of ${JSON.stringify({ ...event, date })}`, async () => {
    const dates = [{ start: START, ...date }];
    const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'Kor', ...event, dates }]);
    const [found] = events[0]?.dates ?? [];
    const before = isShown ? Date.parse('2031-06-19T17:30:00Z') / 1_000 : null;
    assert.equal([found?.status, found?.previousStart, findings], [status, before, []]);
  });
}

test('E12, G2: should go by the status where a record contradicts itself, and report it', async () => {
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

test('E12, B8: should answer, filter and list each state, in JSON-LD and iCalendar too', async () => {
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
  const running = await startBuilt(source, Date.parse('2031-06-01T08:00:00Z') / 1_000);
  const { text } = await running.post(`{
    shown: eventByID(eventID: "e") { ${ANSWERED} repetitions { ${ANSWERED} } }
    on: events(filter: { cancelledNotIncluded: true }) { data { id } }
  }`);
  const { shown, on } = JSON.parse(text).data;
  const { repetitions, ...first } = shown;
  const states = [first, ...repetitions].map((date) => ANSWERED.split(' ').map((name) => date[name]));
  assert.equal(states, [
    ['SCHEDULED', null, false],
    ['POSTPONED', null, true],
    ['RESCHEDULED', '2031-06-18 19:30:00+02:00', false],
    ['RESCHEDULED', '2031-06-17 00:00:00+02:00', false],
    ['CANCELLED', null, true],
  ]);
  assert.equal(on.data, [{ id: 'e' }]);
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
  const calendar = (await running.send('/events.ics?event=e')).text;
  const written = [...calendar.matchAll(/^STATUS:(\w+)/gm)].map(([, status]) => status);
  assert.equal(written, ['CONFIRMED', 'CANCELLED', 'CONFIRMED', 'CONFIRMED', 'CANCELLED']);
  await running.close();
});

test.run();

/** Linked data as real sites write it: slips in its JSON, other words for a status, places and schedules that say little. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FeedProblem } from '../../../jobs/annexes/feeds/health.ts';
import { readLinkedData } from '../../../jobs/annexes/feeds/jsonld/events.ts';
import { microdataIn } from '../../../jobs/annexes/feeds/jsonld/microdata.ts';
import { problemsOf, readDocuments, rowsOf } from '../../helpers/feed-reading.ts';
import { costOf } from '../../helpers/usage.ts';

type Json = Readonly<Record<string, unknown>>;

const event = (more: Json = {}): Json => ({
  '@type': 'Event',
  name: 'Kor',
  startDate: '2027-02-14T19:00',
  ...more,
});
const read = (value: unknown) => readDocuments(readLinkedData, JSON.stringify(value));
const only = (value: unknown): Json => read(value).events[0] ?? {};
const page = (...scripts: readonly string[]) =>
  `<html>\n${scripts.map((json) => `<script type="application/ld&#x2B;json">${json}</script>\n`).join('')}</html>`;
const KOR = '"@type": "Event", "name": "Kor", "startDate": "2027-02-14T19:00"';

const test = suite('linked data in the wild');

const SLIPS: readonly (readonly [what: string, json: string, slip: string])[] = [
  ['a trailing comma', `{${KOR}, "keywords": ["a", "b",\n ],\n}`, 'a trailing comma'],
  ['an escaped apostrophe', `{${KOR}, "description": "Kor\\'et, ]"}`, "\\' within its texts"],
  ['both, and a line end', `{${KOR}, "description": "Om\n\\'oss",}`, ''],
];

for (const [what, json, slip] of SLIPS) {
  test(`L2: should read JSON with ${what}, and say so`, () => {
    const { events, findings } = readDocuments(readLinkedData, page(json));
    assert.is(events.length, 1);
    assert.is(findings.length, 1);
    assert.ok(findings[0]?.startsWith('2: changed value, expected JSON, found '), findings[0]);
    assert.ok(findings[0]?.includes(slip), findings[0]);
  });
}

/** What is wrong, and what is said of it. */
const PROBLEMS = problemsOf(`
# a start that cannot be read
  [{"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00"},{"@type":"Event","name":"B","startDate":"i morgen"}]
  ! 1 "f:b-02638299" startDate: dropped record, expected a date or time such as 2027-02-14 or 2027-02-14T19:00:00+01:00, found "i morgen"
# an event without a name
  [{"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00"},{"@type":"Event","url":"https://x.example/","startDate":"2027-02-14"}]
  ! 1 "f:https://x.example/" name: dropped record, expected a name, found nothing
# an end before the start
  {"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00","endDate":"2027-02-13T19:00"}
  ! 1 "f:kor-989df48c" endDate: changed value, expected an end that is not before the start, found "2027-02-13T19:00"
# a postponed event
  {"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00","eventStatus":"https://schema.org/EventPostponed"}
  ! 1 "f:kor-989df48c" eventStatus: changed value, expected a date on which it is held (without another one it is shown as cancelled), found "EventPostponed"
# schedules in no way that is known
  {"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00","eventSchedule":[{"repeatFrequency":"ofte"},{"repeatFrequency":"P1W","byDay":"Helligdag"},{"repeatFrequency":"P1W","scheduleTimezone":"Europe/London"}]}
  ! 1 "f:kor-989df48c" eventSchedule[0].repeatFrequency: dropped series, expected a duration such as P1W, found "ofte"
  ! 1 "f:kor-989df48c" eventSchedule[1].byDay: dropped series, expected days of the week such as https://schema.org/Monday, found "Helligdag"
  ! 1 "f:kor-989df48c" eventSchedule[2].scheduleTimezone: dropped series, expected a time zone with the clock of Norway, found "Europe/London"
# a script that is not JSON, and one with line ends in its texts
  <!doctype html><html><body>
  <script type="application/ld+json">{"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00"}</script>
  <script type="application/ld+json">{"name": oops}</script>
  <script type="application/ld+json">{"@type":"Event","name":"Q
  ","startDate":"2027-02-14T19:00"}</script>
  <script type="application/ld+json">{&quot;@type&quot;:&quot;Event&quot;,&quot;name&quot;:&quot;Kor&quot;,&quot;startDate&quot;:&quot;2027-02-14T19:00&quot;}</script>
  </body></html>
  ! 3: dropped record, expected JSON, found other text: oops is not in quotation marks
  ! 4: changed value, expected JSON, found line ends within its texts, and read all the same
  ! 6: changed value, expected JSON, found quotes written as HTML, and read all the same
`);

for (const { what, document, findings } of PROBLEMS) {
  test(`G2, L3: should report ${what}`, () => {
    const { counts, ...reading } = readDocuments(readLinkedData, document);
    assert.equal(reading.findings, findings);
    assert.is(counts.entries, counts.events + counts.merged + counts.dropped);
    assert.ok(counts.events > 0);
  });
}

test('L3: should count a script that is no JSON, and name its line', () => {
  const { counts, findings } = readDocuments(
    readLinkedData,
    page(`{${KOR}}`, '{"@type": "Event" "name": 1}'),
  );
  assert.equal(counts, { entries: 2, events: 1, merged: 0, dropped: 1 });
  assert.is(findings.length, 1);
  assert.ok(findings[0]?.startsWith('3: dropped record, expected JSON, found '), findings[0]);
});

test('L3: should say that there is none only where there is none', () => {
  const refusalOf = (html: string) => {
    try {
      readDocuments(readLinkedData, html);
      return 'none';
    } catch (thrown) {
      return thrown instanceof FeedProblem ? thrown.message : 'another';
    }
  };
  const expected =
    'expected JSON, or a page with a script of the type application/ld+json, or with microdata, found';
  assert.is(refusalOf('<html></html>'), `${expected} none`);
  const found = refusalOf(page('{"a" 1}', '{{'));
  assert.ok(found.startsWith(`${expected} 2 that are no JSON, the first in line 2: `), found);
});

const TIMES: readonly (readonly [says: Json, dates: readonly Json[]])[] = [
  [{ startDate: '2027-5-28T16:30' }, [{ start: '2027-05-28 16:30' }]],
  [
    { startDate: '2027-5-8T16:30+0:00', endDate: '2027-05-08T18:30:00+0:00' },
    [{ start: '2027-05-08 16:30+00:00', end: '2027-05-08 18:30+00:00' }],
  ],
];

for (const [says, dates] of TIMES) {
  test(`F4: should read when it is: ${JSON.stringify(says)}`, () => {
    assert.equal(only(event(says)).dates, dates);
  });
}

const WORDS: readonly (readonly [written: unknown, read: Json, told: string | null])[] = [
  ['http://schema.org/EventCancelled', { eventCancelled: true }, null],
  ['Cancelled', { eventCancelled: true }, null],
  ['https://example.org/event-canceled', { eventCancelled: true }, null],
  ['AVLYST', { eventCancelled: true }, null],
  ['Sold Out', { eventSoldOut: true }, null],
  ['confirmed', {}, null],
  [
    'utsatt',
    { eventCancelled: true },
    'a date on which it is held (without another one it is shown as cancelled), found "utsatt"',
  ],
  ['TBD', {}, 'a status such as EventScheduled or EventCancelled (it is passed over), found "TBD"'],
];

for (const [written, own, told] of WORDS) {
  test(`L2: should read or report the status ${JSON.stringify(written)}`, () => {
    const { events, findings } = read(event({ eventStatus: written }));
    assert.equal(events[0]?.dates, [{ start: '2027-02-14 19:00', ...own }]);
    const finding = `1 "f:kor-989df48c" eventStatus: changed value, expected ${told}`;
    assert.equal(findings, told === null ? [] : [finding]);
  });
}

test('L2: should take a title for that of the language in which the event is', () => {
  const titles = (more: Json) => {
    const { title_nb, title_en } = only(event(more));
    return [title_nb, title_en];
  };
  assert.equal(titles({ inLanguage: 'en-GB' }), [undefined, 'Kor']);
  assert.equal(titles({ inLanguage: { '@type': 'Language', name: 'English' } }), [undefined, 'Kor']);
  assert.equal(titles({ inLanguage: ['nb', 'en'] }), ['Kor', undefined]);
  assert.equal(titles({ inLanguage: 'de' }), ['Kor', undefined]);
  assert.equal(titles({ inLanguage: 'en', name: { '@value': 'Kor', '@language': 'nn' } }), [
    'Kor',
    undefined,
  ]);
});

/** A location, its venue as name and address, and a finding. */
const PLACES = rowsOf(`
  {"@type": "Place", "address": {"@type": "PostalAddress", "name": "Storsalen", "addressLocality": "Lillevik"}}
    → [["Storsalen", "Lillevik"]]
  {"@type": "Place", "address": "Kirkegata 4, 7170 Lillevik"} → [["Kirkegata 4", "Kirkegata 4, 7170 Lillevik"]]
  "Storsalen, Kirkegata 4, 7170 Lillevik" → [["Storsalen", "Kirkegata 4, 7170 Lillevik"]]
  {"@type": "Place", "geo": {"latitude": "63.8", "longitude": "10.1"}}
    → []
    → location.geo: changed value, expected a name or an address beside it, found "63.8, 10.1"
  {"@type": "Place", "description": "Under brua"}
    → []
    → location: changed value, expected a place with a name or an address, found {"@type":"Place","description":"Under brua"}
  [{"name": "Storsalen"}, {"name": "Kafeen"}]
    → [["Storsalen", null]]
    → location: changed value, expected one place (the first is taken), found "Kafeen"
`);

for (const [location = '', venue = '', ...told] of PLACES) {
  test(`F11, G2: should keep or report all of the place ${location}`, () => {
    const { venues, findings } = read(event({ location: JSON.parse(location) }));
    const found = venues.map(({ name, address = null }) => [name, address]);
    assert.equal(found, JSON.parse(venue));
    assert.equal(
      findings.map((text) => text.replace(/^1 "f:[\w-]+" /, '')),
      told,
    );
  });
}

const WEEKLY = { '@type': 'Schedule', repeatFrequency: 'P1W', byDay: ['Sunday'] };
const LENGTHS = rowsOf(`
  the event’s own end → {"endDate": "2027-02-14T21:00"} → {"start": "2027-02-14 19:00", "end": "2027-02-14 21:00"}
  the event’s own duration → {"duration": "PT90M"} → {"start": "2027-02-14 19:00", "duration": 90}
  the time at which a whole series ends
    → {"endDate": "2027-06-06T01:00"}
    → {"start": "2027-02-14 19:00", "end": "2027-02-15 01:00"}
  an end two days later → {"endDate": "2027-02-16T12:00"} → {"start": "2027-02-14 19:00", "end": "2027-02-16 12:00"}
  whole days → {"startDate": "2027-02-14", "endDate": "2027-02-15"} → {"start": "2027-02-14", "end": "2027-02-15"}
  whole days of a whole series → {"startDate": "2027-02-14", "endDate": "2027-06-06"} → {"start": "2027-02-14"}
`);

for (const [what, says = '', span = ''] of LENGTHS) {
  test(`L2: should give dates of a schedule without times ${what}`, () => {
    const { repeats } = only(event({ ...JSON.parse(says), eventSchedule: WEEKLY }));
    assert.equal(repeats, [{ rule: 'FREQ=WEEKLY;INTERVAL=1;BYDAY=SU', ...JSON.parse(span) }]);
  });
}

test('L2: should give whole days of a schedule its duration', () => {
  const schedule = { ...WEEKLY, duration: 'P2D' };
  const { repeats } = only(event({ startDate: '2027-02-14', eventSchedule: schedule }));
  assert.equal(repeats, [
    { rule: 'FREQ=WEEKLY;INTERVAL=1;BYDAY=SU', start: '2027-02-14', end: '2027-02-15' },
  ]);
});

test('should keep dates that start together apart by place and status, and put tellings of one date together', () => {
  const at = (more: Json) => ({ ...event(more), name: undefined });
  const series = event({
    subEvent: [
      at({ location: { name: 'Sal 1' } }),
      at({ location: { name: 'Sal 2' }, eventStatus: 'EventCancelled' }),
      at({ location: { name: 'Sal 1' } }),
    ],
  });
  const { events, venues } = read(series);
  assert.equal(events[0]?.dates, [
    { start: '2027-02-14 19:00' },
    { start: '2027-02-14 19:00', venue: venues[1]?.id, eventCancelled: true },
  ]);
  const url = 'https://kor.example/1';
  const documents = [
    event({ url }),
    event({ url, endDate: '2027-02-14T21:00', eventStatus: 'EventCancelled' }),
  ];
  const pages = documents.map((one) => ({ origin: null, bytes: Buffer.from(JSON.stringify(one)) }));
  assert.equal(readDocuments(readLinkedData, pages).events[0]?.dates, [
    { start: '2027-02-14 19:00', end: '2027-02-14 21:00', eventCancelled: true },
  ]);
});

test('G8: should know an event by a hash where its address could not be an id', () => {
  const { events, findings } = read(event({ identifier: '<b>1</b>' }));
  assert.ok(/^f:kor-b-1-b-[\da-f]{8}$/.test(String(events[0]?.id)), String(events[0]?.id));
  assert.equal(findings, []);
});

/** As ticket shops and themes of WordPress write it: values in attributes of any element, items within one another. */
const MICRODATA = `<!doctype html><body>
<ul><li itemscope itemtype="http://schema.org/MusicEvent"><a itemprop="url" href="/konsert/1"><img itemprop="image" src="/kor.jpg">
 <h3 itemprop="name">Kor &amp; <em>korps</em></h3></a>
 <time itemprop="startDate" datetime="2027-02-14T19:00:00+01:00">14. februar</time>
 <span itemprop="endDate" content="2027-02-14T21:00:00+01:00"></span>
 <p itemprop="description">Første
  linje<br>andre linje<p>Utenfor</p>
 <div itemprop="location" itemscope itemtype="http://schema.org/Place"><span itemprop="name">Storsalen</span>
  <div itemprop="address" itemscope itemtype="http://schema.org/PostalAddress"><span itemprop="streetAddress">Kirkegata 4</span>,
   <span itemprop="postalCode">7170</span> <span itemprop="addressLocality">Lillevik</span></div></div>
 <div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="price" content="150"><meta itemprop="priceCurrency" content="NOK"></div>
<li itemscope itemtype="http://schema.org/Event"><span itemprop="name __proto__">Quiz</span><meta itemprop="startDate" content="2027-02-15">
</ul><footer itemscope itemtype="http://schema.org/Organization"><span itemprop="name">Huset</span></footer>`;

test('L2: should read events in the microdata of a page', () => {
  const bytes = Buffer.from(MICRODATA);
  const page = [{ origin: 'https://kor.example', bytes }];
  const { events, venues, counts, findings } = readDocuments(readLinkedData, page);
  assert.equal([counts, findings], [{ entries: 2, events: 2, merged: 0, dropped: 0 }, []]);
  assert.equal(events, [
    {
      id: 'f:/konsert/1',
      title_nb: 'Kor & korps',
      desc_nb: 'Første linje andre linje',
      images: [{ urlSmall: 'https://kor.example/kor.jpg', urlLarge: 'https://kor.example/kor.jpg' }],
      moreInfoURL: 'https://kor.example/konsert/1',
      venue: venues[0]?.id,
      ticketsInformation: 'ticketsInfo',
      prices: [{ type: 'REGULAR', price: '150' }],
      dates: [{ start: '2027-02-14 19:00+01:00', end: '2027-02-14 21:00+01:00' }],
    },
    { id: events[1]?.id, title_nb: 'Quiz', dates: [{ start: '2027-02-15' }] },
  ]);
  assert.is(venues[0]?.address, 'Kirkegata 4, 7170 Lillevik');
});

test('L2: should read microdata only where the linked data of a page has no event', () => {
  const inBoth = page(`{${KOR}}`) + MICRODATA;
  assert.is(readDocuments(readLinkedData, inBoth).counts.events, 1);
  const other = page('{"@type": "WebSite", "name": "Huset"}') + MICRODATA;
  assert.is(readDocuments(readLinkedData, other).counts.events, 2);
});

test('L3: should read microdata in a time that grows with the page', async () => {
  const item = '<div itemscope itemtype="http://schema.org/Event"><i itemprop="name">';
  const scopes = (times: number) => item.repeat(times);
  const steps = (html: string, most?: number) =>
    costOf(
      () => {
        for (let round = 0; round < 5; round++) microdataIn(html);
      },
      { ...(most !== undefined && { most }), tries: 5 },
    );
  await steps(scopes(1_000));
  const small = await steps(scopes(2_000));
  const large = await steps(scopes(16_000), 30 * small);
  assert.ok(large < 30 * small, `${large} references beside ${small} for an eighth`);
});

test('L2: should make no place and no organizer of the strokes that fill an empty field', () => {
  const { events, venues, organizers } = read(
    event({ location: { '@type': 'Place', name: '-', address: '-' }, organizer: { name: '–' } }),
  );
  assert.is(events.length, 1);
  assert.equal([...venues, ...organizers], []);
});

/** An event that says all that is read. */
const FULL = event({
  '@id': '#kor',
  url: 'https://kor.example/',
  description: 'Om koret',
  endDate: '2027-02-14T21:00',
  eventStatus: 'https://schema.org/EventScheduled',
  location: {
    '@type': 'Place',
    name: 'Her',
    address: { streetAddress: 'Gata 1' },
    geo: { latitude: 1, longitude: 1 },
  },
  organizer: { name: 'Koret', url: 'https://kor.example/' },
  performer: [{ name: 'Kari' }],
  image: [{ url: 'https://kor.example/a.jpg' }],
  keywords: ['kor'],
  offers: [
    { price: '100', priceCurrency: 'NOK', availability: 'InStock', validFrom: '2027-01-01', name: 'Voksen' },
  ],
  eventSchedule: {
    repeatFrequency: 'P1W',
    byDay: ['Monday'],
    startTime: '19:00',
    exceptDate: ['2027-03-01'],
  },
  superEvent: { '@type': 'Event', name: 'Uka', url: 'https://uka.example/' },
});

/** What strangers write where something else is expected. */
const ODD: readonly unknown[] = [
  null,
  0,
  '',
  [],
  {},
  [[{}]],
  { '@value': {} },
  { '@id': 1 },
  { '@type': 'Event' },
  'https://x.example/',
];

test('L3: should account for each event, whatever stands in the place of a value', () => {
  const whole: unknown = JSON.parse(
    JSON.stringify([{ '@type': 'Festival', name: 'Fest', subEvent: [FULL] }, FULL]),
  );
  let tried = 0;
  for (const [at, path] of pathsIn(whole).entries()) {
    for (const odd of [ODD[at % ODD.length], ODD[(at + 3) % ODD.length]]) {
      const { counts, events } = read(replaced(whole, path, odd));
      assert.is(
        counts.entries,
        counts.events + counts.merged + counts.dropped,
        `${path} ${JSON.stringify(odd)}`,
      );
      assert.is(events.length, counts.events);
      tried++;
    }
  }
  assert.ok(tried > 100, `${tried}`);
});

test.run();

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item: unknown, at) => pathsIn(item, [...path, at]))
    : Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value))
    return value.map((item: unknown, at) => (at === step ? replaced(item, rest, by) : item));
  return { ...(value as Json), [step]: replaced((value as Json)[step], rest, by) };
}

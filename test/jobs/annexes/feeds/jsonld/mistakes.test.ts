/** L2, L3: mistakes in the linked data of pages: invalid JSON, microdata in its place, and values of other types. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLinkedData } from '../../../../../jobs/annexes/feeds/jsonld/events.ts';
import { microdataIn } from '../../../../../jobs/annexes/feeds/jsonld/microdata.ts';
import { assertAbove, assertBelow, assertIncludes } from '../../../../helpers/assertions.ts';
import { costOf } from '../../../../helpers/cost.ts';
import { linkedEvent } from '../../../../helpers/feed-files.ts';
import { readDocuments, refusalOf, testReadings, wordsOf } from '../../../../helpers/feed-reading.ts';

type Json = Readonly<Record<string, unknown>>;

const read = (value: unknown) => readDocuments(readLinkedData, JSON.stringify(value));
const page = (...scripts: readonly string[]) =>
  `<html>\n${scripts.map((json) => `<script type="application/ld&#x2B;json">${json}</script>\n`).join('')}</html>`;
const KOR = '"@type": "Event", "name": "Kor", "startDate": "2027-02-14T19:00"';

const test = suite('mistakes in linked data');

testReadings(
  test,
  readLinkedData,
  String.raw`
# L2: should read a script whose type has a character reference
  <script type="application/ld&#x2B;json">{"@type":"Event","name":"A","startDate":"2027-02-14"}</script>
  = A | 2027-02-14
# G2, L2: should read JSON with trailing commas, and report it
  <script type="application/ld+json">{"@type":"Event","name":"A","startDate":"2027-02-14","keywords":["a","b",],}</script>
  = A | 2027-02-14 | tags: a + b
  ! 1: changed value, expected JSON, found a trailing comma; it is read anyway
# G2, L2: should read JSON with an escaped apostrophe, and report it
  <script type="application/ld+json">{"@type":"Event","name":"B","startDate":"2027-02-14","description":"Kor\'et, ]"}</script>
  = B | 2027-02-14 | desc_nb: Kor'et, ]
  ! 1: changed value, expected JSON, found \' within its texts; it is read anyway
# G2, L2: should report all mistakes of one script together
  <script type="application/ld+json">{"@type":"Event","name":"C","startDate":"2027-02-14","description":"Om
  \'oss",}</script>
  = C | 2027-02-14 | desc_nb: Om 'oss
  ! 1: changed value, expected JSON, found \' within its texts, line ends within its texts, a trailing comma; it is read anyway
# G2, L2: should read JSON whose quotes are written as HTML, and report it
  <script type="application/ld+json">{&quot;@type&quot;:&quot;Event&quot;,&quot;name&quot;:&quot;D&quot;,&quot;startDate&quot;:&quot;2027-02-14&quot;}</script>
  = D | 2027-02-14
  ! 1: changed value, expected JSON, found quotes written as HTML; it is read anyway
# G2, L2: should report a script that is not JSON, and read the others of its page
  <html>
  <script type="application/ld+json">{"name": oops}</script>
  <script type="application/ld+json">{"@type":"Event","name":"E","startDate":"2027-02-14"}</script>
  </html>
  = E | 2027-02-14
  ! 2: dropped record, expected JSON, found other text: unexpected oops, which has no quotation marks
# L2: should read a list of JSON-LD as an array
  {"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00","keywords":{"@list":["a","b"]}}
  = Kor | 2027-02-14 19:00 | tags: a + b
# G2, L3: should report a start that cannot be read
  [{"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00"},{"@type":"Event","name":"B","startDate":"i morgen"}]
  = Kor | 2027-02-14 19:00
  ! 1 "f:b-02638299" startDate: dropped record, expected a date or time such as 2027-02-14 or 2027-02-14T19:00:00+01:00, found "i morgen"
# G2, L3: should report an event without a name
  [{"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00"},{"@type":"Event","url":"https://x.example/","startDate":"2027-02-14"}]
  = Kor | 2027-02-14 19:00
  ! 1 "f:https://x.example/" name: dropped record, expected a name, found nothing
# G2, L3: should report an end before the start
  {"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00","endDate":"2027-02-13T19:00"}
  = Kor | 2027-02-14 19:00
  ! 1 "f:kor-989df48c" endDate: changed value, expected an end that is not before the start, found "2027-02-13T19:00"
# G2, L3: should report schedules that it cannot read
  {"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00","eventSchedule":[{"repeatFrequency":"ofte"},
  {"repeatFrequency":"P1W","byDay":"Helligdag"},{"repeatFrequency":"P1W","scheduleTimezone":"Europe/London"},
  {"repeatFrequency":"P1W","byDay":"Helligdag","repeatCount":"ti"}]}
  = Kor | 2027-02-14 19:00
  ! 1 "f:kor-989df48c" eventSchedule[0].repeatFrequency: dropped series, expected a duration such as P1W, found "ofte"
  ! 1 "f:kor-989df48c" eventSchedule[1].byDay: dropped series, expected weekdays such as MO or, within a month or year, -1FR, found "Helligdag"
  ! 1 "f:kor-989df48c" eventSchedule[2].scheduleTimezone: dropped series, expected a time zone that matches Norway’s, found "Europe/London"
  ! 1 "f:kor-989df48c" eventSchedule[3].byDay: dropped series, expected BYDAY: weekdays such as MO or, within a month or year, -1FR; COUNT: a positive whole number, found "Helligdag"
# L2: should keep dates with one start and different places
  {"@type":"Event","name":"Kor","startDate":"2027-02-14T19:00","subEvent":[
  {"@type":"Event","startDate":"2027-02-14T19:00","location":{"name":"Sal 1"}},
  {"@type":"Event","startDate":"2027-02-14T19:00","location":{"name":"Sal 2"},"eventStatus":"EventCancelled"},
  {"@type":"Event","startDate":"2027-02-14T19:00","location":{"name":"Sal 1"}}]}
  = Kor | 2027-02-14 19:00, 2027-02-14 19:00 venue=Sal 2 eventCancelled=true | venue: Sal 1
`,
);

const NO_DATA =
  'expected JSON, or a page with a script of the type application/ld+json, or with microdata, found';

test('L3: should refuse a page without linked data', () => {
  assertIncludes(refusalOf(readLinkedData, '<html></html>'), `${NO_DATA} none`);
});

test('L3: should name the first script of a page without any JSON', () => {
  const refusal = refusalOf(readLinkedData, page('{"a" 1}', '{{'));
  assertIncludes(refusal, `${NO_DATA} 2 that are not JSON, the first in line 2: `);
});

test('L3: should drop JSON that is deep only after its quotes are decoded, and read the rest', () => {
  const levels = 20_000;
  const deep = `[&quot;a",${'['.repeat(levels)}${']'.repeat(levels)}]`;
  const { counts, findings } = readDocuments(readLinkedData, page(deep, `{${KOR}}`));
  assert.is(counts.events, 1);
  assert.equal(findings, ['2: dropped record, expected JSON, found a value nested deeper than 64 levels']);
});

test('L2: should merge the same date of several pages', () => {
  const url = 'https://kor.example/1';
  const documents = [
    linkedEvent({ url }),
    linkedEvent({ url, endDate: '2027-02-14T21:00', eventStatus: 'EventCancelled' }),
  ];
  const pages = documents.map((one) => ({ origin: null, bytes: Buffer.from(JSON.stringify(one)) }));
  assert.equal(readDocuments(readLinkedData, pages).events[0]?.dates, [
    { start: '2027-02-14 19:00', end: '2027-02-14 21:00', eventCancelled: true },
  ]);
});

test('G8: should use a hash as the id of an event whose identifier has markup', () => {
  const { events, findings } = read(linkedEvent({ identifier: '<b>1</b>' }));
  assert.match(String(events[0]?.id), /^f:kor-b-1-b-[\da-f]{8}$/, `found ${events[0]?.id}`);
  assert.equal(findings, []);
});

/** Microdata of ticket shops and WordPress themes: values in attributes of any element, nested items. */
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
  const reading = readDocuments(readLinkedData, [{ origin: 'https://kor.example', bytes }]);
  assert.equal([reading.counts.events, reading.findings], [2, []]);
  assert.equal(wordsOf(reading), [
    [
      'Kor & korps | 2027-02-14 19:00+01:00 to 2027-02-14 21:00+01:00 | desc_nb: Første linje andre linje',
      'images: https://kor.example/kor.jpg | moreInfoURL: https://kor.example/konsert/1',
      'venue: Storsalen, Kirkegata 4, 7170 Lillevik, 7170 | ticketsInformation: ticketsInfo',
      'prices: REGULAR 150',
    ].join(' | '),
    'Quiz | 2027-02-15',
  ]);
});

test('L2: should read microdata only where the linked data of a page has no event', () => {
  const inBoth = page(`{${KOR}}`) + MICRODATA;
  assert.is(readDocuments(readLinkedData, inBoth).counts.events, 1);
  const other = page('{"@type": "WebSite", "name": "Huset"}') + MICRODATA;
  assert.is(readDocuments(readLinkedData, other).counts.events, 2);
});

test('L3: should read microdata in linear time', async () => {
  const item = '<div itemscope itemtype="http://schema.org/Event"><i itemprop="name">';
  const scopes = (times: number) => item.repeat(times);
  const steps = (html: string, most?: number) =>
    costOf(
      () => {
        for (let round = 0; round < 5; round++) microdataIn(html);
      },
      { ...(most !== undefined && { most }), tries: 2 },
    );
  await steps(scopes(500));
  const small = await steps(scopes(1_000));
  const large = await steps(scopes(8_000), 30 * small);
  assertBelow(large, 30 * small, 'references for eight times as much');
});

/** An event that says all that is read. */
const FULL: Json = {
  '@type': 'Event',
  name: 'Kor',
  startDate: '2027-02-14T19:00',
  '@id': '#kor',
  url: 'https://kor.example/',
  description: 'Om koret',
  endDate: '2027-02-14T21:00',
  eventStatus: 'https://schema.org/EventScheduled',
  keywords: ['kor'],
  performer: [{ name: 'Kari' }],
  location: {
    '@type': 'Place',
    name: 'Her',
    address: { streetAddress: 'Gata 1' },
    geo: { latitude: 1, longitude: 1 },
  },
  organizer: { name: 'Koret', url: 'https://kor.example/' },
  image: [{ url: 'https://kor.example/a.jpg' }],
  offers: [
    {
      price: '100',
      priceCurrency: 'NOK',
      availability: 'InStock',
      validFrom: '2027-01-01',
      name: 'Voksen',
    },
  ],
  eventSchedule: {
    repeatFrequency: 'P1W',
    byDay: ['Monday'],
    startTime: '19:00',
    exceptDate: ['2027-03-01'],
  },
  superEvent: { '@type': 'Event', name: 'Uka', url: 'https://uka.example/' },
};

/** Values in the place of any other. */
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

test('L3: should count each event, whatever replaces one of its values', () => {
  const whole = [{ '@type': 'Festival', name: 'Fest', subEvent: [FULL] }, FULL];
  let tried = 0;
  for (const [at, path] of pathsIn(whole).entries()) {
    for (const odd of [ODD[at % ODD.length], ODD[(at + 3) % ODD.length]]) {
      const { counts, events } = read(replaced(whole, path, odd));
      const which = `${path.join('.')} replaced by ${JSON.stringify(odd)}`;
      assert.is(counts.events + counts.merged + counts.dropped, counts.entries, which);
      assert.is(events.length, counts.events, which);
      tried++;
    }
  }
  assertAbove(tried, 100, 'documents');
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

/** D8, G2, H9: `/status`, as JSON and as a page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reportIn } from '../../../../src/annexes/operator/build-sections.ts';
import { REASONS, WHYS } from '../../../../src/annexes/operator/duplicate-words.ts';
import { EXPECTED, FOUND, inNorwegian } from '../../../../src/annexes/operator/finding-words.ts';
import { asBuiltOf } from '../../../../src/annexes/operator/reports.ts';
import { wordsIn } from '../../../../src/annexes/operator/status-parts.ts';
import { CalendarError } from '../../../../src/calendar/errors.ts';
import { packagePath } from '../../../../src/package.ts';
import { assertBelow } from '../../../helpers/assertions.ts';
import { BROWSER_ACCEPT } from '../../../helpers/client.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { rejects } from '../../../helpers/errors.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { assertInNynorsk } from '../../../helpers/nynorsk.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { event, FAILED, NOW, namesOf, pageOf, SOURCE, statusOf, stored, textOf } from './setup.ts';

const view = suite<{ running: Running }>('status');
const opened = closedAfterEach(view);

view.before(async (context) => {
  context.running = await startPages({ clock: () => NOW, source: SOURCE });
});
view.after(({ running }) => running.close());

interface TypeCase {
  readonly path: string;
  readonly accept: string;
  readonly type: string;
}

const TYPES: readonly TypeCase[] = [
  { path: '/status', accept: '*/*', type: 'application/json' },
  { path: '/status', accept: BROWSER_ACCEPT, type: 'text/html' },
  { path: '/status?format=json', accept: BROWSER_ACCEPT, type: 'application/json' },
  { path: '/status?format=html', accept: '*/*', type: 'text/html' },
];

for (const { path, accept, type } of TYPES) {
  view(`D8: should give ${type} at ${path} to a client that accepts ${accept}`, async ({ running }) => {
    const { status, headers } = await running.send(path, { headers: { accept } });
    assert.is(status, 200);
    assert.is(headers['content-type'], `${type}; charset=utf-8`);
    if (type === 'text/html') assert.match(headers.vary ?? '', /^Accept, Accept-Language/);
  });
}

view('G2: should show the snapshot, with its age and its events', async ({ running }) => {
  const { snapshot, state, at } = await statusOf(running);
  assert.is(state, 'serving');
  assert.is(at, new Date(NOW).toISOString());
  assert.is(snapshot?.id, running.keeper.state().current?.id);
  assert.is(snapshot?.ageSeconds, 0);
  assert.is(snapshot?.upcoming, 4);
});

view('G2: should count records that the build read, kept and dropped', async ({ running }) => {
  const { report, ...status } = await statusOf(running);
  assert.equal(namesOf(status), ['records dropped']);
  const events = report?.lists.find(({ list }) => list === 'events');
  assert.equal(events, { list: 'events', read: 5, kept: 4, dropped: 1 });
});

view('G2: should name each dropped record, date and reference with its place', async ({ running }) => {
  const { report } = await statusOf(running);
  assert.equal(
    report?.findings.map(({ action, place, id, field }) => ({ action, place, id, field })),
    [
      { action: 'dropped record', place: 'events.json:1', id: null, field: 'title_nb' },
      { action: 'dropped date', place: 'events.json:1', id: 'half', field: 'dates[0].start' },
      { action: 'dropped reference', place: 'events.json:1', id: 'half', field: 'venue' },
    ],
  );
});

view('G2: should count dropped records, dates and references in the metrics', async ({ running }) => {
  const { text } = await running.send('/metrics');
  const dropped = [...text.matchAll(/^almanakk_build_dropped\{kind="(\w+)"\} (\d)$/gm)];
  assert.equal(Object.fromEntries(dropped.map(([, kind, count]) => [kind, count])), {
    record: '1',
    series: '0',
    date: '1',
    reference: '1',
  });
});

/** The finding about the dropped date. */
const FINDING =
  '(first on 20 November 2026). Expected a datetime such as &quot;2026-05-17 19:30&quot; or a date such as &quot;2026-05-17&quot;, found &quot;i morgen&quot;.';

const NORWEGIAN =
  '(først 20. november 2026). Forventet et tidspunkt som &quot;2026-05-17 19:30&quot; eller en dato som &quot;2026-05-17&quot;, men fant &quot;i morgen&quot;.';

view('G2: should show findings on the English page, the most harmful first', async ({ running }) => {
  const page = await pageOf(running);
  assert.match(page, /<a href="#findings">More about this[\s\S]*<ol class="findings" id="findings">/);
  assert.match(textOf(page), `events.json:1 half dates[0].start date dropped ${FINDING}`);
  assert.match(textOf(page), 'Record dropped: 1Date dropped: 1Reference dropped: 1');
});

view('G2: should show findings on the Norwegian page', async ({ running }) => {
  const page = await pageOf(running, 'nb');
  assert.match(textOf(page), `dato utelatt ${NORWEGIAN}`);
  assert.match(
    textOf(page),
    'referanse utelatt (først 20. november 2026). Forventet id-en til et sted, men fant &quot;nowhere&quot;.',
  );
  assert.not.match(textOf(page), 'Expected');
});

view('G2, F8: should count events without a municipality, with the reason', async ({ running }) => {
  assert.equal((await statusOf(running)).report?.withoutMunicipality, { events: 1, hasRegister: false });
  assert.match(
    textOf(await pageOf(running)),
    /Without a municipality1 event: the source folder has no postal-codes\.tsv/,
  );
  assert.match(
    textOf(await pageOf(running, 'nb')),
    /Mangler kommune1 arrangement: filen postal-codes\.tsv mangler/,
  );
  const pageWith = async (withoutMunicipality: object) => {
    const proposals = { uncategorised: 0, withoutMunicipality };
    const { report } = await asBuiltOf(stored({ report: { ...REPORT, proposals } }));
    return report === null ? '' : textOf(reportIn(report, wordsIn('nb')).html);
  };
  const places = [{ name: 'Hemmelig', events: 9 }];
  const listed = await pageWith({ events: 1_234, hasRegister: true, places });
  assert.match(listed, /1\s234 arrangementer: stedene har verken kommune eller et postnummer/);
  assert.not.match(listed, 'Hemmelig');
  assert.not.match(await pageWith({ events: 0, hasRegister: false, places: [] }), 'kommune');
});

view('I16: should be in Nynorsk, with its findings', async ({ running }) => {
  const headers = { 'accept-language': 'nn-NO, nb;q=0.8' };
  const { text, headers: given } = await running.send('/status?format=html', { headers });
  assert.is(given['content-language'], 'nn');
  assert.match(text, '<html lang="nn">');
  assert.match(textOf(text), 'Noko i kjelda kunne ikkje brukast');
  assert.match(text, /dato utelaten<\/span> \(først 20\. november 2026\)\. <span>Forventa eit tidspunkt/);
  assertInNynorsk(text);
  const refused = await running.send('/status?format=html&feeds=finst', { headers });
  assert.match(refused.text, '<h1>Ukjend kjelde</h1>');
  assertInNynorsk(refused.text);
});

interface Translated {
  readonly expected: string;
  readonly found: string | null;
  /** Null: the sentence stays in English. */
  readonly nb: string | null;
  readonly nn: string | null;
}

const TRANSLATED: readonly Translated[] = [
  {
    expected: 'a title',
    found: 'nothing',
    nb: 'Forventet en tittel, men fant ingenting.',
    nn: 'Forventa ein tittel, men fann ingenting.',
  },
  { expected: 'a title', found: null, nb: 'Forventet en tittel.', nn: 'Forventa ein tittel.' },
  {
    expected: 'ja or nei',
    found: '"kanskje"',
    nb: 'Forventet ja eller nei, men fant "kanskje".',
    nn: 'Forventa ja eller nei, men fann "kanskje".',
  },
  {
    expected: 'at most 300 characters',
    found: '"Revy…',
    nb: 'Forventet høyst 300 tegn, men fant "Revy….',
    nn: 'Forventa høgst 300 teikn, men fann "Revy….',
  },
  {
    expected: 'a whole number',
    found: '12.5',
    nb: 'Forventet et helt tall, men fant 12.5.',
    nn: 'Forventa eit heilt tal, men fann 12.5.',
  },
  {
    expected: 'the id of a venue; the nearest is "kroa"',
    found: '"kroaa"',
    nb: 'Forventet id-en til et sted, men fant "kroaa"; det nærmeste er "kroa".',
    nn: 'Forventa id-en til ein stad, men fann "kroaa"; det næraste er "kroa".',
  },
  { expected: 'the id of a venue; the nearest is "a"; or not', found: '"kroaa"', nb: null, nn: null },
  {
    expected: 'a contrast of at least 4.5 to #f7f3ea, #fffdf8, as #7a6200 has',
    found: '"#ffcc00" with 1.51',
    nb: 'Forventet en kontrast på minst 4,5 mot #f7f3ea, #fffdf8, slik #7a6200 har, men fant "#ffcc00" med 1,51.',
    nn: 'Forventa ein kontrast på minst 4,5 mot #f7f3ea, #fffdf8, slik #7a6200 har, men fann "#ffcc00" med 1,51.',
  },
  {
    expected: '"EXPERIENCE" and "ART" in its place',
    found: '"MUSEUM"',
    nb: 'Forventet "EXPERIENCE" og "ART" i stedet, men fant "MUSEUM".',
    nn: 'Forventa "EXPERIENCE" og "ART" i staden, men fann "MUSEUM".',
  },
  { expected: 'a title', found: 'one with markup', nb: null, nn: null },
  {
    expected: 'nothing, because Ikke samme som in feed desk:7 keeps these events apart',
    found: '"b:y"',
    nb: 'Forventet ingenting, fordi Ikke samme som i feed desk:7 holder arrangementene fra hverandre, men fant "b:y".',
    nn: 'Forventa ingenting, fordi Ikke samme som i feed desk:7 held arrangementa frå kvarandre, men fann "b:y".',
  },
  {
    expected: 'nothing, because duplicates.json joins these events',
    found: null,
    nb: 'Forventet ingenting, fordi duplicates.json slår arrangementene sammen.',
    nn: 'Forventa ingenting, fordi duplicates.json slår saman arrangementa.',
  },
  {
    expected:
      "an id, or the address of an event's page, such as https://by.example/event/… or https://avisen.example/a/…",
    found: null,
    nb: 'Forventet en id, eller adressen til siden om et arrangement, som https://by.example/event/… eller https://avisen.example/a/….',
    nn: 'Forventa ein id, eller adressa til sida om eit arrangement, som https://by.example/event/… eller https://avisen.example/a/….',
  },
  {
    expected: 'nothing, because Dato selects dates, and this is the same for all of them',
    found: '"Kor"',
    nb: 'Forventet ingenting, fordi Dato bare gjelder enkelte datoer, og dette er felles for alle, men fant "Kor".',
    nn: 'Forventa ingenting, fordi Dato berre gjeld einskilde datoar, og dette er felles for alle, men fann "Kor".',
  },
  {
    expected: 'nothing, because Skjul hides what the row selects',
    found: '"Kor"',
    nb: 'Forventet ingenting, fordi Skjul skjuler det raden gjelder, men fant "Kor".',
    nn: 'Forventa ingenting, fordi Skjul gøymer det rada gjeld, men fann "Kor".',
  },
  {
    expected: 'an event of fest or teater-1',
    found: 'one of kino',
    nb: 'Forventet et arrangement fra fest eller teater-1, men fant et fra kino.',
    nn: 'Forventa eit arrangement frå fest eller teater-1, men fann eit frå kino.',
  },
  {
    expected: 'an event of fest',
    found: "one of the folder's own records",
    nb: 'Forventet et arrangement fra fest, men fant et fra kalenderens egen mappe.',
    nn: 'Forventa eit arrangement frå fest, men fann eit frå kalenderen si eiga mappe.',
  },
  {
    expected: 'an event in Stjørdal or Meråker',
    found: 'one in Trondheim',
    nb: 'Forventet et arrangement i Stjørdal eller Meråker, men fant et i Trondheim.',
    nn: 'Forventa eit arrangement i Stjørdal eller Meråker, men fann eit i Trondheim.',
  },
  {
    expected: 'an event in Stjørdal',
    found: 'one that is also in Trondheim, Malvik',
    nb: 'Forventet et arrangement i Stjørdal, men fant et som også er i Trondheim, Malvik.',
    nn: 'Forventa eit arrangement i Stjørdal, men fann eit som også er i Trondheim, Malvik.',
  },
  {
    expected: 'a place in Stjørdal',
    found: 'one without a municipality',
    nb: 'Forventet et sted i Stjørdal, men fant et uten kommune.',
    nn: 'Forventa ein stad i Stjørdal, men fann eit utan kommune.',
  },
  {
    expected: 'ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult',
    found: '"kun medlemmer"',
    nb: 'Forventet ja, nei, en dato eller et ord som Publisert, Synlig, Utkast eller Skjult, men fant "kun medlemmer".',
    nn: 'Forventa ja, nei, ein dato eller eit ord som Publisert, Synleg, Utkast eller Gøymt, men fann "kun medlemmer".',
  },
  { expected: 'an event of this build with feed "fest"', found: 'none', nb: null, nn: null },
  {
    expected: 'the id of a venue, because several have this name (room-a, room-b)',
    found: '"Møterommet"',
    nb: 'Forventet id-en til et sted, fordi flere har dette navnet (room-a, room-b), men fant "Møterommet".',
    nn: 'Forventa id-en til ein stad, fordi fleire har dette namnet (room-a, room-b), men fann "Møterommet".',
  },
  { expected: 'nothing, because it rains', found: '"b:y"', nb: null, nn: null },
  {
    expected:
      'one event once: decide in a correction sheet or in duplicates.json, or set "duplicates": "merge" in licence.json',
    found:
      'also "a:\\"x (y), z" (the same words, one has no place, 1 start in common), "b:y" (typing errors, the same place, 2 starts in common)',
    nb: 'Ligner på "a:\\"x (y), z" (samme ord i tittelen, det ene mangler sted, 1 felles starttidspunkt) og "b:y" (nesten samme tittel, samme sted, 2 felles starttidspunkter). Skriv den ene id-en i Id i rettearket, og den andre i Samme som eller i Ikke samme som. Driftsansvarlig kan også avgjøre det i duplicates.json, eller skrive "duplicates": "merge" i licence.json.',
    nn: 'Liknar på "a:\\"x (y), z" (same ord i tittelen, det eine manglar stad, 1 felles starttidspunkt) og "b:y" (nesten same tittel, same stad, 2 felles starttidspunkt). Skriv den eine id-en i Id i rettearket, og den andre i Same som eller i Ikkje same som. Driftsansvarleg kan også avgjere det i duplicates.json, eller skrive "duplicates": "merge" i licence.json.',
  },
  {
    expected: 'one event once',
    found: 'also "a:x" (listed twice in one source)',
    nb: 'Slått sammen med "a:x" (står to ganger i samme kilde).',
    nn: 'Slått saman med "a:x" (står to gonger i same kjelde).',
  },
  {
    expected: 'one event once: each may be the same event as several others',
    found: null,
    nb: 'De er ikke slått sammen, fordi hvert av dem kan være det samme som flere andre. Skriv den ene id-en i Id i rettearket, og den andre i Samme som eller i Ikke samme som.',
    nn: 'Dei er ikkje slått saman, fordi kvart av dei kan vere det same som fleire andre. Skriv den eine id-en i Id i rettearket, og den andre i Same som eller i Ikkje same som.',
  },
  { expected: 'one event once', found: 'also "a:x" (the same smell)', nb: null, nn: null },
  { expected: 'one event once', found: 'also "a:x" (the same words', nb: null, nn: null },
  { expected: 'one event once: why not', found: 'also "a:x" (the same words)', nb: null, nn: null },
  { expected: 'a title of another kind', found: '"x"', nb: null, nn: null },
];

for (const { expected, found, nb, nn } of TRANSLATED) {
  view(`G2: should write ${expected} and ${found} in Norwegian only if both are known`, () => {
    assert.is(inNorwegian(expected, found, 'nb'), nb);
    assert.is(inNorwegian(expected, found, 'nn'), nn);
  });
}

view('G2: should have no Norwegian words for a text that no build writes', () => {
  const folder = packagePath('jobs');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts'));
  const code = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const isWritten = (text: string) => code.includes(`'${text}'`) || code.includes(`"${text}"`);
  const texts = [...EXPECTED.keys(), ...FOUND.keys()];
  assert.equal(
    texts.filter((text) => !isWritten(text)),
    [],
  );
  const tables = [EXPECTED, FOUND, WHYS, REASONS];
  const nynorsk = tables.flatMap((words) => [...words.values()]).map(([, nn]) => nn);
  assertInNynorsk(`<body>${nynorsk.join('. ')}</body>`);
});

view('D8: should count requests by application', async () => {
  const applicationOf = (key: string) => (key === 'good' ? 'App' : undefined);
  const running = opened(await startPages({ clock: () => NOW, source: SOURCE, applicationOf }));
  const { post } = running;
  for (const field of ['venues { id }', 'venues { id }', 'venues { id }', 'organizers { id }'])
    await post(`{ ${field} }`, {}, { 'X-Api-Key': 'good' });
  await post('{ nothing }', {}, { 'X-Page-Url': 'https://avis.example/kultur' });
  await post('{ events(page: -1) { totalCount } }', {}, { 'X-Client-Id': 'web/1.0' });
  const { traffic } = await statusOf(running);
  assert.equal(
    traffic.callers.map((caller) => Object.values(caller).join()),
    ['application,App,4,0,0,0', 'anonymous,,1,0,1,0', 'operator,,1,1,0,0'],
  );
  assert.match(await pageOf(running), '<span>Application</span> <code>App</code>');
});

/** An event with the word `hemmelig` in each value: findings about it would quote it. */
const SECRET = {
  id: 'hemmelig-1',
  title_nb: '<b>Hemmelig\u0007 festival</b>',
  title_en: '<i>Hemmelig</i>',
  slug_nb: 'Hemmelig Festival!',
  desc_nb: '<script>hemmelig()</script><p>Hemmelig</p>',
  categories: ['HEMMELIG'],
  tags: ['<b>hemmelig</b>'],
  venue: 'hemmelig-sted',
  contact: { email: 'hemmelig@', phone: '<hemmelig>' },
  ticketsURL: 'javascript:hemmelig()',
  images: [{ url: 'ftp://hemmelig' }],
  dates: [{ start: '2026-12-21 19:00' }, { start: 'hemmelig' }],
};
const OPEN_EVENT = event('open', { dates: [{ start: '2026-12-21 19:00' }, { start: 'senere' }] });
const LATER = { ...SECRET, publishingDate: '2026-12-01 10:00' };

interface SecretCase {
  readonly title: string;
  readonly secret: Readonly<Record<string, unknown>>;
  /** Further files of the source. */
  readonly files?: Readonly<Record<string, readonly object[]>>;
}

const SECRETS: readonly SecretCase[] = [
  {
    title: 'an event that is published later',
    secret: LATER,
  },
  {
    title: 'an event with an unreadable time of publication',
    secret: { ...SECRET, publishingDate: 'hemmelig' },
  },
  {
    title: 'an event without a readable date',
    secret: { ...LATER, dates: [{ start: 'hemmelig' }] },
  },
  {
    title: 'an event with the id of a public one',
    secret: { ...LATER, id: 'open' },
  },
  {
    title: 'a venue with the id of a public event',
    secret: LATER,
    files: { 'venues.json': [{ id: 'open', name: 'Hall', accessibility: ['hemmelig'] }] },
  },
];

for (const { title, secret, files = {} } of SECRETS) {
  view(`H9: should show no value of ${title}`, async () => {
    let clock = NOW;
    const source = sourceFolder({ 'events.json': [OPEN_EVENT, secret], ...files });
    const reason = 'events.json:3: expected JSON, but a comma is missing after "hemmelig"; look at it';
    const publicReason = 'events.json:3: expected JSON; look at it';
    const builds = [{ ...FAILED, reason, publicReason }];
    const running = opened(await startPages({ clock: () => clock, source, builds }));
    for (const path of ['/status?format=json', '/status?format=html', '/metrics', '/readyz'])
      assert.not.match((await running.send(path)).text, /hemmelig/i, path);
    const status = await statusOf(running);
    assert.is(status.builds[0]?.reason, publicReason);
    const showsPublicEvent = status.report?.findings.some(
      ({ id, found }) => id === 'open' && found === '"senere"',
    );
    assert.is(showsPublicEvent, secret.id !== 'open', 'the finding about the public event');
    clock = Date.parse('2026-12-01T09:00:00Z');
    const isShown = /hemmelig/i.test((await running.send('/status')).text);
    assert.is(isShown, secret === LATER, 'after the publication');
  });
}

const FINDINGS = 70;
const REPORT = {
  lists: {},
  over: 0,
  actions: {},
  findingsLeftOut: 5,
  findings: new Array(FINDINGS).fill({
    action: 'dropped date',
    origin: { file: 'events.ndjson', line: 3 },
    id: null,
    field: null,
    expected: 'x',
    found: 'y',
  }),
};

view('G2: should show the first 50 findings, and count the others as left out', async () => {
  const { report } = await asBuiltOf(stored({ report: REPORT }));
  assert.is(report?.findings.length, 50);
  assert.is(report?.findingsLeftOut, 5 + FINDINGS - 50);
  assert.is(report?.findings[0]?.place, 'events.ndjson:3');
});

/** Reports in another form, as a snapshot of another version may have them. */
const OTHER_FORMS: Readonly<Record<string, unknown>> = {
  'no report': null,
  'a text': 'text',
  'an empty object': {},
  'a count that is no number': { ...REPORT, lists: { events: { read: 'many' } } },
};

for (const [form, other] of Object.entries(OTHER_FORMS)) {
  view(`G2: should show nothing of ${form}`, async () => {
    const asBuilt = await asBuiltOf(stored({ report: other, feeds: other, changes: [other] }));
    assert.equal(asBuilt, { report: null, losses: [], feeds: [], changes: [] });
  });
}

view('G2: should read a report again that could not be read in time', async () => {
  let isBusy = true;
  const snapshot = {
    json: async (name: string) => {
      if (isBusy) throw new CalendarError('TIMEOUT', 'busy');
      return name === 'report' ? REPORT : null;
    },
  };
  await rejects(asBuiltOf(snapshot), 'TIMEOUT', /busy/);
  isBusy = false;
  assert.is((await asBuiltOf(snapshot)).report?.findings.length, 50);
  isBusy = true;
  assert.is((await asBuiltOf(snapshot)).report?.findings.length, 50, 'it is read once');
});

view('G2: should show at most 200 letters of any value', async () => {
  const long = 'x'.repeat(1_000_000);
  const dates = [{ start: '2026-11-21 19:00' }, { start: long }];
  const source = sourceFolder({ 'events.json': [event('a', { dates }), event('b')] });
  const builds = [{ ...FAILED, reason: `events.json:3: ${long}` }];
  const running = opened(await startPages({ clock: () => NOW, source, builds }));
  const status = JSON.stringify(await statusOf(running));
  assert.match(status, 'dropped date');
  assert.not.match(status, 'x'.repeat(201));
  assertBelow((await pageOf(running, 'nb')).length, 50_000, 'letters');
});

view.run();

/** Builds and feeds, and what they dropped. */
import { type Content, type Html, html } from '../page/html.ts';
import { details, momentOf, type Section, table } from '../page/page.ts';
import { inEach, type Language, writeNumber } from '../page/reader.ts';
import type { BuildReport, Finding } from './reports.ts';
import type { Status } from './status.ts';

export function buildsSection({ builds, snapshot }: Status, language: Language): Section | null {
  if (builds.length === 0) return null;
  const texts = BUILDS[language];
  const rows = builds.map(({ startedAt, kind, outcome, milliseconds, id, reason, report }) => [
    momentOf(startedAt, language, 'brief'),
    texts.kinds[kind],
    html`<span class="${outcome === 'failed' ? 'bad' : 'good'}">${texts.outcomes[outcome]}</span>`,
    `${writeNumber(milliseconds / 1_000, language)} s`,
    reason === null
      ? html`<code>${id}</code>${report !== null && ` ${actionsOf(report, language)}`}`
      : html`<span lang="en">${reason}</span>`,
  ]);
  const columns = [texts.when, texts.kind, texts.outcome, texts.time, texts.result];
  // The findings of the snapshot's own build have their own section.
  const [latest] = builds;
  const report = latest?.id === snapshot?.id ? null : latest?.report;
  return {
    id: 'builds',
    title: texts.builds,
    content: html`${table({ isCards: true, caption: texts.buildsCaption, columns, figures: [3], rows })}${report && findingsOf(report, language)}`,
  };
}

export function reportSection({ report }: Status, language: Language): Section | null {
  if (report === null) return null;
  const texts = BUILDS[language];
  const number = (value: number) => writeNumber(value, language);
  const rows = report.lists.map(({ list, read, kept, dropped }) => [
    html`<code>${list}</code>`,
    number(read),
    number(kept),
    number(dropped),
  ]);
  const columns = [texts.list, texts.read, texts.kept, texts.dropped];
  return {
    id: 'report',
    title: texts.report,
    intro: html`<p>${texts.reportIntro}</p>`,
    content: html`${table({ isCards: true, caption: texts.reportCaption, columns, figures: [1, 2, 3], rows })}${report.over > 0 && html`<p>${texts.over(number(report.over))}</p>`}<p>${actionsOf(report, language)}</p>
${findingsOf(report, language)}`,
  };
}

function actionsOf({ actions }: BuildReport, language: Language): string {
  if (actions.length === 0) return BUILDS[language].nothing;
  const names: Readonly<Record<string, string>> = ACTIONS[language];
  return actions
    .map(({ action, count }) => `${names[action] ?? action}: ${writeNumber(count, language)}`)
    .join(', ');
}

function findingsOf({ findings, findingsLeftOut }: BuildReport, language: Language): Content {
  if (findings.length === 0) return null;
  const texts = BUILDS[language];
  const more = findingsLeftOut > 0 && html`<p>${texts.more(writeNumber(findingsLeftOut, language))}</p>`;
  return details(
    texts.findings,
    html`<ol class="findings">
${findings.map((finding) => html`<li>${findingOf(finding, language)}</li>\n`)}</ol>
${more}`,
  );
}

function findingOf(finding: Finding, language: Language): Html {
  const { place, id, field, since } = finding;
  const texts = BUILDS[language];
  const names: Readonly<Record<string, string>> = ACTIONS[language];
  const action = names[finding.action] ?? finding.action;
  const expected = language === 'nb' ? norwegianFor(finding.expected) : html`${finding.expected}`;
  const first = since !== null && ` (${texts.first} ${since.slice(0, 10)})`;
  return html`<code>${place}</code>${id !== null && html` <code>${id}</code>`}${field !== null && html` <code>${field}</code>`}: ${action}, ${texts.expected} ${expected}, ${texts.found} ${finding.found ?? texts.hidden}${first}`;
}

/** The expected form, in Norwegian if a translation exists; the rest of it are examples and names. */
function norwegianFor(expected: string): Html {
  const known = EXPECTED.find(([english]) => expected.startsWith(english));
  if (known === undefined) return html`<span lang="en">${expected}</span>`;
  const [english, norwegian] = known;
  const rest = expected.slice(english.length).replace(' or a date such as ', ' eller en dato som ');
  return html`${norwegian}${rest}`;
}

/** By beginnings, the longer ones first. */
const EXPECTED: readonly (readonly [english: string, norwegian: string])[] = [
  ['a category of the licence; the nearest is ', 'en kategori i lisensen; den nærmeste er '],
  ['a category of the licence (', 'en kategori i lisensen ('],
  ['a category of the licence', 'en kategori i lisensen'],
  ['a datetime such as ', 'et tidspunkt som '],
  ['a date or time such as ', 'en dato eller et tidspunkt som '],
  ['a date such as ', 'en dato som '],
  ['a day such as ', 'en dag som '],
  ['a time of day such as ', 'et klokkeslett som '],
  ['a moment that is not before the start', 'et tidspunkt som ikke er før starten'],
  ['an end that is not before the start', 'en slutt som ikke er før starten'],
  ['a whole number', 'et helt tall'],
  ['a number, or digits', 'et tall, eller sifre'],
  ['a number', 'et tall'],
  ['an http or https URL', 'en http- eller https-adresse'],
  ['an absolute http or https URL', 'en hel http- eller https-adresse'],
  ['an object', 'et objekt'],
  ['a string', 'en tekst'],
  ['a title', 'en tittel'],
  ['true or false', 'true eller false'],
  ['a list of ', 'en liste: '],
];

const BUILDS = inEach({
  builds: ['Bygginger', 'Builds'],
  buildsCaption: ['De siste på denne maskinen, nyeste først', 'The last ones on this machine, latest first'],
  when: ['Begynt', 'Begun'],
  kind: ['Slag', 'Kind'],
  outcome: ['Utfall', 'Outcome'],
  time: ['Tid', 'Time'],
  result: ['Resultat', 'Result'],
  report: ['Merknader', 'Findings'],
  reportIntro: [
    'Hva byggingen av dette øyeblikksbildet gjorde med kilden.',
    'What the build of this snapshot did to its source.',
  ],
  reportCaption: ['Poster i kilden', 'Records in the source'],
  list: ['Liste', 'List'],
  read: ['Lest', 'Read'],
  kept: ['Beholdt', 'Kept'],
  dropped: ['Utelatt', 'Dropped'],
  over: [
    (count: string) => `Av arrangementene som ble beholdt, er ${count} over og ikke med i kalenderen.`,
    (count: string) => `Of the events that were kept, ${count} are over and not in the calendar.`,
  ],
  first: ['først', 'first on'],
  expected: ['ventet', 'expected'],
  found: ['fant', 'found'],
  hidden: ['noe som ikke er offentlig', 'what is not public'],
  nothing: ['ingen merknader', 'no findings'],
  findings: ['Vis merknadene', 'Show the findings'],
  more: [
    (count: string) => `${count} til er bare talt.`,
    (count: string) => `${count} more are only counted.`,
  ],
  kinds: [
    { rebuild: 'bygging', pull: 'kopi' },
    { rebuild: 'build', pull: 'copy' },
  ],
  outcomes: [
    { published: 'utgitt', unchanged: 'uendret', failed: 'mislyktes' },
    { published: 'published', unchanged: 'unchanged', failed: 'failed' },
  ],
});

const ACTIONS = inEach({
  'dropped record': ['poster utelatt', 'records dropped'],
  'dropped series': ['rekker utelatt', 'series dropped'],
  'dropped date': ['datoer utelatt', 'dates dropped'],
  'dropped reference': ['henvisninger utelatt', 'references dropped'],
  'retired unannounced': ['kategorier nedlagt uten varsel', 'categories retired without a notice'],
  'cut rule': ['regler kortet ned', 'rules cut'],
  'dropped value': ['enkeltverdier utelatt', 'single values dropped'],
  'kept as tag': ['ord som ikke er noen kategori', 'words that are no category'],
  'no category': ['arrangementer uten kategori', 'events without a category'],
  merged: ['arrangementer slått sammen', 'events merged'],
  'likely same': ['trolig samme arrangement', 'groups likely the same'],
  'changed value': ['verdier endret', 'values changed'],
  'made safe': ['verdier gjort trygge', 'values made safe'],
  'migrated category': ['kategorier byttet ut', 'categories migrated'],
  'left out': ['private eller avløste poster', 'records private or replaced'],
});

export function feedsSection({ feeds }: Status, language: Language): Section | null {
  if (feeds.length === 0) return null;
  const texts = FEEDS[language];
  const states: Readonly<Record<string, string>> = texts.states;
  const rows = feeds.map(({ id, kind, state, since, readAt, why }) => [
    html`<code>${id}</code>`,
    kind,
    html`<span class="${state === 'ok' ? 'good' : 'bad'}">${states[state] ?? state}</span>`,
    readAt === null ? '–' : momentOf(readAt, language, 'brief'),
    [since !== null && html`${texts.since} ${momentOf(since, language, 'brief')}. `, why],
  ]);
  const columns = [texts.feed, texts.kind, texts.state, texts.readAt, texts.why];
  return {
    id: 'feeds',
    title: texts.feeds,
    content: table({ isCards: true, caption: texts.feedsCaption, columns, rows }),
  };
}

const FEEDS = inEach({
  feeds: ['Kilder utenfra', 'Feeds'],
  feedsCaption: ['Kilder som kalenderen henter inn', 'Feeds that the calendar takes in'],
  feed: ['Kilde', 'Feed'],
  kind: ['Slag', 'Kind'],
  state: ['Tilstand', 'State'],
  readAt: ['Sist hentet', 'Last read'],
  why: ['Grunn', 'Why'],
  since: ['Siden', 'Since'],
  states: [
    { ok: 'i orden', stale: 'svikter, siste gode brukes', failed: 'svikter' },
    { ok: 'well', stale: 'failing, its last good records are used', failed: 'failing' },
  ],
});

/** `/status` for people: the same value that scripts get as JSON. */

import { writeDay, writeNumber, writeSpan } from '../pages/dates.ts';
import { type Content, type Html, html } from '../pages/html.ts';
import { frame, type PageName } from '../pages/page.ts';
import { type ChosenLanguage, inEach, type Language } from '../pages/reader.ts';
import { momentOf, pairs, renderSection } from '../pages/section.ts';
import type { Status } from './status.ts';
import { buildsSection, feedsSection, reportSection } from './status-builds.ts';
import { processSection, trafficSection } from './status-usage.ts';

interface StatusPageOptions extends ChosenLanguage {
  readonly menu: readonly PageName[];
  readonly stylesheet: string;
}

export function renderStatus(status: Status, options: StatusPageOptions): Html {
  const { language } = options;
  const texts = TEXTS[language];
  const sections = [
    buildsSection(status, language),
    reportSection(status, language),
    feedsSection(status, language),
    trafficSection(status, language),
    processSection(status, language),
  ];
  return frame({
    ...options,
    title: `${texts.title} – almanakk`,
    description: texts.description,
    page: 'status',
    content: html`${opening(status, language)}${sections.map((section) => section !== null && renderSection(section))}`,
    footer: html`<p>${momentOf(status.at, language)} · <a href="?format=json">JSON</a> · <a href="metrics">${texts.metrics}</a></p>\n`,
  });
}

function opening(status: Status, language: Language): Html {
  const texts = TEXTS[language];
  const { concerns, snapshot, refusal, replica, store } = status;
  return html`<div class="state">
<h1>${texts.title}</h1>
${concerns.length === 0 ? html`<p class="lede good">${texts.allWell(texts.state[status.state])}</p>` : html`<ul class="concerns">${concerns.map((concern) => html`<li class="lede bad">${texts.concerns[concern]}</li>`)}</ul>`}
${pairs([
  ...snapshotPairs(snapshot, language),
  ...(refusal === null
    ? []
    : [[texts.refusal, html`${momentOf(refusal.at, language)}<br>${refusal.reason}`] as const]),
  ...(replica === null ? [] : replicaPairs(replica, language)),
  ...(store === null ? [] : storePairs(store, language)),
])}</div>
`;
}

type Pair = readonly [name: string, value: Content];

function snapshotPairs(snapshot: Status['snapshot'], language: Language): readonly Pair[] {
  if (snapshot === null) return [];
  const texts = TEXTS[language];
  const { id, builtAt, ageSeconds, adoptedAt, horizonDay, counts, upcoming, nextChangeAt } = snapshot;
  const number = (value: number) => writeNumber(value, language);
  return [
    [texts.snapshot, html`<code>${id}</code>`],
    [texts.built, html`${momentOf(builtAt, language)}, ${texts.ago(writeSpan(ageSeconds, language))}`],
    ...(adoptedAt === null ? [] : ([[texts.adopted, momentOf(adoptedAt, language)]] as const)),
    [texts.nextChange, nextChangeAt === null ? texts.never : momentOf(nextChangeAt, language)],
    [texts.events, texts.counts(number(upcoming), number(counts.events), number(counts.occurrences))],
    [
      texts.directories,
      texts.places(number(counts.venues), number(counts.organizers), number(counts.categories)),
    ],
    [texts.horizon, writeDay(Date.parse(horizonDay) / 86_400_000, 'dated', language)],
  ];
}

function replicaPairs(replica: NonNullable<Status['replica']>, language: Language): readonly Pair[] {
  const texts = TEXTS[language];
  const { lagSeconds, lastCopyAt, outOfReach, outOfReachSince } = replica;
  return [
    [texts.lag, lagSeconds === null ? texts.unknown : writeSpan(lagSeconds, language)],
    [texts.lastCopy, lastCopyAt === null ? texts.never : momentOf(lastCopyAt, language)],
    ...(outOfReach === null
      ? []
      : ([[texts.origin, sinceOf(outOfReachSince, outOfReach, language)]] as const)),
  ];
}

function sinceOf(since: string | null, reason: string, language: Language): Html {
  const from = since !== null && html`${TEXTS[language].since} ${momentOf(since, language)}<br>`;
  return html`${from}<span lang="en">${reason}</span>`;
}

function storePairs(store: NonNullable<Status['store']>, language: Language): readonly Pair[] {
  const texts = TEXTS[language];
  const { name, id, sentAt, bytes, failing, rival } = store;
  const megabytes = writeNumber(Math.round(bytes / 100_000) / 10, language);
  return [
    [texts.store, html`<code>${name}</code>`],
    [texts.inStore, id === null ? texts.nothing : html`<code>${id}</code>`],
    [
      texts.sent,
      html`${sentAt === null ? texts.never : momentOf(sentAt, language)}, ${texts.sinceStart(megabytes)}`,
    ],
    ...(failing === null
      ? []
      : ([[texts.storeFailing, sinceOf(failing.since, failing.reason, language)]] as const)),
    ...(rival === null
      ? []
      : ([
          [
            texts.rival,
            html`<code>${rival.id}</code>, ${texts.built.toLowerCase()} ${momentOf(rival.builtAt, language)}`,
          ],
        ] as const)),
  ];
}

const TEXTS = inEach({
  nb: {
    title: 'Status',
    description: 'Hvordan det står til med kalenderen og tjenesten.',
    metrics: 'Måltall for Prometheus',
    allWell: (state: string) => `${state}. Alt er i orden.`,
    state: { serving: 'I drift', waiting: 'Venter på kalenderen', stopping: 'På vei ned' },
    concerns: {
      'no snapshot': 'Det er ingen kalender å svare fra ennå.',
      'delivery refused': 'En ny kalender ble avvist. Svarene kommer fra den forrige.',
      'build failed': 'Siste bygging mislyktes. Svarene kommer fra den forrige.',
      'copy failed': 'Siste kopiering mislyktes. Svarene kommer fra den forrige.',
      'feed failing': 'En eller flere kilder svikter.',
      'records dropped': 'Noe i kilden kunne ikke brukes og mangler i kalenderen. Se merknadene.',
      'origin out of reach': 'Opphavet kan ikke nås. Svarene kommer fra siste kopi.',
      'store failing': 'Objektlageret har ikke det siste. Kopier som henter derfra, har det forrige.',
      'another builder': 'Enda en bygger legger kalendere i samme objektlager.',
    },
    snapshot: 'Øyeblikksbilde',
    built: 'Bygget',
    ago: (span: string) => `for ${span} siden`,
    adopted: 'Tatt i bruk',
    nextChange: 'Neste endring i et svar',
    never: 'aldri',
    unknown: 'ikke kjent',
    events: 'Arrangementer',
    counts: (upcoming: string, events: string, occurrences: string) =>
      `${upcoming} kommende; ${events} med ${occurrences} datoer i filen`,
    directories: 'Kataloger',
    places: (venues: string, organizers: string, categories: string) =>
      `${venues} steder, ${organizers} arrangører, ${categories} kategorier`,
    horizon: 'Regler foldet ut til',
    refusal: 'Sist avvist',
    lag: 'Etterslep',
    lastCopy: 'Sist kopiert',
    origin: 'Opphavet',
    since: 'Siden',
    store: 'Objektlager',
    inStore: 'Det har',
    nothing: 'ingenting',
    sent: 'Sist sendt',
    sinceStart: (megabytes: string) => `${megabytes} MB siden start`,
    storeFailing: 'Svikter',
    rival: 'Fra en annen bygger',
  },
  en: {
    title: 'Status',
    description: 'How the calendar and the service are doing.',
    metrics: 'Metrics for Prometheus',
    allWell: (state) => `${state}. All is well.`,
    state: { serving: 'Serving', waiting: 'Waiting for the calendar', stopping: 'Going down' },
    concerns: {
      'no snapshot': 'There is no calendar to answer from yet.',
      'delivery refused': 'A new calendar was refused. Answers come from the one before.',
      'build failed': 'The last build failed. Answers come from the one before.',
      'copy failed': 'The last copying failed. Answers come from the copy before.',
      'feed failing': 'One or more feeds are failing.',
      'records dropped': 'Something in the source could not be used and is missing. See the findings.',
      'origin out of reach': 'The origin is out of reach. Answers come from the last copy.',
      'store failing':
        'The object store does not have the latest. Replicas that copy from it have the one before.',
      'another builder': 'Another builder publishes to the same object store.',
    },
    snapshot: 'Snapshot',
    built: 'Built',
    ago: (span) => `${span} ago`,
    adopted: 'Adopted',
    nextChange: 'Next change of an answer',
    never: 'never',
    unknown: 'not known',
    events: 'Events',
    counts: (upcoming, events, occurrences) =>
      `${upcoming} upcoming; ${events} with ${occurrences} dates in the file`,
    directories: 'Directories',
    places: (venues, organizers, categories) =>
      `${venues} venues, ${organizers} organizers, ${categories} categories`,
    horizon: 'Rules expanded to',
    refusal: 'Last refused',
    lag: 'Lag',
    lastCopy: 'Last copied',
    origin: 'Origin',
    since: 'Since',
    store: 'Object store',
    inStore: 'It has',
    nothing: 'nothing',
    sent: 'Last sent',
    sinceStart: (megabytes) => `${megabytes} MB since the start`,
    storeFailing: 'Failing',
    rival: 'From another builder',
  },
});

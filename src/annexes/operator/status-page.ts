/** `/status` for people: the value that scripts get as JSON. */
import { CONCERNS } from '../common/concerns.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { frame, momentOf, type PageName, pairs, renderSection, type Section, table } from '../page/page.ts';
import {
  type ChosenLanguage,
  inEach,
  type Language,
  writeBytes,
  writeDate,
  writeNumber,
  writeSpan,
} from '../page/reader.ts';
import type { Status } from './status.ts';
import { buildsSection, feedsSection, reportSection } from './status-builds.ts';
import { changesSection } from './status-changes.ts';
import type { Usage } from './usage.ts';

interface StatusPageOptions extends ChosenLanguage {
  readonly menu: readonly PageName[];
}

export function renderStatus(status: Status, options: StatusPageOptions): Html {
  const { language } = options;
  const texts = TEXTS[language];
  const sections = [
    buildsSection(status, language),
    changesSection(status, language),
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
${concerns.length === 0 ? html`<p class="lede good">${texts.allWell(texts.state[status.state])}</p>` : html`<ul class="concerns">${concerns.map((concern) => html`<li><p class="lede bad">${CONCERNS[concern][language]}</p>${concern === 'feed failing' && reasonsOf(status)}</li>`)}</ul>`}
${pairs([
  ...(snapshot === null ? [] : snapshotPairs(snapshot, language)),
  [texts.refusal, refusal && html`${momentOf(refusal.at, language)}<br>${refusal.reason}`],
  ...(replica === null ? [] : replicaPairs(replica, language)),
  ...(store === null ? [] : storePairs(store, language)),
])}</div>
`;
}

function reasonsOf({ feeds }: Status): Html {
  const failing = feeds.filter(({ state }) => state !== 'ok');
  return html`<ul class="findings">
${failing.map(({ id, why }) => html`<li><code>${id}</code>: <span lang="en">${why}</span></li>\n`)}</ul>
`;
}

type Pairs = readonly (readonly [name: string, value: Content])[];

function snapshotPairs(snapshot: NonNullable<Status['snapshot']>, language: Language): Pairs {
  const texts = TEXTS[language];
  const { id, builtAt, ageSeconds, adoptedAt, horizonDay, counts, upcoming, nextChangeAt } = snapshot;
  const number = (value: number) => writeNumber(value, language);
  return [
    [texts.snapshot, html`<code>${id}</code>`],
    [texts.built, html`${momentOf(builtAt, language)}, ${texts.ago(writeSpan(ageSeconds, language))}`],
    [texts.adopted, adoptedAt && momentOf(adoptedAt, language)],
    [texts.nextChange, momentOrNever(nextChangeAt, language)],
    [texts.events, texts.counts(number(upcoming), number(counts.events), number(counts.occurrences))],
    [
      texts.directories,
      texts.places(number(counts.venues), number(counts.organizers), number(counts.categories)),
    ],
    [texts.horizon, writeDate(horizonDay, language)],
  ];
}

function replicaPairs(replica: NonNullable<Status['replica']>, language: Language): Pairs {
  const texts = TEXTS[language];
  const { lagSeconds, lastCopyAt, outOfReach, outOfReachSince } = replica;
  return [
    [texts.lag, lagSeconds === null ? texts.unknown : writeSpan(lagSeconds, language)],
    [texts.lastCopy, momentOrNever(lastCopyAt, language)],
    [texts.origin, outOfReach !== null && sinceOf(outOfReachSince, outOfReach, language)],
  ];
}

function storePairs(store: NonNullable<Status['store']>, language: Language): Pairs {
  const texts = TEXTS[language];
  const { name, id, sentAt, bytes, failing, rival } = store;
  const megabytes = writeNumber(Math.round(bytes / 100_000) / 10, language);
  return [
    [texts.store, html`<code>${name}</code>`],
    [texts.inStore, id === null ? texts.nothing : html`<code>${id}</code>`],
    [texts.sent, html`${momentOrNever(sentAt, language)}, ${texts.sinceStart(megabytes)}`],
    [texts.storeFailing, failing && sinceOf(failing.since, failing.reason, language)],
    [
      texts.rival,
      rival &&
        html`<code>${rival.id}</code>, ${texts.built.toLowerCase()} ${momentOf(rival.builtAt, language)}`,
    ],
  ];
}

function momentOrNever(iso: string | null, language: Language): Content {
  return iso === null ? TEXTS[language].never : momentOf(iso, language);
}

function sinceOf(since: string | null, reason: string, language: Language): Html {
  const from = since !== null && html`${TEXTS[language].since} ${momentOf(since, language)}<br>`;
  return html`${from}<span lang="en">${reason}</span>`;
}

const TEXTS = inEach({
  title: ['Status', 'Status'],
  description: [
    'Hvordan det står til med kalenderen og tjenesten.',
    'How the calendar and the service are doing.',
  ],
  metrics: ['Måltall for Prometheus', 'Metrics for Prometheus'],
  allWell: [(state: string) => `${state}. Alt er i orden.`, (state: string) => `${state}. All is well.`],
  state: [
    { serving: 'I drift', waiting: 'Venter på kalenderen', stopping: 'På vei ned' },
    { serving: 'Serving', waiting: 'Waiting for the calendar', stopping: 'Going down' },
  ],
  snapshot: ['Øyeblikksbilde', 'Snapshot'],
  built: ['Bygget', 'Built'],
  ago: [(span: string) => `for ${span} siden`, (span: string) => `${span} ago`],
  adopted: ['Tatt i bruk', 'Adopted'],
  nextChange: ['Neste endring i et svar', 'Next change of an answer'],
  never: ['aldri', 'never'],
  unknown: ['ikke kjent', 'not known'],
  events: ['Arrangementer', 'Events'],
  counts: [
    (upcoming: string, events: string, occurrences: string) =>
      `${upcoming} kommende; ${events} med ${occurrences} datoer i filen`,
    (upcoming: string, events: string, occurrences: string) =>
      `${upcoming} upcoming; ${events} with ${occurrences} dates in the file`,
  ],
  directories: ['Kataloger', 'Directories'],
  places: [
    (venues: string, organizers: string, categories: string) =>
      `${venues} steder, ${organizers} arrangører, ${categories} kategorier`,
    (venues: string, organizers: string, categories: string) =>
      `${venues} venues, ${organizers} organizers, ${categories} categories`,
  ],
  horizon: ['Regler foldet ut til', 'Rules expanded to'],
  refusal: ['Sist avvist', 'Last refused'],
  lag: ['Etterslep', 'Lag'],
  lastCopy: ['Sist kopiert', 'Last copied'],
  origin: ['Opphavet', 'Origin'],
  since: ['Siden', 'Since'],
  store: ['Objektlager', 'Object store'],
  inStore: ['Det har', 'It has'],
  nothing: ['ingenting', 'nothing'],
  sent: ['Sist sendt', 'Last sent'],
  sinceStart: [
    (megabytes: string) => `${megabytes} MB siden start`,
    (megabytes: string) => `${megabytes} MB since the start`,
  ],
  storeFailing: ['Svikter', 'Failing'],
  rival: ['Fra en annen bygger', 'From another builder'],
});

/** The callers, their queries, and the part of answers that was cached. */
function trafficSection({ traffic, reuse, load, quota }: Status, language: Language): Section {
  const texts = USAGE[language];
  const number = (value: number) => writeNumber(value, language);
  const usage = (caption: string, column: string, rows: readonly Usage[], name: (row: Usage) => Content) =>
    table({
      isCards: true,
      caption,
      columns: [column, texts.requests, texts.errors, texts.refused, texts.failed, texts.mean],
      figures: [1, 2, 3, 4, 5],
      rows: rows.map((row) => [
        name(row),
        ...[row.requests, row.errors, row.refused, row.failed].map(number),
        `${writeMilliseconds(row.meanMilliseconds, language)} ms`,
      ]),
    });
  return {
    id: 'traffic',
    title: texts.traffic,
    intro: html`<p>${texts.trafficIntro}</p>`,
    content: html`${pairs([
      [texts.requests, number(traffic.requests)],
      [texts.reuse, reuse.rate === null ? '–' : `${number(reuse.rate * 100)} %`],
      [texts.atHand, texts.entries(number(reuse.entries), writeBytes(reuse.bytes, language))],
      [texts.load, texts.work(number(load.working), number(load.waiting), number(load.refused))],
      [texts.quota, quotaOf(quota, language)],
    ])}${usage(texts.callersCaption, texts.caller, traffic.callers, (caller) => callerOf(caller, language))}${usage(
      texts.operationsCaption,
      texts.operation,
      traffic.operations,
      ({ kind, name }) => html`<code>${kind}</code>${name !== '' && html` <code>${name}</code>`}`,
    )}`,
  };
}

function callerOf({ kind, name }: Pick<Usage, 'kind' | 'name'>, language: Language): string {
  const callers: Readonly<Record<string, string>> = USAGE[language].callers;
  return name === '' ? (callers[kind] ?? kind) : name;
}

function quotaOf(quota: Status['quota'], language: Language): Content {
  const texts = USAGE[language];
  if (quota === null) return texts.noQuota;
  const number = (value: number) => writeNumber(value, language);
  const limit = (value: number | null) => (value === null ? texts.unlimited : texts.aMinute(number(value)));
  const refused = quota.refused.map((caller) => `${callerOf(caller, language)} ${number(caller.requests)}`);
  return html`${texts.limits(limit(quota.anonymous), limit(quota.keyed))}<br>${texts.limited}: ${refused.join(', ') || '0'}`;
}

function processSection({ process }: Status, language: Language): Section {
  const texts = USAGE[language];
  const { node, pid, uptimeSeconds, residentBytes, heapBytes } = process;
  return {
    id: 'process',
    title: texts.process,
    intro: html`<p>${texts.processIntro}</p>`,
    content: pairs([
      [texts.uptime, writeSpan(uptimeSeconds, language)],
      [texts.memory, texts.ofWhich(writeBytes(residentBytes, language), writeBytes(heapBytes, language))],
      ['Node', node],
      ['PID', String(pid)],
    ]),
  };
}

/** Cached answers take hundredths of a millisecond. */
function writeMilliseconds(value: number, language: Language): string {
  if (value >= 1) return writeNumber(value, language);
  return language === 'nb' ? value.toFixed(2).replace('.', ',') : value.toFixed(2);
}

const USAGE = inEach({
  traffic: ['Trafikk', 'Traffic'],
  trafficIntro: [
    'Siden start, for alle prosessene på denne maskinen.',
    'Since the start, for all processes of this machine.',
  ],
  requests: ['Forespørsler', 'Requests'],
  reuse: ['Svar som lå klare', 'Answers that were at hand'],
  atHand: ['Ligger klare nå', 'At hand now'],
  load: ['Arbeid', 'Work'],
  work: [
    (working: string, waiting: string, refused: string) =>
      `${working} i gang, ${waiting} venter, ${refused} avvist med 503`,
    (working: string, waiting: string, refused: string) =>
      `${working} under way, ${waiting} waiting, ${refused} refused with 503`,
  ],
  quota: ['Kvote', 'Quota'],
  noQuota: ['ingen', 'none'],
  unlimited: ['ingen grense', 'no limit'],
  aMinute: [(count: string) => `${count} i minuttet`, (count: string) => `${count} a minute`],
  limits: [
    (anonymous: string, keyed: string) => `uten nøkkel ${anonymous}, for en applikasjon ${keyed}`,
    (anonymous: string, keyed: string) => `without a key ${anonymous}, for an application ${keyed}`,
  ],
  limited: ['Avvist med 429', 'Refused with 429'],
  entries: [
    (count: string, bytes: string) => `${count} svar, ${bytes}`,
    (count: string, bytes: string) => `${count} answers, ${bytes}`,
  ],
  errors: ['Med feil', 'With errors'],
  refused: ['Avvist', 'Refused'],
  failed: ['Svikt', 'Failed'],
  mean: ['Middels tid', 'Mean time'],
  callersCaption: ['Etter hvem som spør', 'By who asks'],
  caller: ['Applikasjon', 'Application'],
  callers: [
    { anonymous: 'uten nøkkel', operator: 'operatørens egne' },
    { anonymous: 'without a key', operator: "the operator's own" },
  ],
  operationsCaption: ['Etter hva det spørres om', 'By what is asked for'],
  operation: ['Adresse og felt', 'Path and field'],
  process: ['Prosess', 'Process'],
  processIntro: ['Den av prosessene som svarte på dette.', 'The one of them that answered this.'],
  uptime: ['Har gått i', 'Has run for'],
  memory: ['Minne', 'Memory'],
  ofWhich: [
    (resident: string, heap: string) => `${resident}, av det ${heap} i haugen`,
    (resident: string, heap: string) => `${resident}, of which ${heap} on the heap`,
  ],
});

/** `/status` for people: the same value that scripts get as JSON. The state and its remedies come first. */
import { copyScript } from '../page/assets.ts';
import { type Html, html, joined } from '../page/html.ts';
import { languageQuery, queryText } from '../page/links.ts';
import { type FrameOptions, frame } from '../page/page.ts';
import { renderSection } from '../page/parts.ts';
import type { ChosenLanguage } from '../page/reader.ts';
import { changesIn, reportIn, waitingIn } from './build-sections.ts';
import type { Caller, ShownConcern, Status } from './status.ts';
import { code, pairsOf, type Shown, type Table, tableOf, type Words, wordsIn } from './status-parts.ts';
import { urgentSheetsIn } from './urgent-sheets.ts';

interface StatusPageOptions extends Pick<FrameOptions, 'menu'>, ChosenLanguage {
  /** Whether the reader may open `/metrics`. */
  readonly hasMetrics: boolean;
  /** H15: whether the reader may see some feeds only. */
  readonly isLimited: boolean;
}

export function renderStatus(status: Status, options: StatusPageOptions): Html {
  const { language, inAddress, menu, hasMetrics } = options;
  const words = wordsIn(language);
  const { say } = words;
  return frame({
    language,
    inAddress,
    menu,
    title: 'Status – almanakk',
    description: say(
      'Slik står det til med kalenderen og tjenesten.',
      'The state of the calendar and the service.',
      'Slik står det til med kalenderen og tenesta.',
    ),
    page: 'status',
    search: `${selectionQuery(status)}`,
    content: html`${opening(status, options, words)}${more(status, words)}`,
    footer: footer(status, hasMetrics, words),
    script: hasRows(status) ? copyScript(language) : null,
  });
}

/** Whether there are rows to copy, for which the page has a button, and so a script. */
export function hasRows({ report }: Pick<Status, 'report'>): boolean {
  return report !== null && report.waiting.events.length > 0;
}

/** H15: the feeds that the page's address names. */
function selectionQuery({ selection }: Status): URLSearchParams {
  return new URLSearchParams(selection === null ? [] : [['feeds', selection.feeds.join(',')]]);
}

function opening(status: Status, reader: Reader, words: Words): Html {
  const { concerns, selection } = status;
  // Load and storage are of the whole service.
  const facts = selection === null ? SERVICE_FACTS : CALENDAR_FACTS;
  const judgement = concerns.length === 0 ? allWell(status, words) : concernList(concerns, words);
  return html`<div class="state">
<h1>Status</h1>
${scopeOf(status, reader, words)}${judgement}
${pairsOf(facts, status, words)}</div>
`;
}

type Reader = ChosenLanguage & Pick<StatusPageOptions, 'isLimited'>;

/** H15: says which feeds the page is about, and leads to the whole, if the reader may see it. */
function scopeOf({ selection }: Status, reader: Reader, { say }: Words): Html | null {
  if (selection === null) return null;
  const only = say('Bare kildene', 'Only the feeds', 'Berre kjeldene');
  const ids = joined(selection.feeds.map(code), ', ');
  const all = say('Vis hele kalenderen', 'Show the whole calendar', 'Vis heile kalenderen');
  const link = html` <a href="status${languageQuery(reader)}">${all}</a>`;
  return html`<p>${only} ${ids}.${reader.isLimited ? null : link}</p>\n`;
}

function allWell({ state }: Status, { say, term }: Words): Html {
  return html`<p class="lede good">${term(state)}. ${say('Alt er i orden.', 'All OK.', 'Alt er i orden.')}</p>`;
}

function concernList(concerns: readonly ShownConcern[], words: Words): Html {
  return html`<ul class="concerns">\n${concerns.map((concern) => concernItem(concern, words))}</ul>`;
}

function concernItem(concern: ShownConcern, words: Words): Html {
  const { name, what, since, advice } = concern;
  const { say, moment, language, either } = words;
  const begun = since !== null ? html`${say('Siden', 'Since', 'Sidan')} ${moment(since)}. ` : null;
  const place = name === 'records dropped' ? '#findings' : '#more';
  const link = html`<a href="${place}">${say('Mer om dette', 'More about this', 'Meir om dette')}</a>`;
  const paragraphs = concern.details.map((detail) => html`<p class="detail">${either(detail)}</p>`);
  return html`<li><p class="lede bad">${what[language]}</p>
<p>${begun}${advice[language]} ${link}</p>${paragraphs}</li>\n`;
}

function more({ builds, changes, report, feeds, urgentSheets, traffic }: Status, words: Words): Html {
  return renderSection({
    id: 'more',
    title: words.say('Mer', 'More', 'Meir'),
    content: [
      report && waitingIn(report, words),
      urgentSheetsIn(urgentSheets, words),
      tableOf(BUILDS, builds.slice(0, MOST_ROWS), words),
      changesIn(changes, words),
      report && reportIn(report, words),
      tableOf(FEEDS, feeds, words),
      tableOf(CALLERS, traffic.callers.slice(0, MOST_ROWS), words),
    ],
  });
}

/** Rows of a table: the latest builds, or the busiest callers. */
const MOST_ROWS = 6;

/** The moment, and the same for programs. */
function footer(status: Status, hasMetrics: boolean, { say, moment }: Words): Html {
  const json = queryText(new URLSearchParams([...selectionQuery(status), ['format', 'json']]));
  const metrics = html` · <a href="metrics">${say('Måltall for Prometheus', 'Metrics for Prometheus', 'Måltal for Prometheus')}</a>`;
  return html`<p>${moment(status.at)} · <a href="${json}">JSON</a>${hasMetrics ? metrics : null}</p>\n`;
}

const CALENDAR_FACTS: readonly Shown<Status>[] = [
  ['Kalenderfil', 'Snapshot', 'Kalenderfil', ({ snapshot }) => snapshot && code(snapshot.id)],
  ['Bygget', 'Built', 'Bygd', ({ snapshot }, { moment }) => snapshot && moment(snapshot.builtAt)],
  ['Sist avvist', 'Last refused', 'Sist avvist', ({ refusal }, { moment }) => refusal && moment(refusal.at)],
  ['Årsak', 'Why', 'Årsak', ({ refusal }, { reason }) => refusal && reason(refusal.reason)],
];

const SERVICE_FACTS: readonly Shown<Status>[] = [
  ...CALENDAR_FACTS,
  ['Kommende arrangementer', 'Upcoming events', 'Kommande arrangement', ({ snapshot }) => snapshot?.upcoming],
  [
    'Objektlager',
    'Object store',
    'Objektlager',
    ({ store }) => store && html`${code(store.name)} ${code(store.id ?? '–')}`,
  ],
  ['Arbeid i gang', 'In progress', 'Arbeid i gang', ({ load }) => load.working],
  ['Arbeid i kø', 'Queued', 'Arbeid i kø', ({ load }) => load.waiting],
  ['Avvist med 503', 'Refused with 503', 'Avvist med 503', ({ load }) => load.refused],
];

const BUILDS: Table<Status['builds'][number]> = {
  caption: [
    'De siste byggingene på denne maskinen',
    'The latest builds on this machine',
    'Dei siste byggingane på denne maskina',
  ],
  columns: [
    ['Begynte', 'Began', 'Byrja', ({ startedAt }, { moment }) => moment(startedAt, 'brief')],
    ['Hva', 'What', 'Kva', ({ kind }, { heading }) => heading(kind)],
    [
      'Utfall',
      'Outcome',
      'Utfall',
      ({ outcome }, { heading }) => heading(outcome, outcome === 'failed' ? 'bad' : 'good'),
    ],
    ['Sekunder', 'Seconds', 'Sekund', ({ milliseconds }) => milliseconds / 1_000],
    ['Årsak', 'Why', 'Årsak', ({ reason: why }, { reason }) => why && reason(why)],
  ],
};

/** Kinds of feeds without events. */
const SHEETS: ReadonlySet<string> = new Set(['corrections', 'venues', 'feeds']);

const FEEDS: Table<Status['feeds'][number]> = {
  caption: ['Kilder kalenderen henter fra', 'Feeds that the calendar reads', 'Kjelder kalenderen hentar frå'],
  columns: [
    ['Kilde', 'Feed', 'Kjelde', ({ id }) => code(id)],
    ['Type', 'Type', 'Type', ({ kind }, { heading }) => (SHEETS.has(kind) ? heading(kind) : kind)],
    [
      'Tilstand',
      'State',
      'Tilstand',
      ({ state }, { heading }) => heading(state, state === 'ok' ? 'good' : 'bad'),
    ],
    ['Sist hentet', 'Last read', 'Sist henta', ({ readAt }, { moment }) => readAt && moment(readAt, 'brief')],
    [
      'Har feilet siden',
      'Failing since',
      'Har feila sidan',
      ({ since }, { moment }) => since && moment(since, 'brief'),
    ],
    ['Årsak', 'Why', 'Årsak', ({ why }, { reason }) => why && reason(why)],
  ],
};

const CALLERS: Table<Caller> = {
  caption: ['Forespørsler siden start', 'Requests since startup', 'Førespurnader sidan start'],
  columns: [
    ['Navn', 'Name', 'Namn', ({ kind, name }, { heading }) => html`${heading(kind)} ${name && code(name)}`],
    ['Forespørsler', 'Requests', 'Førespurnader', ({ requests }) => requests],
    ['Med feil', 'With errors', 'Med feil', ({ errors }) => errors],
    ['Avvist', 'Refused', 'Avvist', ({ refused }) => refused],
    ['Mislyktes', 'Failed', 'Mislukka', ({ failed }) => failed],
  ],
};

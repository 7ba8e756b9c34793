/** `/status` for people: the value that scripts get as JSON. Well or not stands first, and what to do; the rest follows in little room. */
import { type Content, type Html, html } from '../page/html.ts';
import { details, frame, momentOf, type PageName, pairs, renderSection, table } from '../page/page.ts';
import { type ChosenLanguage, type Language, writeBytes, writeNumber, writeSpan } from '../page/reader.ts';
import { plainly } from './reasons.ts';
import { type BuildReport, type Finding, KINDS, type NamedChange } from './reports.ts';
import type { Status, Usage } from './status.ts';
import { termOf } from './terms.ts';

interface StatusPageOptions extends ChosenLanguage {
  readonly menu: readonly PageName[];
}

export function renderStatus(status: Status, options: StatusPageOptions): Html {
  const words = wordsIn(options.language);
  const { say, moment } = words;
  const { builds, changes, report, feeds, traffic, process } = status;
  const callers = traffic.callers.slice(0, MOST_ROWS);
  const asked = traffic.operations.filter(({ kind }) => CALENDAR.test(kind)).slice(0, MOST_ROWS);
  const sections = [
    [
      'builds',
      say('Bygginger', 'Builds'),
      [tableOf(BUILDS, builds.slice(0, MOST_ROWS), words), changesIn(changes, words)],
    ],
    [
      'report',
      say('Kilden', 'The source'),
      [report && reportIn(report, words), tableOf(FEEDS, feeds, words)],
    ],
    [
      'traffic',
      say('Trafikk siden start', 'Traffic since the start'),
      [pairsOf(LOAD, status, words), tableOf(CALLERS, callers, words), tableOf(OPERATIONS, asked, words)],
    ],
  ] as const;
  const filled = sections.filter(([, , parts]) => parts.some((part) => part !== null));
  return frame({
    ...options,
    title: 'Status – almanakk',
    description: say('Hvordan det går med kalenderen og tjenesten.', 'How calendar and service are doing.'),
    page: 'status',
    content: html`${opening(status, words)}${filled.map(([id, title, content]) => renderSection({ id, title, content }))}`,
    footer: html`<p>${moment(status.at)} · Node ${process.node} · PID ${process.pid} · <a href="?format=json">JSON</a> · <a href="metrics">${say('Måltall for Prometheus', 'Metrics for Prometheus')}</a></p>\n`,
  });
}

/** Of builds and of traffic: the latest, and the busiest. */
const MOST_ROWS = 6;

/** Where callers ask for the calendar: the endpoint and the lists. Pages and their parts interest nobody here. */
const CALENDAR = /^\/(?:graphQL|events\.\w+|changes\.json)$/;

type Words = ReturnType<typeof wordsIn>;

/** Words, figures and moments for a reader of one language. */
export function wordsIn(language: Language) {
  const say = (nb: string, en: string): string => (language === 'nb' ? nb : en);
  const term = (word: string, mark?: 'good' | 'bad'): Html =>
    html`<span${mark && html` class="${mark}"`}>${termOf(word)[language]}</span>`;
  /** A reason that has no words here is in English. */
  const reason = (text: string): Html => {
    const { nb, en } = plainly(text);
    return html`<span${nb === en && html` lang="en"`}>${say(nb, en)}</span>`;
  };
  return {
    ...{ language, say, term, reason },
    /** Cached answers take hundredths of a millisecond. */
    number: (value: number): string =>
      value > 0 && value < 1 ? value.toFixed(2).replace('.', say(',', '.')) : writeNumber(value, language),
    bytes: (value: number): string => writeBytes(value, language),
    span: (seconds: number): string => writeSpan(seconds, language),
    moment: (iso: string | null, style?: 'brief'): Html =>
      iso === null ? html`${say('aldri', 'never')}` : momentOf(iso, language, style),
  };
}

function opening(status: Status, words: Words): Html {
  const { say, moment, language, term } = words;
  const items = status.concerns.map(
    ({ what, since, details, advice, link }) => html`<li><p class="lede bad">${what[language]}</p>
<p>${since !== null && html`${say('Siden', 'Since')} ${moment(since)}. `}${advice[language]}${link !== null && html` <a href="${link}">${say('Mer om dette', 'More about this')}</a>`}</p>${details.map((detail) => html`<p class="detail"${detail.nb === detail.en && html` lang="en"`}>${detail[language]}</p>`)}</li>\n`,
  );
  const isWell = html`<p class="lede good">${term(status.state)}. ${say('Alt er i orden.', 'All is well.')}</p>`;
  return html`<div class="state">
<h1>Status</h1>
${items.length === 0 ? isWell : html`<ul class="concerns">\n${items}</ul>`}
${pairsOf(FACTS, status, words)}</div>
`;
}

/** What is shown of a value under a name in both languages; what there is not, is null. */
type Shown<Value> = readonly [nb: string, en: string, show: (value: Value, words: Words) => Content];

const code = (text: string): Html => html`<code>${text}</code>`;

const FACTS: readonly Shown<Status>[] = [
  ['Øyeblikksbilde', 'Snapshot', ({ snapshot }) => snapshot && code(snapshot.id)],
  ['Bygd', 'Built', ({ snapshot }, { moment }) => snapshot && moment(snapshot.builtAt)],
  ['Kommende arrangementer', 'Upcoming events', ({ snapshot }) => snapshot?.upcoming],
  ['Neste endring', 'Next change', ({ snapshot }, { moment }) => snapshot && moment(snapshot.nextChangeAt)],
  ['Sist avvist', 'Last refused', ({ refusal }, { moment }) => refusal && moment(refusal.at)],
  ['Hvorfor', 'Why', ({ refusal }, { reason }) => refusal && reason(refusal.reason)],
  ['Sist kopiert', 'Last copied', ({ replica }, { moment }) => replica && moment(replica.lastCopyAt)],
  ['Etterslep', 'Lag', ({ replica }, { span }) => replica?.lagSeconds && span(replica.lagSeconds)],
  ['Objektlager', 'Object store', ({ store }) => store && html`${code(store.name)} ${code(store.id ?? '–')}`],
  ['Sist sendt dit', 'Last sent there', ({ store }, { moment }) => store && moment(store.sentAt)],
  ['Sendt siden start', 'Sent since the start', ({ store }, { bytes }) => store && bytes(store.bytes)],
  ['Har gått i', 'Has run for', ({ process }, { span }) => span(process.uptimeSeconds)],
  ['Minne', 'Memory', ({ process }, { bytes }) => bytes(process.residentBytes)],
];

const LOAD: readonly Shown<Status>[] = [
  ['Forespørsler', 'Requests', ({ traffic }) => traffic.requests],
  [
    'Svar som lå klare',
    'Answers at hand',
    ({ reuse: { rate } }, { number }) => rate && `${number(100 * rate)} %`,
  ],
  ['Arbeid i gang', 'Work under way', ({ load }) => load.working],
  ['Arbeid som venter', 'Work that waits', ({ load }) => load.waiting],
  ['Avvist med 503', 'Refused with 503', ({ load }) => load.refused],
];

const written = (content: Content, { number }: Words): Content =>
  typeof content === 'number' ? number(content) : (content ?? null);

function pairsOf(all: readonly Shown<Status>[], status: Status, words: Words): Html {
  return pairs(all.map(([nb, en, show]) => [words.say(nb, en), written(show(status, words), words)]));
}

/** A column whose cells are numbers is one of figures. */
interface Table<Row> {
  readonly caption: readonly [nb: string, en: string];
  readonly columns: readonly Shown<Row>[];
}

/** Null without rows. */
function tableOf<Row>({ caption, columns }: Table<Row>, all: readonly Row[], words: Words): Html | null {
  const [first] = all;
  if (first === undefined) return null;
  return table({
    isCards: true,
    caption: words.say(...caption),
    columns: columns.map(([nb, en]) => words.say(nb, en)),
    figures: columns.flatMap(([, , show], at) => (typeof show(first, words) === 'number' ? [at] : [])),
    rows: all.map((row) => columns.map(([, , show]) => written(show(row, words), words))),
  });
}

const BUILDS: Table<Status['builds'][number]> = {
  caption: ['De siste på denne maskinen', 'The latest on this machine'],
  columns: [
    ['Begynte', 'Began', ({ startedAt }, { moment }) => moment(startedAt, 'brief')],
    ['Hva', 'What', ({ kind }, { term }) => term(kind)],
    ['Utfall', 'Outcome', ({ outcome }, { term }) => term(outcome, outcome === 'failed' ? 'bad' : 'good')],
    ['Sekunder', 'Seconds', ({ milliseconds }) => milliseconds / 1_000],
    ['Grunn', 'Why', ({ reason: why }, { reason }) => why && reason(why)],
  ],
};

const CHANGES: Table<Status['changes'][number]> = {
  caption: ['De siste byggingene som endret noe', 'The latest builds that changed something'],
  columns: [
    ['Bygd', 'Built', ({ builtAt }, { moment }) => moment(builtAt, 'brief')],
    ['Nye', 'Added', ({ counts }) => counts.added],
    ['Endret', 'Changed', ({ counts }) => counts.changed],
    ['Nytt navn', 'Renamed', ({ counts }) => counts.renamed],
    ['Fjernet', 'Removed', ({ counts }) => counts.removed],
    [
      'Hvilke',
      'Which',
      ({ lists }, { term }) =>
        KINDS.map((kind) => lists[kind].map((one) => html`<p>${term(kind)}: ${changeIn(one)}</p>`)),
    ],
  ],
};

/** Folded away: there can be hundreds of names. */
export function changesIn(changes: Status['changes'], words: Words): Html | null {
  const drawn = tableOf(CHANGES, changes, words);
  return drawn && details(words.say(...CHANGES.caption), drawn);
}

function changeIn({ id, title, fields, from }: NamedChange): Html {
  const before = from === null ? '' : ` (${from})`;
  return html`${code(id)} ${title}${before}${fields.length > 0 && html` <span lang="en">${fields.join(', ')}</span>`}`;
}

const FEEDS: Table<Status['feeds'][number]> = {
  caption: ['Kilder som kalenderen henter inn', 'Feeds that the calendar takes in'],
  columns: [
    ['Kilde', 'Feed', ({ id }) => code(id)],
    ['Slag', 'Kind', ({ kind }) => kind],
    ['Tilstand', 'State', ({ state }, { term }) => term(state, state === 'ok' ? 'good' : 'bad')],
    ['Sist hentet', 'Last read', ({ readAt }, { moment }) => moment(readAt, 'brief')],
    ['Svikter siden', 'Failing since', ({ since }, { moment }) => since && moment(since, 'brief')],
    ['Grunn', 'Why', ({ why }, { reason }) => why && reason(why)],
  ],
};

const usage = (nb: string, en: string): Table<Usage> => ({
  caption: [nb, en],
  columns: [
    ['Navn', 'Name', ({ kind, name }, { term }) => html`${term(kind)} ${name && code(name)}`],
    ['Forespørsler', 'Requests', ({ requests }) => requests],
    ['Med feil', 'With errors', ({ errors }) => errors],
    ['Avvist', 'Refused', ({ refused }) => refused],
    ['Svikt', 'Failed', ({ failed }) => failed],
    ['Middels ms', 'Mean ms', ({ meanMilliseconds }) => meanMilliseconds],
  ],
});

const CALLERS = usage('Hvem som spør', 'Who asks');
const OPERATIONS = usage('Hva de spør om', 'What they ask for');

/** The records that the snapshot was made of, and what became of them. */
export function reportIn(
  { actions, findings, findingsLeftOut, lists, over }: BuildReport,
  words: Words,
): Html {
  const { say, number, language } = words;
  const kept = lists
    .filter(({ read }) => read > 0)
    .map(
      ({ list, read, kept }) =>
        `${termOf(list)[language]} ${number(kept)} ${say('av', 'of')} ${number(read)}`,
    );
  // Such as `date dropped: 2, value changed: 1`.
  const done = actions.map(({ action, count }) => `${termOf(action)[language]}: ${number(count)}`);
  const list = html`<ol class="findings" id="findings">
${findings.map((finding) => html`<li>${findingIn(finding, words)}</li>\n`)}</ol>
${findingsLeftOut > 0 && html`<p>${say('Bare talt', 'Only counted')}: ${number(findingsLeftOut)}</p>`}`;
  return html`<p>${say('Poster som ble beholdt', 'Records that were kept')}: ${kept.join(', ')}</p>
${over > 0 && html`<p>${say('Beholdt, men over', 'Kept, but over')}: ${number(over)}</p>`}
<p>${done.join(', ') || say('ingen merknader', 'no findings')}</p>
${findings.length > 0 && details(say('Vis merknadene', 'Show the findings'), list)}`;
}

/** The report's own words are English: on a Norwegian page they are a sentence apart. */
function findingIn(
  { place, id, field, action, expected, found, since }: Finding,
  { say, term }: Words,
): Html {
  const first = since !== null && ` (${say('først', 'first on')} ${since.slice(0, 10)})`;
  return html`${[place, id, field].map((part) => part !== null && html`${code(part)} `)}${term(action)}${first}. <span lang="en">Expected ${expected}, found ${found ?? 'what is not public'}.</span>`;
}

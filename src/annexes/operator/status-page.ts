/** `/status` for people: the same value that scripts get as JSON. The state and its remedies come first. */
import { type Content, type Html, html, joined } from '../page/html.ts';
import { languageQuery, queryText } from '../page/links.ts';
import { type FrameOptions, frame } from '../page/page.ts';
import { details, momentOf, pairs, renderSection, table } from '../page/parts.ts';
import { type ChosenLanguage, capitalized, type InEach, type Language, writeNumber } from '../page/reader.ts';
import type { BuildReport, Finding } from './build-report.ts';
import { inNorwegian } from './finding-words.ts';
import { KINDS, type NamedChange } from './reports.ts';
import type { Caller, ShownConcern, Status } from './status.ts';
import { plainly, termOf } from './words.ts';

interface StatusPageOptions extends Pick<FrameOptions, 'menu' | keyof ChosenLanguage> {
  /** Whether the reader may open `/metrics`. */
  readonly hasMetrics: boolean;
}

export function renderStatus(status: Status, options: StatusPageOptions): Html {
  const { language, inAddress, menu, hasMetrics } = options;
  const words = wordsIn(language);
  const { say, moment } = words;
  const { builds, changes, report, feeds, traffic } = status;
  const more = renderSection({
    id: 'more',
    title: say('Mer', 'More'),
    content: [
      tableOf(BUILDS, builds.slice(0, MOST_ROWS), words),
      changesIn(changes, words),
      report && reportIn(report, words),
      tableOf(FEEDS, feeds, words),
      tableOf(CALLERS, traffic.callers.slice(0, MOST_ROWS), words),
    ],
  });
  const metrics =
    hasMetrics && html` · <a href="metrics">${say('Måltall for Prometheus', 'Metrics for Prometheus')}</a>`;
  const search = selectionQuery(status);
  const json = queryText(new URLSearchParams([...search, ['format', 'json']]));
  const links = html`<a href="${json}">JSON</a>${metrics}`;
  return frame({
    language,
    inAddress,
    menu,
    title: 'Status – almanakk',
    description: say(
      'Slik står det til med kalenderen og tjenesten.',
      'The state of the calendar and the service.',
    ),
    page: 'status',
    search: `${search}`,
    content: html`${opening(status, options, words)}${more}`,
    footer: html`<p>${moment(status.at)} · ${links}</p>\n`,
  });
}

/** Rows of a table: the latest builds, or the busiest callers. */
const MOST_ROWS = 6;

type Mark = 'good' | 'bad';

/** Words, figures and moments for a reader of one language. */
interface Words {
  readonly language: Language;
  readonly say: (nb: string, en: string) => string;
  readonly term: (word: string, mark?: Mark) => Html;
  /** A term that stands alone or begins a line. */
  readonly heading: (word: string, mark?: Mark) => Html;
  /** A text without a Norwegian translation is in English. */
  readonly either: (text: InEach<string>) => Html;
  readonly reason: (text: string) => Html;
  readonly number: (value: number) => string;
  readonly moment: (iso: string, style?: 'brief') => Html;
}

export function wordsIn(language: Language): Words {
  const say: Words['say'] = (nb, en) => (language === 'nb' ? nb : en);
  const marked = (text: string, mark?: Mark): Html => {
    const name = mark !== undefined && html` class="${mark}"`;
    return html`<span${name}>${text}</span>`;
  };
  const term: Words['term'] = (word, mark) => marked(termOf(word)[language], mark);
  const heading: Words['heading'] = (word, mark) => marked(capitalized(termOf(word)[language]), mark);
  const either: Words['either'] = (text) => {
    const english = text.nb === text.en && html` lang="en"`;
    return html`<span${english}>${text[language]}</span>`;
  };
  return {
    language,
    say,
    term,
    heading,
    either,
    reason: (text) => either(plainly(text)),
    number: (value) => writeNumber(value, language),
    moment: (iso, style) => momentOf(iso, language, style),
  };
}

/** H15: the feeds that the page's address names. */
function selectionQuery({ selection }: Status): URLSearchParams {
  return new URLSearchParams(selection === null ? [] : [['feeds', selection.feeds.join(',')]]);
}

/** H15: says which feeds the page is about, and leads to the whole. */
function scopeOf({ selection }: Status, reader: ChosenLanguage, { say }: Words): Html | null {
  if (selection === null) return null;
  const ids = joined(selection.feeds.map(code), ', ');
  const all = say('Vis hele kalenderen', 'Show the whole calendar');
  return html`<p>${say('Bare kildene', 'Only the feeds')} ${ids}. <a href="status${languageQuery(reader)}">${all}</a></p>\n`;
}

function opening(status: Status, reader: ChosenLanguage, words: Words): Html {
  const { say, term } = words;
  const items = status.concerns.map((concern) => concernItem(concern, words));
  const isWell = html`<p class="lede good">${term(status.state)}. ${say('Alt er i orden.', 'All OK.')}</p>`;
  const concerns = html`<ul class="concerns">\n${items}</ul>`;
  return html`<div class="state">
<h1>Status</h1>
${scopeOf(status, reader, words)}${items.length === 0 ? isWell : concerns}
${pairsOf(status.selection === null ? FACTS : CALENDAR_FACTS, status, words)}</div>
`;
}

function concernItem(concern: ShownConcern, words: Words): Html {
  const { name, what, since, advice } = concern;
  const { say, moment, language, either } = words;
  const begun = since !== null && html`${say('Siden', 'Since')} ${moment(since)}. `;
  const place = name === 'records dropped' ? '#findings' : '#more';
  const link = html`<a href="${place}">${say('Mer om dette', 'More about this')}</a>`;
  const paragraphs = concern.details.map((detail) => html`<p class="detail">${either(detail)}</p>`);
  return html`<li><p class="lede bad">${what[language]}</p>
<p>${begun}${advice[language]} ${link}</p>${paragraphs}</li>\n`;
}

/** A value's name in both languages, and how it is shown; null omits it. */
type Shown<Value> = readonly [nb: string, en: string, show: (value: Value, words: Words) => Content];

const code = (text: string): Html => html`<code>${text}</code>`;

const CALENDAR_FACTS: readonly Shown<Status>[] = [
  ['Øyeblikksbilde', 'Snapshot', ({ snapshot }) => snapshot && code(snapshot.id)],
  ['Bygget', 'Built', ({ snapshot }, { moment }) => snapshot && moment(snapshot.builtAt)],
  ['Sist avvist', 'Last refused', ({ refusal }, { moment }) => refusal && moment(refusal.at)],
  ['Årsak', 'Why', ({ refusal }, { reason }) => refusal && reason(refusal.reason)],
];

const FACTS: readonly Shown<Status>[] = [
  ...CALENDAR_FACTS,
  ['Kommende arrangementer', 'Upcoming events', ({ snapshot }) => snapshot?.upcoming],
  ['Objektlager', 'Object store', ({ store }) => store && html`${code(store.name)} ${code(store.id ?? '–')}`],
  ['Arbeid i gang', 'In progress', ({ load }) => load.working],
  ['Arbeid i kø', 'Queued', ({ load }) => load.waiting],
  ['Avvist med 503', 'Refused with 503', ({ load }) => load.refused],
];

const written = (content: Content, { number }: Words): Content =>
  typeof content === 'number' ? number(content) : (content ?? null);

function pairsOf<Value>(all: readonly Shown<Value>[], value: Value, words: Words): Html {
  return pairs(all.map(([nb, en, show]) => [words.say(nb, en), written(show(value, words), words)]));
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
  caption: ['De siste byggingene på denne maskinen', 'The latest builds on this machine'],
  columns: [
    ['Begynte', 'Began', ({ startedAt }, { moment }) => moment(startedAt, 'brief')],
    ['Hva', 'What', ({ kind }, { heading }) => heading(kind)],
    [
      'Utfall',
      'Outcome',
      ({ outcome }, { heading }) => heading(outcome, outcome === 'failed' ? 'bad' : 'good'),
    ],
    ['Sekunder', 'Seconds', ({ milliseconds }) => milliseconds / 1_000],
    ['Årsak', 'Why', ({ reason: why }, { reason }) => why && reason(why)],
  ],
};

/** Folded away: there can be hundreds of names. */
export function changesIn(changes: Status['changes'], { say, moment, number, term }: Words): Html | null {
  if (changes.length === 0) return null;
  const builds = changes.map(({ builtAt, counts, lists }) => {
    const done = KINDS.map((kind) => html` · ${term(kind)}: ${number(counts[kind])}`);
    const named = KINDS.map((kind) =>
      lists[kind].map((one) => html`<li>${say(ONE[kind][0], ONE[kind][1])}: ${changeIn(one)}</li>\n`),
    );
    return html`<p>${moment(builtAt)}${done}</p>\n<ul>${named}</ul>\n`;
  });
  return details(
    say('De siste byggingene som endret noe', 'The latest builds that changed something'),
    builds,
  );
}

/** The change of one record. */
const ONE = {
  added: ['ny', 'added'],
  changed: ['endret', 'changed'],
  renamed: ['nytt navn', 'renamed'],
  removed: ['fjernet', 'removed'],
} as const;

function changeIn({ id, title, fields, from }: NamedChange): Html {
  const before = from === null ? '' : ` (${from})`;
  const changed = fields.length > 0 && html` <span lang="en">${fields.join(', ')}</span>`;
  return html`${code(id)} ${title}${before}${changed}`;
}

const FEEDS: Table<Status['feeds'][number]> = {
  caption: ['Kilder kalenderen henter fra', 'Feeds that the calendar reads'],
  columns: [
    ['Kilde', 'Feed', ({ id }) => code(id)],
    ['Type', 'Type', ({ kind }, { heading }) => (kind === 'corrections' ? heading(kind) : kind)],
    ['Tilstand', 'State', ({ state }, { heading }) => heading(state, state === 'ok' ? 'good' : 'bad')],
    ['Sist hentet', 'Last read', ({ readAt }, { moment }) => readAt && moment(readAt, 'brief')],
    ['Har feilet siden', 'Failing since', ({ since }, { moment }) => since && moment(since, 'brief')],
    ['Årsak', 'Why', ({ why }, { reason }) => why && reason(why)],
  ],
};

const CALLERS: Table<Caller> = {
  caption: ['Forespørsler siden start', 'Requests since the start'],
  columns: [
    ['Navn', 'Name', ({ kind, name }, { heading }) => html`${heading(kind)} ${name && code(name)}`],
    ['Forespørsler', 'Requests', ({ requests }) => requests],
    ['Med feil', 'With errors', ({ errors }) => errors],
    ['Avvist', 'Refused', ({ refused }) => refused],
    ['Mislyktes', 'Failed', ({ failed }) => failed],
  ],
};

const REPORT: readonly Shown<BuildReport>[] = [
  [
    'Oppføringer som ble beholdt',
    'Records kept',
    ({ lists }, { say, number, heading }) => {
      const some = lists.filter(({ read }) => read > 0);
      return some.map(({ list, kept, read }) => {
        const share = `${number(kept)} ${say('av', 'of')} ${number(read)}`;
        return html`<div>${heading(list)}: ${share}</div>`;
      });
    },
  ],
  ['Beholdt, men allerede over', 'Kept, but already over', ({ over }) => over || null],
  ['Mangler kommune', 'Without a municipality', (report, words) => withoutMunicipality(report, words)],
  [
    'Merknader',
    'Findings',
    ({ actions }, { number, heading }) =>
      actions.map(({ action, count }) => html`<div>${heading(action)}: ${number(count)}</div>`),
  ],
];

/** F8: no town's page shows these events. */
function withoutMunicipality({ withoutMunicipality: gap }: BuildReport, { say, number }: Words): Content {
  if (gap === null || gap.events === 0) return null;
  const reason = gap.hasRegister
    ? say(
        'stedene har verken kommune eller et postnummer som står i postal-codes.tsv',
        'their places have neither a municipality nor a postal code that postal-codes.tsv lists',
      )
    : say('filen postal-codes.tsv mangler i kildemappen', 'the source folder has no postal-codes.tsv');
  const events = gap.events === 1 ? say('arrangement', 'event') : say('arrangementer', 'events');
  return `${number(gap.events)} ${events}: ${reason}`;
}

/** The records that the snapshot was made of, and what became of them. */
export function reportIn(report: BuildReport, words: Words): Html {
  const { say, number } = words;
  const { findings, findingsLeftOut } = report;
  const leftOut =
    findingsLeftOut > 0 && html`<p>${say('Ikke vist', 'Not shown')}: ${number(findingsLeftOut)}</p>`;
  const list = html`<ol class="findings" id="findings">
${findings.map((finding) => html`<li>${findingIn(finding, words)}</li>\n`)}</ol>
${leftOut}`;
  const folded = findings.length > 0 && details(say('Vis merknadene', 'Show the findings'), list);
  return html`${pairsOf(REPORT, report, words)}${folded}`;
}

/** The report's own words are English: on a Norwegian page, those that have no translation are a sentence apart. */
function findingIn(
  { place, id, field, action, expected, found, since }: Finding,
  { say, term, either }: Words,
): Html {
  const first = since !== null && ` (${say('først', 'first on')} ${since.slice(0, 10)})`;
  const where = [place, id, field].map((part) => part !== null && html`${code(part)} `);
  const en = found === null ? `Expected ${expected}.` : `Expected ${expected}, found ${found}.`;
  const difference = either({ nb: inNorwegian(expected, found) ?? en, en });
  return html`${where}${term(action)}${first}. ${difference}`;
}

/** `/status` for people: the value that scripts get as JSON. Well or not stands first, and what to do; the rest follows in little room. */
import { type Content, type Html, html } from '../page/html.ts';
import { details, frame, type PageName, pairs, renderSection, type Section, table } from '../page/page.ts';
import type { ChosenLanguage } from '../page/reader.ts';
import { actionsIn, findingsIn } from './findings.ts';
import { plot } from './plots.ts';
import { KINDS, type NamedChange } from './reports.ts';
import type { Status } from './status.ts';
import { trafficSection } from './traffic-page.ts';
import { type InBoth, type Words, wordsIn } from './words.ts';

interface StatusPageOptions extends ChosenLanguage {
  readonly menu: readonly PageName[];
}

export function renderStatus(status: Status, options: StatusPageOptions): Html {
  const words = wordsIn(options.language);
  const { say, moment, span, bytes } = words;
  const sections = [
    buildsSection(status, words),
    sourceSection(status, words),
    trafficSection(status, words),
  ];
  const { node, pid, uptimeSeconds, residentBytes } = status.process;
  const [ran, memory] = [span(uptimeSeconds), bytes(residentBytes)];
  return frame({
    ...options,
    title: 'Status – almanakk',
    description: say(
      'Hvordan det står til med kalenderen og tjenesten.',
      'How the calendar and the service are doing.',
    ),
    page: 'status',
    content: html`${opening(status, words)}${sections.map((section) => section !== null && renderSection(section))}`,
    footer: html`<p>${moment(status.at)} · ${say(`har gått i ${ran} med ${memory} minne`, `has run for ${ran} with ${memory} of memory`)} · Node ${node} · PID ${pid} · <a href="?format=json">JSON</a> · <a href="metrics">${say('Måltall for Prometheus', 'Metrics for Prometheus')}</a></p>\n`,
  });
}

const STATES: Readonly<Record<Status['state'], InBoth>> = {
  serving: ['I drift', 'Serving'],
  waiting: ['Venter på kalenderen', 'Waiting for the calendar'],
  stopping: ['På vei ned', 'Going down'],
};

function opening(status: Status, words: Words): Html {
  const { say, moment, language } = words;
  const { concerns, state } = status;
  const items = concerns.map(
    ({ what, since, details, advice, link }) => html`<li><p class="lede bad">${what[language]}</p>
<p>${since !== null && html`${say('Siden', 'Since')} ${moment(since)}. `}${advice[language]}${link !== null && html` <a href="${link}">${say('Mer om dette', 'More about this')}</a>`}</p>${details.map((detail) => html`<p class="detail"${detail.nb === detail.en && html` lang="en"`}>${detail[language]}</p>`)}</li>\n`,
  );
  return html`<div class="state">
<h1>Status</h1>
${
  items.length === 0
    ? html`<p class="lede good">${say(...STATES[state])}. ${say('Alt er i orden.', 'All is well.')}</p>`
    : html`<ul class="concerns">\n${items}</ul>`
}
${pairs(factsOf(status, words))}</div>
`;
}

type Pair = readonly [name: string, value: Content];

function factsOf({ snapshot, refusal, replica, store }: Status, words: Words): readonly Pair[] {
  const { say, number, moment, span, bytes } = words;
  const facts: Pair[] = [];
  if (snapshot !== null) {
    const { id, builtAt, ageSeconds, counts, nextChangeAt } = snapshot;
    const [age, upcoming] = [span(ageSeconds), number(snapshot.upcoming)];
    const [events, dates] = [number(counts.events), number(counts.occurrences)];
    facts.push(
      [
        say('Øyeblikksbilde', 'Snapshot'),
        html`<code>${id}</code>, ${moment(builtAt)} (${say(`for ${age} siden`, `${age} ago`)})`,
      ],
      [
        say('Arrangementer', 'Events'),
        say(
          `${upcoming} kommende; ${events} med ${dates} datoer i filen`,
          `${upcoming} upcoming; ${events} with ${dates} dates in the file`,
        ),
      ],
      [say('Neste endring i et svar', 'Next change of an answer'), moment(nextChangeAt)],
    );
  }
  if (refusal !== null) {
    const value = html`${moment(refusal.at)}<br>${words.reason(refusal.reason)}`;
    facts.push([say('Sist avvist', 'Last refused'), value]);
  }
  if (replica !== null) {
    const { lagSeconds: lag, lastCopyAt } = replica;
    const behind = lag === null ? say('ikke kjent', 'not known') : span(lag);
    facts.push([
      say('Sist kopiert', 'Last copied'),
      html`${moment(lastCopyAt)}, ${say('etterslep', 'lag')} ${behind}`,
    ]);
  }
  if (store !== null) {
    const { name, id, sentAt } = store;
    const has = id === null ? say('ingenting', 'nothing') : html`<code>${id}</code>`;
    const sent = `${bytes(store.bytes)} ${say('siden start', 'since the start')}`;
    facts.push([
      say('Objektlager', 'Object store'),
      html`<code>${name}</code>: ${has}, ${moment(sentAt)}, ${sent}`,
    ]);
  }
  return facts;
}

function buildsSection({ builds, changes }: Status, words: Words): Section | null {
  if (builds.length === 0 && changes.length === 0) return null;
  const content = html`${builds.length > 0 && stripOf(builds, words)}${changesIn(changes, words)}`;
  return { id: 'builds', title: words.say('Bygginger', 'Builds'), content };
}

/** Builds in a strip. */
const IN_STRIP = 20;

const OUTCOMES: Readonly<Record<Status['builds'][number]['outcome'], InBoth>> = {
  published: ['utgitt', 'published'],
  unchanged: ['uendret', 'unchanged'],
  failed: ['mislyktes', 'failed'],
};

function stripOf(builds: Status['builds'], { say, number }: Words): Html {
  const strip = builds.slice(0, IN_STRIP).toReversed();
  const longest = Math.max(1, ...strip.map(({ milliseconds }) => milliseconds));
  const columns = strip.map(({ kind, startedAt, outcome, milliseconds }) => {
    const what = `${kind === 'pull' ? say('kopi, ', 'copy, ') : ''}${say(...OUTCOMES[outcome])}`;
    return {
      height: milliseconds / longest,
      title: `${startedAt.slice(0, 16).replace('T', ' ')} UTC: ${what}, ${number(milliseconds / 1_000)} s`,
      isBad: outcome === 'failed',
    };
  });
  const [count, failed] = [number(strip.length), number(columns.filter(({ isBad }) => isBad).length)];
  const summary = say(
    `De siste ${count} på denne maskinen, den nyeste til høyre; høyden er tiden. Mislyktes: ${failed}.`,
    `The last ${count} on this machine, the latest on the right; the height is the time. Failed: ${failed}.`,
  );
  return html`${plot(columns, summary)}<p>${columns.at(-1)?.title}</p>\n`;
}

const CHANGED: Readonly<Record<(typeof KINDS)[number], InBoth>> = {
  added: ['Nye', 'Added'],
  changed: ['Endret', 'Changed'],
  renamed: ['Nytt navn', 'Renamed'],
  removed: ['Fjernet', 'Removed'],
};

export function changesIn(changes: Status['changes'], { say, number, moment }: Words): Content {
  if (changes.length === 0) return null;
  const rows = changes.map(({ builtAt, counts, lists }) => [
    moment(builtAt, 'brief'),
    ...KINDS.map((kind) => number(counts[kind])),
    html`<ul>
${KINDS.map((kind) => lists[kind].map((change) => html`<li>${say(...CHANGED[kind])}: ${nameOf(change)}</li>\n`))}</ul>`,
  ]);
  const columns = [
    say('Bygd', 'Built'),
    ...KINDS.map((kind) => say(...CHANGED[kind])),
    say('Hvilke', 'Which'),
  ];
  const caption = say('De siste byggingene som endret noe', 'The latest builds that changed something');
  return details(caption, table({ isCards: true, caption, columns, figures: [1, 2, 3, 4], rows }));
}

function nameOf({ id, title, fields, from }: NamedChange): Html {
  const before = from === null ? '' : ` (${from})`;
  return html`<code>${id}</code> ${title}${before}${fields.length > 0 && html` <span lang="en">${fields.join(', ')}</span>`}`;
}

/** The records that the snapshot was made of, and the feeds. */
function sourceSection({ report, feeds }: Status, words: Words): Section | null {
  if (report === null && feeds.length === 0) return null;
  const content = html`${report && recordsIn(report, words)}${feeds.length > 0 && feedsIn(feeds, words)}`;
  return { id: 'report', title: words.say('Kilden', 'The source'), content };
}

function recordsIn(report: NonNullable<Status['report']>, words: Words): Html {
  const { say, number } = words;
  const lists = report.lists
    .filter(({ read }) => read > 0)
    .map(
      ({ list, read, kept }, place) =>
        html`${place > 0 && ', '}<code>${list}</code> ${number(kept)} ${say('av', 'of')} ${number(read)}`,
    );
  const over = number(report.over);
  return html`<p>${say('Poster som ble beholdt:', 'Records that were kept:')} ${lists}. ${
    report.over > 0 &&
    say(
      `Av arrangementene som ble beholdt, er ${over} over og ikke med i kalenderen.`,
      `Of the events that were kept, ${over} are over and not in the calendar.`,
    )
  }</p>
<p>${actionsIn(report, words)}</p>
${findingsIn(report, words)}`;
}

const FEED_STATES: ReadonlyMap<string, InBoth> = new Map([
  ['ok', ['i orden', 'well']],
  ['stale', ['svikter, siste gode brukes', 'failing, its last good records are used']],
  ['failed', ['svikter', 'failing']],
]);

function feedsIn(feeds: Status['feeds'], { say, moment, reason }: Words): Html {
  const rows = feeds.map(({ id, kind, state, since, readAt, why }) => [
    html`<code>${id}</code>`,
    kind,
    html`<span class="${state === 'ok' ? 'good' : 'bad'}">${say(...(FEED_STATES.get(state) ?? [state, state]))}</span>`,
    readAt === null ? '–' : moment(readAt, 'brief'),
    [
      since !== null && html`${say('Siden', 'Since')} ${moment(since, 'brief')}. `,
      why !== null && reason(why),
    ],
  ]);
  const columns = [
    say('Kilde', 'Feed'),
    say('Slag', 'Kind'),
    say('Tilstand', 'State'),
    say('Sist hentet', 'Last read'),
    say('Grunn', 'Why'),
  ];
  const caption = say('Kilder som kalenderen henter inn', 'Feeds that the calendar takes in');
  return table({ isCards: true, caption, columns, rows });
}

/** `/status` for people: the value that scripts get as JSON. Well or not stands first, and what to do; the rest follows in little room. */
import { plainly } from '../facts/concerns.ts';
import { type Content, type Html, html } from '../page/html.ts';
import {
  details,
  frame,
  momentOf,
  type PageName,
  pairs,
  renderSection,
  type Section,
  table,
} from '../page/page.ts';
import { type ChosenLanguage, type Language, writeBytes, writeNumber, writeSpan } from '../page/reader.ts';

import { actionsIn, findingsIn } from './findings.ts';
import { plot } from './plots.ts';
import { KINDS, type NamedChange } from './reports.ts';
import type { Status } from './status.ts';
import { TEXTS } from './texts.ts';
import type { Usage } from './usage.ts';

interface StatusPageOptions extends ChosenLanguage {
  readonly menu: readonly PageName[];
}

export function renderStatus(status: Status, options: StatusPageOptions): Html {
  const { language } = options;
  const texts = TEXTS[language];
  const sections = [
    buildsSection(status, language),
    sourceSection(status, language),
    trafficSection(status, language),
  ];
  const { node, pid, uptimeSeconds, residentBytes } = status.process;
  const memory = writeBytes(residentBytes, language);
  return frame({
    ...options,
    title: `${texts.title} – almanakk`,
    description: texts.description,
    page: 'status',
    content: html`${opening(status, language)}${sections.map((section) => section !== null && renderSection(section))}`,
    footer: html`<p>${momentOf(status.at, language)} · ${texts.process(writeSpan(uptimeSeconds, language), memory)} · Node ${node} · PID ${String(pid)} · <a href="?format=json">JSON</a> · <a href="metrics">${texts.metrics}</a></p>\n`,
  });
}

function opening(status: Status, language: Language): Html {
  const texts = TEXTS[language];
  const { snapshot, refusal, replica, store, concerns } = status;
  return html`<div class="state">
<h1>${texts.title}</h1>
${concerns.length === 0 && html`<p class="lede good">${texts.allWell(texts.state[status.state])}</p>`}${
  concerns.length > 0 &&
  html`<ul class="concerns">
${concerns.map(
  ({ what, since, details, advice, link }) => html`<li><p class="lede bad">${what[language]}</p>
<p>${since !== null && html`${texts.since} ${momentOf(since, language)}. `}${advice[language]}${link !== null && html` <a href="${link}">${texts.more}</a>`}</p>${details.map((detail) => html`<p class="detail"${detail.nb === detail.en && html` lang="en"`}>${detail[language]}</p>`)}</li>\n`,
)}</ul>`
}
${pairs([
  ...(snapshot === null ? [] : snapshotPairs(snapshot, language)),
  [texts.refusal, refusal && html`${momentOf(refusal.at, language)}<br>${inWords(refusal.reason, language)}`],
  ...(replica === null ? [] : replicaPairs(replica, language)),
  ...(store === null ? [] : storePairs(store, language)),
])}</div>
`;
}

/** A reason that has no words here is in English. */
function inWords(reason: string, language: Language): Html {
  const { nb, en } = plainly(reason);
  return html`<span${nb === en && html` lang="en"`}>${language === 'nb' ? nb : en}</span>`;
}

type Pairs = readonly (readonly [name: string, value: Content])[];

function snapshotPairs(snapshot: NonNullable<Status['snapshot']>, language: Language): Pairs {
  const texts = TEXTS[language];
  const { id, builtAt, ageSeconds, counts, upcoming, nextChangeAt } = snapshot;
  const number = (value: number) => writeNumber(value, language);
  return [
    [
      texts.snapshot,
      html`<code>${id}</code>, ${momentOf(builtAt, language)} (${texts.ago(writeSpan(ageSeconds, language))})`,
    ],
    [texts.events, texts.counts(number(upcoming), number(counts.events), number(counts.occurrences))],
    [texts.nextChange, momentOrNever(nextChangeAt, language)],
  ];
}

function replicaPairs(replica: NonNullable<Status['replica']>, language: Language): Pairs {
  const texts = TEXTS[language];
  const { lagSeconds, lastCopyAt } = replica;
  const lag = lagSeconds === null ? texts.unknown : writeSpan(lagSeconds, language);
  return [[texts.copy, html`${momentOrNever(lastCopyAt, language)}, ${texts.lag} ${lag}`]];
}

function storePairs(store: NonNullable<Status['store']>, language: Language): Pairs {
  const texts = TEXTS[language];
  const { name, id, sentAt, bytes } = store;
  const has = id === null ? texts.nothing : html`<code>${id}</code>`;
  const sent = texts.sent(writeBytes(bytes, language));
  return [[texts.store, html`<code>${name}</code>: ${has}, ${momentOrNever(sentAt, language)}, ${sent}`]];
}

function momentOrNever(iso: string | null, language: Language): Content {
  return iso === null ? TEXTS[language].never : momentOf(iso, language);
}

/** Builds in a strip. */
const IN_STRIP = 20;

function buildsSection({ builds, changes }: Status, language: Language): Section | null {
  if (builds.length === 0 && changes.length === 0) return null;
  const texts = TEXTS[language];
  return {
    id: 'builds',
    title: texts.builds,
    content: html`${stripOf(builds, language)}${changesIn(changes, language)}`,
  };
}

function stripOf(builds: Status['builds'], language: Language): Content {
  if (builds.length === 0) return null;
  const texts = TEXTS[language];
  const strip = builds.slice(0, IN_STRIP).toReversed();
  const longest = Math.max(...strip.map(({ milliseconds }) => milliseconds));
  const wordsOf = ({ kind, startedAt, outcome, milliseconds }: Status['builds'][number]) =>
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC: ${kind === 'pull' ? texts.copied : ''}${texts.outcomes[outcome]}, ${writeNumber(milliseconds / 1_000, language)} s`;
  const columns = strip.map((build) => ({
    height: build.milliseconds / Math.max(1, longest),
    title: wordsOf(build),
    isBad: build.outcome === 'failed',
  }));
  const failed = strip.filter(({ outcome }) => outcome === 'failed').length;
  const summary = texts.strip(writeNumber(strip.length, language), writeNumber(failed, language));
  return html`<figure>${plot(columns, summary)}<figcaption>${summary}</figcaption></figure>
<p>${strip.slice(-1).map(wordsOf)}</p>
`;
}

export function changesIn(changes: Status['changes'], language: Language): Content {
  if (changes.length === 0) return null;
  const texts = TEXTS[language];
  const rows = changes.map(({ builtAt, counts, lists }) => [
    momentOf(builtAt, language, 'brief'),
    ...KINDS.map((kind) => writeNumber(counts[kind], language)),
    html`<ul>
${KINDS.map((kind) => lists[kind].map((change) => html`<li>${texts.changed[kind]}: ${nameOf(change)}</li>\n`))}</ul>`,
  ]);
  const columns = [texts.built, ...KINDS.map((kind) => texts.changed[kind]), texts.which];
  const caption = texts.changesCaption;
  return details(caption, table({ isCards: true, caption, columns, figures: [1, 2, 3, 4], rows }));
}

function nameOf({ id, title, fields, from }: NamedChange): Html {
  const before = from === null ? '' : ` (${from})`;
  return html`<code>${id}</code> ${title}${before}${fields.length > 0 && html` <span lang="en">${fields.join(', ')}</span>`}`;
}

/** The records that the snapshot was made of, and the feeds. */
function sourceSection({ report, feeds }: Status, language: Language): Section | null {
  if (report === null && feeds.length === 0) return null;
  return {
    id: 'report',
    title: TEXTS[language].source,
    content: html`${report && recordsIn(report, language)}${feeds.length > 0 && feedsIn(feeds, language)}`,
  };
}

function recordsIn(report: NonNullable<Status['report']>, language: Language): Html {
  const texts = TEXTS[language];
  const number = (value: number) => writeNumber(value, language);
  const lists = report.lists
    .filter(({ read }) => read > 0)
    .map(({ list, read, kept }, place) => {
      const separator = place > 0 && ', ';
      return html`${separator}<code>${list}</code> ${texts.kept(number(kept), number(read))}`;
    });
  return html`<p>${texts.records} ${lists}. ${report.over > 0 && texts.over(number(report.over))}</p>
<p>${actionsIn(report, language)}</p>
${findingsIn(report, language)}`;
}

function feedsIn(feeds: Status['feeds'], language: Language): Html {
  const texts = TEXTS[language];
  const states: Readonly<Record<string, string>> = texts.states;
  const rows = feeds.map(({ id, kind, state, since, readAt, why }) => [
    html`<code>${id}</code>`,
    kind,
    html`<span class="${state === 'ok' ? 'good' : 'bad'}">${(Object.hasOwn(states, state) && states[state]) || state}</span>`,
    readAt === null ? '–' : momentOf(readAt, language, 'brief'),
    [
      since !== null && html`${texts.since} ${momentOf(since, language, 'brief')}. `,
      why !== null && inWords(why, language),
    ],
  ]);
  const columns = [texts.feed, texts.kind, texts.feedState, texts.readAt, texts.why];
  return table({ isCards: true, caption: texts.feedsCaption, columns, rows });
}

/** Rows that a table of usage shows. */
const MOST_ROWS = 6;
/** Where callers ask for the calendar: the endpoint and the lists. Pages and their parts interest nobody here. */
const CALENDAR = /^\/(?:graphQL|events\.\w+|changes\.json)$/;

/** The callers, their queries, and the part of answers that was cached. */
function trafficSection({ traffic, reuse, load, quota, hours }: Status, language: Language): Section {
  const texts = TEXTS[language];
  const number = (value: number) => writeNumber(value, language);
  const usage = (caption: string, column: string, rows: readonly Usage[], name: (row: Usage) => Content) =>
    table({
      isCards: true,
      caption,
      columns: [column, texts.requests, texts.errors, texts.refused, texts.failed, texts.mean],
      figures: [1, 2, 3, 4, 5],
      rows: rows
        .slice(0, MOST_ROWS)
        .map((row) => [
          name(row),
          ...[row.requests, row.errors, row.refused, row.failed].map(number),
          `${writeMilliseconds(row.meanMilliseconds, language)} ms`,
        ]),
    });
  const operations = traffic.operations.filter(({ kind }) => CALENDAR.test(kind));
  return {
    id: 'traffic',
    title: texts.traffic,
    intro: html`<p>${texts.trafficIntro}</p>`,
    content: html`${plotsOf(hours, language)}${pairs([
      [
        texts.requests,
        `${number(traffic.requests)}, ${texts.reuse(reuse.rate === null ? '–' : `${number(reuse.rate * 100)} %`)}`,
      ],
      [texts.load, texts.work(number(load.working), number(load.waiting), number(load.refused))],
      [
        texts.quota,
        quota && texts.limits(limitOf(quota.anonymous, language), limitOf(quota.keyed, language)),
      ],
    ])}${details(
      texts.whoAsks,
      html`${usage(texts.callersCaption, texts.caller, traffic.callers, (caller) => callerOf(caller, language))}${usage(
        texts.operationsCaption,
        texts.operation,
        operations,
        ({ kind, name }) => html`<code>${kind}</code>${name !== '' && html` <code>${name}</code>`}`,
      )}`,
    )}`,
  };
}

function plotsOf(hours: Status['hours'], language: Language): Html {
  const texts = TEXTS[language];
  const plotted = (
    caption: (most: string) => string,
    unit: string,
    read: (hour: Status['hours'][number]) => number,
  ) => {
    const most = Math.max(0, ...hours.map(read));
    const write = (value: number) => `${writeMilliseconds(value, language)}${unit}`;
    const summary = caption(write(most));
    const columns = hours.map((hour) => ({
      height: read(hour) / Math.max(most, Number.MIN_VALUE),
      title: `${hour.at.slice(0, 13).replace('T', ' ')}:00 UTC: ${write(read(hour))}`,
    }));
    return html`<figure>${plot(columns, summary)}<figcaption>${summary}</figcaption></figure>\n`;
  };
  return html`<div class="plots">
${plotted(texts.requestsPlot, '', ({ requests }) => requests)}${plotted(texts.p95Plot, ' ms', ({ p95Milliseconds }) => p95Milliseconds ?? 0)}</div>
`;
}

function callerOf({ kind, name }: Usage, language: Language): string {
  const callers: Readonly<Record<string, string>> = TEXTS[language].callers;
  return name === '' ? (callers[kind] ?? kind) : name;
}

function limitOf(limit: number | null, language: Language): string {
  const texts = TEXTS[language];
  return limit === null ? texts.unlimited : texts.aMinute(writeNumber(limit, language));
}

/** Cached answers take hundredths of a millisecond. */
function writeMilliseconds(value: number, language: Language): string {
  if (value >= 1 || value === 0) return writeNumber(value, language);
  return language === 'nb' ? value.toFixed(2).replace('.', ',') : value.toFixed(2);
}

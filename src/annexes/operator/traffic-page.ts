/** Who asks for what, on the page of `/status`. */
import { type Content, type Html, html } from '../page/html.ts';
import { details, pairs, type Section, table } from '../page/page.ts';
import { plot } from './plots.ts';
import type { Status } from './status.ts';
import type { Usage } from './usage.ts';
import type { InBoth, Words } from './words.ts';

/** The callers, their queries, and the part of answers that was cached. */
export function trafficSection({ traffic, reuse, load, quota, hours }: Status, words: Words): Section {
  const { say, number } = words;
  const rate = reuse.rate === null ? '–' : `${number(reuse.rate * 100)} %`;
  const [working, waiting, refused] = [load.working, load.waiting, load.refused].map(number);
  const limit = (most: number | null) =>
    most === null ? say('ingen grense', 'no limit') : `${number(most)} ${say('i minuttet', 'a minute')}`;
  const figures = pairs([
    [
      say('Forespørsler', 'Requests'),
      `${number(traffic.requests)}, ${say(`${rate} av svarene lå klare`, `${rate} of the answers were at hand`)}`,
    ],
    [
      say('Arbeid', 'Work'),
      say(
        `${working} i gang, ${waiting} venter, ${refused} avvist med 503`,
        `${working} under way, ${waiting} waiting, ${refused} refused with 503`,
      ),
    ],
    [
      say('Kvote', 'Quota'),
      quota &&
        `${say('uten nøkkel', 'without a key')} ${limit(quota.anonymous)}, ${say('for en applikasjon', 'for an application')} ${limit(quota.keyed)}`,
    ],
  ]);
  return {
    id: 'traffic',
    title: say('Trafikk', 'Traffic'),
    intro: html`<p>${say(
      'Tallene er siden start, for alle prosessene på denne maskinen; kurvene er fra den av dem som svarte på dette.',
      'The figures are since the start, for all processes of this machine; the plots are of the one that answered this.',
    )}</p>`,
    content: html`${plotsOf(hours, words)}${figures}${usageIn(traffic, words)}`,
  };
}

/** Where callers ask for the calendar: the endpoint and the lists. Pages and their parts interest nobody here. */
const CALENDAR = /^\/(?:graphQL|events\.\w+|changes\.json)$/;

const CALLERS: ReadonlyMap<string, InBoth> = new Map([
  ['anonymous', ['uten nøkkel', 'without a key']],
  ['operator', ['operatørens egne', "the operator's own"]],
]);

function usageIn({ callers, operations }: Status['traffic'], words: Words): Html {
  const { say } = words;
  const callerOf = ({ kind, name }: Usage) => name || say(...(CALLERS.get(kind) ?? [kind, kind]));
  const operationOf = ({ kind, name }: Usage) =>
    html`<code>${kind}</code>${name !== '' && html` <code>${name}</code>`}`;
  const asked = operations.filter(({ kind }) => CALENDAR.test(kind));
  return details(say('Hvem som spør, og om hva', 'Who asks, and for what'), [
    usageTable(callers, callerOf, words, [
      say('Etter hvem som spør', 'By who asks'),
      say('Applikasjon', 'Application'),
    ]),
    usageTable(asked, operationOf, words, [
      say('Etter hva det spørres om', 'By what is asked for'),
      say('Adresse og felt', 'Path and field'),
    ]),
  ]);
}

/** Rows of a table of usage. */
const MOST_ROWS = 6;

function usageTable(
  all: readonly Usage[],
  nameOf: (row: Usage) => Content,
  { say, number, milliseconds }: Words,
  [caption, column]: readonly [string, string],
): Html {
  const columns = [
    column,
    say('Forespørsler', 'Requests'),
    say('Med feil', 'With errors'),
    say('Avvist', 'Refused'),
    say('Svikt', 'Failed'),
    say('Middels tid', 'Mean time'),
  ];
  const rows = all
    .slice(0, MOST_ROWS)
    .map((row) => [
      nameOf(row),
      ...[row.requests, row.errors, row.refused, row.failed].map(number),
      `${milliseconds(row.meanMilliseconds)} ms`,
    ]);
  return table({ isCards: true, caption, columns, figures: [1, 2, 3, 4, 5], rows });
}

function plotsOf(hours: Status['hours'], { say, milliseconds }: Words): Html {
  const plotted = (caption: string, unit: string, values: readonly number[]) => {
    const most = Math.max(0, ...values);
    const columns = hours.map(({ at }, place) => ({
      height: (values[place] ?? 0) / Math.max(most, Number.MIN_VALUE),
      title: `${at.slice(0, 13).replace('T', ' ')}:00 UTC: ${milliseconds(values[place] ?? 0)}${unit}`,
    }));
    return plot(columns, `${caption} ${milliseconds(most)}${unit}`);
  };
  const requests = hours.map((hour) => hour.requests);
  const times = hours.map(({ p95Milliseconds }) => p95Milliseconds ?? 0);
  return html`<div class="plots">
${plotted(say('Forespørsler i timen, siste døgn; mest', 'Requests an hour, the last day; most'), '', requests)}${plotted(say('95 av 100 svar var gjort innen, siste døgn; mest', '95 of 100 answers were done within, the last day; most'), ' ms', times)}</div>
`;
}

/** The parts of `/status` about the calendar's builds: the report of the current snapshot's build, and the changes that the latest builds made. */
import { decisionRows } from '../../calendar/decision-rows.ts';
import { sumOf } from '../../calendar/groups.ts';
import { parseSourceDatetime, parseSourceDay } from '../../calendar/input-datetime.ts';
import { writeDay, writeMoment } from '../page/dates.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { details, example } from '../page/parts.ts';
import type { Language } from '../page/reader.ts';
import type { BuildReport, Finding, Waiting } from './build-report.ts';
import { inNorwegian } from './finding-words.ts';
import type { Status } from './status.ts';
import { code, pairsOf, type Shown, type Table, tableOf, type Words } from './status-parts.ts';
import { KINDS, type NamedChange } from './stored-build.ts';

/** The numbers of records and findings; and the findings, folded away. */
export function reportIn(report: BuildReport, words: Words): Html {
  return html`${pairsOf(REPORT, report, words)}${findingsIn(report, words)}`;
}

/** Rows of the table: the rest is counted. */
const MOST_WAITING = 100;

const WAITING: Table<Waiting['events'][number]> = {
  caption: ['Venter på godkjenning', 'Waiting for approval', 'Ventar på godkjenning'],
  columns: [
    ['Id', 'Id', 'Id', ({ id }) => code(id)],
    [
      'Tittel',
      'Title',
      'Tittel',
      ({ title, link }) => (link === null ? title : html`<a href="${link}">${title}</a>`),
    ],
    ['Dato', 'Date', 'Dato', ({ start }, { language }) => start && inWords(start, language)],
    ['Sted', 'Place', 'Stad', ({ place }) => place],
    ['Kilde', 'Feed', 'Kjelde', ({ feed }) => code(feed)],
    [
      'Har ventet siden',
      'Waiting since',
      'Har venta sidan',
      ({ since, wasApproved }, { moment, say }) =>
        since && html`${moment(since, 'brief')}${wasApproved ? `, ${say(...CHANGED)}` : null}`,
    ],
  ],
};

/** `5. februar 2027 kl. 19.00`, or a day alone; a text that is neither stays as it is. */
function inWords(datetime: string, language: Language): string {
  const day = parseSourceDay(datetime);
  if (day !== null) return writeDay(day, 'dayMonthYear', language);
  const moment = parseSourceDatetime(datetime);
  return moment === null ? datetime : writeMoment(moment.instant, language);
}

const CHANGED = [
  'endret siden godkjenningen',
  'changed since its approval',
  'endra sidan godkjenninga',
] as const;

/** F17: the events that wait for a decision, and rows for the correction sheet, in which only the decision is missing. */
export function waitingIn({ waiting: { counts, events } }: BuildReport, words: Words): Html {
  const { say, number } = words;
  const shown = events.slice(0, MOST_WAITING);
  const more = sumOf(Object.values(counts)) - shown.length;
  const rows = decisionRows(shown);
  const unshown = say(
    'Venter på godkjenning, ikke vist',
    'Waiting for approval, not shown',
    'Ventar på godkjenning, ikkje vist',
  );
  const toPaste = rows.length > 0 ? rowsToPaste(rows, words) : null;
  const others = more > 0 ? html`<p>${unshown}: ${number(more)}</p>` : null;
  return html`${tableOf(WAITING, shown, words)}${toPaste}${others}`;
}

function rowsToPaste(rows: readonly string[], { say }: Words): Html {
  const hint = say(
    'Rader til et retteark med kolonnene Id, Godkjent og Merknad først. Lim dem inn nederst i arket, og skriv ja eller nei i Godkjent:',
    'Rows for a correction sheet that begins with the columns Id, Approved and Note. Paste them at its end, and write yes or no in Approved:',
    'Rader til eit retteark med kolonnane Id, Godkjend og Merknad først. Lim dei inn nedst i arket, og skriv ja eller nei i Godkjend:',
  );
  return html`<p id="decisions">${hint}</p>\n${example('decisions', rows.join('\n'))}`;
}

const REPORT: readonly Shown<BuildReport>[] = [
  ['Oppføringer som er tatt med', 'Records kept', 'Oppføringar som er tekne med', keptRecords],
  [
    'Tatt med, men allerede over',
    'Kept, but already over',
    'Tekne med, men alt over',
    ({ over }) => over || null,
  ],
  ['Mangler kommune', 'Without a municipality', 'Manglar kommune', withoutMunicipality],
  ['Merknader', 'Findings', 'Merknader', countedActions],
];

/** `events: 4 of 5`; a list without records is left out. */
function keptRecords({ lists }: BuildReport, { say, number, heading }: Words): Content {
  const some = lists.filter(({ read }) => read > 0);
  return some.map(({ list, kept, read }) => {
    const share = `${number(kept)} ${say('av', 'of', 'av')} ${number(read)}`;
    return html`<div>${heading(list)}: ${share}</div>`;
  });
}

function countedActions({ actions }: BuildReport, { number, heading }: Words): Content {
  return actions.map(({ action, count }) => html`<div>${heading(action)}: ${number(count)}</div>`);
}

/** F8: no town's page shows these events. */
function withoutMunicipality({ withoutMunicipality: gap }: BuildReport, { say, number }: Words): Content {
  if (gap === null || gap.events === 0) return null;
  const reason = gap.hasRegister
    ? say(
        'stedene har verken kommune eller et postnummer som står i postal-codes.tsv. En kilde kan ha en fast kommune (municipality i defaults)',
        'their places have neither a municipality nor a postal code that postal-codes.tsv lists. A feed can have a default one (municipality in its defaults)',
        'stadene har verken kommune eller eit postnummer som står i postal-codes.tsv. Ei kjelde kan ha ein fast kommune (municipality i defaults)',
      )
    : say(
        'filen postal-codes.tsv mangler i kildemappen',
        'the source folder has no postal-codes.tsv',
        'fila postal-codes.tsv manglar i kjeldemappa',
      );
  const events =
    gap.events === 1
      ? say('arrangement', 'event', 'arrangement')
      : say('arrangementer', 'events', 'arrangement');
  return `${number(gap.events)} ${events}: ${reason}`;
}

function findingsIn({ findings, findingsLeftOut }: BuildReport, words: Words): Html | null {
  if (findings.length === 0) return null;
  const { say, number } = words;
  const items = findings.map((finding) => html`<li>${findingIn(finding, words)}</li>\n`);
  const notShown = say('Ikke vist', 'Not shown', 'Ikkje vist');
  const leftOut = findingsLeftOut > 0 ? html`<p>${notShown}: ${number(findingsLeftOut)}</p>` : null;
  const list = html`<ol class="findings" id="findings">
${items}</ol>
${leftOut}`;
  return details(say('Vis merknadene', 'Show the findings', 'Vis merknadene'), list);
}

/** The report's own words are English: on a Norwegian page, those that have no translation are a sentence apart. */
function findingIn(
  { place, id, field, action, expected, found, since }: Finding,
  { say, term, either, language }: Words,
): Html {
  const first =
    since !== null
      ? ` (${say('først', 'first on', 'først')} ${inWords(since.slice(0, 10), language)})`
      : null;
  const where = [place, id, field].map((part) => (part === null ? null : html`${code(part)} `));
  const en = found === null ? `Expected ${expected}.` : `Expected ${expected}, found ${found}.`;
  const nb = inNorwegian(expected, found, 'nb') ?? en;
  const difference = either({ nb, en, nn: inNorwegian(expected, found, 'nn') ?? en });
  return html`${where}${term(action)}${first}. ${difference}`;
}

/** Folded away, because there can be hundreds of names. */
export function changesIn(changes: Status['changes'], words: Words): Html | null {
  if (changes.length === 0) return null;
  const { say } = words;
  const title = say(
    'De siste byggingene som endret noe',
    'The latest builds that changed something',
    'Dei siste byggingane som endra noko',
  );
  return details(
    title,
    changes.map((build) => changedBy(build, words)),
  );
}

/** The changes of one build: their numbers, and those that are named. */
function changedBy(
  { builtAt, counts, lists }: Status['changes'][number],
  { say, moment, number, term }: Words,
): Html {
  const numbers = KINDS.map((kind) => html` · ${term(kind)}: ${number(counts[kind])}`);
  const named = KINDS.map((kind) => {
    const [nb, en, nn] = ONE[kind];
    return lists[kind].map((change) => html`<li>${say(nb, en, nn)}: ${changeIn(change)}</li>\n`);
  });
  return html`<p>${moment(builtAt)}${numbers}</p>\n<ul>${named}</ul>\n`;
}

/** The kind of change, of one record. */
const ONE = {
  added: ['ny', 'added', 'ny'],
  changed: ['endret', 'changed', 'endra'],
  renamed: ['nytt navn', 'renamed', 'nytt namn'],
  removed: ['fjernet', 'removed', 'fjerna'],
} as const;

function changeIn({ id, title, fields, from }: NamedChange): Html {
  const before = from === null ? '' : ` (${from})`;
  const changed = fields.length > 0 ? html` <span lang="en">${fields.join(', ')}</span>` : null;
  return html`${code(id)} ${title}${before}${changed}`;
}

/** The tables of README.md and docs/ that are generated from the code. */
import { Registry } from 'prom-client';
import { describedColumns } from '../../jobs/public-edition/shape.ts';
import { SETTINGS } from '../../jobs/settings.ts';
import { createMetrics } from '../../src/annexes/operator/metrics.ts';
import { createTraffic } from '../../src/annexes/operator/traffic.ts';
import * as annexes from '../../src/annexes.ts';
import type { EventField } from '../../src/calendar/field.ts';
import { EVENT } from '../../src/calendar/fields.ts';
import { peerAddressOf } from '../../src/serve/http/caller.ts';
import { CORE_SETTINGS } from '../../src/settings/core.ts';
import { BENCHMARKS, benchmarkTables, newspapersTable } from './bench-results.ts';
import { TWO_MACHINES } from './blocks.ts';
import { anchorOf, readPage } from './document.ts';
import { minutesOf, openingOf } from './opening.ts';

const RULES = 'docs/rules.md';

/** The list of all pages of `docs/`, by what a reader wants to do. */
export const INDEX = 'docs/README.md';

const PAGES_BY_TASK: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['I have a spreadsheet, a feed or a website', ['sources', 'editors', 'feeds', 'source-format']],
  ['I plan a calendar for a group of newspapers', ['newspapers']],
  ['I build a site, an app or a screen', ['api', 'clients', 'feeds-out', 'wordpress', 'limits']],
  [
    'I run a server',
    [
      'planning',
      'operating',
      'containers',
      'upgrading',
      'settings',
      'watching',
      'on-call',
      'scaling',
      'two-machines',
      'cdn',
      'microsoft-365',
      'privacy',
      'releases',
    ],
  ],
  ['I want the data', ['data']],
  ['I change the code', ['architecture', 'contributing', 'walks', 'rules', 'decisions', 'benchmarks']],
  ['På norsk', ['norsk', 'aviser', 'redaktor', 'personvern']],
];

/** What somebody reads who runs two machines in production. */
const FOR_TWO_MACHINES = ['planning', 'operating', 'two-machines', 'cdn', 'watching', 'on-call', 'upgrading'];

interface GeneratedTable {
  readonly page: string;
  /** The first table under it is replaced. */
  readonly heading: string;
  /** The table, in Markdown. */
  readonly table: string;
}

export async function generatedTables(): Promise<readonly GeneratedTable[]> {
  return [
    ...settingsTables().map(([heading, table]) => ({ page: 'docs/settings.md', heading, table })),
    ...benchmarkTables().map(([heading, table]) => ({ page: BENCHMARKS, heading, table })),
    { page: 'docs/planning.md', heading: 'Estimate the costs', table: newspapersTable() },
    { page: 'docs/data.md', heading: 'The tables', table: publicTables() },
    { page: RULES, heading: 'Index', table: rulesTable(readPage(RULES)) },
    { page: 'docs/source-format.md', heading: 'Events', table: eventFieldsTable() },
    { page: 'docs/watching.md', heading: 'Look up a metric', table: metricsTable() },
    { page: 'docs/watching.md', heading: 'Switch off parts of the server', table: partsTable() },
  ];
}

/** The index of all pages, and the order in which to read some of them. `read`: gives a page by its path. */
export function indexTables(read: (page: string) => string): readonly GeneratedTable[] {
  const index = PAGES_BY_TASK.map(([heading, names]) => ({
    page: INDEX,
    heading,
    table: indexTable(names, read),
  }));
  const path = {
    page: TWO_MACHINES,
    heading: 'Read in this order',
    table: indexTable(FOR_TWO_MACHINES, read),
  };
  return [...index, path];
}

/** Settings that the smallest calendar needs. */
const FIRST = new Set([
  'PORT',
  'HOST',
  ...'SOURCE SNAPSHOTS CRON KEYS PUBLIC_URL MEMORY_MB'.split(' ').map((name) => `ALMANAKK_${name}`),
]);

function settingsTables(): readonly (readonly [heading: string, table: string])[] {
  const all = Object.values(SETTINGS);
  const core = new Set<string>(Object.values(CORE_SETTINGS).map(({ name }) => name));
  const rest = all.filter(({ name }) => !FIRST.has(name));
  return [
    ['Start with these', settingsTable(all.filter(({ name }) => FIRST.has(name)))],
    ['The server and its builds', settingsTable(rest.filter(({ name }) => core.has(name)))],
    ['Optional features', settingsTable(rest.filter(({ name }) => !core.has(name)))],
  ];
}

function settingsTable(settings: readonly (typeof SETTINGS)[keyof typeof SETTINGS][]): string {
  const rows = settings.map((setting) => {
    const { name, fallback, description } = setting;
    const note = 'isSecret' in setting ? ' [May be in a file](#keep-secrets-in-files).' : '';
    return [`\`${name}\``, fallback === '' ? 'none' : `\`${fallback}\``, description + note];
  });
  return markdownTable(['name', 'default', 'meaning'], rows);
}

function indexTable(names: readonly string[], read: (page: string) => string): string {
  const rows = names.map((name) => {
    const text = read(`docs/${name}.md`);
    const { title, summary } = openingOf(text);
    return [`[${title}](${name}.md)`, summary, `${minutesOf(text)}`];
  });
  return markdownTable(['page', 'content', 'minutes'], rows);
}

function publicTables(): string {
  const described = describedColumns();
  const tables = described.filter(({ column }) => column === '');
  const rows = tables.map(({ table, about }) => {
    const columns = described.filter((one) => one.table === table && one.column !== '');
    return [`\`${table}\``, about, columns.map(({ column }) => `\`${column}\``).join(', ')];
  });
  return markdownTable(['table', 'a row is', 'columns'], rows);
}

/** The titles of all rules, by their groups. */
function rulesTable(page: string): string {
  const link = (heading: string) => `[${heading.replace('. ', ' ')}](${anchorOf(heading)})`;
  const [, ...groups] = page.split(/^## (?=[A-Z]\. )/m);
  const rows = groups.map((group) => {
    const titles = [...group.matchAll(/^### (.+)$/gm)].map(([, title = '']) => link(title));
    const [name = ''] = group.split('\n');
    return [link(name), titles.join(', ')];
  });
  return markdownTable(['group', 'rules'], rows);
}

/** Parts of a server that can be switched off. */
function partsTable(): string {
  const rows = Object.values(annexes).flatMap((annex) => {
    if (!('optional' in annex)) return [];
    const { name, what } = annex.optional;
    return [[`\`${name}\``, what]];
  });
  rows.sort(([left = ''], [right = '']) => left.localeCompare(right, 'en'));
  return markdownTable(['name', 'without it, the server lacks'], rows);
}

/** almanakk's own metrics, as `/metrics` describes them. */
function metricsTable(): string {
  const registry = new Registry();
  createTraffic(registry, peerAddressOf);
  createMetrics(registry, async () => {
    throw new Error('expected that no value is read');
  });
  const own = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('almanakk_'));
  own.sort((left, right) => left.name.localeCompare(right.name, 'en'));
  const rows = own.map((metric) => {
    const { name, help } = metric;
    const labels = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames : [];
    const shown = labels.length === 0 ? name : `${name}{${labels.join(',')}}`;
    return [`\`${shown}\``, help];
  });
  return markdownTable(['metric, with its labels', 'meaning'], rows);
}

/** Fields of an event with rules of their own. The others have a description in the table of fields. */
const RULED_FIELDS: readonly (readonly [names: string, text: string])[] = [
  [
    '`slug`, `eventLink`',
    "the last part of the event's URL (at most 80 of `a-z`, `0-9` and `-`), or the full URL; by default derived once from the title and `siteUrl`: see [above](#venues-and-organizers)",
  ],
  ['`desc_nb`, `desc_en`', 'descriptions; HTML formatting is kept'],
  ['`categories`', 'ids of categories and subcategories'],
  ['`tags`', 'keywords'],
  ['`mode`', '`offline` (default) or `online`'],
  ['`venue`, `organizers`', 'an id, and a list of ids'],
  [
    '`images`',
    'objects with `urlSmall`, `urlLarge`, `alt`, `caption`, `credits`, `focusX`, `focusY`, `width`, `height`',
  ],
  ['`ticketsInformation`', '`noTicketsInfo` (default), `ticketsInfo` or `free`'],
  [
    '`prices`',
    'objects with `type`, `price`, `name_nb`, `name_en`; a price is a number, or a string of digits with an optional `.` fraction, and is rounded; anything else, such as `1 200`, `1.200` or `100 kr`, is not a price',
  ],
  ['`ticketsURL`, `eventCancelled`, `eventSoldOut`', 'apply to all dates without their own value'],
  ['`superEvent` or `super_event`', 'the id of the container that it belongs to'],
  ['`isFeaturedInSpecialEvent`', "`true` or `false`: whether it is featured in the licence's `specialEvent`"],
];

/** Plain fields of which the same is said share a row. */
function eventFieldsTable(): string {
  const bySource = new Map<string, string[]>();
  for (const [name, { source }] of Object.entries<EventField>(EVENT)) {
    if (source !== undefined) bySource.set(source, [...(bySource.get(source) ?? []), `\`${name}\``]);
  }
  const plain = [...bySource].map(([source, names]) => [names.join(', '), source]);
  return markdownTable(
    ['field', 'value'],
    [...RULED_FIELDS, ...plain, ['`dates`, `repeats`', 'the dates of the event']],
  );
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return lines.join('').replace(/^(\| ---.*)$/m, (line) => line.replaceAll(' ', ''));
}

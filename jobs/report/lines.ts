/** G2: words findings, numbers and lists for a report. */
import { abridged, groupBy } from '../../src/calendar/groups.ts';
import { type Finding, findingLine, whereOf } from '../findings.ts';
import { alikeKey, isAboutMissing } from './findings.ts';

/** A noun in the singular and in the plural. */
export type Nouns = readonly [one: string, many: string];

export const EVENTS: Nouns = ['event', 'events'];
export const ENTRIES: Nouns = ['entry', 'entries'];
export const CORRECTIONS: Nouns = ['correction', 'corrections'];
export const FEEDS: Nouns = ['feed', 'feeds'];
export const PAGES: Nouns = ['page', 'pages'];
export const DATES: Nouns = ['date', 'dates'];
export const OCCURRENCES: Nouns = ['occurrence', 'occurrences'];
export const VENUES: Nouns = ['venue', 'venues'];
export const GROUPS: Nouns = ['group', 'groups'];

/** A number with commas between thousands; a text as it is. */
export function formatted(cell: string | number): string {
  return typeof cell === 'string' ? cell : cell.toLocaleString('en');
}

export function counted(count: number, [one, many]: Nouns): string {
  return `${formatted(count)} ${count === 1 ? one : many}`;
}

export function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}

export function wasOrWere(count: number): string {
  return count === 1 ? 'was' : 'were';
}

/** The lines; none if they would count nothing. */
export function unlessNone(count: number, ...lines: readonly string[]): readonly string[] {
  return count === 0 ? [] : lines;
}

/** `a, b and c`. */
export function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** A label and its numbers in columns. */
export function row([label, ...cells]: readonly [string, ...(string | number)[]]): string {
  return label.padEnd(LABEL_WIDTH) + cells.map((cell) => formatted(cell).padStart(CELL_WIDTH)).join('');
}

/** Characters. */
const LABEL_WIDTH = 18;
const CELL_WIDTH = 12;

/** A blank line, the heading and its lines; empty without lines. */
export function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', heading, ...lines.map((line) => `  ${line}`)];
}

/** Lines of a section whose lines have different subjects. */
export const MOST_LINES = 100;

/** The first lines of a list that the JSON of the report has whole. */
export function atMost(most: number, lines: readonly string[]): readonly string[] {
  return abridged(lines, {
    most,
    more: (count) => `… and ${formatted(count)} more; --json has all of them`,
  });
}

/** One line for each group of similar findings, with their number, across all feeds. */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  return [...groupBy(findings, alikeKey).values()].map(alikeLine);
}

/** Places that a line names: an editor visits each one where something is missing. */
const MOST_PLACES = { missing: 10, changed: 3 };

/** One finding, or the number of similar ones and the places of some. */
function alikeLine(group: readonly Finding[]): string {
  const [first, ...more] = group;
  if (first === undefined) return '';
  if (more.length === 0) return findingLine(first);
  const { action, expected, found, alike = group.length } = first;
  const shown = group.slice(0, isAboutMissing(first) ? MOST_PLACES.missing : MOST_PLACES.changed);
  const rest = alike > shown.length ? '; …' : '';
  const what = `${formatted(alike)} times ${action}, expected ${expected}`;
  const haveSameFound = more.every((further) => further.found === found);
  if (haveSameFound) return `${what}, found ${found}: ${shown.map(whereOf).join('; ')}${rest}`;
  const places = shown.map((finding) => `${whereOf(finding)} ${finding.found}`);
  return `${what}: ${places.join('; ')}${rest}`;
}

/** README.md and the pages of docs/ as Markdown: their sections, anchors, tables, and code between backticks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../src/package.ts';

/** README.md and the pages of docs/, as paths from the root. */
export function allPages(): readonly string[] {
  const docs = readdirSync(packagePath('docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)];
}

/** The files in a folder, as paths from the root of the project. */
export function filesIn(folder: string): readonly string[] {
  const names = readdirSync(packagePath(folder), { recursive: true, withFileTypes: true });
  const prefix = packagePath(folder).length + 1;
  return names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(folder, join(parentPath, name).slice(prefix)));
}

export function readPage(page: string): string {
  return readFileSync(packagePath(page), 'utf8');
}

interface Section {
  readonly heading: string;
  readonly text: string;
}

/** A block of code: its language and its text. */
export const FENCED = /^```(\w*)\n(.*?)^```$/gms;

/** Sections by heading, whatever its level. Lines of a block are not headings. */
export function sectionsIn(markdown: string): readonly Section[] {
  const sections: { heading: string; text: string }[] = [];
  let fenced = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    const heading = fenced ? undefined : /^#+ (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, text: '' });
    const last = sections.at(-1);
    if (last !== undefined) last.text += `${line}\n`;
  }
  return sections;
}

/** The anchors of headings, as GitHub makes them, and those that the page has in its tables. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const ofHeadings = sectionsIn(markdown).map(({ heading }) => anchorOf(heading));
  const inTables = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => `#${id}`);
  return new Set([...ofHeadings, ...inTables]);
}

export function anchorOf(heading: string): string {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '');
  return `#${plain.replaceAll(' ', '-')}`;
}

/** Code between single backticks, outside of blocks. */
export function spansIn(markdown: string): readonly string[] {
  return [...withoutBlocks(markdown).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

export function withoutBlocks(markdown: string): string {
  return markdown.replaceAll(FENCED, '');
}

/** The first table of a section, as it is written. */
export function tableIn(markdown: string, heading: string): string {
  const section = sectionsIn(markdown).find((found) => found.heading === heading);
  const table = /(^\|.*\n)+/m.exec(section?.text ?? '')?.[0];
  if (table === undefined) throw new Error(`expected a table under "${heading}", found none`);
  return table;
}

export function withTable(markdown: string, heading: string, table: string): string {
  const before = markdown.search(new RegExp(`^#+ ${heading}$`, 'm'));
  return markdown.slice(0, before) + markdown.slice(before).replace(tableIn(markdown, heading), () => table);
}

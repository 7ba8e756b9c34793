/** README.md and the pages of docs/ as a test reads them: sections, and the blocks of code in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';

export interface Block {
  readonly page: string;
  /** Heading, language and number among those: unique in the page. */
  readonly key: string;
  readonly heading: string;
  readonly language: string;
  readonly text: string;
  /** The path in the paragraph before it: "`path`:". */
  readonly file: string | null;
}

interface Section {
  readonly heading: string;
  readonly text: string;
}

/** Every page, as a path from the root. */
export function pagesThereAre(): readonly string[] {
  const docs = readdirSync(packagePath('docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)];
}

export function readPage(page: string): string {
  return readFileSync(packagePath(page), 'utf8');
}

const FENCED = /^```(\w*)\n(.*?)^```$/gms;

export function blocksOf(page: string): readonly Block[] {
  const counts = new Map<string, number>();
  return sectionsIn(readPage(page)).flatMap(({ heading, text }) =>
    [...text.matchAll(FENCED)].map((match): Block => {
      const [, language = '', code = ''] = match;
      const kind = `${heading} › ${language}`;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      const file = /\n\n`([^`\n]+)`:\n\n$/.exec(text.slice(0, match.index))?.[1] ?? null;
      return { page, key: `${kind} ${count}`, heading, language, text: code, file };
    }),
  );
}

/** The shape of a block, wherever it stands. A part that is not given may be anything. */
export interface Shape {
  readonly language?: string;
  readonly file?: RegExp;
  readonly says?: RegExp;
}

export function hasShape(block: Block, { language, file, says }: Shape): boolean {
  const isInLanguage = language === undefined || block.language === language;
  const isSavedThere = file === undefined || (block.file !== null && file.test(block.file));
  const isSaid = says === undefined || says.test(block.text);
  return isInLanguage && isSavedThere && isSaid;
}

/** The only block of that shape in all pages. */
export function theBlock(shape: Shape): Block {
  const found = pagesThereAre().flatMap(blocksOf);
  const [block, ...others] = found.filter((candidate) => hasShape(candidate, shape));
  if (block === undefined || others.length > 0) {
    const wanted = Object.values(shape).join(', ');
    throw new Error(
      `expected one block in README.md and docs/ with ${wanted}, found ${block ? 'several' : 'none'}`,
    );
  }
  return block;
}

/** The files and commands of an administrator on a Debian machine, in their order. */
export function debianBlocks(): readonly Block[] {
  return pagesThereAre().flatMap(blocksOf).filter(isOnDebian);
}

export function isOnDebian({ file, language, text }: Block): boolean {
  return (
    file?.startsWith('/') ||
    (language === 'sh' &&
      /\b(?:apt-get|systemctl)\b|\/var\/|\/docs\/debian\b|\bdebian\/|^almanakk-/m.test(text))
  );
}

/** Sections by heading, whatever its level. Lines within a block are no headings. */
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

/** The anchors of headings, as GitHub makes them. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  return new Set(sectionsIn(markdown).map(({ heading }) => anchorOf(heading)));
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

/** How a page begins: its title, the line about its readers, and a paragraph whose first sentence says what the page has. */
const OPENING =
  /^# (.+)\n\n(?:Audience|Målgruppe): (.+)\. (?:Reading time|Lesetid): (\d+) (?:minutes?|minutt(?:er)?)\.\n\n((?:.+\n)+)/;

export interface Opening {
  readonly title: string;
  readonly audience: string;
  /** The reading time that the page states. */
  readonly minutes: number;
  readonly summary: string;
}

export function openingOf(markdown: string): Opening {
  const match = OPENING.exec(markdown);
  if (match === null) {
    const found = markdown.slice(0, 120);
    throw new Error(`expected a title and "Audience: …. Reading time: … minutes.", found ${found}`);
  }
  const [, title = '', audience = '', minutes = '', paragraph = ''] = match;
  const flowing = paragraph.replaceAll('\n', ' ').trim();
  const summary = /^.+?\.(?= |$)/.exec(flowing)?.[0] ?? flowing;
  return { title, audience, minutes: Number(minutes), summary };
}

const WORDS_A_MINUTE = 220;

/** The reading time of a page, code and tables included. */
export function minutesOf(markdown: string): number {
  return Math.max(1, Math.round(markdown.split(/\s+/).length / WORDS_A_MINUTE));
}

/** The page with its reading time brought up to date. */
export function withMinutes(markdown: string): string {
  const minutes = minutesOf(markdown);
  const time = `Reading time: ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  const inNorwegian = `Lesetid: ${minutes} ${minutes === 1 ? 'minutt' : 'minutter'}.`;
  return markdown
    .replace(/(?<=^# .+\n\nAudience: .+\. )Reading time: \d+ minutes?\./, time)
    .replace(/(?<=^# .+\n\nMålgruppe: .+\. )Lesetid: \d+ minutt(?:er)?\./, inNorwegian);
}

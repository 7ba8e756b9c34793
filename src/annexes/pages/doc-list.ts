/** The pages of `docs/` that a server shows. They are in English, and so are their titles, wherever they are listed. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import { type Html, html } from '../page/html.ts';
import { languageQuery } from '../page/links.ts';
import type { ChosenLanguage, TechnicalLanguage } from '../page/reader.ts';

interface Doc {
  readonly name: string;
  /** The heading of the page itself. */
  readonly title: string;
  /** Its first sentence. */
  readonly about: string;
  readonly aboutInNorwegian: string;
}

/** In the order of their list. */
export const DOCS: readonly Doc[] = [
  docOf('api', 'Spørringer og svar i GraphQL, og hvordan du holder en kopi oppdatert.'),
  docOf('clients', 'Apollo, urql, fetch, Python, lagrede spørringer og typer.'),
  docOf('feeds-out', 'Abonner på kalenderen, vis arrangementene på din egen side, eller skriv dem ut.'),
  docOf('wordpress', 'Vis lister og arrangementer i WordPress, skjul arrangementer, og tøm hurtiglagre.'),
  docOf('data', 'Hele kalenderen i én SQLite-fil, med spørringer.'),
  docOf('source-format', 'JSON-filene med arrangementer, felt for felt.'),
  docOf('limits', 'Hvor mye du kan hente, og hvilke grenser som gjelder for kilder.'),
];

export const isDoc = (name: string): boolean => DOCS.some((doc) => doc.name === name);

export function markdownOf(name: string): string {
  return readFileSync(packagePath(`docs/${name}.md`), 'utf8');
}

function docOf(name: string, aboutInNorwegian: string): Doc {
  // The heading, the audience and the opening are a paragraph each.
  const [heading = '', , opening = ''] = markdownOf(name).split('\n\n');
  return { name, title: heading.replace(/^# /, ''), about: firstSentence(opening), aboutInNorwegian };
}

/** The first sentence of a paragraph, whose lines may be wrapped. */
export function firstSentence(paragraph: string): string {
  const [sentence = ''] = /^.*?\.(?=\s|$)/s.exec(paragraph) ?? [];
  return sentence.replaceAll('\n', ' ');
}

interface DocLinks extends ChosenLanguage<TechnicalLanguage> {
  /** The folder's address, relative to the page. */
  readonly folder: '' | 'docs/';
}

/** The items of a definition list. */
export function docItems(links: DocLinks): readonly Html[] {
  return DOCS.map(
    ({ name, about, aboutInNorwegian }) =>
      html`<div><dt>${docLink(name, links)}</dt><dd>${links.language === 'en' ? about : aboutInNorwegian}</dd></div>\n`,
  );
}

export function docLink(name: string, { folder, ...chosen }: DocLinks): Html {
  const title = DOCS.find((doc) => doc.name === name)?.title ?? name;
  const inEnglish = chosen.language !== 'en' ? html` hreflang="en" lang="en"` : null;
  return html`<a href="${folder}${name}${languageQuery(chosen)}"${inEnglish}>${title}</a>`;
}

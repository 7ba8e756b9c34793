/** Parts that pages are made of: sections, tables, pairs, moments. */

import { writeMoment, writeMomentBriefly, writeNumber } from './dates.ts';
import { type Content, type Html, html } from './html.ts';
import type { Language } from './reader.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly intro?: Content;
  readonly content: Content;
}

export function renderSection({ id, title, intro, content }: Section): Html {
  return html`<section class="section" aria-labelledby="${id}">
<div class="section-head">
<h2 id="${id}">${title}</h2>
${intro}
</div>
<div class="section-body">
${content}
</div>
</section>
`;
}

interface TableOptions {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Content[])[];
}

interface Column {
  readonly name: Content;
  readonly isNumber?: boolean;
}

/** Scrolls by itself where it is too wide, also with the keyboard. The first cell of a row names it. */
export function table({ caption, columns, rows }: TableOptions): Html {
  const classOf = (place: number) => columns[place]?.isNumber === true && html` class="number"`;
  return html`<div class="scroller" role="region" aria-label="${caption}" tabindex="0">
<table>
<caption>${caption}</caption>
<thead><tr>${columns.map(({ name }, place) => html`<th scope="col"${classOf(place)}>${name}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (cells) =>
    html`<tr>${cells.map((cell, place) => (place === 0 ? html`<th scope="row"${classOf(place)}>${cell}</th>` : html`<td${classOf(place)}>${cell}</td>`))}</tr>\n`,
)}</tbody>
</table>
</div>
`;
}

/** More than everybody wants to read; opens without a script. */
export function details(summary: Content, content: Content): Html {
  return html`<details>
<summary>${summary}</summary>
${content}
</details>
`;
}

/** An ISO moment on the Norwegian clock. */
export function momentOf(iso: string, language: Language): Html {
  return html`<time datetime="${iso}">${writeMoment(Math.floor(Date.parse(iso) / 1_000), language)}</time>`;
}

/** The same for narrow columns: without the year. */
export function briefMomentOf(iso: string, language: Language): Html {
  return html`<time datetime="${iso}">${writeMomentBriefly(Math.floor(Date.parse(iso) / 1_000), language)}</time>`;
}

export function writeBytes(bytes: number, language: Language): string {
  return bytes < MEGABYTE / 10
    ? `${writeNumber(bytes / 1_024, language)} kB`
    : `${writeNumber(bytes / MEGABYTE, language)} MB`;
}

const MEGABYTE = 1_048_576;

export function pairs(rows: readonly (readonly [name: string, value: Content])[]): Html {
  return html`<dl class="pairs">
${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
`;
}

/** The parts of a page's content: sections, tables, details, examples, moments. */
import { writeMoment } from './dates.ts';
import { type Content, type Html, html } from './html.ts';
import type { ChosenLanguage, Language } from './reader.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  /** For a list of contents; the title by default. */
  readonly short?: string;
  readonly intro?: Content;
  readonly content: Content;
  /** Without a margin for the heading. */
  readonly isWide?: boolean;
}

export function renderSection({ id, title, intro, content, isWide = false }: Section): Html {
  return html`<section class="${isWide ? 'section wide' : 'section'}" aria-labelledby="${id}">
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
  readonly columns: readonly string[];
  /** Indexes of the columns with figures. */
  readonly figures?: readonly number[];
  readonly rows: readonly (readonly Content[])[];
  /** On a phone, each row is a card with its cells under one another. */
  readonly isCards?: boolean;
}

/** A table that scrolls on its own if it is too wide, also by keyboard. The first cell of a row is its heading. */
export function table({ caption, columns, figures = [], rows, isCards = false }: TableOptions): Html {
  // Browsers lose a table's semantics when its style turns it into blocks.
  const role = (name: string) => (isCards ? html` role="${name}"` : null);
  const label = (index: number) => (isCards ? html` data-label="${columns[index]}"` : null);
  const classOf = (index: number) => (figures.includes(index) ? html` class="number"` : null);
  const columnHead = (name: string, index: number) =>
    html`<th scope="col"${role('columnheader')}${classOf(index)}>${name}</th>`;
  const cellOf = (cell: Content, index: number) =>
    index === 0
      ? html`<th scope="row"${role('rowheader')}${classOf(index)}>${cell}</th>`
      : html`<td${role('cell')}${label(index)}${classOf(index)}>${cell}</td>`;
  const rowOf = (cells: readonly Content[]) => html`<tr${role('row')}>${cells.map(cellOf)}</tr>\n`;
  const cards = isCards ? html` class="cards"` : null;
  return html`<div class="scroller" role="region" aria-label="${caption}" tabindex="0">
<table${cards}${role('table')}>
<caption>${caption}</caption>
<thead${role('rowgroup')}><tr${role('row')}>${columns.map(columnHead)}</tr></thead>
<tbody${role('rowgroup')}>
${rows.map(rowOf)}</tbody>
</table>
</div>
`;
}

/** Details that only some readers want; opens without a script. */
export function details(summary: Content, content: Content, isOpen = false): Html {
  const open = isOpen ? html` open` : null;
  return html`<details${open}>
<summary>${summary}</summary>
${content}
</details>
`;
}

/** A program or markup to copy, labelled by the element with this id. */
export function example(nameId: string, code: Content): Html {
  return html`<div class="copied"><pre class="example" role="region" aria-labelledby="${nameId}" tabindex="0"><code>${code}</code></pre></div>\n`;
}

/** An ISO moment in Norwegian time; `brief` for narrow columns. */
export function momentOf(iso: string, language: Language, style?: 'dayMonthYear' | 'brief'): Html {
  return html`<time datetime="${iso}">${writeMoment(Date.parse(iso) / 1_000, language, style)}</time>`;
}

/** Omits pairs without a value. */
export function pairs(rows: readonly (readonly [name: string, value: Content])[]): Html {
  const present = rows.filter(([, value]) => !isEmpty(value));
  return html`<dl class="pairs">
${present.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
`;
}

function isEmpty(value: Content): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === undefined || value === '';
}

/** The `lang` attribute of an element whose text is in another language than the page. */
export const langOf = (text: Pick<ChosenLanguage, 'language'>, language: Language): Html | null =>
  text.language !== language ? html` lang="${text.language}"` : null;

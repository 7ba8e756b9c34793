/** HTML as tagged templates. Every value is escaped, unless it is HTML itself. Attribute values need quotes. */
import { escapeUTF8 } from 'entities/escape';

export interface Html {
  readonly html: string;
}

/** What a template can contain. A part that is not there is null, or undefined if an option leaves it out; a text without words is empty. */
export type Content = Html | string | number | null | undefined | readonly Content[];

export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = strings[0] ?? '';
  for (const [index, content] of contents.entries()) text += written(content) + (strings[index + 1] ?? '');
  return trustedHtml(text);
}

/**
 * Text that is HTML already and is not escaped: a program of this project wrote it, or a build sanitised it. Never for any other text of a
 * record, nor for text of a request.
 */
export function trustedHtml(text: string): Html {
  return { html: text };
}

/** Text with `code` between backticks, as in the schema's descriptions. */
export function withCode(text: string): Html {
  // Every second part was between two of them.
  const parts = text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
  return html`${parts}`;
}

/** Contents with a text between each two. */
export const joined = (contents: readonly Content[], between: Content): Content =>
  contents.map((content, index) => [index > 0 ? between : null, content]);

/** A long name that may wrap after each `_`. */
export const breakable = (name: string): Content => joined(name.split(/(?<=_)/), html`<wbr>`);

function written(content: Content): string {
  if (typeof content === 'string') return escapeUTF8(content);
  if (typeof content === 'number') return String(content);
  if (content === null || content === undefined) return '';
  return 'html' in content ? content.html : content.map(written).join('');
}

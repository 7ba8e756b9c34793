/** Colours of code, by highlight.js, which no other file imports. It is loaded with the first page that shows code. */
import { createMakeOnce } from './document.ts';
import { type Html, html, trustedHtml } from './html.ts';

/** Code as HTML; plain if nothing is known of its language. */
export type Colour = (code: string, language: string | undefined) => Html;

const loadOnce = createMakeOnce<Colour>(1);

export const loadColours = (): Promise<Colour> => loadOnce([], load);

async function load(): Promise<Colour> {
  const { default: highlighter } = await import('highlight.js/lib/common');
  return (code, language = '') =>
    highlighter.getLanguage(language) === undefined
      ? html`${code}`
      : trustedHtml(highlighter.highlight(code, { language }).value);
}

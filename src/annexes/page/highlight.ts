/** Colours of code, by highlight.js, which no other file imports. It is loaded with the first page that shows code; without it, code has none. */
import { type Html, html } from './html.ts';

/** Code as HTML; plain if nothing is known of its language. */
export type Colour = (code: string, language: string | undefined) => Html;

let loaded: Promise<Colour> | undefined;

export function loadColours(): Promise<Colour> {
  loaded ??= load().catch(() => (code) => html`${code}`);
  return loaded;
}

async function load(): Promise<Colour> {
  const { default: highlighter } = await import('highlight.js/lib/core');
  const modules = await Promise.all([
    import('highlight.js/lib/languages/bash'),
    import('highlight.js/lib/languages/css'),
    import('highlight.js/lib/languages/graphql'),
    import('highlight.js/lib/languages/javascript'),
    import('highlight.js/lib/languages/json'),
    import('highlight.js/lib/languages/python'),
    import('highlight.js/lib/languages/sql'),
    import('highlight.js/lib/languages/typescript'),
    import('highlight.js/lib/languages/xml'),
  ]);
  for (const [place, { default: language }] of modules.entries())
    highlighter.registerLanguage(LANGUAGES[place] ?? '', language);
  return (code, language = '') =>
    highlighter.getLanguage(language) === undefined
      ? html`${code}`
      : { html: highlighter.highlight(code, { language }).value };
}

/** Their other names, such as `sh`, `js` and `html`, are known too. */
const LANGUAGES = ['bash', 'css', 'graphql', 'javascript', 'json', 'python', 'sql', 'typescript', 'xml'];

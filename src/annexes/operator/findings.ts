/** What a build did to its source, in words of the page's language. */
import { type Content, type Html, html } from '../page/html.ts';
import { details } from '../page/page.ts';
import { inEach, type Language, writeNumber } from '../page/reader.ts';
import { wordsOf } from './actions.ts';
import type { BuildReport, Finding } from './reports.ts';

/** Such as `dates dropped: 2, values changed: 1`. */
export function actionsIn({ actions }: BuildReport, language: Language): string {
  if (actions.length === 0) return TEXTS[language].nothing;
  return actions
    .map(({ action, count }) => `${wordsOf(action)[language]}: ${writeNumber(count, language)}`)
    .join(', ');
}

/** Folded away; nothing where there are none. */
export function findingsIn({ findings, findingsLeftOut }: BuildReport, language: Language): Content {
  if (findings.length === 0) return null;
  const texts = TEXTS[language];
  const more = findingsLeftOut > 0 && html`<p>${texts.more(writeNumber(findingsLeftOut, language))}</p>`;
  return details(
    texts.findings,
    html`<ol class="findings" id="findings">
${findings.map((finding) => html`<li>${inWords(finding, language)}</li>\n`)}</ol>
${more}`,
  );
}

/** The report's own words are English: on a Norwegian page they are a sentence apart. */
function inWords({ place, id, field, action, expected, found, since }: Finding, language: Language): Html {
  const texts = TEXTS[language];
  const first = since !== null && ` (${texts.first} ${since.slice(0, 10)})`;
  const parts = [id, field].filter((part) => part !== null).map((part) => html` <code>${part}</code>`);
  return html`<code>${place}</code>${parts}: ${wordsOf(action)[language]}${first}. <span lang="en">Expected ${expected}, found ${found ?? 'what is not public'}.</span>`;
}

const TEXTS = inEach({
  nothing: ['ingen merknader', 'no findings'],
  findings: ['Vis merknadene', 'Show the findings'],
  more: [
    (count: string) => `${count} til er bare talt.`,
    (count: string) => `${count} more are only counted.`,
  ],
  first: ['først', 'first on'],
});

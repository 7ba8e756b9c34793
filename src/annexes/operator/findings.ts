/** What a build did to its source. */
import { type Content, type Html, html } from '../page/html.ts';
import { details } from '../page/page.ts';
import { wordsOf } from './actions.ts';
import type { BuildReport, Finding } from './reports.ts';
import type { Words } from './words.ts';

/** Such as `date dropped: 2, value changed: 1`. */
export function actionsIn({ actions }: BuildReport, { say, number, language }: Words): string {
  if (actions.length === 0) return say('ingen merknader', 'no findings');
  return actions.map(({ action, count }) => `${wordsOf(action)[language]}: ${number(count)}`).join(', ');
}

/** Folded away; nothing where there are none. */
export function findingsIn({ findings, findingsLeftOut }: BuildReport, words: Words): Content {
  if (findings.length === 0) return null;
  const { say, number } = words;
  const left = number(findingsLeftOut);
  return details(
    say('Vis merknadene', 'Show the findings'),
    html`<ol class="findings" id="findings">
${findings.map((finding) => html`<li>${inWords(finding, words)}</li>\n`)}</ol>
${findingsLeftOut > 0 && html`<p>${say(`${left} til er bare talt.`, `${left} more are only counted.`)}</p>`}`,
  );
}

/** The report's own words are English: on a Norwegian page they are a sentence apart. */
function inWords({ place, id, field, action, expected, found, since }: Finding, words: Words): Html {
  const { say, language } = words;
  const first = since !== null && ` (${say('først', 'first on')} ${since.slice(0, 10)})`;
  const parts = [id, field].filter((part) => part !== null).map((part) => html` <code>${part}</code>`);
  return html`<code>${place}</code>${parts}: ${wordsOf(action)[language]}${first}. <span lang="en">Expected ${expected}, found ${found ?? 'what is not public'}.</span>`;
}

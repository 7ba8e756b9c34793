/** What a build did to its source, in words of the page's language. */
import { type Content, type Html, html } from '../page/html.ts';
import { details } from '../page/page.ts';
import { inEach, type Language, writeNumber } from '../page/reader.ts';
import type { BuildReport, Finding } from './reports.ts';

/** Such as `dates dropped: 2, values changed: 1`. */
export function actionsIn({ actions }: BuildReport, language: Language): string {
  if (actions.length === 0) return TEXTS[language].nothing;
  return actions
    .map(({ action, count }) => `${nameOf(action, language)}: ${writeNumber(count, language)}`)
    .join(', ');
}

/** An action of another version has no name here. */
function nameOf(action: string, language: Language): string {
  const names: Readonly<Record<string, string>> = ACTIONS[language];
  return Object.hasOwn(names, action) ? (names[action] ?? action) : action;
}

/** Folded away; nothing where there are none. */
export function findingsIn({ findings, findingsLeftOut }: BuildReport, language: Language): Content {
  if (findings.length === 0) return null;
  const texts = TEXTS[language];
  const more = findingsLeftOut > 0 && html`<p>${texts.more(writeNumber(findingsLeftOut, language))}</p>`;
  return details(
    texts.findings,
    html`<ol class="findings">
${findings.map((finding) => html`<li>${inWords(finding, language)}</li>\n`)}</ol>
${more}`,
  );
}

function inWords(finding: Finding, language: Language): Html {
  const { place, id, field, since } = finding;
  const texts = TEXTS[language];
  const action = nameOf(finding.action, language);
  const expected = html`<span lang="en">${finding.expected}</span>`;
  const first = since !== null && ` (${texts.first} ${since.slice(0, 10)})`;
  return html`<code>${place}</code>${id !== null && html` <code>${id}</code>`}${field !== null && html` <code>${field}</code>`}: ${action}, ${texts.expected} ${expected}, ${texts.found} ${finding.found ?? texts.hidden}${first}`;
}

const TEXTS = inEach({
  nothing: ['ingen merknader', 'no findings'],
  findings: ['Vis merknadene', 'Show the findings'],
  more: [
    (count: string) => `${count} til er bare talt.`,
    (count: string) => `${count} more are only counted.`,
  ],
  first: ['først', 'first on'],
  expected: ['ventet', 'expected'],
  found: ['fant', 'found'],
  hidden: ['noe som ikke er offentlig', 'what is not public'],
});

const ACTIONS = inEach({
  'dropped record': ['poster utelatt', 'records dropped'],
  'dropped series': ['rekker utelatt', 'series dropped'],
  'dropped date': ['datoer utelatt', 'dates dropped'],
  'dropped reference': ['henvisninger utelatt', 'references dropped'],
  'retired unannounced': ['kategorier nedlagt uten varsel', 'categories retired without a notice'],
  'cut rule': ['regler kortet ned', 'rules cut'],
  'dropped value': ['enkeltverdier utelatt', 'single values dropped'],
  'kept as tag': ['ord som ikke er noen kategori', 'words that are no category'],
  'no category': ['arrangementer uten kategori', 'events without a category'],
  merged: ['arrangementer slått sammen', 'events merged'],
  'likely same': ['trolig samme arrangement', 'groups likely the same'],
  'changed value': ['verdier endret', 'values changed'],
  'made safe': ['verdier gjort trygge', 'values made safe'],
  'cut text': ['tekster kortet ned', 'texts cut'],
  'migrated category': ['kategorier byttet ut', 'categories migrated'],
  'left out': ['private eller avløste poster', 'records private or replaced'],
});

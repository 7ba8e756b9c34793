/** Programs that fetch events from this server, complete: to be copied and run as they are. */
import { html } from '../html.ts';
import { inEach } from '../reader.ts';
import type { Section } from '../section.ts';
import type { Context } from './context.ts';

export function start({ figures, snapshot, address, language }: Context): Section {
  const texts = TEXTS[language];
  const examples = examplesFor({
    address,
    category: busiestCategory(figures.hitsByCategory, snapshot.lists),
  });
  return {
    id: 'start',
    title: texts.title,
    intro: html`<p>${texts.intro}</p>`,
    content: examples.map(
      ({
        id,
        name,
        command,
        code,
      }) => html`<h3 id="example-${id}">${name} <span class="aside">${texts.run} <code>${command}</code></span></h3>
<pre class="example" role="region" aria-labelledby="example-${id}" tabindex="0"><code>${code}</code></pre>
`,
    ),
  };
}

/** So that an example has something to show. */
function busiestCategory(
  hits: ReadonlyMap<string, number>,
  { categories }: Context['snapshot']['lists'],
): string | null {
  const [first] = categories
    .filter(({ parent, visible }) => parent === -1 && visible)
    .sort((left, right) => (hits.get(right.id) ?? 0) - (hits.get(left.id) ?? 0));
  return first?.id ?? null;
}

const TEXTS = inEach({
  nb: {
    title: 'Kom i gang',
    intro: 'Kopier og kjør. Hvert eksempel er et helt program og trenger ingenting å installere.',
    run: 'kjøres med',
  },
  en: {
    title: 'Get started',
    intro: 'Copy and run. Each example is a whole program, with nothing to install.',
    run: 'run with',
  },
});

/** Programs that fetch events from this server, complete: to be copied and run as they are. */

interface Example {
  readonly id: string;
  readonly name: string;
  /** How it is run. */
  readonly command: string;
  readonly code: string;
}

interface ExamplesOptions {
  /** Of this server, without a slash at the end. */
  readonly address: string;
  /** Id of a category that has events; null when none has. */
  readonly category: string | null;
}

function examplesFor({ address, category }: ExamplesOptions): readonly Example[] {
  const url = `${address}/graphQL`;
  const filter = category === null ? '{}' : `{"categories": [${JSON.stringify(category)}]}`;
  return [
    { id: 'curl', name: 'curl', command: 'sh', code: inShell(url) },
    { id: 'javascript', name: 'JavaScript', command: 'node events.mjs', code: inJavaScript(url, filter) },
    { id: 'python', name: 'Python', command: 'python3 events.py', code: inPython(url, filter) },
  ];
}

const QUERY = `query Next($filter: Filter) {
  events(filter: $filter, pageSize: 5) {
    totalCount
    data { title_nb title_en startDate eventLink venue { name } }
  }
}`;

function inShell(url: string): string {
  return `curl --silent ${quoted(url)} \\
  --header 'Content-Type: application/json' \\
  --data '{"query": "{ events(pageSize: 5) { data { title_nb startDate } } }"}'`;
}

function inJavaScript(url: string, filter: string): string {
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    query: \`${QUERY.replaceAll('\n', '\n    ')}\`,
    variables: { filter: ${filter} },
  }),
});
const { data, errors } = await response.json();
if (errors) throw new Error(errors[0].message);
console.log(data.events.totalCount + " events");
for (const event of data.events.data) {
  const title = event.title_nb ?? event.title_en;
  console.log(event.startDate, title, event.venue?.name ?? "");
}`;
}

function inPython(url: string, filter: string): string {
  return `import json
from urllib.request import Request, urlopen

query = """
${QUERY}
"""
variables = {"filter": ${filter}}
body = json.dumps({"query": query, "variables": variables}).encode()
headers = {"Content-Type": "application/json"}
with urlopen(Request(${JSON.stringify(url)}, body, headers)) as response:
    answer = json.load(response)
if "errors" in answer:
    raise SystemExit(answer["errors"][0]["message"])
events = answer["data"]["events"]
print(events["totalCount"], "events")
for event in events["data"]:
    title = event["title_nb"] or event["title_en"]
    venue = (event["venue"] or {}).get("name", "")
    print(event["startDate"], title, venue)`;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

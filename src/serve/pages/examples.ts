/** Programs that fetch events from this server, complete: to be copied and run as they are. */

export interface Example {
  readonly id: string;
  readonly name: string;
  /** How it is run. */
  readonly command: string;
  readonly code: string;
}

export interface ExamplesOptions {
  /** Of this server, without a slash at the end. */
  readonly address: string;
  /** Id of a category that has events; null when none has. */
  readonly category: string | null;
}

export function examplesFor({ address, category }: ExamplesOptions): readonly Example[] {
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

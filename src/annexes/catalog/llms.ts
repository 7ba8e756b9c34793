/** `/llms.txt`: the service in half a page, for assistants and for people who read plain text. `/openapi.json` has every address. */
import type { PartRoutes, ServeContext } from '../../serve/annex.ts';
import { GRAPHQL_PATH } from '../../serve/http/graphql-endpoint.ts';
import type { About } from '../facts/facts.ts';
import { type CatalogSettings, createDescription, type Described } from './described.ts';

export function llmsRoute(context: ServeContext<CatalogSettings>): PartRoutes {
  return { '/llms.txt': { GET: createDescription(context, 'text/plain', llmsText), about: LLMS } };
}

const LLMS: About = {
  summary: 'A summary of the service as plain text, for assistants and people.',
  answer: { about: 'Markdown.', type: 'text/plain' },
};

function llmsText({ snapshot, address, abouts }: Described): string {
  const { name, siteUrl, dataLicence, attribution, contact } = snapshot.lists.licence;
  const terms = [dataLicence?.name, dataLicence?.url].filter(Boolean).join(', ');
  const contacts = [contact?.name, contact?.email, contact?.url].filter(Boolean).join(', ');
  const facts = [
    `People read this calendar at ${siteUrl}.`,
    terms === '' ? null : `Its data may be used under ${terms}.`,
    attribution === null ? null : `Credit the source: ${attribution}.`,
    contact === null ? null : `Contact: ${contacts}.`,
  ];
  const offered = PLACES.filter(([path]) => path === GRAPHQL_PATH || abouts[path]);
  const places = offered.map(([path, about]) => `- [${path}](${address}${path}): ${about(address)}\n`);
  return `# ${name}

> Upcoming events with their dates, venues, organizers and prices. Read-only, open to everyone, no key needed. Correct to the second.

${facts.filter((fact) => fact !== null).join(' ')}

## Endpoints

${places.join('')}
## How to use it

- Times are in Norwegian local time (Europe/Oslo). \`startDate\` is the start of an event's next date, and \`repetitions\` are the later dates. Past dates are never included.
- If \`endDate\` is equal to \`startDate\`, the end is unknown.
- A null price never means free, and a null \`availableTickets\` never means sold out: use \`free\`, \`eventSoldOut\` and \`status\`.
- Invalid requests get an error that says what was expected. Cache responses for as long as \`Cache-Control\` allows.
- Request only as many events as you need (\`pageSize\`), and link to \`eventLink\`, the page of the event.
`;
}

/** The endpoints; those for readers with the least time come first. */
const PLACES: readonly (readonly [path: string, about: (address: string) => string])[] = [
  [
    '/mcp',
    () =>
      'a Model Context Protocol server (Streamable HTTP). Its tools find events, show one event with all its dates, and list categories, municipalities, venues and tags.',
  ],
  [
    '/events.json',
    (address) => `events by GET, such as \`${address}/events.json?period=WEEKEND&pageSize=20\`.`,
  ],
  [
    GRAPHQL_PATH,
    () =>
      'GraphQL by POST, such as `{"query": "{ events(filter: { period: TODAY }, pageSize: 5) { totalCount data { title_nb startDate venue { name } eventLink } } }"}`. The schema is `/schema.graphql`.',
  ],
  [
    '/openapi.json',
    () => 'every address with its parameters, including `.ics`, `.rss`, `.csv`, `.geojson` and `.jsonld`.',
  ],
  ['/events.html', () => 'the same events for people, with a search form.'],
  ['/catalog.jsonld', () => 'the calendar as a dataset (DCAT-AP-NO), with its files.'],
];

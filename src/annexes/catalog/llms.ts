/** `/llms.txt`: half a page on what is here, for assistants and for people who read plain text. `/openapi.json` has every address. */
import { GRAPHQL_PATH } from '../../serve/http/graphql-endpoint.ts';
import type { Described } from './dcat.ts';

export function llmsText({ snapshot, address, abouts }: Described): string {
  const { name, siteUrl, dataLicence, attribution, contact } = snapshot.lists.licence;
  const terms = [dataLicence?.name, dataLicence?.url].filter(Boolean).join(', ');
  const contacts = [contact?.name, contact?.email, contact?.url].filter(Boolean).join(', ');
  const facts = [
    `People read this calendar at ${siteUrl}.`,
    terms !== '' && `Its data may be used under ${terms}.`,
    attribution !== null && `Name the source: ${attribution}.`,
    contact !== null && `Contact: ${contacts}.`,
  ];
  const offered = PLACES.filter(([path]) => path === GRAPHQL_PATH || abouts[path]);
  const places = offered.map(([path, about]) => `- [${path}](${address}${path}): ${about(address)}\n`);
  return `# ${name}

> Upcoming events with their dates, venues, organizers and prices. Read-only, open to everybody, without a key. Right to the second.

${facts.filter(Boolean).join(' ')}

## Where to ask

${places.join('')}
## How to read it

- Times are Norwegian (Europe/Oslo). \`startDate\` is that of an event's next date, \`repetitions\` are its later ones. Past dates are never there.
- \`endDate\` equal to \`startDate\` means that no end is known.
- A null price or a null \`availableTickets\` never means free or sold out: \`free\`, \`eventSoldOut\` and \`status\` say that.
- What is not understood is refused, with what was expected. Keep answers for as long as \`Cache-Control\` says.
- Ask for no more than is needed (\`pageSize\`), and link to \`eventLink\`, where people read about an event.
`;
}

/** What there is, for readers with the least time first. */
const PLACES: readonly (readonly [path: string, about: (address: string) => string])[] = [
  [
    '/mcp',
    () =>
      'a server of the Model Context Protocol (Streamable HTTP). Its tools find events, show one with all dates, and list categories, municipalities, venues and tags.',
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
    () => 'every address with its parameters (`.ics`, `.rss`, `.csv`, `.geojson` and `.jsonld` among them).',
  ],
  ['/events.html', () => 'the same events for people, with a form.'],
  ['/catalog.jsonld', () => 'the calendar as a data set (DCAT-AP-NO), with its files.'],
];

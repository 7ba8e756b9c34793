/** `/llms.txt`: all that a reader of plain text, a program or a person, needs for good queries; also `/openapi.json` in plain text. */
import { GRAPHQL_PATH } from '../../serve/http/graphql-endpoint.ts';
import type { About } from '../facts/facts.ts';
import type { Described } from './dcat.ts';

export function llmsText({ snapshot, address, abouts }: Described): string {
  const { licence, categories } = snapshot.lists;
  const { name, siteUrl, dataLicence, attribution, contact } = licence;
  const terms = [dataLicence?.name, dataLicence?.url].filter(Boolean).join(', ');
  const facts = [
    `People read this calendar at ${siteUrl}. Its data was built at ${snapshot.meta.builtAt} and is right to the second.`,
    terms !== '' && `Its data may be used under ${terms}.`,
    attribution !== null && `Name the source: ${attribution}.`,
    contact !== null && `Contact: ${[contact.name, contact.email, contact.url].filter(Boolean).join(', ')}.`,
  ];
  return `# ${name}

> Upcoming events with their dates, venues, organizers and prices. Read-only, open to everybody, without a key.

${facts.filter(Boolean).join('\n')}

## How to ask

- One event: \`${address}/events.json?event=ID\`. This weekend: \`${address}/events.json?period=WEEKEND&pageSize=20\`.
- Ask for no more than is needed: with \`pageSize\`, and by GraphQL only for the fields that are shown:
  POST \`${address}${GRAPHQL_PATH}\` with \`{"query": "{ events(filter: { period: TODAY }, pageSize: 5) { totalCount data { title_nb startDate venue { name } eventLink } } }"}\`.
- Times are Norwegian (Europe/Oslo). \`startDate\` is that of the next date of an event, \`repetitions\` are its later ones; past dates are never there.
- \`endDate\` equal to \`startDate\` means that no end is known. A null price or a null \`availableTickets\` never means free or sold out: \`free\`,
  \`eventSoldOut\` and \`eventCancelled\` say that.
- Filter by the ids of categories below, and by the slugs of venues and organizers, which the queries \`venues\` and \`organizers\` list.
- \`totalCount\` counts all pages, \`hasMore\` says whether another one comes; \`page\` begins at 0.
- What is not understood is refused with status 400, and \`reasons\` says what was expected.
- Answers may be kept for as long as \`Cache-Control\` says. Link to \`eventLink\`, where people read about an event.

## Categories

${categories.map(({ id, name_nb, name_en }) => `- \`${id}\`: ${name_nb} / ${name_en}`).join('\n')}

## Addresses

For programs: [OpenAPI](${address}/openapi.json), [schema](${address}/schema.graphql).

${Object.entries(abouts)
  .map(([path, about]) => entryOf(address, path, about))
  .join('')}`;
}

function entryOf(address: string, path: string, about: About): string {
  if (about === null) return '';
  const { summary, answer, parameters = {} } = about;
  const names = Object.entries(parameters).map(
    ([name, { about: text, isRequired }]) => `  - \`${name}\`${isRequired ? ' (required)' : ''}: ${text}\n`,
  );
  const type = answer.type === undefined ? '' : ` (\`${answer.type}\`)`;
  return `- [\`${path}\`](${address}${path}): ${summary}${type}\n${names.join('')}`;
}

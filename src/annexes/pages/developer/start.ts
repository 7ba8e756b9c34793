/** The first steps: programs to copy, good practice, and the server's other resources. */
import type { Colour } from '../../page/highlight.ts';
import { type Html, html } from '../../page/html.ts';
import { type FeedLink, LIST_FILES, languageQuery } from '../../page/links.ts';
import { example, type Section } from '../../page/parts.ts';
import { inBoth } from '../../page/reader.ts';
import { docItems, docLink, markdownOf } from '../doc-list.ts';
import { EXAMPLE_ADDRESS } from '../docs.ts';
import type { DeveloperPageContext } from './context.ts';

/** Complete programs that fetch events from this server, to be copied and run unchanged: those of docs/clients.md, after a line for a shell. */
export function start(context: DeveloperPageContext): Section {
  const { language, inAddress, address, colour, busiest } = context;
  const texts = START[language];
  const category = JSON.stringify(busiest?.id ?? 'MUSIC');
  const programs = PROGRAMS.map(
    ([name, lang, code, command]): Program => ({
      name,
      lang,
      id: `example-${name.toLowerCase()}`,
      run: command.startsWith('@') ? texts.after(command) : texts.run(command),
      code: code.replaceAll(EXAMPLE_ADDRESS, address).replaceAll(/(['"])MUSIC\1/g, () => category),
    }),
  );
  const more = html`${texts.more} ${docLink('clients', { language, inAddress, folder: 'docs/' })}`;
  return {
    id: 'start',
    title: texts.title,
    intro: html`<p>${texts.intro}</p>\n<p>${more}</p>`,
    content: html`<div class="tabbed">
<fieldset class="tabs">
<legend>${texts.choose}</legend>
${programs.map(tabOf)}</fieldset>
${programs.map((program) => panelOf(program, colour))}</div>`,
  };
}

interface Program {
  readonly name: string;
  /** The language of the code, for its colours. */
  readonly lang: string;
  readonly id: string;
  /** The instruction to run it. */
  readonly run: Html;
  readonly code: string;
}

function tabOf({ name, id }: Program, place: number): Html {
  const checked = place === 0 ? html` checked` : null;
  return html`<label><input type="radio" name="example" value="${id}"${checked}>${name}</label>\n`;
}

function panelOf({ name, id, lang, run, code }: Program, colour: Colour): Html {
  return html`<div class="tab ${id}">
<h3 id="${id}">${name} <span class="aside">${run}</span></h3>
${example(id, colour(code, lang))}</div>
`;
}

const CLIENTS = markdownOf('clients');

/** The first program under a heading of docs/clients.md. */
function programUnder(heading: string): string {
  const [, section = ''] = CLIENTS.split(`\n## ${heading}\n`);
  const [, block = ''] = section.split('\n```');
  return block.slice(block.indexOf('\n') + 1);
}

const CURL = `curl --silent '${EXAMPLE_ADDRESS}/graphQL' \\
  --header 'Content-Type: application/json' \\
  --data '{"query": "{ events(pageSize: 5) { data { title_nb startDate } } }"}'`;

/** Each with its language, and the command that runs it, or the package that it needs. */
const PROGRAMS = [
  ['curl', 'sh', CURL, 'sh'],
  ['fetch', 'js', programUnder('fetch'), 'node events.mjs'],
  ['Apollo', 'js', programUnder('Apollo Client'), '@apollo/client'],
  ['urql', 'js', programUnder('urql'), '@urql/core'],
  ['Python', 'python', programUnder('Python'), 'python3 events.py'],
] as const;

const START = inBoth({
  title: ['Kom i gang', 'Get started'],
  intro: [
    'Kopier og kjør. Hvert eksempel er et helt program.',
    'Copy and run. Each example is a complete program.',
  ],
  more: [
    'Mer om lagrede spørringer (APQ), typer, tider og hurtiglagring:',
    'Persisted queries (APQ), types, times and caching:',
  ],
  choose: ['Språk i eksemplet', 'Language of the example'],
  run: [
    (command: string) => html`kjøres med <code>${command}</code>`,
    (command: string) => html`run with <code>${command}</code>`,
  ],
  after: [
    (name: string) => html`etter <code>npm install ${name} graphql</code>`,
    (name: string) => html`after <code>npm install ${name} graphql</code>`,
  ],
});

export function advice({ language, snapshot, maxAge, limits }: DeveloperPageContext): Section {
  const texts = ADVICE[language];
  const { portalUrl } = snapshot.lists.licence;
  const hasQuota = limits.anonymous !== null || limits.keyed !== null;
  const where = portalUrl === null ? texts.ask : texts.portal(html`<a href="${portalUrl}">${portalUrl}</a>`);
  const quota = texts.quota(texts.times(limits.anonymous), texts.times(limits.keyed));
  const items = [
    html`${texts.header} ${where}`,
    texts.parameter,
    texts.identity,
    texts.pageUrl,
    hasQuota ? quota : texts.noQuota,
    texts.caching(maxAge),
    texts.dates,
  ];
  return {
    id: 'keys',
    title: texts.title,
    short: texts.short,
    intro: html`<p>${texts.intro}</p>`,
    content: html`<ul class="advice">
${items.map((item) => html`<li>${item}</li>\n`)}</ul>`,
  };
}

const ADVICE = inBoth({
  title: ['Nøkler og gode vaner', 'Keys and good practice'],
  short: ['Nøkler', 'Keys'],
  intro: [
    'En nøkkel er frivillig. Den forteller hvem som spør, slik at vi kan si fra før noe endres.',
    'A key is optional. It identifies your application, so that we can tell you before something changes.',
  ],
  header: [
    html`Send nøkkelen i hodefeltet <code>X-Api-Key</code>.`,
    html`Send the key in the header <code>X-Api-Key</code>.`,
  ],
  ask: [html`Be den som driver kalenderen, om en.`, html`Ask whoever runs the calendar for one.`],
  portal: [(link: Html) => html`Du får en på ${link}.`, (link: Html) => html`Get one at ${link}.`],
  parameter: [
    html`Kan du ikke sende hodefelt, bruker du <code>?key=…</code> i adressen. Delte hurtiglagre lagrer ikke slike svar.`,
    html`If you cannot set headers, use <code>?key=…</code> in the URL. Shared caches do not store such responses.`,
  ],
  identity: [
    html`Nøkkelen er et navneskilt, verken en hemmelighet eller en lås. Kall uten gyldig nøkkel får samme svar, med en påminnelse i <code>extensions.notice</code>. Påminnelsen er ingen feil.`,
    html`The key is a name tag, neither a secret nor a lock. Calls without a valid key get the same responses, with a reminder in <code>extensions.notice</code>. The reminder is not an error.`,
  ],
  pageUrl: [
    html`Viser du arrangementene på en nettside, sender du sidens adresse i <code>X-Page-Url</code>.`,
    html`If you show events on a web page, send the URL of the page in <code>X-Page-Url</code>.`,
  ],
  noQuota: [html`Det er ingen grense for antall kall.`, html`The number of calls is not limited.`],
  quota: [
    (anonymous: string, keyed: string) =>
      html`Uten nøkkel kan en IP-adresse spørre ${anonymous}. En applikasjon med nøkkel kan spørre ${keyed}. Et kall som ber om mye, teller som flere. Hodefeltet <code>RateLimit</code> viser hva som er igjen. Kall over grensen får 429 med <code>Retry-After</code>.`,
    (anonymous: string, keyed: string) =>
      html`Without a key, an IP address may make ${anonymous}. An application with a key may make ${keyed}. A call for a lot of data counts as several. The header <code>RateLimit</code> shows what is left. Calls over the limit get 429 with <code>Retry-After</code>.`,
  ],
  times: [
    (limit: number | null) => (limit === null ? 'så ofte den vil' : `${limit} ganger i minuttet`),
    (limit: number | null) => (limit === null ? 'any number of calls' : `${limit} calls a minute`),
  ],
  caching: [
    (maxAge: number) =>
      html`Følg <code>Cache-Control</code> og <code>ETag</code>: Svarene stemmer på sekundet og kan lagres i opptil ${maxAge} sekunder.`,
    (maxAge: number) =>
      html`Follow <code>Cache-Control</code> and <code>ETag</code>: responses are correct to the second and can be stored for up to ${maxAge} seconds.`,
  ],
  dates: [
    html`Tidene er norske, med forskyvningen fra UTC som gjelder den datoen, for eksempel <code>2026-11-20 18:00:00+01:00</code>. Bytt ut mellomrommet med <code>T</code> for strenge parsere, og vis tidene i tidssonen Europe/Oslo. Tider du sender uten forskyvning, for eksempel <code>2026-11-20T18:00:00</code>, leses som norsk tid.`,
    html`Times are in Norwegian local time, with the offset that applies on that date, such as <code>2026-11-20 18:00:00+01:00</code>. Replace the space with <code>T</code> for strict parsers, and show times in the zone Europe/Oslo. Times that you send without an offset, such as <code>2026-11-20T18:00:00</code>, are read as Norwegian time.`,
  ],
});

/** Relative to the page. Feeds are in Norwegian unless their address names another language. */
export function feedLinks({ snapshot, language, offers }: DeveloperPageContext): readonly FeedLink[] {
  if (!offers.has('feeds')) return [];
  const { name } = snapshot.lists.licence;
  const query = language === 'nb' ? '' : `?lang=${language}`;
  return [LIST_FILES.ics, LIST_FILES.rss, LIST_FILES.jsonld].map(({ file, type, kind }) => ({
    type,
    title: `${name} (${kind})`,
    address: `${file}${query}`,
  }));
}

export function resources({ offers, language, inAddress }: DeveloperPageContext): Section {
  const query = languageQuery({ language, inAddress });
  const others = Object.entries(RESOURCES[language]).filter(([address]) => {
    const offer = OFFERS[address];
    return offer === undefined || offers.has(offer);
  });
  const itemOf = ([address, [name, text]]: readonly [string, Resource]) => {
    const link = html`<a href="${address}${isPage(address) ? query : null}">${name}</a>`;
    return html`<div><dt>${link}</dt><dd>${text}</dd></div>\n`;
  };
  return {
    id: 'resources',
    ...RESOURCES_TITLE[language],
    content: html`<dl class="resources">
${docItems({ language, inAddress, folder: 'docs/' })}${others.map(itemOf)}</dl>`,
  };
}

/** Files have no language. */
const isPage = (address: string): boolean => !/[.#]/.test(address) && address !== 'graphQL';

const RESOURCES_TITLE = inBoth({
  title: ['Mer å hente', 'More resources'],
  short: ['Mer', 'More'],
  intro: [html`<p>Veiledningene er på engelsk.</p>`, html``],
});

type Resource = readonly [title: string, about: string];

/** Addresses that exist only if an annex offers this, or has this path. */
const OFFERS: Readonly<Record<string, string>> = {
  graphQL: 'sandbox',
  'openapi.json': 'openapi',
  'llms.txt': '/llms.txt',
  'docs/clients#connect-an-ai-assistant': 'mcp',
  'calendar.sqlite': 'snapshot',
  status: 'status',
};

const RESOURCES = inBoth<Readonly<Record<string, Resource>>>({
  graphQL: [
    ['Prøv i nettleseren', 'Skriv spørringer med autofullføring og dokumentasjon, mot de samme dataene.'],
    ['Try it in the browser', 'Write queries with autocompletion and documentation, against the same data.'],
  ],
  'schema.graphql': [
    ['Skjemafilen', 'Hele grensesnittet som GraphQL SDL, for kodegenerering.'],
    ['The schema file', 'The full schema as GraphQL SDL, for code generation.'],
  ],
  'openapi.json': [
    ['OpenAPI', 'Alle HTTP-endepunktene, for klientgeneratorer.'],
    ['OpenAPI', 'All HTTP endpoints, for client generators.'],
  ],
  'llms.txt': [
    ['Det viktigste som ren tekst', 'En halv side på engelsk om hva som finnes her.'],
    ['Overview in plain text', 'What this service offers, in half a page.'],
  ],
  'docs/clients#connect-an-ai-assistant': [
    [
      'For assistenter (MCP)',
      'Kalenderen som verktøy på /mcp: finn arrangementer, vis ett, og list opp valgene.',
    ],
    [
      'For assistants (MCP)',
      'The calendar as tools at /mcp: find events, show one event, list filter values.',
    ],
  ],
  'calendar.sqlite': [
    ['Hele kalenderen', 'Alt som er offentlig, som én SQLite-fil for sqlite3 og Datasette.'],
    ['The whole calendar', 'Everything that is public, as one SQLite file for sqlite3 and Datasette.'],
  ],
  changelog: [
    ['Endringsloggen', 'Hva som er endret, og hva som kommer.'],
    ['The changelog', 'Past and planned changes.'],
  ],
  status: [
    ['Status', 'Slik står det til med kalenderen og tjenesten akkurat nå.'],
    ['Status', 'The current state of the calendar and the service.'],
  ],
});

/** Queries, filter fields and an event's fields as the schema describes them, the present taxonomy, and every error code. */
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import type { ErrorCode } from '../../../calendar/errors.ts';
import { norwegianOf } from '../../../calendar/fields.ts';
import type { Category } from '../../../calendar/model.ts';
import { STATUS } from '../../../serve/http/replies.ts';
import { breakable, type Content, type Html, html, withCode } from '../../page/html.ts';
import { details, type Section, table } from '../../page/page.ts';
import { type InEach, inEach, type Language, writeNumber } from '../../page/reader.ts';
import type { Context } from './context.ts';

export function queries({ schema, language }: Context): Section {
  const texts = QUERIES[language];
  return {
    id: 'queries',
    title: texts.queries,
    intro: html`<p>${texts.queriesIntro}</p>`,
    content: folded(texts.show, fieldsOf(schema, 'Query'), (fields) => reference('Query', fields, language)),
  };
}

export function filter({ schema, language }: Context): Section {
  const texts = QUERIES[language];
  return {
    id: 'filter',
    title: texts.filter,
    intro: html`<p>${withCode(texts.filterIntro)}</p>`,
    content: folded(texts.show, fieldsOf(schema, 'Filter'), (fields) =>
      reference('Filter', fields, language),
    ),
  };
}

/** The fields of an event. For deprecated fields the schema names the replacement. */
export function eventFields({ schema, language }: Context): Section {
  const texts = QUERIES[language];
  const fields = fieldsOf(schema, 'Event').filter(({ deprecationReason }) => !deprecationReason);
  return {
    id: 'event',
    title: texts.event,
    intro: html`<p>${withCode(texts.eventIntro)}</p>`,
    content: folded(
      texts.show,
      fields,
      () => html`<div class="in-columns">${reference('Event', fields, language)}</div>`,
    ),
  };
}

/** Folded, because it is long: names are visible, their meanings open on demand. */
function folded(show: string, fields: readonly Field[], content: (fields: readonly Field[]) => Html): Html {
  const names = fields.filter(({ deprecationReason }) => !deprecationReason).map(({ name }) => name);
  return html`<p class="names">${names.map((name) => html`<code>${name}</code> `)}</p>
${details(show, content(fields))}`;
}

type Field = GraphQLField<unknown, unknown> | GraphQLInputField;

function fieldsOf(schema: GraphQLSchema, typeName: string): readonly Field[] {
  const type = schema.getType(typeName);
  return isObjectType(type) || isInputObjectType(type) ? Object.values<Field>(type.getFields()) : [];
}

function signature(field: Field): string {
  if (!('args' in field)) return String(field.type);
  const { args, type } = field;
  const written = args.map(({ name, type: its }) => `${name}: ${its}`).join(', ');
  return written === '' ? String(type) : `(${written}): ${type}`;
}

/** In English, and marked as such, if there is no description in the page's language. */
function reference(typeName: string, fields: readonly Field[], language: Language): Html {
  return html`<dl class="reference">
${fields.map((field) => {
  const { name, deprecationReason } = field;
  const english = deprecationReason ? `Deprecated. ${deprecationReason}` : (field.description ?? '');
  const norwegian = NORWEGIAN[`${typeName}.${name}`] ?? norwegianOf(typeName, name);
  const own = language === 'nb' ? norwegian : english;
  const text = own === undefined ? html`<span lang="en">${withCode(english)}</span>` : withCode(own);
  return html`<div><dt><code>${name}</code> <code class="type">${signature(field)}</code></dt><dd>${text}</dd></div>
`;
})}</dl>`;
}

const QUERIES = inEach({
  show: ['Vis hva de betyr', 'Show what they mean'],
  queries: ['Spørringer', 'Queries'],
  queriesIntro: [
    'Alt du kan spørre om. Tjenesten er bare til å lese fra.',
    'All that can be asked. The service is read-only.',
  ],
  filter: ['Filter', 'Filter'],
  filterIntro: [
    'Feltene i `events(filter: …)`. Alle vilkår som er gitt, må være oppfylt.',
    'The fields of `events(filter: …)`. All given conditions must hold.',
  ],
  event: ['Et arrangement', 'An event'],
  eventIntro: [
    'Feltene i `Event`. Start, slutt, sted, billetter, avlyst og utsolgt gjelder den neste datoen; de andre står i `repetitions`.',
    'The fields of `Event`. Start, end, venue, tickets, cancelled and sold out are those of the next date; `repetitions` has the others.',
  ],
});

export function categories({ snapshot, figures, language }: Context): Section {
  const texts = CATEGORIES[language];
  const rowOf = (category: Category): readonly Content[] => {
    const { id, parent, visible, name_nb, name_en } = category;
    const hidden = !visible && html` <em class="mark">${texts.hidden}</em>`;
    return [
      html`<code class="${parent === -1 ? 'top' : 'sub'}">${breakable(id)}</code>`,
      html`${foreign(name_nb, 'nb', language)}${hidden}`,
      foreign(name_en, 'en', language),
      writeNumber(figures.hitsByCategory.get(id) ?? 0, language),
    ];
  };
  return {
    id: 'categories',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: details(
      texts.show(snapshot.lists.categories.length),
      table({
        caption: texts.caption,
        columns: ['id', texts.norwegian, texts.english, texts.events],
        figures: [3],
        rows: snapshot.lists.categories.map(rowOf),
      }),
    ),
  };
}

function foreign(text: string, its: Language, language: Language): Content {
  return its === language ? text : html`<span lang="${its}">${text}</span>`;
}

const CATEGORIES = inEach({
  title: ['Kategorier', 'Categories'],
  intro: [
    'Slik spørringen `categories` svarer nå. Filtrer på id, og hent navnene på nytt hver gang: en lisens kan bytte ut hele inndelingen.',
    'As the `categories` query answers now. Filter by id, and read the labels anew on every run: a licence can replace its whole taxonomy.',
  ],
  show: [(count: number) => `Vis alle ${count}`, (count: number) => `Show all ${count}`],
  caption: [
    'Kategorier og underkategorier med antall kommende arrangementer',
    'Categories and subcategories with the number of upcoming events',
  ],
  norwegian: ['Norsk', 'Norwegian'],
  english: ['Engelsk', 'English'],
  events: ['Antall', 'Events'],
  hidden: ['skjult', 'hidden'],
});

export function errors({ language }: Context): Section {
  const texts = ERRORS[language];
  const rows = PUBLIC_CODES.map((code) => [
    html`<code>${breakable(code)}</code>`,
    STATUS[code],
    withCode(MEANINGS[code]?.[language] ?? ''),
  ]);
  return {
    id: 'errors',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: html`<dl class="reference">
${(['reasons', 'reason'] as const).map((name) => html`<div><dt><code>extensions.${name}</code></dt><dd>${withCode(texts[name])}</dd></div>\n`)}</dl>
${details(texts.show, table({ caption: texts.caption, columns: ['extensions.code', 'HTTP', texts.when], figures: [1], rows }))}`,
  };
}

const isPublic = (code: string): code is ErrorCode => code in STATUS;

const PUBLIC_CODES: readonly ErrorCode[] = Object.keys(STATUS).filter(isPublic);

/** When a client gets the code. */
export const MEANINGS: Partial<Readonly<Record<ErrorCode, InEach<string>>>> = {
  BAD_REQUEST: {
    nb: 'Kroppen er ikke JSON (`Malformed JSON body`), `query` mangler, eller en GET kom uten `Gateway-Require-Preflight: true`.',
    en: 'The body is not JSON (`Malformed JSON body`), `query` is missing, or a GET came without `Gateway-Require-Preflight: true`.',
  },
  BAD_USER_INPUT: {
    nb: 'En verdi kan ikke leses: negativ `page`, ukjent `mode`, feil dato. `extensions.invalidArgs` navngir argumentene, `extensions.reasons` sier hvorfor.',
    en: 'A value cannot be read: a negative `page`, an unknown `mode`, a wrong date. `extensions.invalidArgs` names the arguments, `extensions.reasons` says why.',
  },
  GRAPHQL_PARSE_FAILED: { nb: 'Spørringen er ikke GraphQL.', en: 'The query is not GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: {
    nb: 'Et felt eller argument finnes ikke, eller en verdi har feil type.',
    en: 'A field or argument does not exist, or a value has the wrong type.',
  },
  QUERY_TOO_COMPLEX: {
    nb: 'Svaret kunne blitt for stort. Meldingen sier hvilken grense og hvor mye.',
    en: 'The answer could become too large. The message names the limit and the figure.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    nb: 'Tjeneren kjenner ikke spørringen bak `sha256Hash`. Send den en gang til, med `query`.',
    en: 'The server does not know the query behind `sha256Hash`. Send it once more, with `query`.',
  },
  GONE: {
    nb: 'Øyeblikksbildet i `since` er ukjent eller mer enn 90 dager gammelt. Hent alt på nytt.',
    en: 'The snapshot in `since` is not known, or more than 90 days old. Fetch all again.',
  },
  NOT_FOUND: { nb: 'Det er ingenting på denne adressen.', en: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: {
    nb: 'Feil metode; `Allow` sier hvilke som går.',
    en: 'Wrong method; `Allow` says which ones there are.',
  },
  REQUEST_TIMEOUT: {
    nb: 'Forespørselen brukte for lang tid på å komme frem.',
    en: 'The request took too long to arrive.',
  },
  PAYLOAD_TOO_LARGE: { nb: 'Kroppen er over 256 KiB.', en: 'The body is over 256 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: {
    nb: 'Kroppen må sendes som `Content-Type: application/json`.',
    en: 'The body must be sent as `Content-Type: application/json`.',
  },
  RATE_LIMITED: {
    nb: 'Flere kall enn kvoten tillater. `Retry-After` sier når det går igjen.',
    en: 'More calls than the quota allows. `Retry-After` says when there are more.',
  },
  OVERLOADED: {
    nb: 'Kalenderen har for mye å gjøre akkurat nå. `Retry-After` sier når det er verdt å prøve igjen.',
    en: 'The calendar has too much to do right now. `Retry-After` says when to try again.',
  },
  HEADERS_TOO_LARGE: {
    nb: 'Adressen og hodefeltene er for lange til sammen.',
    en: 'The URL and headers are too long together.',
  },
  SERVICE_UNAVAILABLE: {
    nb: 'Kalenderen er ikke åpen ennå. Prøv igjen om litt.',
    en: 'The calendar is not open yet. Try again in a moment.',
  },
  TIMEOUT: {
    nb: 'Svaret tok for lang tid og ble avbrutt.',
    en: 'The answer took too long and was interrupted.',
  },
  INTERNAL_SERVER_ERROR: {
    nb: 'Noe uventet. Oppgi `extensions.id` når du melder fra.',
    en: 'Something unforeseen. Quote `extensions.id` when you report it.',
  },
};

const ERRORS = inEach({
  title: ['Feil', 'Errors'],
  intro: [
    'Se etter `errors` i hvert svar, også med HTTP 200: noen felt kan ha svart, andre ikke.',
    'Look for `errors` in every answer, also with HTTP 200: some fields may have answered and others not.',
  ],
  reasons: [
    'Hva som er galt med hvert argument, og en riktig form. Vis dette først, og `message` der det ikke er noe.',
    'What is wrong with each argument, and a right form. Show this first, and `message` where there is none.',
  ],
  reason: [
    'Hvor kroppen slutter å være JSON: linje, kolonne og hva som var ventet.',
    'Where the body stops being JSON: line, column and what was expected.',
  ],
  show: ['Vis alle kodene', 'Show all codes'],
  caption: ['Koder, og HTTP-statusen de kommer med', 'Codes, and the HTTP status they come with'],
  when: ['Når', 'When'],
});

/** Norwegian descriptions of the queries, the filter and an event, by `Type.field`; those of plain fields are in their table. */
const NORWEGIAN: Readonly<Record<string, string>> = {
  'Query.events':
    'Kommende arrangementer, én side om gangen, etter starten som vises, og så etter id. Et argument som ikke kan leses, gir `data: null` og en feil med koden `BAD_USER_INPUT`.',
  'Query.eventByID':
    'Arrangementet med denne id-en; null når det ikke finnes, eller når alle datoene er over.',
  'Query.eventBySlug':
    'Arrangementet med denne slugen; null når det ikke finnes, eller når alle datoene er over.',
  'Query.eventsBySlugs': 'Arrangementer etter slug, hvert av dem én gang, kronologisk. Ukjente utelates.',
  'Query.eventByTitle': 'Arrangementet med nøyaktig denne tittelen; av flere det første i tid.',
  'Query.allUpcomingSuperEvents': 'Festivaler, markeder og andre samlinger som ikke er over, kronologisk.',
  'Query.allUpcomingEventsInArea':
    'Kommende arrangementer med et sted innenfor firkanten, kantene medregnet, kronologisk. Er `minLongitude > maxLongitude`, går firkanten over datolinjen. Digitale arrangementer og steder uten posisjon er aldri innenfor.',
  'Query.categories':
    'Lisensens inndeling i dens egen rekkefølge, også skjulte kategorier. Les navnene herfra hver gang.',
  'Query.venues': 'Alle steder i norsk alfabetisk rekkefølge.',
  'Query.organizers': 'Alle arrangører i norsk alfabetisk rekkefølge.',
  'Query.changes':
    'Hva som er utgitt, endret og trukket tilbake etter et øyeblikksbilde, for den som har en kopi. Null for et ukjent eller mer enn 90 dager gammelt.',
  'Query.calendar':
    'Kalenderen selv. Spurt sammen med andre felt sier den hvilket øyeblikksbilde de er svart fra: sider med samme `snapshot.id` hører sammen. Spurt alene er den den billigste måten å se om noe nytt er publisert på.',

  'Filter.fromDate':
    'Tidspunkt. Det som ennå pågår da eller senere: ikke slutt, eller, uten sluttid, begynt for mindre enn tre timer siden. Uten det, og for det som er tidligere: nå.',
  'Filter.untilDate': 'Tidspunkt. Det som begynner før.',
  'Filter.fromStartDate': 'Tidspunkt. Det som begynner da eller senere; det som pågår, er ikke med.',
  'Filter.categories':
    'Id-er til kategorier eller underkategorier; én av dem er nok, en kategori også gjennom sine underkategorier. Ukjente id-er treffer ingenting.',
  'Filter.notCategories':
    'Id-er til kategorier eller underkategorier som utelates, en kategori med sine underkategorier.',
  'Filter.venues': 'Slugger til steder; ett av dem er nok.',
  'Filter.venueSlug': 'Slugen til ett sted.',
  'Filter.organizers': 'Slugger til arrangører; én av dem er nok.',
  'Filter.organizerSlug': 'Slugen til én arrangør.',
  'Filter.searchTerm':
    'Fritekst uten hensyn til store bokstaver og aksenter: hvert ord må finnes, som ord eller del av et ord, i titler, beskrivelser, stikkord, steder, arrangører eller kategorier. Finnes ingen slike kommende arrangementer, søkes det i titler og beskrivelser med én (ord på 3 til 5 bokstaver) eller to skrivefeil per ord. Bare de første 256 tegnene teller.',
  'Filter.tag': 'Ett av stikkordene i `Event.tags`, uten hensyn til store bokstaver og aksenter.',
  'Filter.mode': '`online` eller `offline`. Alt annet er `BAD_USER_INPUT`.',
  'Filter.superEvent': 'Id-en til en samling: programmet i den, uten samlingen selv.',
  'Filter.onlyFeatured': 'Sann: bare det som arrangøren har fremhevet.',
  'Filter.onlyFeaturedSpecialEvent':
    'Sann: bare det som er fremhevet i lisensens særlige arrangement; ingenting der det ikke er noe slikt.',
  'Filter.cancelledNotIncluded': 'Sann: uten det som er avlyst.',
  'Filter.soldOutNotIncluded': 'Sann: uten det som er utsolgt.',
  'Filter.hoursRange':
    '`HH:mm-HH:mm`, begge ender medregnet, gjerne over midnatt, `24:00` tillatt til høyre: det som begynner innenfor på norsk klokke.',
  'Filter.groupRepetitionsByDay':
    'Sann: hver kommende dag av et arrangement med flere datoer er en egen oppføring med dagens første start; dagens andre datoer er gjentakelsene. Antall, sider og fasetter teller disse.',
  'Filter.municipality':
    'Kommunens navn (uten hensyn til store bokstaver og aksenter) eller firesifrede nummer, etter stedets adresse.',
  'Filter.municipalities': 'Det samme for flere kommuner; én av dem er nok.',
  'Filter.postalCodes': 'Postnumre i stedets adresse; ett av dem er nok.',
  'Filter.period':
    'Et stykke norsk tid som snevrer inn vinduet slik `fromDate` og `untilDate` gjør: det som pågår når det begynner, er med, og det som begynner før det slutter.',
  'Filter.free': 'Sann: bare arrangementer med `ticketsInformation` lik `free`.',
  'Filter.near':
    'Sted innen så mange kilometer fra et punkt: `latitude` og `longitude` i grader, `km` over 0 og høyst 1000, målt på en kule. Digitale arrangementer og steder uten posisjon er aldri i nærheten.',
  'Filter.area':
    'Sted innenfor en firkant på kartet, som i `allUpcomingEventsInArea`: `minLatitude`, `maxLatitude`, `minLongitude` og `maxLongitude` i grader, kantene medregnet.',
  'Filter.accessibility':
    'Hva som gjør det tilgjengelig, som `WHEELCHAIR` og `SIGN_LANGUAGE`; alt må stemme, for arrangementet eller stedet.',
  'Filter.sortBy': 'Utgått. Rekkefølgen er alltid kronologisk; feltet har ingen virkning.',

  'Event.id': 'Arrangementets identitet så lenge det lever. Filtrer og lagre etter den.',
  'Event.occurrenceID':
    'Identiteten til datoen som vises, så lenge den lever: arrangementets id, `@` og starten i UTC, som `evt-052@20261120T203000Z`; den andre av ett arrangement med samme start slutter på `-2`. Lagre svar etter den der ett arrangement står flere ganger.',
  'Event.event_slug': 'Siste ledd i `eventLink`. Bare til visning.',
  'Event.eventLink': 'Arrangementets hele, åpne adresse.',
  'Event.title_nb': 'Norsk tittel.',
  'Event.title_en': 'Engelsk tittel.',
  'Event.desc_nb': 'Norsk beskrivelse: HTML som trygt kan settes inn i en side som den er.',
  'Event.desc_en': 'Engelsk beskrivelse: HTML som trygt kan settes inn i en side som den er.',
  'Event.startDate': 'Starten på datoen som vises, som tidspunkt.',
  'Event.endDate':
    'Slutten på datoen som vises, som tidspunkt; lik `startDate` når den er lagt ut uten sluttid.',
  'Event.startTime': 'Starten på norsk klokke, `HH:mm`, nøyaktig som den ble skrevet.',
  'Event.allDay':
    'Sann når datoen som vises, ble lagt ut uten klokkeslett: den går fra 00:00 den første dagen til 00:00 dagen etter den siste. Vis dager og ingen klokke.',
  'Event.duration':
    'Varigheten av datoen som vises, i minutter som går; null når den er lagt ut uten sluttid.',
  'Event.categories': 'Id-er til kategorier og underkategorier. Navnene kommer fra spørringen `categories`.',
  'Event.tags': 'Stikkord; filteret `tag` treffer ett av dem.',
  'Event.mode': '`online` eller `offline`.',
  'Event.venue': 'Stedet for datoen som vises.',
  'Event.organizers': 'Hvem som arrangerer.',
  'Event.images': 'Bilder; det første er forsidebildet.',
  'Event.repetitions': 'Kommende datoer etter den som vises, kronologisk.',
  'Event.ticketsInformation': '`free`, `noTicketsInfo` eller `ticketsInfo`.',
  'Event.prices': 'Billettpriser; de gjelder bare når `ticketsInformation` er `ticketsInfo`.',
  'Event.occurrencePrices': 'Prisene til datoen som vises; null når `prices` gjelder.',
  'Event.ticketsURL': 'Hvor billettene selges når de selges et annet sted, for datoen som vises.',
  'Event.eventCancelled': 'Sann når datoen som vises, er avlyst.',
  'Event.eventSoldOut': 'Det arrangøren selv har sagt om datoen som vises; det eneste tegnet på utsolgt.',
  'Event.super_event': 'Id-en til samlingen som arrangementet hører til.',
};

/** The fields of types as the schema describes them: queries, filters, events and the other types. */
import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { norwegianOf } from '../../../calendar/fields.ts';
import { norwegian } from '../../../serve/graphql/schema.ts';
import { type Html, html, withCode } from '../../page/html.ts';
import { details, type Section } from '../../page/parts.ts';
import { inBoth, type TechnicalLanguage } from '../../page/reader.ts';
import type { DeveloperPageContext } from './context.ts';

/** A section of the fields of types: folded, because it is long: names are visible, their meanings open on demand. */
export const fieldsOfTypes =
  (id: keyof typeof TYPES) =>
  ({ schema, language }: DeveloperPageContext): Section => {
    const { show, [id]: title, [`${id}Intro` as const]: intro } = TEXTS[language];
    const types = TYPES[id].map((name) => ({ name, fields: fieldsOf(schema, name) }));
    const shown = types.filter(({ fields }) => fields.length > 0);
    // A section of one type names its fields.
    const isOne = types.length === 1;
    const named = shown.flatMap(({ name, fields }) => (isOne ? fields.filter(isCurrent) : [{ name }]));
    const names = named.map(({ name }) => html`<code>${name}</code> `);
    const content = shown.map((type) => {
      if (isOne) return id === 'event' ? eventReference(type, language) : reference(type, language);
      return html`<h3 id="type-${type.name}"><code>${type.name}</code></h3>
${reference(type, language)}
`;
    });
    return {
      id,
      title,
      intro: html`<p>${withCode(intro)}</p>`,
      content: html`<p class="names">${names}</p>
${details(show, content)}`,
    };
  };

interface NamedType {
  readonly name: string;
  readonly fields: readonly Field[];
}

/** For deprecated fields of an event the schema names the replacement. */
function eventReference({ name, fields }: NamedType, language: TechnicalLanguage): Html {
  return html`<div class="in-columns">${reference({ name, fields: fields.filter(isCurrent) }, language)}</div>`;
}

const isCurrent = ({ deprecationReason }: Field): boolean => !deprecationReason;

/** The others are the remaining types of answers, and the values that arguments accept. */
const TYPES = {
  queries: ['Query'],
  filter: ['Filter'],
  event: ['Event'],
  types: [
    'EventConnection',
    'PageInfo',
    'Repetition',
    'Venue',
    'Organizer',
    'Image',
    'ImageCopy',
    'Price',
    'Category',
    'VenueFacet',
    'DayFacet',
    'AccessibilityFacet',
    'Near',
    'Area',
    'Period',
    'Accessibility',
  ],
};

type Field = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue;

function fieldsOf(schema: GraphQLSchema, typeName: string): readonly Field[] {
  const type = schema.getType(typeName);
  if (isEnumType(type)) return type.getValues();
  return isObjectType(type) || isInputObjectType(type) ? Object.values<Field>(type.getFields()) : [];
}

function signature(field: Field): string {
  if (!('type' in field)) return '';
  if (!('args' in field)) return String(field.type);
  const { args, type } = field;
  const parameters = args.map((argument) => `${argument.name}: ${argument.type}`).join(', ');
  return parameters === '' ? String(type) : `(${parameters}): ${type}`;
}

function reference({ name: typeName, fields }: NamedType, language: TechnicalLanguage): Html {
  const itemOf = (field: Field) => {
    const name = html`<code>${field.name}</code> <code class="type">${signature(field)}</code>`;
    return html`<div><dt>${name}</dt><dd>${descriptionOf(field, typeName, language)}</dd></div>\n`;
  };
  return html`<dl class="reference">
${fields.map(itemOf)}</dl>`;
}

/** In English, and marked as such, if there is no description in the page's language. */
function descriptionOf(field: Field, typeName: string, language: TechnicalLanguage): Html {
  const { name, description, deprecationReason } = field;
  const english = deprecationReason ? `Deprecated. ${deprecationReason}` : (description ?? '');
  if (language === 'en') return withCode(english);
  const inNorwegian = norwegian.get(`${typeName}.${name}`) ?? norwegianOf(typeName, name);
  return inNorwegian === undefined
    ? html`<span lang="en">${withCode(english)}</span>`
    : withCode(inNorwegian);
}

const TEXTS = inBoth({
  show: ['Vis hva de betyr', 'Show what they mean'],
  queries: ['Spørringer', 'Queries'],
  queriesIntro: [
    'Alt du kan spørre om. Du kan bare lese, ikke endre.',
    'All available queries. The service is read-only.',
  ],
  filter: ['Filter', 'Filter'],
  filterIntro: [
    'Feltene i `events(filter: …)`. Alle vilkår du gir, må være oppfylt.',
    'The fields of `events(filter: …)`. An event must meet all given conditions.',
  ],
  event: ['Et arrangement', 'An event'],
  eventIntro: [
    'Feltene i `Event`. Start, slutt, sted, billetter, avlyst og utsolgt gjelder den neste datoen; de andre står i `repetitions`.',
    'The fields of `Event`. Start, end, venue, tickets, cancelled and sold out apply to the next date; `repetitions` has the others.',
  ],
  types: ['Andre typer', 'Other types'],
  typesIntro: [
    'Resten av typene i svarene, og verdiene som argumentene godtar.',
    'The other types in responses, and the values that arguments accept.',
  ],
});

/** Queries and filter fields, as the schema describes them. */
import {
  assertInputObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
} from 'graphql';
import { type Content, type Html, html, withCode } from '../html.ts';
import type { InEach } from '../language.ts';
import type { Section } from '../section.ts';
import type { Context } from './context.ts';

export function queries({ schema, language }: Context): Section {
  const texts = TEXTS[language];
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  return {
    id: 'queries',
    title: texts.queries,
    intro: html`<p>${texts.queriesIntro}</p>${texts.note !== '' && html`<p>${texts.note}</p>`}`,
    content: html`<dl class="reference" lang="en">
${fields.map(query)}</dl>`,
  };
}

export function filter({ schema, language }: Context): Section {
  const texts = TEXTS[language];
  return {
    id: 'filter',
    title: texts.filter,
    intro: html`<p>${withCode(texts.filterIntro)}</p>`,
    content: html`<dl class="reference" lang="en">
${filterFields(schema).map(filterField)}</dl>`,
  };
}

function filterFields(schema: GraphQLSchema): readonly GraphQLInputField[] {
  return Object.values(assertInputObjectType(schema.getType('Filter')).getFields());
}

function query({ name, args, type, description }: GraphQLField<unknown, unknown>): Html {
  return definition(name, html`<code class="type">${signature(args)}: ${String(type)}</code>`, description);
}

function signature(args: readonly GraphQLArgument[]): string {
  return args.length === 0 ? '' : `(${args.map(({ name, type }) => `${name}: ${String(type)}`).join(', ')})`;
}

function filterField({ name, type, description, deprecationReason }: GraphQLInputField): Html {
  const isOld = deprecationReason !== null && deprecationReason !== undefined;
  return definition(
    name,
    html`<code class="type">${String(type)}</code>`,
    isOld ? `Deprecated. ${deprecationReason}` : description,
  );
}

function definition(name: string, type: Content, description: string | null | undefined): Html {
  return html`<div><dt><code>${name}</code> ${type}</dt><dd>${withCode(description ?? '')}</dd></div>
`;
}

type Name = 'queries' | 'queriesIntro' | 'note' | 'filter' | 'filterIntro';

const TEXTS: InEach<Readonly<Record<Name, string>>> = {
  nb: {
    queries: 'Spørringer',
    queriesIntro: 'Alt du kan spørre om. Tjenesten er bare til å lese fra.',
    note: 'Beskrivelsene kommer fra skjemaet, som er på engelsk.',
    filter: 'Filter',
    filterIntro: 'Feltene i `events(filter: …)`. Alle vilkår som er gitt, må være oppfylt.',
  },
  en: {
    queries: 'Queries',
    queriesIntro: 'All that can be asked. The service is read-only.',
    note: '',
    filter: 'Filter',
    filterIntro: 'The fields of `events(filter: …)`. All given conditions must hold.',
  },
};

/** What else this server offers. */
import { type Content, html } from '../html.ts';
import type { InEach } from '../language.ts';
import type { Section } from '../section.ts';
import type { Context } from './context.ts';

export function resources({ language, inAddress, menu, offersSnapshots }: Context): Section {
  const texts = TEXTS[language];
  const suffix = inAddress ? `?lang=${language}` : '';
  const items: readonly (readonly [address: string, name: string, text: Content])[] = [
    ['graphQL', ...texts.sandbox],
    ['schema.graphql', ...texts.schema],
    ...(offersSnapshots ? ([['calendar.sqlite', ...texts.snapshot]] as const) : []),
    [`changelog${suffix}`, ...texts.changelog],
    ...(menu.includes('status') ? ([[`status${suffix}`, ...texts.status]] as const) : []),
  ];
  return {
    id: 'resources',
    title: texts.title,
    content: html`<dl class="resources">
${items.map(([address, name, text]) => html`<div><dt><a href="${address}">${name}</a></dt><dd>${text}</dd></div>\n`)}</dl>`,
  };
}

type Item = readonly [name: string, text: string];

interface Texts {
  readonly title: string;
  readonly sandbox: Item;
  readonly schema: Item;
  readonly snapshot: Item;
  readonly changelog: Item;
  readonly status: Item;
}

const TEXTS: InEach<Texts> = {
  nb: {
    title: 'Mer å hente',
    sandbox: ['Prøv i nettleseren', 'Skriv spørringer med utfylling og dokumentasjon, mot de samme dataene.'],
    schema: ['Skjemafilen', 'Hele grensesnittet som GraphQL SDL, for kodegenerering.'],
    snapshot: ['Hele kalenderen', 'Øyeblikksbildet som én SQLite-fil, klar for sqlite3 eller Datasette.'],
    changelog: ['Endringsloggen', 'Hva som er endret, og hva som kommer.'],
    status: ['Status', 'Hvordan det står til med kalenderen og tjenesten akkurat nå.'],
  },
  en: {
    title: 'More to fetch',
    sandbox: [
      'Try it in the browser',
      'Write queries with completion and documentation, against the same data.',
    ],
    schema: ['The schema file', 'The whole interface as GraphQL SDL, for code generation.'],
    snapshot: ['The whole calendar', 'The snapshot as one SQLite file, ready for sqlite3 or Datasette.'],
    changelog: ['The changelog', 'What has changed, and what is to come.'],
    status: ['Status', 'How the calendar and the service are doing right now.'],
  },
};

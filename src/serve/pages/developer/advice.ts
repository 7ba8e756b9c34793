/** Keys, good manners, and where the rest is to be found. */
import { type Content, type Html, html } from '../html.ts';
import type { InEach } from '../language.ts';
import type { Section } from '../section.ts';
import type { Context } from './context.ts';

export function advice(context: Context): Section {
  const { language, snapshot, maxAge } = context;
  const texts = TEXTS[language];
  const { portalUrl } = snapshot.lists.licence;
  return {
    id: 'keys',
    title: texts.title,
    intro: html`<p>${texts.intro}</p>`,
    content: html`<ul class="advice">
${[
  html`${texts.header} ${portalUrl === null ? texts.ask : texts.portal(html`<a href="${portalUrl}">${portalUrl}</a>`)}`,
  texts.parameter,
  texts.identity,
  texts.pageUrl,
  texts.caching(maxAge),
  texts.dates,
].map((item) => html`<li>${item}</li>\n`)}</ul>`,
  };
}

interface Texts {
  readonly title: string;
  readonly intro: string;
  readonly header: Content;
  readonly ask: Content;
  readonly portal: (link: Html) => Content;
  readonly parameter: Content;
  readonly identity: Content;
  readonly pageUrl: Content;
  readonly caching: (maxAge: number) => Content;
  readonly dates: Content;
}

const TEXTS: InEach<Texts> = {
  nb: {
    title: 'Nøkler og gode vaner',
    intro: 'En nøkkel er frivillig. Den forteller hvem som spør, så vi kan si fra før noe endres.',
    header: html`Send nøkkelen i hodefeltet <code>X-Api-Key</code>.`,
    ask: html`Be den som driver kalenderen, om en.`,
    portal: (link) => html`Du får en på ${link}.`,
    parameter: html`Kan du ikke sette hodefelt, går <code>?key=…</code> i adressen. Slike svar lagres ikke i felles mellomlagre.`,
    identity: html`Nøkkelen er et navneskilt, ingen hemmelighet og ingen lås. Kall uten gyldig nøkkel får samme svar, med en påminnelse i <code>extensions.notice</code>. Det er ingen feil.`,
    pageUrl: html`Viser du arrangementene på en nettside, send <code>X-Page-Url</code> med sidens adresse.`,
    caching: (maxAge) =>
      html`Det er ingen grenser for antall kall. Følg likevel <code>Cache-Control</code> og <code>ETag</code>: svarene er riktige på sekundet og kan beholdes i opptil ${maxAge} sekunder.`,
    dates: html`Tider er norsk klokke med datoens egen forskyvning, som <code>2026-11-20 18:00:00+01:00</code>. Bytt mellomrommet med <code>T</code> for strenge lesere, og vis dem i tidssonen Europe/Oslo.`,
  },
  en: {
    title: 'Keys and good manners',
    intro: 'A key is optional. It says who is asking, so that we can tell you before something changes.',
    header: html`Send the key in the header <code>X-Api-Key</code>.`,
    ask: html`Ask whoever runs the calendar for one.`,
    portal: (link) => html`Get one at ${link}.`,
    parameter: html`Where headers cannot be set, <code>?key=…</code> in the URL does. Shared caches do not keep such answers.`,
    identity: html`The key is a name tag, neither a secret nor a lock. Calls without a valid key get the same answers, with a reminder in <code>extensions.notice</code>. It is not an error.`,
    pageUrl: html`When you show events on a web page, send <code>X-Page-Url</code> with that page's URL.`,
    caching: (maxAge) =>
      html`There is no limit on calls. Still, heed <code>Cache-Control</code> and <code>ETag</code>: answers are right to the second and may be kept for up to ${maxAge} seconds.`,
    dates: html`Times are Norwegian clock time with the offset of their own date, such as <code>2026-11-20 18:00:00+01:00</code>. Put a <code>T</code> for the space for strict parsers, and show them in the zone Europe/Oslo.`,
  },
};

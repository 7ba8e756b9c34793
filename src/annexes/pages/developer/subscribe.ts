/** The calendar elsewhere: as a subscription, as a feed, on another site. `/subscribe` builds the same from choices. */
import type { Content } from '../../page/html.ts';
import { html } from '../../page/html.ts';
import { example, type FeedLink, LISTS, linkTo, pairs, type Section } from '../../page/page.ts';
import { type InEach, inEach } from '../../page/reader.ts';
import type { Context } from './context.ts';

export function subscribe(context: Context): Section {
  const { language, menu } = context;
  const texts = TEXTS[language];
  const choices = menu.includes('subscribe')
    ? html`<p>${texts.choices} ${linkTo('subscribe', false, context)}</p>\n`
    : '';
  return {
    id: 'subscribe',
    title: texts.title,
    short: texts.short,
    intro: html`<p>${texts.intro}</p>`,
    content: html`${choices}${addresses(context)}
<h3 id="embed-code">${texts.embed}</h3>
${example('embed-code', embedCode(context))}<p>${texts.more}</p>
`,
  };
}

/** Relative to the page. */
export function feedLinks({ snapshot, language }: Context): readonly FeedLink[] {
  const { name } = snapshot.lists.licence;
  return FEEDS.map(({ file, type, kind }) => ({
    type,
    title: `${name} (${kind})`,
    address: `${file}${QUERIES[language]}`,
  }));
}

const FEEDS = [LISTS.ics, LISTS.rss, LISTS.jsonld];

/** Feeds are in Norwegian unless their address names another language. */
const QUERIES: InEach<string> = { nb: '', en: '?lang=en' };

function addresses({ address, language }: Context) {
  const texts = TEXTS[language];
  const rows = FEEDS.map(({ file, kind }): readonly [string, Content] => {
    const url = `${address}/${file}${QUERIES[language]}`;
    return [kind, html`<a href="${url}"><code>${url}</code></a>`];
  });
  const webcal = `${address}/events.ics${QUERIES[language]}`.replace(/^https?:/, 'webcal:');
  return pairs([[texts.subscribe, html`<a href="${webcal}">${texts.open}</a>`], ...rows]);
}

function embedCode({ address, language }: Context): string {
  const attributes = `lang="${language}" limit="5" heading="${TEXTS[language].heading}"`;
  return `<script src="${address}/embed.js" defer></script>\n<almanakk-events ${attributes}></almanakk-events>`;
}

const TEXTS = inEach({
  title: ['Abonner, del og bygg inn', 'Subscribe, syndicate, embed'],
  short: ['Abonner', 'Subscribe'],
  intro: [
    'Kalenderen i din egen kalender, i en nyhetsleser eller på en nettside.',
    'The calendar in a calendar of your own, in a feed reader or on a web page.',
  ],
  choices: [
    'Adresser for bare noen kategorier, steder eller kommuner:',
    'Addresses for only some categories, places or municipalities:',
  ],
  subscribe: ['Abonner', 'Subscribe'],
  open: ['Åpne i kalenderprogrammet', 'Open in a calendar program'],
  embed: ['På en nettside', 'On a web page'],
  heading: ['Det skjer', 'What is on'],
  more: [
    html`Alle feltene i filteret kan stå i adressene og som attributter, som <code>period=WEEKEND</code> eller <code>free=true</code>. Kalenderprogrammer spør om igjen hver time.`,
    html`Each field of the filter can stand in the addresses, and as an attribute, such as <code>period=WEEKEND</code> or <code>free=true</code>. Calendar programs ask again every hour.`,
  ],
});

/** The calendar of a newspaper, whose site has the pages of its events. */
import { LICENCE } from '../helpers/native-source.ts';

export const SITE = 'https://avisen.example';
export const SITEMAP = '/sitemap-arrangementer.xml';

/** The settings of a calendar with a picture server. */
export const WITH_COPIES = {
  pictureSecret: 'a-secret-of-both-servers',
  publicUrl: new URL('https://kalender.example/'),
};

/** The attributes of a picture of which the calendar has copies. */
export const COPIES =
  /^src="(\S+\/320\/\S+)" srcset="\1 320w, \S+\/640\/\S+ 640w, \S+\/1280\/\S+ 1280w" sizes="/;

/** The first line of a list of hidden events at ALMANAKK_HIDDEN_URL. */
export const HIDDEN_MARK = '# almanakk hidden events';

/** Three dates, one of them sold out and another cancelled, in Nynorsk. */
export const CHOIR = {
  id: 'choir',
  title_nb: 'Fem < "seks"',
  desc_nb: '<p>Tre <b>kor</b>.</p>',
  norwegian: 'nn',
  images: [
    { urlSmall: 'https://bilde.example/1.jpg', urlLarge: 'https://bilde.example/2.jpg', alt: 'Et "kor"' },
  ],
  venue: 'hall',
  ticketsInformation: 'free',
  dates: [
    { start: '2026-02-01 19:00', end: '2026-02-01 21:00' },
    { start: '2026-02-08 19:00', eventSoldOut: true },
    { start: '2026-02-15', eventCancelled: true },
  ],
};
/** Tickets, dates that were moved, and what has no Norwegian text. */
export const REVUE = {
  id: 'revue',
  slug: 'revyen',
  title_en: "The 'revue' & </script>",
  desc_en: '<p>Songs &amp; sketches.</p>',
  images: [
    { urlLarge: 'https://bilde.example/3.jpg?a=1&b=2', credits: "Kari's <foto>", width: 1200, height: 800 },
  ],
  organizers: ['stage', 'town'],
  mode: 'online',
  ticketsInformation: 'ticketsInfo',
  prices: [
    { type: 'REGULAR', price: 1250 },
    { type: 'CHILD', price: 100 },
    { type: 'ASSISTANT', price: 0 },
    { type: 'STUDENT', price: '' },
  ],
  ticketsURL: 'https://billett.example/?a=1&b=2',
  dates: [
    { start: '2026-03-01 19:00', previousStart: '2026-02-28 18:30' },
    {
      start: '2026-03-02 19:00',
      previousStart: '2026-03-01 19:00',
      eventSoldOut: true,
      prices: [{ type: 'REGULAR', price: 300 }],
    },
    { start: '2026-03-03 19:00', status: 'POSTPONED' },
    { start: '2026-03-04', status: 'RESCHEDULED' },
    { start: '2026-03-05 22:00', end: '2026-03-06 02:30' },
    { start: '2026-03-06 18:00', end: '2026-03-08 16:00' },
    { start: '2026-03-09 12:00', end: '2026-03-11 00:00' },
    { start: '2026-03-12', end: '2026-03-14' },
  ],
};
/** A series with three pages of dates, and enough others for three pages of a list. */
const TOUR = {
  id: 'tour',
  title_nb: 'Omvisning',
  categories: ['ART'],
  venue: 'museum',
  repeats: [{ rule: 'FREQ=DAILY;COUNT=45', start: '2026-03-10 12:00' }],
};
const WALKS = Array.from({ length: 41 }, (_, index) => ({
  id: `walk${index}`,
  title_nb: `Tur ${index}`,
  categories: ['MUSIC'],
  venue: 'museum',
  dates: [{ start: '2026-04-01 12:00' }],
}));
const ELSEWHERE = { ...CHOIR, id: 'elsewhere', slug: 'annet', eventLink: 'https://kor.example/annet' };
export const SOURCE = {
  'licence.json': {
    ...LICENCE,
    categories: LICENCE.categories.map((category) =>
      category.id === 'MUSIC' ? { ...category, name_nn: 'Song og spel' } : category,
    ),
    eventPages: { default: `${SITE}/arrangement/{slug}?dato={date}`, Ås: 'https://blad.example/{slug}' },
  },
  'venues.json': [
    { id: 'hall', name: 'Salen', address: 'Gata 1, 7010 Trondheim', municipality: 'Trondheim' },
    { id: 'museum', name: 'Museet', municipality: 'Nord-Fron & Vik' },
    { id: 'yard', name: 'Tunet', municipality: 'Ås' },
  ],
  'organizers.json': [
    { id: 'stage', name: 'Scene & lyd' },
    { id: 'town', name: 'Byen' },
  ],
  'events.json': [
    { ...CHOIR, slug: 'stor-korkveld' },
    REVUE,
    TOUR,
    ...WALKS,
    ELSEWHERE,
    { ...CHOIR, id: 'yard', title_nb: 'Tunet', venue: 'yard' },
  ],
};
export const EARLIER = {
  ...SOURCE,
  'events.json': [
    { ...CHOIR, slug: 'korkveld' },
    { id: 'gone', title_nb: 'Borte', slug: 'borte', dates: [{ start: '2026-02-01 19:00' }] },
  ],
};

/** A town with its own records, two feeds and the correction sheet of a desk. */
import { shownAfter } from '../../../../helpers/corrections.ts';
import { type Files, LICENCE } from '../../../../helpers/native-source.ts';

/** Longer than texts in findings. */
export const LONG_NAME = `Lillevik kirke, ${'inngangen mot sør, '.repeat(8)}orgelgalleriet`;
export const VENUES = [
  { id: 'hall', name: 'Storsalen', address: 'Torget 1, 7170 Lillevik', aliases: ['Kinosalen'] },
  { id: 'church', name: 'Lillevik kirke', address: 'Kirkegata 9, 7170 Lillevik', aliases: [LONG_NAME] },
  { id: 'room-a', name: 'Møterommet', address: 'Torget 2, 7170 Lillevik' },
  { id: 'room-b', name: 'Møterommet', address: 'Havnegata 9, 7180 Roan' },
];
export const CATEGORIES = [
  { id: 'MUSIC', name_nb: 'Musikk', name_en: 'Music' },
  { id: 'FAMILY', name_nb: 'Familie', name_en: 'Family' },
];
export const CHOIR = {
  id: 'kor',
  title_nb: 'Korøvelse',
  venue: 'hall',
  repeats: [{ start: '2026-02-03 18:00', duration: 90, rule: 'FREQ=WEEKLY;COUNT=4' }],
};
export const FEST = [
  'Id,Tittel,Start,Slutt,Sted,Adresse',
  'quiz,Quiz,2026-02-05 19:00,2026-02-05 21:00,Kroa,"Torget 5, 7170 Lillevik"',
  'dans,Sanddans,2026-02-06 20:00,,Kroa,"Torget 5, 7170 Lillevik"',
  'dans,Sanddans,2026-02-07 20:00,,Kroa,"Torget 5, 7170 Lillevik"',
  'tog,Fakkeltog,2026-02-08,,Torget,',
  '',
].join('\n');
export const KINO = 'Id,Tittel,Start\nfilm,Film,2026-02-09 18:00\n';
export const FEEDS = [
  { id: 'fest', kind: 'csv', file: 'fest.csv' },
  { id: 'kino', kind: 'csv', file: 'kino.csv' },
];
const FILES: Files = {
  'licence.json': { ...LICENCE, siteUrl: 'https://lillevik.example', categories: CATEGORIES },
  'venues.json': VENUES,
  'events.json': [CHOIR],
  'fest.csv': FEST,
  'kino.csv': KINO,
};
export const DESK = { id: 'desk', kind: 'corrections', file: 'desk.csv' };

/** The town with a sheet of this text. */
export const withSheet = (text: string | Buffer, more: Files = {}, settings: object = {}): Files => ({
  ...FILES,
  'sources.json': [...FEEDS, { ...DESK, ...settings }],
  'desk.csv': text,
  ...more,
});
/** Builds the town with a sheet of this text, and asks for all that it publishes. */
export const shownWithSheet = (text: string | Buffer, more: Files = {}, settings: object = {}) =>
  shownAfter(withSheet(text, more, settings));

/** The address of an event's page on the site of the calendar. */
export const pageOf = (slug: string) => `https://lillevik.example/event/${slug}`;

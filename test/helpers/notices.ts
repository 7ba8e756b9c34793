/** A planned change of a calendar, whose texts have every letter that goes wrong somewhere. */
import type { Notice } from '../../src/calendar/notice.ts';

export const NOTICE: Notice = {
  id: 'museum-2027',
  from: '2027-02-01',
  title_nb: 'Kategorien «Museum» legges ned – følg med',
  title_en: 'The category “Museum” is retired & replaced',
  text_nb: 'Ærlig talt: på Røros også.\nBruk `ART` der du spør etter `MUSEUM` <nå>.',
  text_en: 'Ask for `ART` where you ask for `MUSEUM` <today>.\nNothing else changes.',
  categories: [{ id: 'MUSEUM', replacements: ['ART', 'MUSIC'] }],
};

/** A notice as a source has it. */
export const RAW_NOTICE = { ...NOTICE, categories: { MUSEUM: ['ART', 'MUSIC'] } };

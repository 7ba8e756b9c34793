/** F17: a calendar with a feed whose events need approval, and a correction sheet that decides on them. */
import { NOW } from '../../../helpers/calendar.ts';
import { shownAfter } from '../../../helpers/corrections.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Files, LICENCE } from '../../../helpers/native-source.ts';

export const FORM = [
  'Id,Tittel,Start,Sted,Adresse,Arrangør,Pris,Lenke',
  '1,Loppemarked,2026-03-08 10:00,Skolen,"Skoleveien 4, 7170 Lillevik",FAU,20,',
  '2,Kjøp klokker,2026-03-09 10:00,Klokkebutikken,"Salgsveien 1, 7170 Lillevik",Klokker AS,900,',
  '3,Quiz,2026-02-05 19:00,Kroa,"Torget 5, 7170 Lillevik",Kroa AS,50,https://kroa.example/quiz',
  '4,I fjor,2025-02-05,Skolen,,,,',
].join('\n');
export const FILES: Files = {
  'licence.json': { ...LICENCE, duplicates: 'merge' },
  'fest.csv': 'Id,Tittel,Start,Sted,Adresse\nquiz,Quiz,2026-02-05 19:00,Kroa,"Torget 5, 7170 Lillevik"\n',
  'form.csv': FORM,
};
export const FEEDS = [
  { id: 'fest', kind: 'csv', file: 'fest.csv' },
  { id: 'form', kind: 'csv', file: 'form.csv', needsApproval: true },
];

export const clock = () => NOW * 1000;

interface SheetOptions {
  /** Files of the calendar besides the usual ones, or in their place. */
  readonly files?: Files;
  /** Settings of the sheet. */
  readonly settings?: object;
  /** Where earlier builds are. */
  readonly target?: string;
}

/** The calendar after a build with a correction sheet of this text. */
export function after(
  text: string,
  { files = {}, settings = {}, target = temporaryFolder() }: SheetOptions = {},
) {
  const desk = { id: 'desk', kind: 'corrections', file: 'desk.csv', ...settings };
  const source = { ...FILES, 'sources.json': [...FEEDS, desk], 'desk.csv': text, ...files };
  return shownAfter(source, { target });
}

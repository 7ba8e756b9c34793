/** The text of one mail about concerns, in Norwegian and English: which began, which last, which are over, and what to do. */
import { type Language, writeMoment } from '../page/reader.ts';
import type { News } from './alerts-state.ts';
import { type Concern, nameOf } from './concerns.ts';

export interface AlertContent {
  readonly calendar: string;
  readonly news: readonly News[];
  /** Those that this process sees now. */
  readonly concerns: readonly Concern[];
  /** The address of `/status`; null if unknown. */
  readonly statusUrl: string | null;
}

export function subjectOf({ calendar, news }: AlertContent): string {
  const open = news.filter(({ stage }) => stage !== 'over').length;
  if (open === 0) return `${calendar}: alt er i orden igjen / all is well again`;
  return `${calendar}: ${open} ting å se på / ${open === 1 ? '1 thing' : `${open} things`} to look into`;
}

export function alertText(content: AlertContent): string {
  return `${textIn('nb', content)}\n\n${'-'.repeat(40)}\n\n${textIn('en', content)}\n`;
}

function textIn(language: Language, { calendar, news, concerns, statusUrl }: AlertContent): string {
  const texts = TEXTS[language];
  const entryOf = ({ name, since, stage }: News) => {
    const known = stage === 'over' ? undefined : concerns.find((concern) => concern.name === name);
    const where = known?.link && statusUrl !== null ? ` ${new URL(known.link, statusUrl).href}` : '';
    const lines = known
      ? [...known.details.map((detail) => oneLine(detail[language])), `${known.advice[language]}${where}`]
      : [];
    const began = `${texts.since} ${writeMoment(since / 1_000, language)}`;
    const what = nameOf(name)?.[language] ?? name;
    return [`- ${what} (${began})`, ...lines.map((line) => `  ${line}`)].join('\n');
  };
  const sections = (['begun', 'lasting', 'over'] as const).flatMap((stage) => {
    const entries = news.filter((one) => one.stage === stage).map(entryOf);
    return entries.length === 0 ? [] : [texts[stage], ...entries];
  });
  const end = statusUrl === null ? texts.status : `${texts.status} ${statusUrl}`;
  return [texts.about(calendar), ...sections, end].join('\n\n');
}

/** Characters: a message may repeat text of another server. */
const LONGEST_DETAIL = 500;

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').slice(0, LONGEST_DETAIL);
}

const TEXTS = {
  nb: {
    about: (calendar: string) => `Dette gjelder kalenderen ${calendar}. (English below.)`,
    begun: 'Nytt:',
    lasting: 'Varer ved:',
    over: 'Over:',
    since: 'siden',
    status: 'Mer står på /status.',
  },
  en: {
    about: (calendar: string) => `This is about the calendar ${calendar}.`,
    begun: 'New:',
    lasting: 'Still there:',
    over: 'Over:',
    since: 'since',
    status: '/status says more.',
  },
};

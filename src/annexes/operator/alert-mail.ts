/** H12: the mail about concerns, in both languages: those that have begun, those that last, and those that are over. */
import { randomUUID } from 'node:crypto';
import type { ServeContext } from '../../serve/annex.ts';
import type { Failure, Mailbox, Mailer } from '../common/mail.ts';
import { writeMoment } from '../page/dates.ts';
import { inEach, type Language } from '../page/reader.ts';
import { type Concern, concernOf } from './concerns.ts';

export interface AlertMailOptions extends Pick<ServeContext, 'clock'> {
  readonly mailer: Mailer;
  /** The recipients. */
  readonly alertTo: readonly Mailbox[];
  /** The calendar's name. */
  readonly calendar: () => string;
  /** The address of `/status`; null if it is not known. */
  readonly statusUrl: string | null;
  /** The machine's own name: one mailbox gets the mails of many. */
  readonly server: string;
}

/** A concern as a mail mentions it. */
export interface News {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly stage: 'begun' | 'lasting' | 'over';
}

interface AlertContent {
  readonly news: readonly News[];
  /** Those that this process sees now. */
  readonly concerns: readonly Concern[];
}

/** The results of the mails to all recipients. */
export async function mailAll(
  { mailer, alertTo, clock, ...options }: AlertMailOptions,
  from: Mailbox,
  content: AlertContent,
): Promise<readonly (Failure | null)[]> {
  const calendar = options.calendar();
  const results: (Failure | null)[] = [];
  const text = [textIn('nb', content, options), '-'.repeat(40), textIn('en', content, options)].join('\n\n');
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  for (const { address } of alertTo) {
    const mail = {
      from,
      to: address,
      replyTo: from,
      subject: `${calendar}: ${subjectOf(content)}`,
      text: `${text}\n`,
      messageId: `${randomUUID()}@${domain}`,
      date: new Date(clock()),
    };
    results.push(await mailer.send(mail));
  }
  return results;
}

function subjectOf({ news }: AlertContent): string {
  const open = news.filter(({ stage }) => stage !== 'over').length;
  if (open === 0) return 'alt er i orden igjen / all is well again';
  const things = open === 1 ? '1 thing' : `${open} things`;
  return `${open} ting å se på / ${things} to look into`;
}

function textIn(
  language: Language,
  { news, concerns }: AlertContent,
  { calendar, statusUrl, server }: Pick<AlertMailOptions, 'calendar' | 'statusUrl' | 'server'>,
): string {
  const texts = TEXTS[language];
  const entryOf = ({ name, since, stage }: News) => {
    const concern = stage === 'over' ? undefined : concerns.find((one) => one.name === name);
    const lines = concern === undefined ? [] : [...concern.details, concern.advice];
    const begun = `${texts.since} ${writeMoment(since / 1_000, language)}`;
    const what = `- ${concernOf(name).what[language]} (${begun})`;
    return [what, ...lines.map((line) => `  ${onOneLine(line[language])}`)].join('\n');
  };
  const sections = (['begun', 'lasting', 'over'] as const).flatMap((stage) => {
    const entries = news.filter((one) => one.stage === stage).map(entryOf);
    return entries.length === 0 ? [] : [texts[stage], ...entries];
  });
  return [texts.about(calendar(), server), ...sections, `${texts.status} ${statusUrl ?? '/status'}`].join(
    '\n\n',
  );
}

/** A message may repeat text of another server. */
const onOneLine = (text: string): string => text.replace(/[\p{C}\p{Z}\s]+/gu, ' ');

const TEXTS = inEach({
  about: [
    (calendar: string, server: string) =>
      `(English below.) Dette gjelder kalenderen «${calendar}» på serveren ${server}.`,
    (calendar: string, server: string) => `This is about the calendar “${calendar}” on the server ${server}.`,
  ],
  begun: ['Nytt:', 'New:'],
  lasting: ['Pågår fortsatt:', 'Ongoing:'],
  over: ['Løst:', 'Resolved:'],
  since: ['siden', 'since'],
  status: ['Detaljer:', 'Details:'],
});

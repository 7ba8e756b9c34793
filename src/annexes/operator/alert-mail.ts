/** H12: the mail about concerns, in the calendar's Norwegian and in English: those that have begun, those that last, and those that are over. */
import { randomUUID } from 'node:crypto';
import { listOfFeed } from '../../calendar/feed-ids.ts';
import type { Norwegian } from '../../calendar/model.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Failure, Mailbox, Mailer } from '../common/mail.ts';
import { writeMoment } from '../page/dates.ts';
import { inEach, type Language } from '../page/reader.ts';
import { feedFile } from './build-report.ts';
import { type Concern, firstOf } from './concerns/concern.ts';
import { concernOf, forEditors, isOfDesks, overTextOf } from './concerns.ts';
import type { Desks } from './desks.ts';
import { untranslated } from './words.ts';

export interface AlertMailOptions extends Pick<ServeContext, 'clock'> {
  readonly mailer: Mailer;
  /** The recipients of everything but the daily work of desks. */
  readonly alertTo: readonly Mailbox[];
  /** The recipients of the news of single feeds. Read for each mail, because editors change them. */
  readonly desks: () => Promise<Desks>;
  /** The calendar's name. */
  readonly calendar: () => string;
  /** The calendar's own. */
  readonly norwegian: () => Norwegian;
  /** The address of `/status`; null if it is not known. */
  readonly statusUrl: string | null;
  /** The machine's own name: one mailbox gets the mails of many. */
  readonly server: string;
}

/** A concern, or one of the things that it is about, as a mail mentions it. */
export interface News {
  readonly name: string;
  /** Id of the part; null for a concern about one thing. */
  readonly part: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly stage: 'begun' | 'lasting' | 'over';
}

interface AlertContent {
  readonly news: readonly News[];
  /** The concerns that this process sees now. */
  readonly concerns: readonly Concern[];
  /** Whether no process sees any, not even one that is too young for a mail. */
  readonly isAllWell: boolean;
}

/** The results of the mails to all recipients. */
export async function mailAll(
  { mailer, alertTo, desks, clock, ...options }: AlertMailOptions,
  from: Mailbox,
  content: AlertContent,
): Promise<readonly (Failure | null)[]> {
  const calendar = options.calendar();
  const norwegian = options.norwegian();
  const results: (Failure | null)[] = [];
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  async function send(address: string, told: AlertContent): Promise<void> {
    const text = [textIn(norwegian, told, options), '-'.repeat(40), textIn('en', told, options)].join('\n\n');
    const mail = {
      from,
      to: address,
      replyTo: from,
      subject: `${calendar}: ${TEXTS[norwegian].subject(told)} / ${TEXTS.en.subject(told)}`,
      text: `${text}\n`,
      messageId: `${randomUUID()}@${domain}`,
      date: new Date(clock()),
    };
    results.push(await mailer.send(mail));
  }

  const ofOperator = content.news.filter(({ name }) => !isOfDesks(name));
  for (const { address } of ofOperator.length === 0 ? [] : alertTo)
    await send(address, { ...content, news: ofOperator });
  for (const [address, feeds] of await desks()) {
    const news = newsOf(content, feeds);
    const concerns = content.concerns.map(forEditors);
    if (news.some(({ stage }) => stage !== 'lasting'))
      await send(address, { news, concerns, isAllWell: false });
  }
  return results;
}

/** The news about these feeds. */
function newsOf({ news }: AlertContent, feeds: ReadonlySet<string>): readonly News[] {
  return news.filter(({ name, part }) => part !== null && feeds.has(deskOf(name, part)));
}

/** The feed of `sources.json` whose desk gets mail about a part of a concern: of a list, for one of its feeds. Empty for another part. */
export function deskOf(name: string, part: string): string {
  return listOfFeed(FEED_OF_PART[name]?.(part) ?? '');
}

const FEED_OF_PART: Readonly<Record<string, (part: string) => string | undefined>> = {
  'feed failing': (feed) => feed,
  'feed unchanged': (feed) => feed,
  'urgent sheet unread': (feed) => feed,
  'records dropped': (file) => (file.startsWith(feedFile('')) ? file.slice(feedFile('').length) : undefined),
  // After the feed comes the moment at which the events came in.
  'events waiting': (arrival) => arrival.split(' ', 1)[0],
};

interface SubjectWords {
  readonly well: string;
  readonly open: (count: number) => string;
  readonly resolved: (count: number) => string;
}

/** Creates the function that writes a subject in one language. */
const subjectIn = ({ well, open, resolved }: SubjectWords) => {
  return ({ news, isAllWell }: AlertContent): string => {
    if (isAllWell) return well;
    const count = news.filter(({ stage }) => stage !== 'over').length;
    return count === 0 ? resolved(news.length) : open(count);
  };
};

function textIn(
  language: Language,
  { news, concerns }: AlertContent,
  { calendar, statusUrl, server }: Pick<AlertMailOptions, 'calendar' | 'statusUrl' | 'server'>,
): string {
  const texts = TEXTS[language];
  const entryOf = (entry: NewsEntry) => {
    const moment = writeMoment(entry.since / 1_000, language);
    const begun = `${entry.stage === 'over' ? texts.began : texts.since} ${moment}`;
    const what = `- ${newsTextOf(entry)[language]} (${begun})`;
    const lines = linesOf(entry, concerns);
    return [what, ...lines.map((line) => `  ${withoutControls(line[language])}`)].join('\n');
  };
  const sections = (['begun', 'lasting', 'over'] as const).flatMap((stage) => {
    const entries = entriesIn(news, stage).map(entryOf);
    return entries.length === 0 ? [] : [texts[stage], ...entries];
  });
  return [texts.about(calendar(), server), ...sections, `${texts.status} ${statusUrl ?? '/status'}`].join(
    '\n\n',
  );
}

/** A concern in one section of a mail. */
interface NewsEntry extends Pick<News, 'name' | 'since' | 'stage'> {
  /** Ids of its parts in this section, the longest first; none for a concern about one thing. */
  readonly parts: readonly string[];
}

/** The news of a stage by concern, the longest first. */
function entriesIn(news: readonly News[], stage: News['stage']): readonly NewsEntry[] {
  const entries = new Map<string, NewsEntry & { readonly parts: string[] }>();
  for (const { name, part, since } of news.filter((one) => one.stage === stage)) {
    const entry = entries.get(name) ?? { name, since, stage, parts: [] };
    entries.set(name, entry);
    if (part !== null) entry.parts.push(part);
  }
  return [...entries.values()];
}

/** A concern whose parts are over may last for others of its parts: its own text would say that these fail. */
function newsTextOf({ name, stage, parts }: NewsEntry): Concern['what'] {
  const arePartsOver = stage === 'over' && parts.length > 0;
  return (arePartsOver ? overTextOf(name) : undefined) ?? concernOf(name).what;
}

/** The details that this process knows of what lasts, with the advice; and the names of what is over. */
function linesOf({ name, stage, parts }: NewsEntry, concerns: readonly Concern[]): Concern['details'] {
  const concern = stage === 'over' ? undefined : concerns.find((one) => one.name === name);
  const known = new Map(concern?.parts.map(({ id, detail }) => [id, detail]));
  const ofParts = parts.map((id) => known.get(id) ?? untranslated(id));
  const isAboutParts = parts.length > 0;
  const details = isAboutParts ? firstOf(ofParts, { most: MOST_NAMED }) : (concern?.details ?? []);
  return concern === undefined ? details : [...details, concern.advice];
}

/** Parts of a concern that a section of a mail names. */
const MOST_NAMED = 20;

/** A message may repeat text of another server: its line breaks and invisible characters could forge lines of the email. */
const withoutControls = (text: string): string => text.replace(/[\p{C}\p{Z}\s]+/gu, ' ');

const things = (count: number): string => (count === 1 ? '1 thing' : `${count} things`);

const TEXTS = inEach({
  subject: [
    subjectIn({
      well: 'alt er i orden igjen',
      open: (count) => `${count} ting å se på`,
      resolved: (count) => `${count} ting løst`,
    }),
    subjectIn({
      well: 'all is well again',
      open: (count) => `${things(count)} to look into`,
      resolved: (count) => `${things(count)} resolved`,
    }),
    subjectIn({
      well: 'alt er i orden igjen',
      open: (count) => `${count} ting å sjå på`,
      resolved: (count) => `${count} ting løyst`,
    }),
  ],
  about: [
    (calendar: string, server: string) =>
      `(English below.) Dette gjelder kalenderen «${calendar}» på serveren ${server}.`,
    (calendar: string, server: string) => `This is about the calendar “${calendar}” on the server ${server}.`,
    (calendar: string, server: string) =>
      `(English below.) Dette gjeld kalenderen «${calendar}» på serveren ${server}.`,
  ],
  begun: ['Nytt:', 'New:', 'Nytt:'],
  lasting: ['Pågår fortsatt:', 'Ongoing:', 'Pågår framleis:'],
  over: ['Løst:', 'Resolved:', 'Løyst:'],
  since: ['siden', 'since', 'sidan'],
  began: ['problemet begynte', 'the problem began on', 'problemet byrja'],
  status: ['Detaljer:', 'Details:', 'Detaljar:'],
});

/** One mail with all notices that are new to an application, in Norwegian and in English, as text and as HTML (K3, mails). */
import { createHash } from 'node:crypto';
import { escapeText } from 'entities/escape';
import type { Mail, Mailbox } from '../../../src/annexes/common/mail.ts';
import type { KeyedNotice } from '../../../src/annexes/common/notices.ts';
import type { Licence } from '../../../src/calendar/model.ts';

export interface MailContent {
  readonly licence: Licence;
  readonly recipient: { readonly app: string; readonly email: string; readonly ids: readonly string[] };
  /** At least one, the earliest first. */
  readonly news: readonly KeyedNotice[];
  readonly from: Mailbox;
  /** The public address of this server; ends in a slash. */
  readonly publicUrl: URL | null;
  readonly now: Date;
}

const LANGUAGES = ['nb', 'en'] as const;
type Language = (typeof LANGUAGES)[number];

export function writeMail(content: MailContent): Mail {
  const { licence, recipient, news, from, now } = content;
  const [soonest] = news;
  if (soonest === undefined) throw new Error('expected something to tell, found nothing');
  const day = (language: Language) => writeDay(soonest.from, language);
  const digest = createHash('sha256').update(
    JSON.stringify([licence.id, recipient.app, recipient.email, news.map(({ key }) => key)]),
  );
  const ask = `subject=${encodeURIComponent(`unsubscribe ${recipient.ids.join(' ')}`)}`;
  return {
    from,
    replyTo: from,
    to: recipient.email,
    subject: `${licence.name}: endringer fra ${day('nb')} / changes from ${day('en')}`,
    text: LANGUAGES.map((language) => textIn(language, content)).join(`\n${'-'.repeat(40)}\n\n`),
    html: `<!doctype html>
<html lang="nb">
<head><meta charset="utf-8"><title>${escapeText(licence.name)}</title></head>
<body>
${LANGUAGES.map((language) => htmlIn(language, content)).join('<hr>\n')}</body>
</html>
`,
    messageId: `${digest.digest('hex').slice(0, 40)}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
    unsubscribe: `mailto:${from.address}?${ask}`,
    date: now,
  };
}

function textIn(language: Language, content: MailContent): string {
  const { greeting, changelog, why } = partsIn(language, content);
  const notices = content.news.map((notice) => {
    const heading = `${writeDay(notice.from, language)}: ${notice[`title_${language}`]}`;
    const retiring = notice.categories.map((category) => `- ${retirement(category, language)}`);
    return [heading, notice[`text_${language}`], ...(retiring.length > 0 ? [retiring.join('\n')] : [])].join(
      '\n\n',
    );
  });
  return `${[greeting, ...notices, ...(changelog === null ? [] : [changelog.join(' ')]), why].join('\n\n')}\n`;
}

function htmlIn(language: Language, content: MailContent): string {
  const { greeting, changelog, why } = partsIn(language, content);
  const paragraph = (text: string) => `<p>${withCode(text)}</p>\n`;
  const notices = content.news.map((notice) => {
    const lines = notice[`text_${language}`].split('\n').filter((line) => line.trim() !== '');
    const retiring = notice.categories.map(
      (category) => `<li>${withCode(retirement(category, language))}</li>\n`,
    );
    return `<h2>${escapeText(`${writeDay(notice.from, language)}: ${notice[`title_${language}`]}`)}</h2>
${lines.map(paragraph).join('')}${retiring.length > 0 ? `<ul>\n${retiring.join('')}</ul>\n` : ''}`;
  });
  const link =
    changelog === null
      ? ''
      : `<p>${escapeText(changelog[0])} <a href="${escapeText(changelog[1])}">${escapeText(changelog[1])}</a></p>\n`;
  return `<div lang="${language}">
${paragraph(greeting)}${notices.join('')}${link}${paragraph(why)}</div>
`;
}

interface Parts {
  readonly greeting: string;
  readonly changelog: readonly [string, string] | null;
  readonly why: string;
}

function partsIn(language: Language, { licence, recipient, publicUrl }: MailContent): Parts {
  const { app, ids } = recipient;
  const url = publicUrl === null ? null : new URL(`changelog?lang=${language}`, publicUrl).href;
  const texts = TEXTS[language];
  return {
    greeting: texts.greeting(licence.name, app),
    changelog: url === null ? null : [texts.changelog, url],
    why: texts.why(app, ids.join(', ')),
  };
}

const TEXTS = {
  nb: {
    greeting: (calendar: string, app: string) =>
      `Til dem som står bak ${app}: Dette blir annerledes for dem som henter arrangementer fra ${calendar}. (English below.)`,
    changelog: 'Alle endringer, også som nyhetskilde:',
    why: (app: string, ids: string) =>
      `Du får dette fordi ${app} har en nøkkel (${ids}) og denne adressen er oppgitt til den. Svar på e-posten hvis varsler skal til en annen adresse, eller ikke sendes mer.`,
    retires: (id: string) => `\`${id}\` legges ned`,
    instead: 'og erstattes av',
  },
  en: {
    greeting: (calendar: string, app: string) =>
      `To the people of ${app}: This will change for programs that fetch events of ${calendar}.`,
    changelog: 'All changes, also as a feed:',
    why: (app: string, ids: string) =>
      `You get this because ${app} has a key (${ids}) and this address was given for it. Reply to this mail to have notices sent elsewhere, or not at all.`,
    retires: (id: string) => `\`${id}\` is retired`,
    instead: 'and replaced by',
  },
};

function retirement({ id, replacements }: KeyedNotice['categories'][number], language: Language): string {
  const { retires, instead } = TEXTS[language];
  const names = replacements.map((name) => `\`${name}\``);
  return names.length === 0 ? retires(id) : `${retires(id)} ${instead} ${names.join(', ')}`;
}

const LOCALES = { nb: 'nb-NO', en: 'en-GB' } as const;

/** `1. februar 2027`. */
function writeDay(from: string, language: Language): string {
  const style = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(LOCALES[language], style).format(Date.parse(`${from}T00:00:00Z`));
}

function withCode(text: string): string {
  return text
    .split('`')
    .map((part, place, { length }) =>
      place % 2 === 1 && place < length - 1 ? `<code>${escapeText(part)}</code>` : escapeText(part),
    )
    .join('');
}

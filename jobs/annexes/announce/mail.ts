/** One mail with all notices that are new to an application, in Norwegian and in English, as text and as HTML (K3). */
import { createHash } from 'node:crypto';
import { escapeText } from 'entities/escape';
import type { Mail, Mailbox } from '../../../src/annexes/common/mail.ts';
import type { KeyedNotice } from '../../../src/annexes/common/notices.ts';
import type { Licence } from '../../../src/calendar/model.ts';
import { domainOf } from './sender.ts';

interface MailContent {
  readonly licence: Licence;
  readonly recipient: MailRecipient;
  /** At least one, the earliest first. */
  readonly news: readonly KeyedNotice[];
  readonly from: Mailbox;
  /** The public address of this server; ends in a slash. */
  readonly publicUrl: URL | null;
  readonly now: Date;
}

interface MailRecipient {
  readonly app: string;
  readonly email: string;
  readonly keyIds: readonly string[];
}

const LANGUAGES = ['nb', 'en'] as const;
type Language = (typeof LANGUAGES)[number];

/** Both languages, with a line between them. The same content has the same message id. */
export function writeMail(content: MailContent): Mail {
  const { licence, recipient, news, from, now } = content;
  const firstDay = (language: Language) => writeDay(news[0]?.from ?? '', language);
  const parts = LANGUAGES.map((language) => ({ language, blocks: blocksIn(language, content) }));
  const unsubscribe = encodeURIComponent(`unsubscribe ${recipient.keyIds.join(' ')}`);
  return {
    from,
    replyTo: from,
    to: recipient.email,
    subject: `${licence.name}: endringer fra ${firstDay('nb')} / changes from ${firstDay('en')}`,
    text: parts.map(({ blocks }) => `${blocks.map(plainBlock).join('\n\n')}\n`).join(SEPARATOR),
    html: documentOf(licence.name, parts),
    messageId: messageIdOf(content),
    unsubscribe: `mailto:${from.address}?subject=${unsubscribe}`,
    date: now,
  };
}

const SEPARATOR = `\n${'-'.repeat(40)}\n\n`;

function messageIdOf({ licence, recipient, news, from }: MailContent): string {
  const identity = [licence.id, recipient.app, recipient.email, news.map(({ key }) => key)];
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return `${digest.slice(0, 40)}@${domainOf(from)}`;
}

interface MailPart {
  readonly language: Language;
  readonly blocks: readonly Block[];
}

function documentOf(title: string, parts: readonly MailPart[]): string {
  const sections = parts.map(
    ({ language, blocks }) => `<div lang="${language}">\n${blocks.map(htmlBlock).join('')}</div>\n`,
  );
  return `<!doctype html>
<html lang="nb">
<head><meta charset="utf-8"><title>${escapeText(title)}</title></head>
<body>
${sections.join('<hr>\n')}</body>
</html>
`;
}

/** A heading, paragraphs or the items of a list, each on its own line; or a paragraph that ends in a URL. */
type Block = readonly [kind: 'h2' | 'p' | 'li' | 'link', lines: string];

function blocksIn(
  language: Language,
  { licence, recipient, news, publicUrl }: MailContent,
): readonly Block[] {
  const { greeting, changelog, why, retires } = TEXTS[language];
  const { app, keyIds } = recipient;
  const blocks: Block[] = [['p', greeting(licence.name, app)]];
  for (const notice of news) {
    blocks.push(['h2', `${writeDay(notice.from, language)}: ${notice[`title_${language}`]}`]);
    blocks.push(['p', notice[`text_${language}`]]);
    const retiring = notice.categories.map(({ id, replacements }) =>
      retires(`\`${id}\``, replacements.map((name) => `\`${name}\``).join(', ')),
    );
    if (retiring.length > 0) blocks.push(['li', retiring.join('\n')]);
  }
  if (publicUrl !== null)
    blocks.push(['link', `${changelog} ${new URL(`changelog?lang=${language}`, publicUrl)}`]);
  return [...blocks, ['p', why(app, keyIds.join(', '))]];
}

function plainBlock([kind, lines]: Block): string {
  return kind === 'li' ? lines.replace(/^/gm, '- ') : lines;
}

function htmlBlock([kind, lines]: Block): string {
  const tag = kind === 'link' ? 'p' : kind;
  const parts = lines.split('\n').filter((line) => line.trim() !== '');
  const html = parts.map((line) => `<${tag}>${withCode(line)}</${tag}>\n`).join('');
  if (kind === 'li') return `<ul>\n${html}</ul>\n`;
  return kind === 'link' ? html.replace(URL_IN_TEXT, '<a href="$&">$&</a>') : html;
}

const URL_IN_TEXT = /http[^\s<]+/;

const TEXTS = {
  nb: {
    greeting: (calendar: string, app: string) =>
      `Til dere som har laget ${app}: Her er kommende endringer i «${calendar}». (English below.)`,
    changelog: 'Alle endringer, også som RSS:',
    why: (app: string, ids: string) =>
      `Du får denne e-posten fordi adressen din er registrert på en nøkkel for ${app} (${ids}). Svar på e-posten hvis du vil bytte adresse eller slippe varslene.`,
    retires: (id: string, instead: string) =>
      `${id} legges ned${instead === '' ? '' : ` og erstattes av ${instead}`}`,
  },
  en: {
    greeting: (calendar: string, app: string) =>
      `Upcoming changes for applications using ${calendar}, such as ${app}.`,
    changelog: 'All changes, also as a feed:',
    why: (app: string, ids: string) =>
      `You receive this email because this address is registered for a key of ${app} (${ids}). To change the address or stop these notices, reply to this email.`,
    retires: (id: string, instead: string) =>
      `${id} is retired${instead === '' ? '' : ` and replaced by ${instead}`}`,
  },
};

const LOCALES = { nb: 'nb-NO', en: 'en-GB' } as const;

/** `1. februar 2027`. `day`: `YYYY-MM-DD`. */
function writeDay(day: string, language: Language): string {
  const style = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(LOCALES[language], style).format(Date.parse(`${day}T00:00:00Z`));
}

/** Escaped for HTML; words between backticks become code. */
function withCode(text: string): string {
  return escapeText(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

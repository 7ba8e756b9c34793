/** Mails out, by SMTP. The only importer of nodemailer. */
import { createTransport } from 'nodemailer';
import { messageOf } from '../../src/calendar/errors.ts';
import type { Mail } from './mail.ts';

export interface Failure {
  /** For people: without addresses, which servers like to repeat. */
  readonly reason: string;
  /** Whether it would have befallen any other mail, too. */
  readonly isOfServer: boolean;
}

/** Null when the server has taken the mail. Never rejects. */
export type Send = (mail: Mail) => Promise<Failure | null>;

/** Milliseconds. */
const PATIENCE = 30_000;

/**
 * `smtp:` becomes TLS where the server offers it (STARTTLS), and has to where a name and a password would be sent; `smtps:`
 * is TLS from the start. A server on this very machine without a password is spoken to as it is: its certificate names
 * nobody.
 */
export function createSend(url: URL, patience = PATIENCE): Send {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'smtps:';
  const hasPassword = url.username !== '';
  const transport = createTransport({
    host,
    secure,
    ...(url.port !== '' && { port: Number(url.port) }),
    ...(hasPassword && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    requireTLS: hasPassword && !secure,
    ignoreTLS: !hasPassword && LOOPBACK.test(host),
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    dnsTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ from, to, replyTo, subject, text, html, messageId, unsubscribe, date }) => {
    try {
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        replyTo,
        subject,
        text,
        html,
        messageId,
        date,
        textEncoding: 'quoted-printable',
        list: { unsubscribe: { url: unsubscribe, comment: '' } },
        // RFC 3834: no holiday notes, please.
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': 'nb, en' },
      });
      return null;
    } catch (thrown) {
      return { reason: withoutAddresses(messageOf(thrown)), isOfServer: !isOfMail(thrown) };
    }
  };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/** The recipient or the message was refused, and the next one may be taken. */
function isOfMail(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && OF_MAIL.has(thrown.code);
}

const OF_MAIL: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);

function withoutAddresses(text: string): string {
  return text
    .replace(/[^\s<>]+@[^\s<>]+/g, '…')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, LONGEST_REASON);
}

const LONGEST_REASON = 300;

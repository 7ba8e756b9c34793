/** Sends mail by SMTP. The only importer of nodemailer. */
import type { Transporter } from 'nodemailer';
import { beginningOf } from '../../calendar/display-text.ts';
import { messageOf, systemCodeOf } from '../../calendar/errors.ts';
import { isLoopback } from './loopback.ts';

export interface Mailbox {
  /** Empty if only the address is known. */
  readonly name: string;
  readonly address: string;
}

export interface Mail {
  readonly from: Mailbox;
  readonly to: string;
  readonly replyTo: Mailbox;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Without angle brackets. Equal for the same mail, so that one that was sent twice is shown once. */
  readonly messageId: string;
  /** A `mailto:` URL. */
  readonly unsubscribe?: string;
  readonly date: Date;
}

export interface Failure {
  /** For people: without addresses, which mail servers often repeat. */
  readonly reason: string;
  /** Whether any other mail would have failed, too. */
  readonly isOfServer: boolean;
}

/** Resolves to null once the server has accepted the mail. Never rejects. */
type Send = (mail: Mail) => Promise<Failure | null>;

export interface Mailer {
  readonly send: Send;
  /** Resolves to null if the server answers, and takes the password. Never rejects. */
  readonly check: () => Promise<Failure | null>;
}

const TIMEOUT_MS = 30_000;

/** `url`: `smtp:` or `smtps:`. `timeoutMs`: for each step of a connection. */
export function createMailer(url: URL, timeoutMs = TIMEOUT_MS): Mailer {
  const options = optionsOf(url, timeoutMs);
  let transport: Promise<Transporter> | undefined;
  // Loaded with the first mail: its 320 kB would slow down each start of a server.
  const connect = () => {
    transport ??= import('nodemailer').then(({ createTransport }) => createTransport(options));
    return transport;
  };
  const send: Send = ({ to, unsubscribe, ...mail }) =>
    failureOf(
      connect().then((connected) =>
        connected.sendMail({
          ...mail,
          to: { name: '', address: to },
          textEncoding: 'quoted-printable',
          list: unsubscribe === undefined ? undefined : { unsubscribe: { url: unsubscribe, comment: '' } },
          // RFC 3834: asks for no automatic replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': 'nb, en' },
        }),
      ),
    );
  return { send, check: () => failureOf(connect().then((connected) => connected.verify())) };
}

/**
 * `smtp:` uses TLS if the server offers it (STARTTLS), and requires it if a name and a password would be sent; `smtps:` is TLS from the
 * start. A server on this machine without a password is used without TLS: its certificate has no name that could be checked.
 */
function optionsOf(url: URL, timeoutMs: number) {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'smtps:';
  const hasPassword = url.username !== '';
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return {
    host,
    secure,
    port: url.port === '' ? undefined : Number(url.port),
    auth: hasPassword ? auth : undefined,
    requireTLS: hasPassword && !secure,
    ignoreTLS: !hasPassword && isLoopback(host),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function failureOf(working: Promise<unknown>): Promise<Failure | null> {
  return working.then(
    () => null,
    (thrown: unknown) => ({ reason: withoutAddresses(messageOf(thrown)), isOfServer: !isOfMail(thrown) }),
  );
}

/** The recipient or the message was refused; the next mail may be accepted. */
function isOfMail(thrown: unknown): boolean {
  return MAIL_ERRORS.has(systemCodeOf(thrown)) && !isOfSender(thrown);
}

const MAIL_ERRORS: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE']);

/** The sender was refused, which is the same in all mails. nodemailer gives a refused sender and a refused recipient the same code. */
function isOfSender(thrown: unknown): boolean {
  return thrown instanceof Error && 'command' in thrown && thrown.command === 'MAIL FROM';
}

function withoutAddresses(text: string): string {
  const plain = text.replace(/(?<![^\s<>])[^\s<>]+@[^\s<>]+/g, '…').replace(/\p{Cc}+/gu, ' ');
  return beginningOf(plain, LONGEST_REASON);
}

const LONGEST_REASON = 300;

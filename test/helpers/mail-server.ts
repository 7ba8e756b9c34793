/** A mail server that really speaks SMTP, with faults that a test asks for. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Certificate } from './certificate.ts';
import { portOf } from './port.ts';

export interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  /** The message as it came over the wire. */
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface MailServerOptions {
  /** Offers STARTTLS with this certificate, and then asks for this name and password. */
  readonly secured?: {
    readonly certificate: Certificate;
    readonly user: string;
    readonly password: string;
    /** TLS from the start in place of STARTTLS. */
    readonly implicit?: boolean;
  };
  /** Answers to a recipient, such as `550 5.1.1 No such user`; undefined takes the mail. */
  readonly refuse?: (recipient: string) => string | undefined;
  /** The answer to each sender, such as `550 5.7.1 Sender refused`; undefined accepts them. */
  readonly refuseSender?: string;
  /** Once a mail has come as a whole: `hang` never answers it, `die` ends the connection and the server. */
  readonly onMail?: (mail: Arrived, count: number) => 'take' | 'hang' | 'die';
}

/** Takes every mail, unless an option says otherwise. */
export async function startMailServer(options: MailServerOptions = {}) {
  const { secured, refuse = () => undefined, refuseSender, onMail = () => 'take' } = options;
  const mails: Arrived[] = [];
  /** Recipients that somebody tried to reach, in the order of the attempts. */
  const tried: string[] = [];
  const sockets = new Set<Socket>();
  let closing: Promise<void> | undefined;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    closing ??= new Promise((resolve) => server.close(resolve));
    return closing;
  };
  const server = new SMTPServer({
    ...securityOf(secured),
    logger: false,
    closeTimeout: 100,
    disableReverseLookup: true,
    onMailFrom: (_sender, _session, done) => done(refusalOf(refuseSender)),
    onRcptTo: ({ address }, _session, done) => {
      tried.push(address);
      done(refusalOf(refuse(address)));
    },
    onData: async (stream, session, done) => {
      const mail = await receive(stream, session);
      mails.push(mail);
      const fate = onMail(mail, mails.length);
      if (fate === 'take') done();
      else if (fate === 'die') void close();
    },
  });
  // Clients that are cut off in the middle of a mail are what some tests ask for.
  server.on('error', () => undefined);
  const { server: tcp } = server;
  tcp.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  return { port: portOf(tcp), mails, tried, close };
}

/** An answer such as `550 5.1.1 No such user` as the error that the server sends; undefined for none. */
function refusalOf(answer: string | undefined): Error | undefined {
  if (answer === undefined) return undefined;
  const [code = '', ...words] = answer.split(' ');
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) });
}

/** Reads a mail to its end. */
async function receive(stream: Readable, { envelope, secure, user }: SMTPServerSession): Promise<Arrived> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const { mailFrom, rcptTo } = envelope;
  return {
    from: mailFrom === false ? '' : (mailFrom?.address ?? ''),
    to: rcptTo.map(({ address }) => address),
    raw: Buffer.concat(chunks).toString('utf8'),
    secure,
    user,
  };
}

type SmtpOptions = NonNullable<ConstructorParameters<typeof SMTPServer>[0]>;

/** The options for TLS and passwords. */
function securityOf(secured: MailServerOptions['secured']): SmtpOptions {
  if (secured === undefined) return { disabledCommands: ['AUTH', 'STARTTLS'], authOptional: true };
  return {
    key: secured.certificate.key,
    cert: secured.certificate.cert,
    secure: secured.implicit ?? false,
    authOptional: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === secured.user && password === secured.password) done(null, { user: username });
      else done(Object.assign(new Error('Authentication credentials invalid'), { responseCode: 535 }));
    },
  };
}

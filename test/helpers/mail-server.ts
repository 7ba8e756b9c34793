/** A mail server that really speaks SMTP, with faults that a test asks for. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { temporaryFolder } from './folder.ts';

export interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  /** The message as it came over the wire. */
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

interface MailServerOptions {
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
  /** Once a mail has come as a whole: `hang` never answers it, `die` ends the connection and the server. */
  readonly onMail?: (mail: Arrived, count: number) => 'take' | 'hang' | 'die';
}

export async function startMailServer(options: MailServerOptions = {}) {
  const { secured, refuse = () => undefined, onMail = () => 'take' } = options;
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
    ...(secured === undefined
      ? { disabledCommands: ['AUTH', 'STARTTLS'] }
      : {
          key: secured.certificate.key,
          cert: secured.certificate.cert,
          secure: secured.implicit ?? false,
        }),
    logger: false,
    closeTimeout: 100,
    disableReverseLookup: true,
    authOptional: secured === undefined,
    onAuth: ({ username, password }, _session, done) => {
      if (username === secured?.user && password === secured?.password) done(null, { user: username });
      else done(Object.assign(new Error('Authentication credentials invalid'), { responseCode: 535 }));
    },
    onRcptTo: ({ address }, _session, done) => {
      tried.push(address);
      const [code = '', ...words] = refuse(address)?.split(' ') ?? [];
      if (code === '') done();
      else done(Object.assign(new Error(words.join(' ')), { responseCode: Number(code) }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom === false ? '' : (mailFrom?.address ?? ''),
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          secure: session.secure,
          user: session.user,
        };
        mails.push(mail);
        const fate = onMail(mail, mails.length);
        if (fate === 'take') done();
        else if (fate === 'die') void close();
      });
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return { port: portOf(server.server.address()), mails, tried, close };
}

/** Takes connections and says nothing, ever. */
export async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: portOf(server.address()), close };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('expected a port, found none');
  return address.port;
}

interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** The path of the certificate, for `NODE_EXTRA_CA_CERTS`. */
  readonly file: string;
}

/** A self-signed certificate for `localhost`. Needs openssl. */
export function makeCertificate(): Certificate {
  const folder = temporaryFolder();
  const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const how = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', file];
  const { status, stderr } = spawnSync('openssl', [...how.split(' '), ...names], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`expected a certificate, found ${stderr}`);
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}

/** Certificates for servers of tests. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** The path of the certificate, for `NODE_EXTRA_CA_CERTS`. */
  readonly file: string;
  /** The path of the key. */
  readonly keyFile: string;
}

/** A self-signed certificate for a host, valid for this number of days. Needs openssl. */
export function makeCertificate(days = 2, host = 'localhost'): Certificate {
  const folder = temporaryFolder();
  const keyFile = join(folder, 'key.pem');
  const file = join(folder, 'cert.pem');
  const how = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days} -subj /CN=${host}`;
  const names = ['-addext', `subjectAltName=DNS:${host}`, '-keyout', keyFile, '-out', file];
  const { status, stderr } = spawnSync('openssl', [...how.split(' '), ...names], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`expected a certificate, found ${stderr}`);
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file, keyFile };
}

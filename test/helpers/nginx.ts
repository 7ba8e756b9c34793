/** Debian's nginx, as a proxy or as a plain file server, on a free port of the loopback. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import { endWithTests } from './child.ts';
import { clientOf } from './client.ts';
import { debianFile } from './debian-files.ts';
import { startFeedServer } from './feed-server.ts';
import { temporaryFolder } from './folder.ts';
import { eventually } from './until.ts';
import { isExpected, when } from './when.ts';

/** A suite, or a test of it, that is skipped where there is no nginx. */
export function withNginx<T>(suite: Test<T>): Test<T> {
  return when(isExpected('nginx'), 'nginx is not installed here', suite);
}

const MODULES = ['image_filter', 'js'].map((name) => `/usr/lib/nginx/modules/ngx_http_${name}_module.so`);

/** Whether there is an nginx that checks and resizes pictures. */
export const canResize =
  isExpected('nginx') && (process.env.CI !== undefined || MODULES.every((path) => existsSync(path)));

/** A suite that is skipped where there is none. */
export function withImageFilter<T>(suite: Test<T>): Test<T> {
  return when(
    canResize && isExpected('openssl'),
    'openssl, or nginx with its image filter and njs, is missing',
    suite,
  );
}

export type Nginx = Awaited<ReturnType<typeof startNginx>>;

interface Configuration {
  /** Directives before all blocks. */
  readonly main?: string;
  /** Directives within these blocks. */
  readonly http?: string;
  readonly server: string;
  /** A file of the operator in almanakk.d, which each site of docs/debian includes. */
  readonly own?: string;
}

/** Starts nginx on a free port, with the snippets of docs/debian beside its configuration. */
export async function startNginx({ main = '', http = '', server, own = '' }: Configuration) {
  const folder = temporaryFolder();
  const port = await freePort();
  saveSnippets(folder);
  mkdirSync(join(folder, 'almanakk.d'));
  writeFileSync(join(folder, 'almanakk.d', 'own.conf'), own);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${main}
daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  ${places.map((place) => `${place}_temp_path ${folder}/${place};`).join(' ')}
  ${http}
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}
`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  const stop = endWithTests(child);
  const url = `http://127.0.0.1:${port}`;
  const { send } = clientOf(url);
  await eventually('nginx answers', async () => (await send('/')).status > 0);
  return {
    /** Without a slash at the end. */
    url,
    stop,
  };
}

/** Saves the files that the servers of docs/ include. */
function saveSnippets(folder: string): void {
  mkdirSync(join(folder, 'snippets'));
  for (const name of ['almanakk.conf', 'almanakk-cache.conf', 'almanakk-site.conf']) {
    writeFileSync(join(folder, 'snippets', name), debianFile(`etc/nginx/snippets/${name}`));
  }
}

export async function freePort(): Promise<number> {
  const { url, close } = await startFeedServer(() => undefined);
  await close();
  return Number(new URL(url).port);
}

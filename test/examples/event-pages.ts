/** Starts docs/examples/event-page.mjs, and the same in PHP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { packagePath } from '../../src/package.ts';
import { endWithTests } from '../helpers/child.ts';
import { type Client, clientOf } from '../helpers/client.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freePort } from '../helpers/nginx.ts';
import { portOf } from '../helpers/port.ts';
import { eventually } from '../helpers/until.ts';
import { SITE } from './newspaper.ts';

export interface EventPages extends Client {
  readonly close: () => void;
}

type Environment = Readonly<Record<string, string>>;

/** Starts the program of `event-page.mjs` in this process. `environment`: more of its settings. */
export async function startEventPages(calendar: string, environment: Environment = {}): Promise<EventPages> {
  const kept = process.env;
  process.env = { ...kept, CALENDAR: calendar, SITE, PORT: '0', TOWNS: '', ...environment };
  try {
    // Each site gets a module of its own, which reads the environment once.
    const { href } = pathToFileURL(packagePath('docs/examples/event-page.mjs'));
    const settings = new URLSearchParams({ calendar, ...environment });
    const { server }: { server: Server } = await import(`${href}?${settings}`);
    if (!server.listening) await once(server, 'listening');
    return { ...clientOf(`http://localhost:${portOf(server)}`), close: () => server.close() };
  } finally {
    process.env = kept;
  }
}

export interface PhpPages extends EventPages {
  readonly close: () => Promise<void>;
  /** The files of its cache. */
  readonly cache: string;
  readonly logged: () => string;
}

/** Starts `event-page.php` in PHP's own server. Without a configuration (`-n`), PHP shows its warnings in the page. */
export async function startPhpPages(calendar: string, environment: Environment = {}): Promise<PhpPages> {
  const port = await freePort();
  const program = packagePath('docs/examples/event-page.php');
  const cache = `${temporaryFolder()}/cache`;
  const child = spawn('php', ['-n', '-S', `127.0.0.1:${port}`, program], {
    env: {
      ...process.env,
      CALENDAR: calendar,
      SITE,
      TOWNS: '',
      CACHE_FOLDER: cache,
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const close = endWithTests(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    log += chunk;
  });
  const client = clientOf(`http://127.0.0.1:${port}`);
  await eventually('PHP answers', async () => (await client.send('/')).status > 0);
  return { ...client, close, cache, logged: () => log };
}

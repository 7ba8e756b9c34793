/** I17: the nginx of docs/debian that makes copies of pictures: what it fetches, passes on, refuses and removes. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resizedWith } from '../../../../src/annexes/resized/resized.ts';
import { assertBelow, assertIncludes } from '../../../helpers/assertions.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { endWithTests } from '../../../helpers/child.ts';
import { type Client, clientOf } from '../../../helpers/client.ts';
import { debianFile } from '../../../helpers/debian-files.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { jpegOf, sizeOfJpeg } from '../../../helpers/jpeg.ts';
import { freePort, withImageFilter } from '../../../helpers/nginx.ts';
import { pngOf, widthOfPng } from '../../../helpers/png.ts';
import { listening } from '../../../helpers/port.ts';
import { eventually } from '../../../helpers/until.ts';

const SECRET = 'a-secret-of-both-servers';
const SITE = 'https://kalender.example';
const ORIGIN = 'bilder.example';

interface Copies {
  nginx: Client;
  /** Runs almanakk-remove-picture. */
  remove: (...given: readonly string[]) => {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
  stop: () => Promise<void>;
  origin: Server;
  asked: IncomingMessage[];
}

const copies = withImageFilter(suite<Copies>('copies of pictures'));

const WIDE = pngOf(1600, 900);

/** What the organizer's server answers: a status, headers and a body. */
const ANSWERS: Readonly<
  Record<string, readonly [number, Readonly<Record<string, string>>, (Buffer | string)?]>
> = {
  '/stor.png': [
    200,
    {
      'content-type': 'text/html',
      'set-cookie': 'a=b',
      'strict-transport-security': 'max-age=1; includeSubDomains',
      'cache-control': 'no-store',
      'x-accel-redirect': '/pictures/',
      vary: '*',
      location: 'https://annen.example/',
      'www-authenticate': 'Basic realm="Kalender"',
      'content-security-policy-report-only': 'report-uri https://annen.example/',
      'permissions-policy': 'geolocation=*',
    },
    WIDE,
  ],
  '/closed.png': [401, { 'www-authenticate': 'Basic realm="Kalender"' }, WIDE],
  '/liten%5E.png?a=%C3%A5&b=2%2C': [200, {}, pngOf(100, 100)],
  '/most-pixels.png': [200, {}, pngOf(6_000, 5_000, { bits: 1 })],
  '/more-pixels.png': [200, {}, pngOf(6_001, 5_000, { bits: 1 })],
  '/more-pixels.jpg': [200, {}, jpegOf(6_001, 5_000, { before: 200_000 })],
  '/phone.jpg': [200, {}, jpegOf(800, 400, { orientation: 6 })],
  '/small-phone.jpg': [200, {}, jpegOf(80, 40, { orientation: 8 })],
  '/most-scans.jpg': [200, {}, jpegOf(400, 400, { scans: 49 })],
  '/more-scans.jpg': [200, {}, jpegOf(400, 400, { scans: 50 })],
  '/most-texts.png': [200, {}, pngOf(400, 400, { texts: 8 })],
  '/more-texts.png': [200, {}, pngOf(400, 400, { texts: 9 })],
  '/page.html': [200, { 'content-type': 'image/png' }, '<h1>A page</h1>'],
  '/moved.png': [302, { location: `https://${ORIGIN}/stor.png` }, WIDE],
  '/nearby.png': [301, { location: '/stor.png' }],
  '/twice.png': [302, { location: '/moved.png' }],
  '/inside.png': [302, { location: 'https://127.0.0.1/stor.png' }],
  '/plain.png': [302, { location: `http://${ORIGIN}/stor.png` }],
  '/to-heavy.png': [302, { location: '/more-pixels.png' }],
};

/** The beginning of paths that the organizer's server does not answer. */
const SLOW = '/slow.png';
/** The script that nginx runs with njs. */
const CHECKS = 'almanakk-pictures.js';
/** In place of the limit of the site's nginx. */
const MOST_AT_ONCE = 3;

copies.before(async (context) => {
  const { key, cert, file } = makeCertificate(2, ORIGIN);
  context.asked = [];
  context.origin = createServer({ key, cert }, (request, response) => {
    context.asked.push(request);
    if (request.url?.startsWith(SLOW)) return;
    const [status, headers, body = ''] = ANSWERS[request.url ?? ''] ?? [404, {}, 'none'];
    response.writeHead(status, headers).end(body);
  });
  Object.assign(context, await startPictureServer(await listening(context.origin), file));
});
copies.before.each(({ asked }) => {
  asked.length = 0;
});
copies.after(async ({ stop, origin }) => {
  await stop();
  origin.closeAllConnections();
  origin.close();
});

/** The files of docs/debian, in a folder. Both hosts lead to the organizer's server, whose certificate names one. */
async function startPictureServer(
  originPort: number,
  certificate: string,
): Promise<Pick<Copies, 'nginx' | 'remove' | 'stop'>> {
  const folder = temporaryFolder();
  const port = await freePort();
  const inFolder = (text: string) =>
    text
      // A worker of another user could not enter the folder.
      .replace('worker_processes 1;', 'master_process off;')
      .replaceAll(/\/(?:run|var\/cache)\/almanakk-pictures/g, folder)
      .replaceAll('/etc/nginx/almanakk-pictures.d', `${folder}/almanakk-pictures.d`)
      .replace('/etc/ssl/certs/ca-certificates.crt', certificate);
  const [, location = ''] =
    /^(location ~ \^\/pictures\/.*?^\})/ms.exec(debianFile('etc/nginx/snippets/almanakk-site.conf')) ?? [];
  const [zone = ''] = /^limit_conn_zone .*/m.exec(debianFile('etc/nginx/conf.d/almanakk-cache.conf')) ?? [];
  mkdirSync(join(folder, 'almanakk-pictures.d'));
  writeFileSync(join(folder, 'nginx.conf'), inFolder(debianFile('etc/nginx/almanakk-pictures.conf')));
  writeFileSync(join(folder, CHECKS), debianFile(`etc/nginx/${CHECKS}`));
  writeFileSync(
    join(folder, 'almanakk-pictures.d/machine.conf'),
    `resolver 127.0.0.1:9;
map "" $picture_secret { default "${SECRET}"; }
upstream ${ORIGIN} { server 127.0.0.1:${originPort}; }
upstream annen.example { server 127.0.0.1:${originPort}; }
${zone}
server {
  listen 127.0.0.1:${port};
  ${inFolder(location).replace(/(limit_conn \w+) \d+/, `$1 ${MOST_AT_ONCE}`)}
}
`,
  );
  const child = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  const stop = endWithTests(child);
  const nginx = clientOf(`http://127.0.0.1:${port}`);
  await eventually('nginx answers', async () => (await nginx.send('/')).status > 0);
  const script = inFolder(debianFile('usr/local/sbin/almanakk-remove-picture'));
  const remove = (...given: readonly string[]) =>
    spawnSync('sh', ['-c', script, 'almanakk-remove-picture', ...given], { encoding: 'utf8' });
  return { nginx, remove, stop };
}

/** The path of a copy, as pages have it. */
function pathOf(original: string, width: 320 | 640 | 1280 = 320): string {
  const address = resizedWith(SECRET)(original, width, '');
  assert.ok(address, original);
  return address;
}

const STORED = `https://${ORIGIN}/stor.png`;
/** Some browsers encode `^`, others do not; `srcset` takes a comma at its end for the end of an address. */
const SMALL = `https://${ORIGIN}/liten^.png?a=å&b=2,`;

copies(
  'I17: should make a narrower copy once, and tell the organizer nothing of the visitor',
  async ({ nginx, asked }) => {
    const visitor = {
      cookie: 'a=b',
      referer: `${SITE}/events.html`,
      'x-forwarded-for': '192.0.2.7',
      'accept-language': 'se',
    };
    for (const width of [320, 1280] as const) {
      const first = await nginx.send(pathOf(STORED, width), { headers: visitor });
      assert.equal([first.status, first.headers['content-type']], [200, 'image/png']);
      assert.is(widthOfPng(first.bytes), width);
      const again = await nginx.send(pathOf(STORED, width));
      assert.equal([again.status, again.headers['x-cache']], [200, 'HIT']);
      assert.equal(again.bytes, first.bytes);
    }
    assert.is(asked.length, 2);
    assert.equal(Object.keys(asked[0]?.headers ?? {}).sort(), ['accept', 'connection', 'host', 'user-agent']);
    assert.is(asked[0]?.headers.host, ORIGIN);
  },
);

copies(
  'I17: should pass on no header with which the organizer’s server could act on the site',
  async ({ nginx }) => {
    const { headers } = await nginx.send(pathOf(STORED));
    const names = 'content-length content-type server x-content-type-options x-cache';
    const own = 'cache-control content-security-policy cross-origin-resource-policy';
    assert.equal(Object.keys(headers).sort(), `${names} ${own}`.split(' ').sort());
    assert.is(headers['cache-control'], 'public, max-age=86400');
    assert.match(String(headers['content-security-policy']), 'sandbox');
  },
);

copies('I17: should make upright copies of pictures that a phone has turned', async ({ nginx }) => {
  for (const [name, width, height] of [
    ['phone.jpg', 320, 640],
    ['small-phone.jpg', 40, 80],
  ] as const) {
    const { status, bytes } = await nginx.send(pathOf(`https://${ORIGIN}/${name}`));
    assert.equal([status, sizeOfJpeg(bytes)], [200, { width, height }], name);
  }
});

copies('I17: should leave a picture as it is that is narrow enough', async ({ nginx, asked }) => {
  const { status, bytes } = await nginx.send(pathOf(SMALL));
  assert.equal([status, bytes], [200, pngOf(100, 100)]);
  assert.is(asked[0]?.url, '/liten%5E.png?a=%C3%A5&b=2%2C');
});

copies(
  'I17: should delete the copies of a removed picture at once, and not fetch it again',
  async ({ nginx, asked, remove }) => {
    const original = `https://${ORIGIN}/liten%5E.png?a=%C3%A5&b=2%2C`;
    const [path, other] = [pathOf(SMALL), pathOf(STORED)];
    // One after the other: more at once than MOST_AT_ONCE would be refused.
    const statusesOf = async (...paths: readonly string[]) => {
      const statuses: (number | undefined)[] = [];
      for (const one of paths) statuses.push((await nginx.send(one)).status);
      return statuses;
    };
    assert.equal(await statusesOf(path, other), [200, 200]);
    asked.length = 0;
    // As a browser copies it from a page.
    const removed = remove(`https://kalender.example${path}`);
    assert.equal([removed.status, removed.stderr], [0, '']);
    assert.is(removed.stdout, `remove: ${original.slice('https://'.length)}\n`);
    assert.equal(
      await statusesOf(path, pathOf(SMALL, 640), pathOf(SMALL, 1280), other),
      [410, 410, 410, 200],
    );
    assert.equal(asked, []);
    // After a change of the secret: the marks are made again.
    assert.equal([remove().status, remove('--undo', original).status], [0, 0]);
    const { status, headers } = await nginx.send(path);
    assert.equal([status, headers['x-cache']], [200, 'MISS']);
    // A shell without quotation marks starts the script with the part before the first &.
    for (const [given, isHinted] of [
      [`https://${ORIGIN}/annen.png?a=b`, true],
      [`https://${ORIGIN}/annen.png?a=b&b=2`, false],
      [STORED, false],
    ] as const) {
      const { stderr } = remove(given);
      assert.is(stderr.includes('a shell has ended it at &'), isHinted, `${given}: ${stderr}`);
      assert.equal([remove('--undo', given).status, remove('--undo', given).stderr], [0, '']);
    }
    for (const wrong of ['kor.png', 'https://kalender.example', `https://${ORIGIN}/å.png`]) {
      const refused = remove(wrong);
      assert.is(refused.status, 1, wrong);
      assertIncludes(refused.stderr, `expected the address of a picture`);
    }
  },
);

const SIGNATURE = /\/[\w-]{22}\//;

copies('I17: should fetch nothing for an address that is not signed', async ({ nginx, asked }) => {
  const path = pathOf(STORED);
  const forged = {
    'another signature': path.replace(SIGNATURE, `/${'A'.repeat(22)}/`),
    'another width': path.replace('/320/', '/640/'),
    'another picture': path.replace('stor.png', 'stor.png?b'),
    'another secret': resizedWith('another-secret-of-ours')(STORED, 320, '') ?? '',
  };
  for (const [what, address] of Object.entries(forged))
    assert.is((await nginx.send(address)).status, 403, what);
  for (const address of [path.replace('/320/', '/3200/'), path.replace(SIGNATURE, '/'), '/pictures/320/'])
    assert.is((await nginx.send(address)).status, 404, address);
  assert.is((await nginx.send(path, { method: 'POST', body: 'a=b' })).status, 403);
  assert.equal(asked, []);
});

copies(
  'I17: should ask once for a picture that cannot be had, and answer with an error',
  async ({ nginx, asked }) => {
    for (const [name, expected] of Object.entries({ 'none.png': 415, 'page.html': 415, 'closed.png': 401 })) {
      const path = pathOf(`https://${ORIGIN}/${name}`);
      for (const _ of ['first', 'again']) {
        const { status, headers } = await nginx.send(path);
        assert.is(status, expected, name);
        assert.is(headers['cache-control'], undefined, name);
        assert.is(headers['www-authenticate'], undefined, name);
      }
    }
    assert.is(asked.length, 3);
  },
);

/** Files that are small, and the status of the copy. A decoder reads each of them; most would take it long. */
const HEAVY = {
  'most-pixels.png': 200,
  'more-pixels.png': 415,
  'more-pixels.jpg': 415,
  'most-scans.jpg': 200,
  'more-scans.jpg': 415,
  'most-texts.png': 200,
  'more-texts.png': 415,
};

for (const [name, expected] of Object.entries(HEAVY)) {
  copies(`I17, D14: should answer ${expected} for ${name}`, async ({ nginx }) => {
    const { status } = await nginx.send(pathOf(`https://${ORIGIN}/${name}`));
    assert.is(status, expected);
  });
}

/** Redirects, and the status of the copy. */
const MOVED = {
  'moved.png': 200,
  'nearby.png': 200,
  'twice.png': 415,
  'inside.png': 415,
  'plain.png': 415,
  'to-heavy.png': 415,
};

for (const [name, expected] of Object.entries(MOVED)) {
  copies(`I17: should answer ${expected} for the redirect of ${name}`, async ({ nginx, asked }) => {
    const { status, bytes } = await nginx.send(pathOf(`https://${ORIGIN}/${name}`));
    assert.is(status, expected);
    if (expected === 200) assert.is(widthOfPng(bytes), 320);
    assertBelow(asked.length, 3, 'requests');
  });
}

copies(
  'I17, D14: should refuse more pictures at once, so that slow ones do not take up the site',
  async ({ nginx, asked, origin }) => {
    const ask = (_: unknown, index: number) => nginx.send(pathOf(`https://${ORIGIN}${SLOW}?${index}`));
    const answers = Array.from({ length: MOST_AT_ONCE + 1 }, ask);
    assert.is((await Promise.race(answers)).status, 503);
    await eventually('the others wait', async () => asked.length === MOST_AT_ONCE);
    origin.closeAllConnections();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.equal(statuses.sort(), [502, 502, 502, 503]);
  },
);

copies('I17: should ask for another picture server, and refuse a third one', async ({ nginx, asked }) => {
  const askAs = (agent: string, width: 640 | 1280) =>
    nginx.send(pathOf(SMALL, width), { headers: { 'user-agent': agent } });
  // A picture server is known by the name under which it asks.
  const lastAgent = () => asked.at(-1)?.headers['user-agent'] ?? '';
  assert.is((await askAs('a browser', 640)).status, 200);
  const second = lastAgent();
  assert.is((await askAs(second, 1280)).status, 200);
  const third = lastAgent();
  assert.is.not(third, second);
  assert.is((await askAs(third, 1280)).status, 508);
});

copies(
  'I17: should send no request to a server whose certificate is for another name',
  async ({ nginx, asked }) => {
    const { status } = await nginx.send(pathOf('https://annen.example/stor.png'));
    assert.is(status, 502);
    assert.equal(asked, []);
  },
);

copies.run();

/** F3, events: what may lie in the folder `pictures/`, and what a server makes of it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { LICENCE, sourceFolder, validatedEvents } from '../../../helpers/native-source.ts';
import { type Running, startServer } from '../../../helpers/running.ts';

const test = suite<{ running: Running[] }>('pictures', { running: [] });

test.after.each(async ({ running }) => {
  for (const server of running.splice(0)) await server.close();
});

/** A server without a snapshot, beside a source folder; `lines`: its warnings. */
async function serve({ running }: { running: Running[] }, source: string) {
  const lines: { readonly fields: Readonly<Record<string, unknown>>; readonly text: string }[] = [];
  const ignore = () => undefined;
  const warn = (fields: object | string, text = '') =>
    void lines.push(
      typeof fields === 'string' ? { fields: {}, text: fields } : { fields: { ...fields }, text },
    );
  const server = await startServer({
    snapshots: temporaryFolder(),
    clock: () => NOW * 1_000,
    context: { settings: { source }, log: { debug: ignore, info: ignore, error: ignore, warn } },
  });
  running.push(server);
  return { server, lines };
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

test('F3: should serve pictures by the names that people give files', async (context) => {
  const names = [
    'poster (1).png',
    'min plakat.svg',
    'sjø.svg',
    'BOATS.SVG',
    ':all.svg',
    'photo.jpeg',
    '100%.webp',
    '*.jpg',
  ];
  const source = sourceFolder(Object.fromEntries(names.map((name) => [`pictures/${name}`, SVG])));
  const { server, lines } = await serve(context, source);
  assert.equal(lines, []);
  for (const name of names) {
    const { status, text } = await server.send(`/pictures/${encodeURIComponent(name)}`);
    assert.equal([status, text], [200, SVG], name);
  }
  // One written with a letter and a ring is the file that has å.
  assert.is((await server.send(`/pictures/${encodeURIComponent('sjø.svg'.normalize('NFD'))}`)).status, 200);
  assert.is((await server.send('/pictures/BOATS.SVG')).headers['content-type'], 'image/svg+xml');
  for (const other of ['boats.svg', 'anything', 'x%2F..%2Fsj%C3%B8.svg', '%', '__proto__', 'toString'])
    assert.is((await server.send(`/pictures/${other}`)).status, 404, other);
  assert.is((await server.send('/anything-else')).status, 404);
  assert.is((await server.send('/pictures/sj%C3%B8.svg', { method: 'HEAD' })).status, 200);
  assert.is((await server.send('/pictures/sj%C3%B8.svg', { method: 'POST' })).status, 405);
});

test('F3: should start whatever lies among the pictures, and name what it leaves out', async (context) => {
  const source = sourceFolder({
    'pictures/good.svg': SVG,
    'pictures/notes.txt': 'not for readers',
    'pictures/huge.png': 'x'.repeat(256 * 1_024 + 1),
    'pictures/.DS_Store': 'a file manager’s own',
  });
  const pictures = join(source, 'pictures');
  mkdirSync(join(pictures, 'old.png'));
  symlinkSync('nowhere', join(pictures, 'dangling.jpg'));
  symlinkSync('/etc/passwd', join(pictures, 'passwd.svg'));
  execFileSync('mkfifo', [join(pictures, 'pipe.webp')]);
  const { server, lines } = await serve(context, source);
  const left = lines.map(({ fields: { file, reason }, text }) => `${text}: ${file}: ${reason}`).sort();
  const expected = [
    /dangling\.jpg: .*expected a file, found something else$/,
    /huge\.png: expected 262144 bytes at most, found 262145$/,
    /notes\.txt: expected a name that ends in \.svg, .*, found \.txt$/,
    /old\.png: .*expected a file, found something else$/,
    /passwd\.svg: .*expected a file, found something else$/,
    /pipe\.webp: .*expected a file, found something else$/,
  ];
  assert.is(left.length, expected.length, left.join('\n'));
  for (const [nth, line] of left.entries()) {
    assert.match(line, expected[nth] ?? '');
    assert.match(line, pictures);
  }
  for (const name of [
    'old.png',
    'dangling.jpg',
    'passwd.svg',
    'pipe.webp',
    'huge.png',
    'notes.txt',
    '.DS_Store',
  ])
    assert.is((await server.send(`/pictures/${name}`)).status, 404, name);
  assert.is((await server.send('/pictures/good.svg')).status, 200);
});

test('F3: should start with a file in place of the folder, and with more pictures than it serves', async (context) => {
  const aFile = sourceFolder({ pictures: 'a file' });
  const { lines } = await serve(context, aFile);
  assert.match(`${lines[0]?.fields.file}: ${lines[0]?.fields.reason}`, /pictures: ENOTDIR/);
  rmSync(join(aFile, 'pictures'));
  mkdirSync(join(aFile, 'pictures'));
  for (let nth = 0; nth < 130; nth++) writeFileSync(join(aFile, 'pictures', `${1_000 + nth}.svg`), SVG);
  const { server, lines: more } = await serve(context, aFile);
  assert.equal([more[0]?.fields.served, more[0]?.fields.found], [100, 130]);
  assert.is(more.length, 1);
  assert.is((await server.send('/pictures/1099.svg')).status, 200);
  assert.is((await server.send('/pictures/1100.svg')).status, 404);
});

test('F3: should link to a picture by whatever name its file has', async () => {
  const { siteUrl } = LICENCE;
  const found = await Promise.all(
    ['choir.svg', 'poster (1).png', 'sjø.svg', 'min%20plakat.svg', '100%.webp', 'a?b#c.svg'].map(
      async (name) => {
        const event = {
          id: 'e',
          title_nb: 'Kor',
          dates: [{ start: '2026-12-01 18:00' }],
          images: [{ urlSmall: `pictures/${name}`, urlLarge: `pictures/${name}` }],
        };
        const { events } = await validatedEvents([event]);
        return events[0]?.images[0]?.urlSmall;
      },
    ),
  );
  assert.equal(
    found,
    ['choir.svg', 'poster%20(1).png', 'sj%C3%B8.svg', 'min%20plakat.svg', '100%25.webp', 'a%3Fb%23c.svg'].map(
      (name) => `${siteUrl}/pictures/${name}`,
    ),
  );
});

test.run();

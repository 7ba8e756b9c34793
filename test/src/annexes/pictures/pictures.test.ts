/** F3: files in the folder `pictures/`, and how a server answers for them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
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
    assert.is(status, 200, name);
    assert.equal(text, SVG, name);
  }
});

test('F3: should find a picture whose name is written with combining characters, on disk or in the address', async (context) => {
  const [composed, decomposed] = ['båt.svg'.normalize('NFC'), 'båt.svg'.normalize('NFD')];
  assert.is.not(composed, decomposed);
  for (const stored of [composed, decomposed]) {
    const source = sourceFolder({ [`pictures/${stored}`]: SVG });
    const { server } = await serve(context, source);
    for (const asked of [composed, decomposed]) {
      const { status } = await server.send(`/pictures/${encodeURIComponent(asked)}`);
      assert.is(status, 200, `${encodeURIComponent(stored)} asked for as ${encodeURIComponent(asked)}`);
    }
  }
});

test('F3: should know the media type of an extension in capitals', async (context) => {
  const { server } = await serve(context, sourceFolder({ 'pictures/BOATS.SVG': SVG }));
  const { status, headers } = await server.send('/pictures/BOATS.SVG');
  assert.is(status, 200);
  assert.is(headers['content-type'], 'image/svg+xml');
});

test('F3: should answer 404 for a name that no picture has', async (context) => {
  const { server } = await serve(context, sourceFolder({ 'pictures/BOATS.SVG': SVG }));
  const others = ['boats.svg', 'anything', 'x%2F..%2FBOATS.SVG', '%', '__proto__', 'toString'];
  for (const other of others) assert.is((await server.send(`/pictures/${other}`)).status, 404, other);
  assert.is((await server.send('/anything-else')).status, 404);
});

test('F3: should answer HEAD for a picture, and refuse POST', async (context) => {
  const { server } = await serve(context, sourceFolder({ 'pictures/choir.svg': SVG }));
  assert.is((await server.send('/pictures/choir.svg', { method: 'HEAD' })).status, 200);
  assert.is((await server.send('/pictures/choir.svg', { method: 'POST' })).status, 405);
});

test('F3: should start with any files among the pictures, and name those that it leaves out', async (context) => {
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
  for (const [nth, pattern] of expected.entries()) {
    assert.match(String(left[nth]), pattern);
    assert.match(String(left[nth]), pictures);
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
  assert.is(more[0]?.fields.served, 100);
  assert.is(more[0]?.fields.found, 130);
  assert.is(more.length, 1);
  assert.is((await server.send('/pictures/1099.svg')).status, 200);
  assert.is((await server.send('/pictures/1100.svg')).status, 404);
});

test.run();

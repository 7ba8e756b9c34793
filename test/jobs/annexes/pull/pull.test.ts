/** H6: copies of an origin’s snapshot, and the command `pull`. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isCurrent, isIntact } from '../../../../jobs/annexes/pull/copy.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { renderManifest } from '../../../../src/snapshot/manifest.ts';
import { rejects } from '../../../helpers/errors.ts';
import { manifestTextIn, publishCalendar } from '../../../helpers/folder.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import { scriptOf, startProgram } from '../../../helpers/program.ts';
import { type Context, closingOrigins, flipped, publishedIn, signal, startOriginToPull } from './pulling.ts';

const pulling = closingOrigins(suite<Context>('pull', { origins: [] }));

pulling('H6: should copy the files and the manifest of the origin', async (context) => {
  const { theirs, ours, manifest, pull } = await startOriginToPull(context);
  assert.equal(await pull(), manifest);
  assert.equal(publishedIn(ours).sort(), publishedIn(theirs).sort());
  assert.is(manifestTextIn(ours), manifestTextIn(theirs));
  assert.equal(readFileSync(join(ours, manifest.file)), readFileSync(join(theirs, manifest.file)));
});

pulling('H6: should see a second manifest of the same second, whatever entity tags say', async (context) => {
  const { theirs, ours, origin, pull } = await startOriginToPull(context);
  // A plain file server's tag is made of seconds and size.
  origin.behave((_path, response, { headers }) => {
    assert.equal([headers['cache-control'], headers['accept-encoding']], ['no-cache', 'identity']);
    response.setHeader('ETag', '"same"');
    if (headers['if-none-match'] === undefined) return false;
    response.writeHead(304).end();
    return true;
  });
  await pull();
  const second = await publishCalendar(theirs, { name: 'Samme sekund' });
  assert.equal(await pull(), second);
  assert.is(manifestTextIn(ours), manifestTextIn(theirs));
});

pulling('H6: should return to an older snapshot when the origin does', async (context) => {
  const { theirs, ours, manifest, pull } = await startOriginToPull(context);
  await publishCalendar(theirs, { name: 'Ny', builtAt: 1_800_000_000 });
  await pull();
  writeFileSync(join(theirs, MANIFEST), renderManifest(manifest));
  assert.equal(await pull(), manifest);
  assert.is(manifestTextIn(ours), renderManifest(manifest));
});

pulling('H6: should fetch a file again that was damaged here', async (context) => {
  const { ours, manifest, pull } = await startOriginToPull(context);
  await pull();
  const isWhole = () => isIntact({ folder: ours, signal, verify: verifyHere }, manifest);
  assert.is(await isWhole(), true);
  const file = join(ours, manifest.file);
  writeFileSync(file, flipped(readFileSync(file)));
  assert.is(await isWhole(), false);
  await pull();
  assert.is(await isWhole(), true);
  rmSync(file);
  assert.is(await isCurrent(ours, manifest), false);
});

pulling('H6: should keep its snapshot when the origin is down', async (context) => {
  const { ours, origin, manifest, pull } = await startOriginToPull(context);
  await pull();
  await origin.close();
  context.origins.length = 0;
  await rejects(pull(), 'ORIGIN_UNUSABLE', /manifest\.json: connect ECONNREFUSED/);
  assert.is(manifestTextIn(ours), renderManifest(manifest));
});

pulling('G6: should remove the unfinished file of a killed build', async (context) => {
  const { ours, manifest, pull } = await startOriginToPull(context);
  await pull();
  writeFileSync(join(ours, '.unfinished-calendar.sqlite'), 'half');
  rmSync(join(ours, manifest.file));
  await pull();
  assert.equal(publishedIn(ours).sort(), [manifest.file, MANIFEST].sort());
  assert.is(statSync(join(ours, manifest.file)).size, manifest.bytes);
});

pulling(
  'H8: the command should log texts of an origin in one line, with their line breaks escaped',
  async (context) => {
    const { theirs, ours, origin, manifest } = await startOriginToPull(context);
    const licence = 'x\n2026-11-20 11:14:08.123Z published\u2028published: all is well';
    writeFileSync(join(theirs, MANIFEST), JSON.stringify({ ...manifest, licence }));
    const env = { ALMANAKK_SNAPSHOTS: ours, ALMANAKK_ORIGIN: origin.url.href };
    const program = startProgram({ script: scriptOf('jobs/cli'), args: ['pull'], env });
    assert.is((await program.ended).code, 1);
    const lines = program.lines.filter((line) => line.includes('all is well'));
    assert.is(lines.length, 1);
    assert.match(
      lines[0] ?? '',
      /the licence x\\u000a2026-11-20 11:14:08\.123Z published\\u2028published: all is well/,
    );
  },
);

/** Runs `almanakk pull` to its end. */
async function runPull(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const program = startProgram({ script: scriptOf('jobs/cli'), args: ['pull', ...args], env });
  const { code } = await program.ended;
  return { code, output: program.lines.join('\n') };
}

pulling('H6: the command should copy a snapshot once, and exit with 0', async (context) => {
  const { ours, origin, manifest } = await startOriginToPull(context);
  const env = { ALMANAKK_SNAPSHOTS: ours, ALMANAKK_ORIGIN: origin.url.href };
  const first = await runPull(env);
  assert.equal([first.code, first.output.split(',')[0]], [0, `published: ${manifest.file}`]);
  const second = await runPull(env);
  assert.equal([second.code, second.output.split(',')[0]], [0, `unchanged: ${manifest.file}`]);
});

pulling('H6: the command should print why it cannot copy, and exit with 1', async (context) => {
  const { ours, origin } = await startOriginToPull(context);
  const elsewhere = new URL('/nowhere/', origin.url).href;
  const [without, nowhere, unknown] = await Promise.all([
    runPull({ ALMANAKK_SNAPSHOTS: ours }),
    runPull({ ALMANAKK_SNAPSHOTS: ours, ALMANAKK_ORIGIN: elsewhere }),
    runPull({ ALMANAKK_SNAPSHOTS: ours, ALMANAKK_ORIGIN: origin.url.href }, ['--sometimes']),
  ]);
  assert.equal([without.code, nowhere.code, unknown.code], [1, 1, 1]);
  assert.match(without.output, /^ALMANAKK_ORIGIN: expected the URL to copy from, found none$/);
  assert.match(nowhere.output, /^http:.*\/nowhere\/manifest\.json: expected status 200, found status 404$/);
  assert.match(unknown.output, /--sometimes.*\nUsage: npm run pull/s);
});

pulling.run();

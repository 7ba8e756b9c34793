/** H11: changes of a source folder: those that are noticed, and the limits on files. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSignature } from '../../../../jobs/annexes/watch/signature.ts';
import { watchSource } from '../../../../jobs/annexes/watch/watch.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { until } from '../../../helpers/until.ts';

const NEVER_MS = 600_000;

interface Watched {
  folder: string;
  changes: number;
  stop: () => void;
}

const watching = suite<Watched>('watched source');

watching.before.each(async (context) => {
  context.folder = join(temporaryFolder(), 'source');
  context.changes = 0;
  mkdirSync(context.folder);
  writeFileSync(join(context.folder, 'events.json'), '[]');
  await begin(context, NEVER_MS);
});

async function begin(context: Watched, pollMs: number): Promise<void> {
  const { begun, stop } = watchSource({
    folder: context.folder,
    onChange: () => {
      context.changes++;
    },
    quietMs: 50,
    pollMs,
  });
  context.stop = stop;
  await begun;
}

watching.after.each(({ stop }) => stop());

watching('H11: should notice a file that is written in several steps once', async (context) => {
  for (let step = 0; step < 5; step++) appendFileSync(join(context.folder, 'events.json'), ' ');
  await until('the change is noticed', () => context.changes > 0);
  assert.is(context.changes, 1);
});

watching(
  'H11: should notice files that are created, replaced and removed in a subfolder',
  async (context) => {
    const pages = join(context.folder, 'pages');
    const file = join(pages, 'program.html');
    // A folder without files holds nothing that a build reads.
    mkdirSync(pages);
    const steps = [
      () => writeFileSync(file, 'one'),
      () => writeFileSync(file, 'a second one'),
      () => rmSync(file),
    ];
    for (const [done, step] of steps.entries()) {
      step();
      await until(`change ${done + 1} is noticed`, () => context.changes === done + 1);
    }
  },
);

watching('H11: should not notice the temporary files of editors', async (context) => {
  for (const name of ['.events.json.swp', 'events.json~']) writeFileSync(join(context.folder, name), 'x');
  writeFileSync(join(context.folder, 'venues.json'), '[]');
  await until('the venues are noticed', () => context.changes > 0);
  rmSync(join(context.folder, '.events.json.swp'));
  writeFileSync(join(context.folder, 'organizers.json'), '[]');
  await until('the organizers are noticed', () => context.changes === 2);
});

watching('H11: should notice that the folder is removed, and that it is back', async (context) => {
  context.stop();
  await begin(context, 50);
  rmSync(context.folder, { recursive: true });
  await until('its absence is noticed', () => context.changes === 1);
  mkdirSync(context.folder);
  writeFileSync(join(context.folder, 'events.json'), '[{}]');
  await until('its return is noticed', () => context.changes === 2);
});

const ROOMY = { files: 100, folders: 100, levels: 4 };

for (const limit of ['files', 'folders', 'levels']) {
  watching(`H11: should read no more ${limit} than the limit`, async ({ folder }) => {
    // With the source's own file, four files, each in a folder of its own level.
    for (const path of ['a', 'a/b', 'a/b/c']) {
      mkdirSync(join(folder, path));
      writeFileSync(join(folder, path, 'page.html'), '');
    }
    const filesWithin = async (most: number) => {
      const { signature } = await readSignature(folder, () => undefined, { ...ROOMY, [limit]: most });
      return signature.split('\n').length;
    };
    assert.equal([await filesWithin(4), await filesWithin(3)], [4, 3]);
  });
}

watching.run();

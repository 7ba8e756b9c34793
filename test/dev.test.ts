import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { clientOf } from './helpers/client.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { sourceFolder } from './helpers/native-source.ts';
import { type Program, startProgram } from './helpers/program.ts';
import { eventually, until } from './helpers/until.ts';

const dev = suite<{ program?: Program }>('npm run dev');

// Killed, it would leave what it has started.
dev.after.each(async ({ program }) => {
  program?.kill('SIGTERM');
  await program?.ended;
});

dev(
  'should answer by what is saved in src/, without dist/, and keep going by what compiles',
  async (context) => {
    const copy = temporaryFolder();
    for (const path of ['src', 'jobs', 'test/dev.mjs', 'package.json', 'tsconfig.json', 'CHANGELOG.md'])
      cpSync(packagePath(path), join(copy, path), { recursive: true });
    symlinkSync(packagePath('node_modules'), join(copy, 'node_modules'));
    const program = startProgram({
      script: join(copy, 'test/dev.mjs'),
      env: { ALMANAKK_SOURCE: sourceFolder({}) },
    });
    context.program = program;
    const urls = () =>
      program.lines.flatMap((line) => / (?:listening on|serving) (http:\/\/[^/]+)\//.exec(line)?.[1] ?? []);
    const health = async () => JSON.parse((await clientOf(urls().at(-1) ?? '').send('/healthz')).text);
    await until('the server listens', () => urls().length > 0);
    assert.equal(await health(), { status: 'up' });

    const file = join(copy, 'src/serve/http/health.ts');
    const text = readFileSync(file, 'utf8');
    const save = (status: string) => writeFileSync(file, text.replace("status: 'up'", status));
    save('status:');
    await program.says(/Unexpected "}"/);
    assert.equal(await health(), { status: 'up' });
    save("status: 'changed'");
    await eventually('the change is answered', async () => (await health()).status === 'changed');
    assert.equal(
      program.lines.filter((line) => /watchdog|ended|warn/.test(line)),
      [],
    );
    program.kill('SIGTERM');
    assert.equal(await program.ended, { code: 0, signal: null });
  },
);

dev.run();

/** H2: `npm run dev`: it compiles, restarts and rebuilds after changes. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { clientOf } from './helpers/client.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { sourceFolder } from './helpers/native-source.ts';
import { childrenOf, isGone, type Program, startProgram, stopProgram } from './helpers/program.ts';
import { eventually, until } from './helpers/until.ts';

interface Context {
  copy: string;
  program?: Program;
}

const dev = suite<Context>('npm run dev');

dev.before((context) => {
  context.copy = temporaryFolder();
  for (const path of ['src', 'jobs', 'test/dev.mjs', 'package.json', 'tsconfig.json', 'CHANGELOG.md', 'docs'])
    cpSync(packagePath(path), join(context.copy, path), { recursive: true });
  symlinkSync(packagePath('node_modules'), join(context.copy, 'node_modules'));
});

dev.after.each(async ({ program }) => {
  program?.kill('SIGTERM');
  await program?.ended;
});

function start(context: Context): Program {
  context.program = startProgram({
    script: join(context.copy, 'test/dev.mjs'),
    env: { ALMANAKK_SOURCE: sourceFolder({}) },
  });
  return context.program;
}

dev(
  'should serve what is saved in src/, and what compiled last while it does not compile',
  async (context) => {
    const program = start(context);
    const urls = () =>
      program.lines.flatMap((line) => / (?:listening on|serving) (http:\/\/[^/]+)\//.exec(line)?.[1] ?? []);
    const health = async () => JSON.parse((await clientOf(urls().at(-1) ?? '').send('/healthz')).text);
    await until('the server listens', () => urls().length > 0);
    assert.equal(await health(), { status: 'up' });

    const file = join(context.copy, 'src/serve/http/health.ts');
    const text = readFileSync(file, 'utf8');
    assert.match(text, "status: 'up'");
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
    await stopProgram(program);
  },
);

dev('should leave nothing behind, and have Control-C reach no other program', async (context) => {
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const program = start(context);
    const started = () => childrenOf(program.pid, '/dist/');
    await until('both programs have been started', () => started().length === 2);
    const children = started();
    for (const pid of children) assert.is(groupOf(pid), `${pid}`, `the group of a program before ${signal}`);
    program.kill(signal);
    await program.ended;
    await until(`they end after ${signal}`, () => children.every(isGone));
  }
});

dev.run();

/** A terminal sends its signals to a group of processes. */
function groupOf(pid: number): string {
  return spawnSync('ps', ['-o', 'pgid=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trim();
}

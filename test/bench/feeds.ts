/**
 * CPU of a build of many small feeds, in seconds of this and other trees of the project (compiled), one after the other, several times:
 * `node --import tsx test/bench/feeds.ts [TREE…] [--feeds 500] [--entries 40] [--rounds 3]`. The least of each tree is what counts.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sourceFolder } from '../helpers/native-source.ts';
import { townFiles } from '../helpers/towns.ts';

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      feeds: { type: 'string', default: '500' },
      entries: { type: 'string', default: '40' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const files = townFiles(Number(values.feeds), Number(values.entries));
  const source = sourceFolder(files);
  const count = Object.values(files).join('').split('BEGIN:VEVENT').length - 1;
  const least = new Map<string, number>();
  for (let round = 0; round < Number(values.rounds); round++)
    for (const tree of [process.cwd(), ...positionals]) {
      const seconds = userSeconds(tree, source);
      least.set(tree, Math.min(seconds, least.get(tree) ?? seconds));
      process.stdout.write(`${tree} ${seconds.toFixed(2)} s\n`);
    }
  for (const [tree, seconds] of least)
    process.stdout.write(
      `${tree}: at least ${seconds.toFixed(2)} s, ${((seconds / count) * 1e6).toFixed(0)} µs an entry\n`,
    );
}

/** CPU of the build and of the processes that read feeds, as the shell counts it. */
function userSeconds(tree: string, source: string): number {
  const target = mkdtempSync(join(tmpdir(), 'almanakk-feeds-'));
  const command = `node ${join(tree, 'dist/jobs/cli.js')} rebuild --source ${source} --target ${target} >/dev/null && times`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  rmSync(target, { recursive: true });
  if (status !== 0) throw new Error(`${tree}: expected a build, found exit status ${status}: ${stderr}`);
  const [, minutes, seconds] = /\n(\d+)m([\d.]+)s /.exec(stdout) ?? [];
  if (minutes === undefined) throw new Error(`${tree}: expected the times of the shell, found ${stdout}`);
  return Number(minutes) * 60 + Number(seconds);
}

main();

/** H5, H7: a server verifies each file in a process of its own before it opens it. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Manifest } from '../../src/snapshot/folder.ts';
import { createKeeper, type Keeper, type KeeperOptions } from '../../src/snapshot/keeper.ts';
import { verifyApart } from '../../src/snapshot/verify-apart.ts';
import { publishCalendar, temporaryFolder } from '../helpers/folder.ts';
import { idOf, type Line, logInto, reasons, unwatched } from '../helpers/keeper.ts';
import { childrenOf } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';
import { openFilesOf, whereProcIs } from '../helpers/usage.ts';

const verifying = suite<{ keepers: Keeper[] }>('verify apart', { keepers: [] });
const folder = temporaryFolder();
let manifest: Manifest;

verifying.before(async () => {
  manifest = await publishCalendar(folder);
});

verifying.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

/** A keeper that looks only when it is told to, and verifies as a server does. */
async function scene({ keepers }: { keepers: Keeper[] }, options: Partial<KeeperOptions> = {}) {
  const lines: Line[] = [];
  const log = logInto(lines);
  const keeper = await createKeeper({ folder, log, pollMs: 1_000, watch: unwatched, ...options });
  keepers.push(keeper);
  return { keeper, lines };
}

const verifiers = () => childrenOf(process.pid, 'snapshot/verify-child');

whereProcIs(verifying)(
  'H7: should open no file in the server before all of it was verified',
  async (context) => {
    const seen: boolean[] = [];
    const isOpen = (file: string) => openFilesOf(process.pid).includes(file);
    const verify: NonNullable<KeeperOptions['verify']> = async (file, expected, options) => {
      const looking = setInterval(() => seen.push(isOpen(file)), 1);
      return verifyApart(file, expected, options).finally(() => clearInterval(looking));
    };
    const { keeper } = await scene(context, { verify });
    assert.is(idOf(keeper), manifest.id);
    assert.equal([...new Set(seen)], [false]);
    assert.ok(isOpen(join(folder, manifest.file)), 'it is open now');
  },
);

whereProcIs(verifying)('H5: should keep what it has when the verifier is killed', async (context) => {
  const { keeper, lines } = await scene(context);
  const before = idOf(keeper);
  await publishCalendar(folder, { name: 'Drept' });
  const looking = keeper.check();
  await until('the verifier runs', () => verifiers().length === 1);
  for (const pid of verifiers()) process.kill(pid, 'SIGKILL');
  await looking;
  assert.match(reasons(lines)[0] ?? '', /expected to be verified, found its process ended by SIGKILL/);
  assert.is(idOf(keeper), before);
});

whereProcIs(verifying)('H4: should leave no verifier when it stops', async (context) => {
  const { keeper, lines } = await scene(context);
  await publishCalendar(folder, { name: 'Stanset' });
  void keeper.check();
  await until('the verifier runs', () => verifiers().length === 1);
  await keeper.close();
  await until('the verifier has ended', () => verifiers().length === 0);
  assert.equal(reasons(lines), []);
});

verifying('H5: should come to the last of two publications in quick succession', async (context) => {
  const { keeper } = await scene(context);
  await publishCalendar(folder, { name: 'Første' });
  const looking = keeper.check();
  const last = await publishCalendar(folder, { name: 'Andre' });
  await Promise.all([looking, keeper.check()]);
  assert.is(idOf(keeper), last.id);
});

verifying.run();

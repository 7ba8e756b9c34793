/** H5, H7: a server verifies each file in a process of its own before it opens it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Keeper } from '../../src/snapshot/keeper.ts';
import { verifyApart } from '../../src/snapshot/verify-apart.ts';
import { publishCalendar } from '../helpers/folder.ts';
import { idOf, reasons, scene } from '../helpers/keeper.ts';
import { childrenOf } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';
import { openFilesOf, whereProcIs } from '../helpers/usage.ts';

const verifying = suite<{ keepers: Keeper[] }>('verify apart', { keepers: [] });

verifying.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

/** A keeper that looks only when it is told to, and verifies as a server does. */
const start = (context: { keepers: Keeper[] }, verify = verifyApart) =>
  scene(context, (folder) => publishCalendar(folder), { verify });

const verifiers = () => childrenOf(process.pid, 'snapshot/verify-child');

whereProcIs(verifying)(
  'H7: should open no file in the server before all of it is verified',
  async (context) => {
    const seen: boolean[] = [];
    const isOpen = (file: string) => openFilesOf(process.pid).includes(file);
    const { keeper } = await start(context, async (file, expected, options) => {
      const looking = setInterval(() => seen.push(isOpen(file)), 1);
      return verifyApart(file, expected, options).finally(() => clearInterval(looking));
    });
    assert.equal([...new Set(seen)], [false]);
    assert.ok(isOpen(keeper.state().current?.path ?? ''), 'it is open now');
  },
);

whereProcIs(verifying)('H5: should keep what it has when the verifier is killed', async (context) => {
  const { keeper, lines, publish } = await start(context);
  const before = idOf(keeper);
  await publish('Drept');
  const looking = keeper.check();
  await until('the verifier runs', () => verifiers().length === 1);
  for (const pid of verifiers()) process.kill(pid, 'SIGKILL');
  await looking;
  assert.match(reasons(lines)[0] ?? '', /expected to be verified, found its process ended by SIGKILL/);
  assert.is(idOf(keeper), before);
});

whereProcIs(verifying)('H4: should leave no verifier when it stops', async (context) => {
  const { keeper, lines, publish } = await start(context);
  await publish('Stanset');
  void keeper.check();
  await until('the verifier runs', () => verifiers().length === 1);
  await keeper.close();
  await until('the verifier has ended', () => verifiers().length === 0);
  assert.equal(reasons(lines), []);
});

verifying('H5: should come to the last of two publications in quick succession', async (context) => {
  const { keeper, publish } = await start(context);
  await publish('Første');
  const looking = keeper.check();
  const last = await publish('Andre');
  await Promise.all([looking, keeper.check()]);
  assert.is(idOf(keeper), last.id);
});

verifying.run();

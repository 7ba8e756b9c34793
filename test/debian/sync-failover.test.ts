/** almanakk-sync: what it says about the failover between two machines with one address, and the example for keepalived. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { debianPaths } from '../helpers/debian-files.ts';
import { save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';
import { MARK, type Machines, machines } from './sync-machines.ts';

interface Failover {
  readonly what: string;
  /** What keepalived and the network say on this machine and on the builder. */
  readonly here: string;
  readonly there: string;
  /** The machines on which keepalived runs. */
  readonly running: number;
  /** Whether this machine has the address: 1 if it does. */
  readonly holds: number;
  /** What almanakk-sync expects when it finds this twice in a row; empty if nothing is wrong. */
  readonly said: string;
}

const WORKING: Failover = {
  what: 'the builder has the address',
  here: 'active\neth0 UP 10.0.0.12/24',
  there: 'active\neth0 UP 10.0.0.11/24 10.0.0.10/24',
  running: 2,
  holds: 0,
  said: '',
};

const FAILOVERS: readonly Failover[] = [
  {
    what: 'this machine has the address',
    here: 'active\neth0 UP 10.0.0.12/24 10.0.0.10/24',
    there: 'active\neth0 UP 10.0.0.11/24',
    running: 2,
    holds: 1,
    said: '',
  },
  {
    what: 'keepalived does not run here',
    here: 'inactive\neth0 UP 10.0.0.12/24',
    there: 'active\neth0 UP 10.0.0.11/24 10.0.0.10/24',
    running: 1,
    holds: 0,
    said: 'keepalived on this machine and 10.0.0.11: active active, found inactive active in two runs',
  },
  {
    what: 'keepalived does not run on the builder',
    here: 'active\neth0 UP 10.0.0.12/24 10.0.0.10/24',
    there: '',
    running: 1,
    holds: 1,
    said: 'keepalived on this machine and 10.0.0.11: active active, found active in two runs',
  },
  {
    what: 'both machines have the address',
    here: 'active\neth0 UP 10.0.0.12/24 10.0.0.10/24',
    there: 'active\neth0 UP 10.0.0.11/24 10.0.0.10/24',
    running: 2,
    holds: 1,
    said: 'machines with the address 10.0.0.10: 1, found 2 in two runs',
  },
  {
    what: 'no machine has the address',
    here: 'active\neth0 UP 10.0.0.12/24',
    there: 'active\neth0 UP 10.0.0.11/24 10.0.0.100/24',
    running: 2,
    holds: 0,
    said: 'machines with the address 10.0.0.10: 1, found 0 in two runs',
  },
];

const METRICS = 'var/lib/prometheus/node-exporter/almanakk.prom';
const HOLDER = 'var/lib/prometheus/node-exporter/almanakk-failover.prom';
const EXAMPLE = readFileSync(packagePath('docs/examples/keepalived.conf'), 'utf8');

interface Context {
  pair: Machines;
}

/** One pair of machines, of which each test sets the states. */
const failover = suite<Context>('almanakk-sync: the failover');

failover.before((context) => {
  context.pair = machines();
  const { builder, root } = context.pair;
  for (const machine of [builder, root]) save(join(machine, 'etc/keepalived/keepalived.conf'), EXAMPLE);
  saveStates(context.pair);
  mkdirSync(join(root, METRICS, '..'), { recursive: true });
});

/** Programs of both machines that say what `setStates` has set. */
function saveStates({ builder, root }: Machines): void {
  const file = `$(test "$PWD" = ${builder} && echo ${root}/there || echo ${root}/here)`;
  saveProgram(
    root,
    'systemctl',
    `test "$1" != is-active || { sed -n 1p ${file}; ! grep -q inactive ${file}; }`,
  );
  saveProgram(root, 'ip', `sed 1d ${file}; echo`);
}

function setStates({ root }: Machines, { here, there }: Pick<Failover, 'here' | 'there'>): void {
  save(join(root, 'here'), here);
  save(join(root, 'there'), there);
}

for (const { what, said, running, holds, ...states } of FAILOVERS) {
  const ends = said === '' ? 'succeed' : 'fail after it has copied everything';
  failover(`H18: should ${ends} if ${what} twice in a row`, async ({ pair }) => {
    const { root, read, sync, sayState } = pair;
    setStates(pair, states);
    const once = await sync();
    assert.equal([once.code, once.stderr], [0, ''], 'once');
    rmSync(join(root, MARK));
    const { code, stderr } = await sync();
    const line = said && `almanakk-sync: expected ${said}. See: systemctl status keepalived\n`;
    assert.equal([code, stderr], [said === '' ? 0 : 1, line]);
    assert.ok(existsSync(join(root, MARK)), 'it has copied everything');
    assert.is(read(METRICS), `almanakk_failover_keepalived_machines ${running}\n`);
    assert.is((await sayState()).code, 0);
    assert.is(read(HOLDER), `almanakk_failover_holds_address{address="10.0.0.10"} ${holds}\n`);
    setStates(pair, WORKING);
    assert.is((await sync()).code, 0, 'and again after a success');
  });
}

/** It takes the settings of keepalived away, so it is the last test of these machines. */
failover('H18: should say nothing about machines without keepalived', async ({ pair }) => {
  const { builder, root, sync, sayState } = pair;
  rmSync(join(root, 'etc/keepalived'), { recursive: true });
  setStates(pair, { here: 'inactive', there: 'active' });
  for (const code of [0, 1]) assert.is((await sync()).code, code, 'only the builder has keepalived');
  rmSync(join(builder, 'etc/keepalived'), { recursive: true });
  for (const _ of ['first', 'again']) assert.is((await sync()).code, 0, 'without keepalived');
  assert.is((await sayState()).code, 0);
  for (const file of [METRICS, HOLDER]) assert.not.ok(existsSync(join(root, file)), `${file} of before`);
});

/** Not the loopback, which keepalived refuses. */
const [card] = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
  addresses.some(({ internal }) => !internal) ? [name] : [],
);
const withKeepalived = when(
  isExpected('keepalived') && card !== undefined,
  'keepalived is not installed here, or there is no network',
  failover,
);

/** The script of the example, and the file of docs/debian that it is. */
const [SCRIPT = '', PROGRAM = ''] = /(?<=script ")\/(\S+) 10\.0\.0\.12(?=")/.exec(EXAMPLE) ?? [];

/** What keepalived has against a configuration. */
function objections(configuration: string): string {
  const file = join(temporaryFolder(), 'keepalived.conf');
  // The script is not on this machine.
  const here = configuration.replace(SCRIPT, '/usr/bin/true');
  writeFileSync(file, here.replace('interface eth0', `interface ${card}`));
  // It may end by a signal to its process group.
  const { stderr } = spawnSync('setsid', ['--wait', 'keepalived', '--config-test', '--use-file', file], {
    encoding: 'utf8',
  });
  return stderr;
}

failover('should have an example that runs a script of docs/debian', () => {
  assert.ok(debianPaths().includes(PROGRAM), PROGRAM);
});

withKeepalived('should have an example for a floating address that keepalived accepts', () => {
  assert.is(objections(EXAMPLE), '');
  assert.match(
    objections(EXAMPLE.replace('track_script {', 'track_scripts {')),
    "Unknown keyword 'track_scripts'",
  );
});

failover.run();

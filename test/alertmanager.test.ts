/** H12: docs/examples/alertmanager.yml as Alertmanager reads it: who gets which alert, and which alerts silence others. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { packagePath } from '../src/package.ts';
import { clientOf, JSON_BODY } from './helpers/client.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { freePort } from './helpers/nginx.ts';
import { eventually } from './helpers/until.ts';
import { isExpected, when } from './helpers/when.ts';
import { theBlock } from './readme/blocks.ts';

const ALERTMANAGER = 'prometheus-alertmanager';
const PATH = packagePath('docs/examples/alertmanager.yml');
const configuration = parse(readFileSync(PATH, 'utf8'));

interface Group {
  readonly rules: readonly { readonly alert: string; readonly labels: { readonly severity: string } }[];
}

const { groups }: { readonly groups: readonly Group[] } = parse(
  readFileSync(packagePath('docs/alerts.yml'), 'utf8'),
);
const severities = new Map(
  groups.flatMap(({ rules }) => rules.map(({ alert, labels }) => [alert, labels.severity] as const)),
);

const tests = suite('alertmanager.yml');
const withAmtool = when(isExpected('amtool'), `no amtool (${ALERTMANAGER})`, tests);
const withAlertmanager = when(isExpected(ALERTMANAGER), `no ${ALERTMANAGER}`, tests);

withAmtool('H12: should be a configuration that Alertmanager loads', () => {
  const { status, stdout, stderr } = spawnSync('amtool', ['check-config', PATH], { encoding: 'utf8' });
  assert.is(status, 0, stdout + stderr);
});

interface Inhibition {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
}

tests('H12: should silence alerts that exist, and no page for a ticket', () => {
  for (const { source_matchers, target_matchers } of configuration.inhibit_rules as readonly Inhibition[]) {
    const sources = severitiesOf(source_matchers);
    const targets = severitiesOf(target_matchers);
    if (targets.includes('page')) assert.equal([...new Set(sources)], ['page'], target_matchers.join());
  }
});

/** The severity of each alert that a matcher names. */
function severitiesOf([matcher = '']: readonly string[]): readonly string[] {
  const [, names = ''] = /^alertname=~?"([\w|]+)"$/.exec(matcher) ?? [];
  return names.split('|').map((name) => {
    const severity = severities.get(name);
    if (severity === undefined) throw new Error(`expected an alert of alerts.yml, found ${name}`);
    return severity;
  });
}

/** The alerts that fire, each with its calendar and its server if it has one. */
const FIRING = [
  // A release whose servers keep stopping.
  'MostServersGone town',
  'ServersCrash town',
  'ServerRestarts town',
  'NoCalendar town',
  'RequestsFail town',
  'PublicAddressFails town',
  'PublicCalendarIsOld town',
  'DiskNearlyFull town',
  // Another calendar, whose requests fail.
  'RequestsFail festival',
  'MostRequestsFail festival',
  // A source that the build refuses.
  'BuildsFail library',
  'CalendarIsOld library',
  // Replicas that cannot start, beside a second calendar in the cluster whose builder cannot.
  'ReplicasGone harbour',
  'ReplicasUnavailable harbour',
  'PublicAddressFails harbour',
  'BuilderGone museum',
  'CalendarIsOld museum',
  // A builder that crashes in each build.
  'BuilderCrashes mill',
  'BuilderSilent mill',
  'CalendarIsOld mill',
  'BackupFails museum',
  // A server that crashes, beside another one that does not respond.
  'ServerRestarts market 4000',
  'ServerGone market 4000',
  'ServerGone market 4001',
  'Heartbeat',
];

/** Those that nothing silences, each with its receiver. */
const SENT = [
  'BackupFails museum tickets',
  'BuilderCrashes mill tickets',
  'BuilderGone museum tickets',
  'BuildsFail library tickets',
  'DiskNearlyFull town tickets',
  'Heartbeat heartbeat',
  'MostServersGone town pages',
  'ReplicasGone harbour pages',
  'RequestsFail festival pages',
  'ServerGone market 4001 tickets',
  'ServerRestarts market 4000 tickets',
];

withAlertmanager(
  'H12: should send one page for one cause, other causes and calendars too, and none of a silenced calendar',
  async () => {
    const { client, stop } = await startAlertmanager();
    const sends = (expected: readonly string[]) =>
      eventually(`sends ${expected}`, async () => {
        const { text } = await client.send('/api/v2/alerts?inhibited=false&silenced=false');
        const found: readonly Sent[] = JSON.parse(text);
        return found.map(described).sort().join() === expected.join();
      });
    try {
      const body = JSON.stringify(FIRING.map((text) => ({ labels: labelsOf(text) })));
      const { status } = await client.send('/api/v2/alerts', { method: 'POST', headers: JSON_BODY, body });
      assert.is(status, 200);
      await sends(SENT);
      // The silence for planned work.
      const { text } = theBlock({ says: /^amtool silence add /m });
      const lines = text.replace('http://localhost:9093', client.url).replace('=almanakk', '=town');
      const { status: code, stderr } = spawnSync('sh', ['-ec', lines], { encoding: 'utf8' });
      assert.is(code, 0, stderr);
      await sends(SENT.filter((sent) => !sent.includes(' town ')));
    } finally {
      await stop();
    }
  },
);

function labelsOf(text: string): Readonly<Record<string, string>> {
  const [alertname = '', calendar, instance] = text.split(' ');
  const severity = severities.get(alertname) ?? '';
  // Alertmanager takes an empty label for none.
  return { alertname, severity, calendar: calendar ?? '', instance: instance ?? '' };
}

interface Sent {
  readonly labels: { readonly alertname: string; readonly calendar?: string; readonly instance?: string };
  readonly receivers: readonly { readonly name: string }[];
}

function described({ labels, receivers }: Sent): string {
  const { alertname, calendar, instance } = labels;
  const parts = [alertname, calendar, instance, ...receivers.map(({ name }) => name)];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** Alertmanager with receivers that send nothing. */
async function startAlertmanager() {
  const folder = temporaryFolder();
  const path = join(folder, 'alertmanager.yml');
  const receivers = configuration.receivers.map(({ name }: { readonly name: string }) => ({ name }));
  writeFileSync(path, stringify({ ...configuration, receivers }));
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [`--config.file=${path}`, `--storage.path=${folder}`, `--web.listen-address=${address}`];
  const program = spawn(ALERTMANAGER, [...flags, '--cluster.listen-address='], { stdio: 'ignore' });
  const client = clientOf(`http://${address}`);
  await eventually('Alertmanager is ready', async () => (await client.send('/-/ready')).status === 200);
  const stop = async () => {
    program.kill();
    await once(program, 'exit');
  };
  return { client, stop };
}

tests.run();

/** H12: docs/alerts.yml, docs/scrape.yml and docs/dashboard.json as Prometheus reads them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { packagePath } from '../../src/package.ts';
import { assertAbove } from '../helpers/assertions.ts';
import { debianFile } from '../helpers/debian-files.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { startPages } from '../helpers/pages.ts';
import { discover, promtool } from '../helpers/prometheus.ts';
import { isExpected, when } from '../helpers/when.ts';
import { readPage } from '../readme/document.ts';
import { alerts, RULES, rules, rulesIn } from './rules.ts';
import { MACHINES } from './series.ts';

const test = when(isExpected('promtool'), 'no promtool (prometheus)', suite('configuration of alerts'));

test('H12: should have rules and a configuration that Prometheus loads', () => {
  assert.match(promtool(['check', 'rules', RULES]), `SUCCESS: ${alerts.length} rules found`);
  for (const name of ['scrape', 'scrape-machines'])
    promtool(['check', 'config', '--syntax-only', packagePath(`docs/${name}.yml`)]);
  // Debian's promtool does not know Kubernetes: test/kubernetes/targets.test.ts reads that part.
  const inKubernetes = parse(readFileSync(packagePath('docs/scrape-kubernetes.yml'), 'utf8'));
  for (const job of inKubernetes.scrape_configs) delete job.kubernetes_sd_configs;
  const path = join(temporaryFolder(), 'scrape.yml');
  writeFileSync(path, stringify(inKubernetes));
  promtool(['check', 'config', '--syntax-only', path]);
});

/** How a section of docs/on-call.md begins, by the severity of its alert. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  page: '**Page.** ',
  ticket: '**Ticket.** ',
  heartbeat: '**Page,** ',
};

test('H12: each rule should link to its section for whoever is on call, in the order of the rules', () => {
  const [, text = ''] =
    /^## By alert\n([\s\S]*?)^(?:## |\*\*An email)/m.exec(readPage('docs/on-call.md')) ?? [];
  const sections = text.split(/^### /m).slice(1);
  assert.equal(
    sections.map((section) => section.split('\n')[0]),
    rules.map(({ alert }) => alert),
  );
  for (const [index, { alert, labels, annotations }] of rules.entries()) {
    assert.equal(Object.keys(annotations), ['summary', 'description', 'runbook_url'], alert);
    assert.is(annotations.runbook_url, `docs/on-call.md#${alert.toLowerCase()}`);
    const [, meaning = '', steps = ''] = sections[index]?.split('\n\n') ?? [];
    assert.is(meaning.slice(0, BEGINNINGS[labels.severity]?.length), BEGINNINGS[labels.severity], alert);
    assert.match(steps, /^- \*\*First look:\*\* \S[\s\S]*\n- \*\*Then:\*\* \S/, alert);
  }
});

test('H12: the first steps should say of each alert that wakes somebody whether it can wait', () => {
  const [, steps = ''] = /^## First steps\n([\s\S]*?)^## /m.exec(readPage('docs/on-call.md')) ?? [];
  const waking = rules.filter(({ labels }) => labels.severity !== 'ticket').map(({ alert }) => alert);
  assertAbove(waking.length, 1, 'alerts');
  assert.equal(
    waking.filter((alert) => !steps.includes(`\`${alert}\``)),
    [],
  );
});

test('H12: should turn the path of a runbook into a link by the command in the file', () => {
  const text = readFileSync(RULES, 'utf8');
  const path = join(temporaryFolder(), 'alerts.yml');
  writeFileSync(path, text);
  const [, command = ''] = /^# (sed .*) alerts\.yml$/m.exec(text) ?? [];
  spawnSync('sh', ['-c', `${command} ${path}`]);
  const links = rulesIn(readFileSync(path, 'utf8')).map(({ annotations }) => annotations.runbook_url);
  const base = 'https://forge.example/lillevik/almanakk/blob/main';
  assert.equal(
    links,
    rules.map(({ annotations }) => `${base}/${annotations.runbook_url}`),
  );
});

test('H12: should have targets for a Prometheus on another machine, in place of those on the same', () => {
  const text = readFileSync(packagePath('docs/scrape.yml'), 'utf8');
  const [, other = ''] = /^ {2}# (- job_name: .*)/ms.exec(text) ?? [];
  const path = join(temporaryFolder(), 'scrape.yml');
  writeFileSync(path, `scrape_configs:\n${other.replaceAll(/^(?: {2}# )?/gm, '  ')}`);
  assert.equal(addressesIn(path, 'almanakk'), [
    'https://kalender.example/metrics/4000 kalender.example:4000',
    'https://kalender.example/metrics/4001 kalender.example:4001',
  ]);
});

test('H12: should have targets for a further calendar, with its own label, in both jobs', () => {
  const text = readFileSync(packagePath('docs/scrape.yml'), 'utf8');
  const path = join(temporaryFolder(), 'scrape.yml');
  writeFileSync(path, text.replaceAll(/^ {6}# (?=- targets| {2}labels)/gm, '      '));
  const calendars = ['almanakk', 'almanakk-public'].map((job) =>
    discover(path, job)
      .map(
        ({ labels }) =>
          `${labels.calendar} ${new URL(labels.instance?.replace(/^localhost/, 'http://$&') ?? '').host}`,
      )
      .sort(),
  );
  assert.equal(calendars, [
    ['almanakk localhost:4000', 'almanakk localhost:4001', 'lillevik localhost:4010'],
    [...twice('almanakk kalender.example'), ...twice('lillevik lillevik.example')],
  ]);
});

const twice = (text: string) => [text, text];

test('H12: should have targets for the servers of two machines', () => {
  const expected = MACHINES.map((server) => `https://${server.replace(':', '/metrics/')} ${server}`);
  assert.equal(addressesIn(packagePath('docs/scrape-machines.yml'), 'almanakk'), expected);
  assert.match(readPage('docs/two-machines.md'), '10.0.0.11 is the builder and 10.0.0.12 the replica');
});

/** They write the metrics of the failover for node_exporter. */
const WRITERS = ['almanakk-sync', 'almanakk-failover-state'].map((name) =>
  debianFile(`usr/local/sbin/${name}`),
);
const EXPORTER = 'http://localhost:9115/probe';
const PROBES = [
  `${EXPORTER} https://kalender.example/graphQL almanakk_answer https://kalender.example/graphQL`,
  `${EXPORTER} https://kalender.example/readyz almanakk_ready https://kalender.example/readyz`,
];
const probeOf = (machine: string) =>
  `${EXPORTER} https://${machine}/readyz kalender.example almanakk_ready https://${machine}/readyz`;

test('H12: should request the public address through the exporter, and each of two machines', () => {
  assert.equal(addressesIn(packagePath('docs/scrape.yml'), 'almanakk-public'), PROBES);
  const found = addressesIn(packagePath('docs/scrape-machines.yml'), 'almanakk-public');
  assert.equal(found, [probeOf('10.0.0.11'), probeOf('10.0.0.12'), ...PROBES]);
  const modules = Object.keys(parse(readFileSync(packagePath('docs/blackbox.yml'), 'utf8')).modules);
  assert.equal(modules.sort(), ['almanakk_answer', 'almanakk_hidden_list', 'almanakk_ready']);
});

test('H12: should ask the newspapers’ sites in a file whether they can read the list of hidden events', () => {
  const text = readFileSync(packagePath('docs/scrape.yml'), 'utf8');
  const folder = temporaryFolder();
  const [, example = ''] = /^((?: {2}# (?:- targets| {2}labels): .*\n)+)/m.exec(text) ?? [];
  writeFileSync(join(folder, 'sites.yml'), example.replaceAll('  # ', ''));
  const path = join(folder, 'scrape.yml');
  writeFileSync(path, text.replace('/etc/prometheus/almanakk-sites.yml', join(folder, 'sites.yml')));
  const sites = [
    'https://avisen.example/?almanakk_hidden=copy',
    'https://blad.example/arrangementer?almanakk_hidden=copy',
  ];
  assert.equal(
    addressesIn(path, 'almanakk-sites'),
    sites.map((site) => `${EXPORTER} ${site} almanakk_hidden_list ${site}`),
  );
  const [job, ...others] = ['scrape', 'scrape-machines', 'scrape-kubernetes'].map(jobOfSites);
  for (const other of others) assert.equal(other, job);
});

/** With the exporter of a single machine. */
function jobOfSites(name: string): object {
  const text = readFileSync(packagePath(`docs/${name}.yml`), 'utf8');
  const jobs: readonly { readonly job_name: string }[] = parse(
    text.replaceAll('blackbox-exporter.monitoring:9115', 'localhost:9115'),
  ).scrape_configs;
  const job = jobs.find(({ job_name }) => job_name === 'almanakk-sites');
  if (job === undefined) throw new Error(`expected a job almanakk-sites in ${name}.yml, found none`);
  return job;
}

/** The addresses that a job requests, with their parameters, each with the label `instance`. */
function addressesIn(path: string, job: string): readonly string[] {
  const addresses = discover(path, job).map(({ labels }) => {
    assert.equal([labels.job, labels.calendar], [job, 'almanakk']);
    // Only newer versions of Prometheus leave out the port of the scheme.
    const address = labels.__address__?.replace(/:443$/, '');
    const { __param_target: target, __param_hostname: name, __param_module: module, instance } = labels;
    const url = `${labels.__scheme__}://${address}${labels.__metrics_path__}`;
    return [url, target, name, module, instance].filter((part) => part !== undefined).join(' ');
  });
  return addresses.sort();
}

const DASHBOARD = packagePath('docs/dashboard.json');
/** Expressions of the dashboard's panels, with values for Grafana's variables. */
const expressions: readonly string[] = JSON.parse(readFileSync(DASHBOARD, 'utf8')).panels.flatMap(
  ({ targets }: { readonly targets: readonly { readonly expr: string }[] }) =>
    targets.map(({ expr }) =>
      expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.+').replaceAll('$calendar', '.*'),
    ),
);

test('H12: should have a dashboard whose expressions Prometheus reads', () => {
  const rules = expressions.map((expr, at) => ({ record: `dashboard:${at}`, expr }));
  const path = join(temporaryFolder(), 'dashboard.yml');
  writeFileSync(path, stringify({ groups: [{ name: 'dashboard', rules }] }));
  assert.match(promtool(['check', 'rules', path]), `SUCCESS: ${expressions.length} rules found`);
  assert.not.match(expressions.join(), '$');
  const metrics = (text: string) => text.match(/\b(?:almanakk_|process_|up\{)/g)?.length;
  for (const expr of expressions) assert.is(expr.match(/calendar=~"\.\*"/g)?.length, metrics(expr), expr);
});

test('H12: should name only metrics that exist, in Prometheus’s format', async () => {
  const running = await startPages({ clock: () => Date.parse('2026-11-20T12:00:00+01:00') });
  const { text } = await running.send('/metrics');
  await running.close();
  const objections = promtool(['check', 'metrics'], text);
  assert.is(objections, '');
  const named = [readFileSync(RULES, 'utf8'), ...expressions].join('\n').match(/\b(?:almanakk|process)_\w+/g);
  const others = new Set(named?.filter((name) => !WRITERS.some((text) => text.includes(name))));
  for (const name of others) assert.match(text, `# TYPE ${name.replace(/_(?:count|bucket)$/, '')} `);
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.match(text, `almanakk_build_info{version="${version}",commit="`);
  assertAbove(Number(/^almanakk_snapshot_free_bytes (\S+)$/m.exec(text)?.[1]), 0, 'free bytes');
  assertAbove(Number(/^almanakk_snapshot_bytes (\S+)$/m.exec(text)?.[1]), 100_000, 'bytes of the snapshot');
});

test.run();

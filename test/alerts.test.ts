/** H12: docs/alerts.yml and docs/scrape.yml as Prometheus reads them, in scenarios of outages and of quiet days. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { packagePath } from '../src/package.ts';
import { assertAbove } from './helpers/assertions.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { startPages } from './helpers/pages.ts';
import { discover, promtool } from './helpers/prometheus.ts';
import { isInstalled, when } from './helpers/when.ts';
import { readPage, tableIn } from './readme/document.ts';

const test = when(isInstalled('promtool'), 'no promtool (prometheus)', suite('alerts'));

const RULES = packagePath('docs/alerts.yml');
const DASHBOARD = packagePath('docs/dashboard.json');
interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const rules = rulesIn(readFileSync(RULES, 'utf8'));
const alerts = rules.map(({ alert }) => alert);

function rulesIn(text: string): readonly Rule[] {
  return parse(text).groups.flatMap((group: { readonly rules: readonly Rule[] }) => group.rules);
}

test('H12: should have rules and a configuration that Prometheus loads', () => {
  assert.match(promtool(['check', 'rules', RULES]), `SUCCESS: ${alerts.length} rules found`);
  for (const name of ['scrape', 'scrape-machines'])
    promtool(['check', 'config', '--syntax-only', packagePath(`docs/${name}.yml`)]);
  // Debian's promtool does not know Kubernetes: test/kubernetes-targets.test.ts reads that part.
  const inKubernetes = parse(readFileSync(packagePath('docs/scrape-kubernetes.yml'), 'utf8'));
  for (const job of inKubernetes.scrape_configs) delete job.kubernetes_sd_configs;
  const path = join(temporaryFolder(), 'scrape.yml');
  writeFileSync(path, stringify(inKubernetes));
  promtool(['check', 'config', '--syntax-only', path]);
});

const PAGES = rules.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert);

test('H12: should have three severities', () => {
  const severities = new Set(rules.map(({ labels }) => labels.severity));
  assert.equal(severities, new Set(['page', 'ticket', 'heartbeat']));
});

/** Of the table in docs/watching.md: alert, meaning and remedy. */
const RUNBOOK = tableIn(readPage('docs/watching.md'), 'Set up alerts')
  .trim()
  .split('\n')
  .slice(2)
  .map(cellsOf);

test('H12: each rule should say what to do, and link to its own row of the table', () => {
  const expected = rules.map(({ alert, annotations }) => {
    assert.equal(Object.keys(annotations), ['summary', 'description', 'runbook_url'], alert);
    const anchor = alert.toLowerCase();
    assert.is(annotations.runbook_url, `docs/watching.md#${anchor}`);
    return `<a id="${anchor}"></a>\`${alert}\``;
  });
  assert.equal(RUNBOOK.map(([alert]) => alert).toSorted(), expected.toSorted());
  for (const [alert, meaning, remedy] of RUNBOOK) assert.ok(meaning && remedy, alert);
});

test('H12: the table should begin with the alerts that wake somebody', () => {
  const first = RUNBOOK.slice(0, PAGES.length).map(([alert]) => alert?.split('`')[1]);
  assert.equal(first.toSorted(), PAGES.toSorted());
});

test('H12: the page for whoever is on call should have each alert that wakes somebody', () => {
  const rows = tableIn(readPage('docs/on-call.md'), 'By alert').trim().split('\n').slice(2).map(cellsOf);
  assert.equal(rows.map(([alert]) => alert?.split('`')[1]).toSorted(), PAGES.toSorted());
});

function cellsOf(row: string): readonly string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

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

/** The servers of the builder and of the replica in docs/two-machines.md. */
const MACHINES = ['10.0.0.11:4000', '10.0.0.11:4001', '10.0.0.12:4000', '10.0.0.12:4001'];

test('H12: should have targets for the servers of two machines', () => {
  const expected = MACHINES.map((server) => `http://${server}/metrics ${server}`);
  assert.equal(addressesIn(packagePath('docs/scrape-machines.yml'), 'almanakk'), expected);
  assert.match(readPage('docs/two-machines.md'), '10.0.0.11 is the builder and 10.0.0.12 the replica');
});

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
  assert.equal(modules.sort(), ['almanakk_answer', 'almanakk_ready']);
});

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
  for (const name of new Set(named)) assert.match(text, `# TYPE ${name.replace(/_(?:count|bucket)$/, '')} `);
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.match(text, `almanakk_build_info{version="${version}",commit="`);
  assertAbove(Number(/^almanakk_snapshot_free_bytes (\S+)$/m.exec(text)?.[1]), 0, 'free bytes');
  assertAbove(Number(/^almanakk_snapshot_bytes (\S+)$/m.exec(text)?.[1]), 100_000, 'bytes of the snapshot');
});

/** A value a minute, in promtool's notation; `x1500` is a day and an hour. */
type Series = Readonly<Record<string, string>>;

const requests = (outcome: string) => `almanakk_requests_total{${OF},outcome="${outcome}"}`;
const failures = (reason: string) => `almanakk_requests_failed_total{${OF},reason="${reason}"}`;
/** A series that begins with the first failure. */
const failuresOf = (application: string) =>
  `almanakk_request_duration_seconds_count{${OF},outcome="failed",application="${application}"}`;
const feed = (id: string, instance = 'a') =>
  `almanakk_feed_failing_since_timestamp_seconds{instance="${instance}",job="almanakk",feed="${id}"}`;
const concern = (name: string) => `almanakk_concern{${OF},name="${name}"}`;
const OF = 'instance="a",job="almanakk"';

const UP = `up{${OF}}`;
const OPEN = `almanakk_snapshot_open{${OF}}`;
const AGE = `almanakk_snapshot_age_seconds{${OF}}`;
const UPCOMING = `almanakk_upcoming_events{${OF}}`;
const FREE = `almanakk_snapshot_free_bytes{${OF}}`;
const SIZE = `almanakk_snapshot_bytes{${OF}}`;
const REPLACED = `almanakk_node_replaced{${OF}}`;
const STARTED = `process_start_time_seconds{${OF}}`;

/** A server of docs/scrape.yml. */
const upAt = (port: number, calendar = '') =>
  `up{job="almanakk",instance="localhost:${port}",calendar="${calendar}"}`;
const openAt = (port: number) => `almanakk_snapshot_open{job="almanakk",instance="localhost:${port}"}`;
const crashesAt = (port: number) => upAt(port).replace('up{', 'almanakk_builder_crashes{');
const requestsAt = (port: number, outcome: string, calendar = '') =>
  upAt(port, calendar).replace('up{', `almanakk_requests_total{outcome="${outcome}",`);

/** A pod has the labels that test/kubernetes-targets.test.ts expects. */
const upOf = (component: string, at = 1) =>
  `up{job="almanakk",${CALENDAR},pod="${component}-${at}",component="${component}",instance="${component}-${at}"}`;
const CALENDAR = 'namespace="almanakk",calendar="almanakk"';
const PLANNED = `almanakk_planned_stop_timestamp_seconds{${OF}}`;
const startOf = (component: string, at = 1) =>
  upOf(component, at).replace('up{', 'process_start_time_seconds{');
const plannedOf = (component: string) =>
  upOf(component).replace('up{', 'almanakk_planned_stop_timestamp_seconds{');
const openOf = (component: string, at = 1) => upOf(component, at).replace('up{', 'almanakk_snapshot_open{');
const requestsOf = (replica: number, outcome: string) =>
  upOf('replica', replica).replace('up{', `almanakk_requests_total{outcome="${outcome}",`);
const PENDING = 'kube_deployment_status_replicas_unavailable{namespace="almanakk",deployment="replica"}';

const probe = (metric: string, path: string) =>
  `probe_${metric}{job="almanakk-public",instance="https://kalender.example/${path}"}`;

const probeOfMachine = (metric: string, machine: string) =>
  `probe_${metric}{job="almanakk-public",instance="https://${machine}/readyz",machine="${machine}"}`;

const BACKUP = 'namespace="almanakk",cronjob="backup"';
const POD = upOf('server');
const BACKED_UP = `kube_cronjob_status_last_successful_time{${BACKUP}}`;
const BACKUP_CREATED = `kube_cronjob_created{${BACKUP}}`;

/** A day on which all is well and hardly anybody asks. */
const QUIET: Series = {
  [UP]: '1x1500',
  [OPEN]: '1x1500',
  [AGE]: '60+60x1400',
  [UPCOMING]: '195x1500',
  [FREE]: '9e9x1500',
  [SIZE]: '6e8x1500',
  [STARTED]: '1000x1500',
  [PLANNED]: '0x1500',
  [concern('build failed')]: '0x1500',
  [feed('kor')]: '0x1500',
  [requests('ok')]: '0+1x1500',
  [requests('failed')]: '0x1500',
};

/** Two hours in which all pods of docs/kubernetes.yaml run. */
const CLUSTER: Series = {
  [upOf('builder')]: '1x120',
  [upOf('replica', 1)]: '1x120',
  [upOf('replica', 2)]: '1x120',
  [upOf('replica', 3)]: '1x120',
  [PENDING]: '0x120',
  [BACKUP_CREATED]: '0x120',
};

/** Two servers of docs/scrape.yml, with thirty requests a minute each. */
const TWO_SERVERS: Series = {
  [upAt(4000)]: '1x120',
  [upAt(4001)]: '1x120',
  [openAt(4000)]: '1x120',
  [openAt(4001)]: '1x120',
  [requestsAt(4000, 'ok')]: '0+30x120',
  [requestsAt(4000, 'failed')]: '0x120',
  [requestsAt(4001, 'ok')]: '0+30x120',
  [requestsAt(4001, 'failed')]: '0x120',
};

/** As the Blackbox Exporter finds the public address while all is well. */
const PUBLIC: Series = {
  'up{job="almanakk-public",instance="https://kalender.example/readyz"}': '1x120',
  [probe('success', 'readyz')]: '1x120',
  [probe('http_status_code', 'readyz')]: '200x120',
  [probe('failed_due_to_regex', 'readyz')]: '0x120',
  [probe('ssl_earliest_cert_expiry', 'readyz')]: '5e6x120',
  [probe('success', 'graphQL')]: '1x120',
  [probe('http_status_code', 'graphQL')]: '200x120',
  [probe('failed_due_to_regex', 'graphQL')]: '0x120',
  [probe('ssl_earliest_cert_expiry', 'graphQL')]: '5e6x120',
};

const publicOf = (metric: string) => probe(metric, 'graphQL').replace('job=', 'calendar="almanakk",job=');

/** The same for the replicas of `CLUSTER`, whose probes have its calendar. */
const PUBLIC_OF_CLUSTER: Series = {
  [publicOf('success')]: '1x120',
  [publicOf('failed_due_to_regex')]: '0x120',
};

/** One of thirty requests a minute is answered; all others are refused to protect the server. */
const OVERLOADED: Series = {
  [requests('ok')]: '0+1x120',
  [requests('failed')]: '0+29x120',
  [failures('overloaded')]: '0+29x120',
  [failures('error')]: '0x120',
};

/** Requests without those of the address that is refused most. */
const others = (all: string, refused: string): Series => ({
  [`almanakk_others_requests_total{${OF}}`]: all,
  [`almanakk_others_refused_total{${OF}}`]: refused,
});

/** Responses within a second, and all responses. */
const durations = (quick: string, all: string): Series => ({
  [bucket('1')]: quick,
  [bucket('2.5')]: all,
  [bucket('+Inf')]: all,
});
const bucket = (most: string) => `almanakk_request_duration_seconds_bucket{${OF},le="${most}"}`;

/** A restart every five minutes, six times, each with a new start and, with that, a new time of the stop before it. */
const SIX_STARTS = '1000x4 1305x4 1605x4 1905x4 2205x4 2505x4 2805x60';
const SIX_STOPS = '0x4 1300x4 1600x4 1900x4 2200x4 2500x4 2800x60';

const NO_REPLICA: Series = {
  [upOf('replica', 1)]: '1x10 stale',
  [upOf('replica', 2)]: '1x10 stale',
  [upOf('replica', 3)]: '1x10 stale',
  [PENDING]: '0x10 3x120',
};

interface Scene {
  readonly series: Series;
  /** Minutes. */
  readonly at: number;
  /** What fires then. */
  readonly fires?: readonly string[];
  /** Whether callers get errors or no answer, as far as Prometheus can see: only then may an alert wake somebody. */
  readonly isOutage?: boolean;
  /** Whether something lasts for a minute only. */
  readonly isBrief?: boolean;
}

const SCENES: Readonly<Record<string, Scene>> = {
  'a quiet day': { series: QUIET, at: 1_380 },
  'a night without any request': { series: { ...QUIET, [requests('ok')]: '500x1500' }, at: 1_380 },
  'a process that is gone': {
    series: { ...QUIET, [UP]: '1x20 0x30' },
    at: 40,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'two servers that serve callers, but do not respond to Prometheus': {
    series: { ...PUBLIC, [upAt(4000)]: '1x10 0x50', [upAt(4001)]: '1x10 0x50' },
    at: 30,
    fires: ['ServerGone'],
  },
  'two servers and a public address that do not respond': {
    series: {
      ...PUBLIC,
      [probe('success', 'readyz')]: '1x10 0x110',
      [probe('http_status_code', 'readyz')]: '502x120',
      [upAt(4000)]: '1x10 0x50',
      [upAt(4001)]: '1x10 0x50',
    },
    at: 30,
    fires: ['MostServersGone', 'PublicAddressFails'],
    isOutage: true,
  },
  'a target that was never there': { series: {}, at: 30, fires: ['MostServersGone'], isOutage: true },
  'one of two servers that does not respond': {
    series: {
      ...TWO_SERVERS,
      [upAt(4001)]: '1x10 0x50',
      [openAt(4001)]: '1x10 stale',
      [requestsAt(4001, 'ok')]: '0+30x10 stale',
      [requestsAt(4001, 'failed')]: '0x10 stale',
    },
    at: 30,
    fires: ['ServerGone'],
  },
  'two servers that do not respond': {
    series: { [upAt(4000)]: '1x10 0x50', [upAt(4001)]: '1x10 0x50' },
    at: 30,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'both servers of one of two calendars': {
    series: {
      [upAt(4000, 'byen')]: '1x60',
      [upAt(4001, 'byen')]: '1x60',
      [upAt(4100, 'festivalen')]: '1x10 0x50',
      [upAt(4101, 'festivalen')]: '1x10 0x50',
    },
    at: 30,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'a restart of a minute': {
    series: { ...QUIET, [UP]: '1x30 0 1x60', [STARTED]: '1000x30 7000x60' },
    at: 36,
    isBrief: true,
  },
  'a process that dies again and again': {
    series: { ...QUIET, [STARTED]: '1000+300x100' },
    at: 60,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'six restarts within half an hour, for changed settings and an upgrade': {
    series: { ...QUIET, [STARTED]: SIX_STARTS, [PLANNED]: SIX_STOPS },
    at: 60,
  },
  'six planned restarts, and a version that then dies again and again': {
    series: {
      ...QUIET,
      [STARTED]: `${SIX_STARTS.replace('x60', 'x4')} 3700+300x40`,
      [PLANNED]: SIX_STOPS,
    },
    at: 60,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'a builder that is restarted six times for changed settings': {
    series: { ...CLUSTER, [startOf('builder')]: SIX_STARTS, [plannedOf('builder')]: SIX_STOPS },
    at: 60,
  },
  'a server of an earlier version, which does not note planned stops, and dies again and again': {
    series: { ...TWO_SERVERS, [STARTED]: '1000+300x100' },
    at: 60,
    fires: ['ServerRestarts'],
  },
  'a replica that dies again and again': {
    series: { ...CLUSTER, [startOf('replica')]: '1000+300x100' },
    at: 60,
    fires: ['ServerRestarts'],
  },
  'two of three replicas that die again and again': {
    series: { ...CLUSTER, [startOf('replica')]: '1000+300x100', [startOf('replica', 2)]: '1000+300x100' },
    at: 60,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'a replica that dies again and again while some requests to the public address fail': {
    series: {
      ...CLUSTER,
      ...PUBLIC_OF_CLUSTER,
      [startOf('replica')]: '1000+300x100',
      [publicOf('success')]: '1x50 0x4 1x100',
    },
    at: 61,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'a replica that dies again and again while the public address answers': {
    series: { ...CLUSTER, ...PUBLIC_OF_CLUSTER, [startOf('replica')]: '1000+300x100' },
    at: 61,
    fires: ['ServerRestarts'],
  },
  'a builder that is killed again and again for its memory': {
    series: { ...CLUSTER, [upOf('builder')]: '1 1 0 1 1x116', [startOf('builder')]: '1000+300x100' },
    at: 60,
    fires: ['BuilderRestarts'],
  },
  'a builder that crashes in its third build in a row, on a machine where only the servers have metrics': {
    series: {
      ...TWO_SERVERS,
      [crashesAt(4000)]: '0x10 1x4 2x4 3x100',
      [crashesAt(4001)]: '0x10 1x4 2x4 3x100',
    },
    at: 30,
    fires: ['BuilderCrashes'],
  },
  'a builder that crashed in two builds, and ended the third': {
    series: {
      ...TWO_SERVERS,
      [crashesAt(4000)]: '0x10 1x4 2x4 0x100',
      [crashesAt(4001)]: '0x10 1x4 2x4 0x100',
    },
    at: 30,
  },
  'one of two servers without a snapshot': {
    series: {
      ...TWO_SERVERS,
      [openAt(4001)]: '1x10 0x110',
      [requestsAt(4001, 'ok')]: '0+30x10 300x110',
      [requestsAt(4001, 'failed')]: '0x10 0+15x110',
    },
    at: 60,
    fires: ['ServerWithoutCalendar'],
  },
  'a server that has just got its first snapshot': {
    series: {
      ...QUIET,
      [OPEN]: '0x20 1x100',
      [requests('ok')]: '0x20 0+1x100',
      [requests('failed')]: '0+10x20 200x100',
    },
    at: 24,
  },
  'two servers without a snapshot': {
    series: { [UP]: '1x60', [openAt(4000)]: '1x10 0x50', [openAt(4001)]: '1x10 0x50' },
    at: 30,
    fires: ['NoCalendar'],
    isOutage: true,
  },
  'a builder whose first build takes long': {
    series: { ...CLUSTER, [openOf('builder')]: '0x120', [openOf('replica')]: '1x120' },
    at: 60,
  },
  'no snapshot for ten minutes': {
    series: { ...QUIET, [OPEN]: '0x100' },
    at: 10,
    fires: ['NoCalendar'],
    isOutage: true,
  },
  'a calendar that nobody builds': {
    series: { ...QUIET, [UP]: '1x2000', [OPEN]: '1x2000', [AGE]: '60+60x2000' },
    at: 1_680,
    fires: ['CalendarIsOld'],
  },
  'builds that fail for an hour': {
    series: { ...QUIET, [concern('build failed')]: '0x20 1x100' },
    at: 80,
    fires: ['BuildsFail'],
  },
  'a builder that is silent': {
    series: { ...QUIET, [concern('builder silent')]: '0x20 1x100' },
    at: 40,
    fires: ['BuilderSilent'],
  },
  'a machine that wakes from a long sleep': {
    series: { ...QUIET, [concern('builder silent')]: '0x20 1x2 0x100' },
    at: 24,
  },
  'one build that failed, and the next that did not': {
    series: { ...QUIET, [concern('build failed')]: '0x20 1x15 0x100' },
    at: 36,
  },
  'a failure in sixteen requests': {
    series: { ...QUIET, [requests('ok')]: '0+600x1500', [requests('failed')]: '0+40x1500' },
    at: 60,
    fires: ['RequestsFail'],
    isOutage: true,
  },
  'a failure in forty requests': {
    series: { ...QUIET, [requests('ok')]: '0+600x1500', [requests('failed')]: '0+15x1500' },
    at: 60,
    fires: ['SomeRequestsFail'],
  },
  'a failure in six hundred requests on a busy site': {
    series: { ...QUIET, [requests('ok')]: '0+6000x1500', [requests('failed')]: '0+10x1500' },
    at: 60,
  },
  'two failures on a quiet site': {
    series: { ...QUIET, [requests('ok')]: '500x1500', [requests('failed')]: '0x30 2x100' },
    at: 50,
  },
  'failures of which each server has a few': {
    series: {
      ...TWO_SERVERS,
      [requestsAt(4000, 'failed')]: '0+2x120',
      [requestsAt(4001, 'failed')]: '0+2x120',
    },
    at: 60,
    fires: ['RequestsFail'],
    isOutage: true,
  },
  'servers that refuse most requests of many addresses': {
    series: { ...QUIET, ...OVERLOADED, ...others('0+29x120', '0+28x120') },
    at: 60,
    fires: ['ManyRequestsRefused', 'MostRequestsRefused'],
    isOutage: true,
  },
  'servers that see a single address, and refuse most of its requests': {
    series: { ...QUIET, ...OVERLOADED, ...others('0+1x120', '0x120') },
    at: 60,
    fires: ['ManyRequestsRefused', 'MostRequestsRefused'],
    isOutage: true,
  },
  'servers that refuse most requests of one address, and serve the others': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+11x120', ...others('0+11x120', '0+1x120') },
    at: 60,
    fires: ['ManyRequestsRefused'],
  },
  'servers that refuse most of a hundred requests within two minutes': {
    series: {
      ...QUIET,
      [requests('ok')]: '0+10x120',
      [requests('failed')]: '0x20 50 100x100',
      [failures('overloaded')]: '0x20 50 100x100',
      [failures('error')]: '0x120',
    },
    at: 29,
  },
  'servers that refuse one of nine requests': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+230x60' },
    at: 50,
    fires: ['ManyRequestsRefused'],
  },
  'one slow response of twenty': {
    series: { ...QUIET, [requests('ok')]: '0+20x60', ...durations('0+19x60', '0+20x60') },
    at: 50,
    fires: ['ResponsesSlow'],
  },
  'one slow response of two hundred': {
    series: { ...QUIET, [requests('ok')]: '0+200x60', ...durations('0+199x60', '0+200x60') },
    at: 50,
  },
  'servers that refuse one of thirty requests': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+900x120' },
    at: 60,
    fires: ['RequestsRefused'],
  },
  'servers that refuse one of three hundred requests': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+8700x120' },
    at: 60,
  },
  'a server with failures beside a busy one without': {
    series: {
      ...TWO_SERVERS,
      [requestsAt(4000, 'ok')]: '0+600x120',
      [requestsAt(4001, 'failed')]: '0+3x120',
    },
    at: 60,
    fires: ['SomeRequestsFail'],
  },
  'failures of a quiet calendar beside a busy one': {
    series: {
      [upAt(4000, 'byen')]: '1x60',
      [requestsAt(4000, 'ok', 'byen')]: '0+600x60',
      [requestsAt(4000, 'failed', 'byen')]: '0x60',
      [upAt(4100, 'festivalen')]: '1x60',
      [requestsAt(4100, 'ok', 'festivalen')]: '0+10x60',
      [requestsAt(4100, 'failed', 'festivalen')]: '0+2x60',
    },
    at: 30,
    fires: ['RequestsFail'],
    isOutage: true,
  },
  'a quiet site on which the first request of three applications fails': {
    series: {
      ...QUIET,
      [requests('ok')]: '500x1500',
      [requests('failed')]: '0x10 1x5 2x5 3x100',
      [failuresOf('One')]: '_x11 1x120',
      [failuresOf('Two')]: '_x17 1x120',
      [failuresOf('Three')]: '_x23 1x120',
    },
    at: 28,
    fires: ['MostRequestsFail'],
    isOutage: true,
  },
  'a pod that has failed once before Prometheus finds it': {
    series: { ...CLUSTER, [requests('ok')]: '_x10 0x110', [requests('failed')]: '_x10 1 2 3 4x107' },
    at: 20,
    fires: ['MostRequestsFail'],
    isOutage: true,
  },
  'a quiet site that fails always': {
    series: {
      ...QUIET,
      [requests('ok')]: '500x1500',
      [requests('failed')]: '0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4 5 5 5 5 5 6x100',
    },
    at: 29,
    fires: ['MostRequestsFail'],
    isOutage: true,
  },
  'a busy site on which one request an hour fails': {
    series: { ...QUIET, [requests('ok')]: '0+600x1500', [requests('failed')]: '0x60 1x60 2x60 3x60 4x60' },
    at: 200,
  },
  'half of the events gone in a night': {
    series: { ...QUIET, [UPCOMING]: '195x600 90x600' },
    at: 700,
    fires: ['EventsVanish'],
  },
  'a small calendar after its weekend': { series: { ...QUIET, [UPCOMING]: '9x600 4x600' }, at: 700 },
  'a feed that fails for three hours': { series: { ...QUIET, [feed('kor')]: '60x1500' }, at: 180 },
  'a feed that fails for seven': {
    series: { ...QUIET, [feed('kor')]: '60x1500' },
    at: 420,
    fires: ['FeedsFail'],
  },
  'a feed that has failed for seven hours, and works again': {
    series: { ...QUIET, [feed('kor')]: '60x420 0x1000' },
    at: 440,
  },
  'a file that was refused': {
    series: { ...QUIET, [concern('snapshot damaged')]: '1x1500' },
    at: 10,
    fires: ['SnapshotRefused'],
  },
  'a server that still runs a version of Node that was replaced': {
    series: { ...QUIET, [REPLACED]: '0x20 1x100' },
    at: 90,
    fires: ['NodeReplaced'],
  },
  'a version of Node that was replaced, and a restart soon after': {
    series: { ...QUIET, [REPLACED]: '0x20 1x40 0x100' },
    at: 90,
  },
  'a snapshot from the future': {
    series: { ...QUIET, [concern('clock wrong')]: '0x20 1x100' },
    at: 36,
    fires: ['ClockWrong'],
  },
  'records that were dropped': {
    series: { ...QUIET, [concern('records dropped')]: '1x1500' },
    at: 90,
    fires: ['RecordsDropped'],
  },
  'an urgent sheet that has not been read for a quarter of an hour': {
    series: { ...QUIET, [concern('urgent sheet unread')]: '0x10 1x100' },
    at: 36,
    fires: ['UrgentSheetUnread'],
  },
  'an urgent sheet that is read again after five minutes': {
    series: { ...QUIET, [concern('urgent sheet unread')]: '0x10 1x4 0x100' },
    at: 26,
  },
  'a feed that no longer changes': {
    series: { ...QUIET, [concern('feed unchanged')]: '1x1500' },
    at: 90,
    fires: ['FeedsUnchanged'],
  },
  'an origin out of reach': {
    series: { ...QUIET, [concern('origin out of reach')]: '1x1500' },
    at: 90,
    fires: ['DeliveryFails'],
  },
  'a backup that succeeds each night': {
    series: { [POD]: '1x2000', [BACKED_UP]: '0x1440 86400x500', [BACKUP_CREATED]: '0x2000' },
    at: 1_680,
  },
  'a backup that fails on its second night': {
    series: { [POD]: '1x2000', [BACKED_UP]: '0x2000', [BACKUP_CREATED]: '0x2000' },
    at: 1_680,
    fires: ['BackupFails'],
  },
  'a backup that has never succeeded': {
    series: { [POD]: '1x2000', [BACKUP_CREATED]: '0x2000' },
    at: 1_680,
    fires: ['BackupFails'],
  },
  'a cluster in which all is well': { series: CLUSTER, at: 60 },
  'replicas that are all pending while the builder responds': {
    series: { ...CLUSTER, ...NO_REPLICA },
    at: 14,
    fires: ['ReplicasGone'],
    isOutage: true,
  },
  'one replica that is pending': {
    series: {
      ...CLUSTER,
      [upOf('replica', 3)]: '1x10 stale',
      [PENDING]: '0x10 1x120',
      [requestsOf(1, 'ok')]: '0+30x120',
      [requestsOf(1, 'failed')]: '0x120',
    },
    at: 60,
    fires: ['ReplicasUnavailable'],
  },
  'a replica that does not respond': {
    series: {
      ...CLUSTER,
      [upOf('replica', 3)]: '1x10 0x120',
      [requestsOf(1, 'ok')]: '0+30x120',
      [requestsOf(1, 'failed')]: '0x120',
      [requestsOf(3, 'ok')]: '0+30x10 stale',
      [requestsOf(3, 'failed')]: '0x10 stale',
    },
    at: 30,
    fires: ['ServerGone'],
  },
  'two of three replicas that do not respond': {
    series: { ...CLUSTER, [upOf('replica', 2)]: '1x10 0x120', [upOf('replica', 3)]: '1x10 0x120' },
    at: 14,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'a rolling update that replaces each replica': {
    series: {
      ...CLUSTER,
      ...NO_REPLICA,
      [upOf('replica', 4)]: '_x9 1x120',
      [PENDING]: '0x10 1x12 0x120',
    },
    at: 14,
  },
  'a builder that is pending': {
    series: { ...CLUSTER, [upOf('builder')]: '1x10 stale' },
    at: 60,
    fires: ['BuilderGone'],
  },
  'a builder that does not respond': {
    series: { ...CLUSTER, [upOf('builder')]: '1x10 0x120' },
    at: 60,
    fires: ['BuilderGone'],
  },
  'a builder that is replaced': {
    series: { ...CLUSTER, [upOf('builder')]: '1x10 stale _x8 1x120' },
    at: 18,
  },
  'pods that are all pending': {
    series: { ...CLUSTER, ...NO_REPLICA, [upOf('builder')]: '1x10 stale' },
    at: 14,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'a pod that builds and serves, and is replaced': {
    series: { [upOf('server')]: '1x10 stale _x1 1x120', [BACKUP_CREATED]: '0x120' },
    at: 30,
  },
  'a pod that builds and serves, and does not respond': {
    series: { [upOf('server')]: '1x10 0x120', [BACKUP_CREATED]: '0x120' },
    at: 30,
    fires: ['BuilderGone', 'MostServersGone', 'ReplicasGone'],
    isOutage: true,
  },
  'targets that have lost the label component': {
    series: { [`up{job="almanakk",${CALENDAR},pod="replica-1"}`]: '1x60', [BACKUP_CREATED]: '0x60' },
    at: 30,
    fires: ['BuilderGone', 'ReplicasGone'],
    isOutage: true,
  },
  'backups on which nothing reports': {
    series: { [upOf('builder')]: '1x60', [upOf('replica')]: '1x60' },
    at: 30,
    fires: ['BackupFails'],
  },
  'a disk without room for the next build of a large calendar': {
    series: { ...QUIET, [FREE]: '1.5e9x200', [SIZE]: '6e8x200' },
    at: 60,
    fires: ['DiskNearlyFull'],
  },
  'a server that finds no recent backup': {
    series: { ...QUIET, [`almanakk_concern{name="backup old",${OF}}`]: '0x20 1x100' },
    at: 40,
    fires: ['BackupFails'],
  },
  'a public address that answers': { series: { ...QUIET, ...PUBLIC }, at: 20 },
  'a public address that does not answer': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probe('success', 'readyz')]: '1x10 0x110',
      [probe('http_status_code', 'readyz')]: '200x10 0x110',
      [probe('ssl_earliest_cert_expiry', 'readyz')]: '5e6x10 stale',
      [probe('success', 'graphQL')]: '1x10 0x110',
      [probe('http_status_code', 'graphQL')]: '200x10 0x110',
      [probe('ssl_earliest_cert_expiry', 'graphQL')]: '5e6x10 stale',
    },
    at: 20,
    fires: ['PublicAddressFails'],
    isOutage: true,
  },
  'a public address that failed once': {
    series: { ...QUIET, ...PUBLIC, [probe('success', 'readyz')]: '1x10 0 1x110' },
    at: 12,
  },
  'an endpoint whose answers have errors': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probe('success', 'graphQL')]: '0x120',
      [probe('failed_due_to_regex', 'graphQL')]: '1x120',
    },
    at: 20,
    fires: ['PublicAddressFails'],
    isOutage: true,
  },
  'an old calendar at the public address': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probe('success', 'readyz')]: '0x120',
      [probe('failed_due_to_regex', 'readyz')]: '1x120',
    },
    at: 20,
    fires: ['PublicCalendarIsOld'],
  },
  'an old calendar at the public address and on the servers': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [AGE]: '100000+60x120',
      [probe('success', 'readyz')]: '0x120',
      [probe('failed_due_to_regex', 'readyz')]: '1x120',
      [probeOfMachine('success', '10.0.0.12')]: '0x120',
      [probeOfMachine('failed_due_to_regex', '10.0.0.12')]: '1x120',
    },
    at: 20,
    fires: ['CalendarIsOld'],
  },
  'a certificate that was not renewed': {
    series: { ...QUIET, ...PUBLIC, [probe('ssl_earliest_cert_expiry', 'readyz')]: '1.2e6x120' },
    at: 20,
    fires: ['CertificateExpires'],
  },
  'one of two machines whose nginx does not answer': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probeOfMachine('success', '10.0.0.11')]: '1x60',
      [probeOfMachine('success', '10.0.0.12')]: '1x10 0x50',
      [probeOfMachine('failed_due_to_regex', '10.0.0.12')]: '0x60',
    },
    at: 20,
    fires: ['MachineFails'],
  },
  'one of two machines with an old calendar': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probeOfMachine('success', '10.0.0.12')]: '0x60',
      [probeOfMachine('failed_due_to_regex', '10.0.0.12')]: '1x60',
    },
    at: 20,
    fires: ['MachineFails'],
  },
  'an exporter that does not respond': {
    series: { ...QUIET, 'up{job="almanakk-public",instance="https://kalender.example/readyz"}': '0x120' },
    at: 20,
    fires: ['PublicAddressUnwatched'],
  },
  'a disk that fills': {
    series: { ...QUIET, [FREE]: '9e9-1e8x89 1e8x100' },
    at: 120,
    fires: ['DiskNearlyFull'],
  },
};

/**
 * Minutes from one evaluation of the rules to the next, by which a scene costs time: hours of the same need few. The time of the scene's
 * judgement is at most five minutes after an evaluation.
 */
function stepOf({ at, isBrief = false }: Pick<Scene, 'at' | 'isBrief'>): number {
  if (isBrief) return 1;
  if (at > 1_000) return 60;
  if (at > 400) return 20;
  return at >= 20 ? 4 : 2;
}

/** Fires in every scene. */
const HEARTBEAT = 'Heartbeat';

test('H12: should have a scenario for each rule', () => {
  const fired = new Set(Object.values(SCENES).flatMap(({ fires = [] }) => fires));
  assert.equal([...fired, HEARTBEAT].sort(), [...alerts].sort());
});

const SCENES_FOLDER = temporaryFolder();
/** Those of docs/prometheus-operator.yaml, which the scenes in a cluster play with. */
const OPERATORS_RULES = join(SCENES_FOLDER, 'rules.yml');
const ofOperator = parseAllDocuments(readFileSync(packagePath('docs/prometheus-operator.yaml'), 'utf8'));
writeFileSync(OPERATORS_RULES, stringify(ofOperator.at(-1)?.toJS().spec));

/** The files of all scenes. */
const paths: string[] = [];
/** What promtool says of each. */
const verdicts = new Map<string, string>();

/** In one process, because each one loads the rules, and starts, again. */
test.before(() => {
  const command = 'promtool test rules "$@" 2>&1';
  const { stdout } = spawnSync('sh', ['-c', command, 'promtool', ...paths], { encoding: 'utf8' });
  const [, ...files] = stdout.split(/^Unit Testing: +/m);
  for (const text of files) {
    const [path = '', ...verdict] = text.split('\n');
    verdicts.set(path, verdict.join('\n').trim());
  }
});

/** A test that has promtool judge a scene. */
function play(title: string, scene: Scene, judgement: object): void {
  const { series } = scene;
  const path = join(SCENES_FOLDER, `${paths.length}.yml`);
  const scenario = {
    rule_files: [Object.keys(series).some((name) => name.includes('pod=')) ? OPERATORS_RULES : RULES],
    evaluation_interval: `${stepOf(scene)}m`,
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(withReasons(series)).map(([name, values]) => ({ series: name, values })),
        ...judgement,
      },
    ],
  };
  writeFileSync(path, stringify(scenario));
  paths.push(path);
  test(title, () => assert.is(verdicts.get(path), 'SUCCESS'));
}

/** The failures of a scene are errors, unless it says otherwise. */
function withReasons(series: Series): Series {
  const errors = Object.entries(series).flatMap(([name, values]) => {
    if (!/^almanakk_requests_total.*outcome="failed"/.test(name)) return [];
    const reason = name
      .replace('requests_total', 'requests_failed_total')
      .replace('outcome="failed"', 'reason="error"');
    return [[reason, values]];
  });
  return { ...Object.fromEntries(errors), ...series };
}

for (const [what, scene] of Object.entries(SCENES)) {
  const { at, fires = [], isOutage = false } = scene;
  const waking = {
    expr: 'group (ALERTS{alertstate="firing",severity="page"})',
    eval_time: `${at}m`,
    exp_samples: isOutage ? [{ labels: '{}', value: 1 }] : [],
  };
  const firing = {
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${at}m`,
    exp_samples: [...fires, HEARTBEAT].map((alertname) => ({
      labels: `{alertname="${alertname}"}`,
      value: 1,
    })),
  };
  const title = `H12: should ${isOutage ? 'wake somebody' : 'wake nobody'}${fires.length === 0 ? '' : ` and fire ${fires}`} for ${what}`;
  play(title, scene, { promql_expr_test: [firing, waking] });
}

/** A cluster whose calendar is in a namespace of its own. */
const clusterOf = (calendar: string, faults: Series = {}): Series =>
  Object.fromEntries(
    Object.entries({ ...CLUSTER, ...faults }).map(([name, values]) => [
      name.replaceAll('"almanakk"', `"${calendar}"`).replace(`job="${calendar}"`, 'job="almanakk"'),
      values,
    ]),
  );

/** Calendars in one Prometheus: `byen` is well, and each of the others has one fault. */
const CALENDARS: Series = {
  ...clusterOf('byen'),
  ...clusterOf('one', NO_REPLICA),
  ...clusterOf('two', { [upOf('builder')]: '1x10 stale' }),
  ...clusterOf('three', { ...NO_REPLICA, [PENDING]: '0x120', [upOf('builder')]: '1x10 stale' }),
  ...clusterOf('four', { [PENDING]: '0x10 1x120' }),
  ...clusterOf('five', { [BACKUP_CREATED]: '0x10 stale' }),
  // A machine beside the cluster.
  [upAt(4000, 'six')]: '1x10 0x120',
  // The same name in another namespace, without a calendar.
  'kube_cronjob_created{namespace="shop",cronjob="backup"}': '-200000x120',
  'kube_deployment_status_replicas_unavailable{namespace="shop",deployment="replica"}': '1x120',
};
const FAULTS = {
  one: ['ReplicasGone', 'ReplicasUnavailable'],
  two: ['BuilderGone'],
  three: ['MostServersGone'],
  four: ['ReplicasUnavailable'],
  five: ['BackupFails'],
  six: ['MostServersGone'],
};

play(
  'H12: should tell calendars apart, of which one is well and each of the others has a fault',
  { series: CALENDARS, at: 60 },
  {
    promql_expr_test: [
      {
        expr: 'group by (alertname, calendar) (ALERTS{alertstate="firing",severity!="heartbeat"})',
        eval_time: '60m',
        exp_samples: Object.entries(FAULTS).flatMap(([calendar, names]) =>
          names.map((alertname) => ({
            labels: `{alertname="${alertname}",calendar="${calendar}"}`,
            value: 1,
          })),
        ),
      },
    ],
  },
);

const ON_MACHINES = "Look at `systemctl status 'almanakk@*'` and the log.";

/** What an alert says after twenty minutes. */
const DESCRIBED = [
  {
    alertname: 'MostServersGone',
    series: { [upAt(4000)]: '0x30', [upAt(4001)]: '0x30' },
    labels: {},
    description: `No response from localhost:4000 localhost:4001. ${ON_MACHINES}`,
  },
  {
    alertname: 'MostServersGone',
    series: {},
    labels: { job: 'almanakk' },
    description: `No response from any target. ${ON_MACHINES}`,
  },
  {
    alertname: 'MostServersGone',
    series: {
      ...clusterOf('byen', { [upOf('builder')]: '0x120' }),
      ...clusterOf('festivalen', {
        ...NO_REPLICA,
        [upOf('builder')]: '1x10 stale',
      }),
    },
    labels: { calendar: 'festivalen', namespace: 'festivalen' },
    description:
      'No response from any target. Look at `kubectl --namespace festivalen get pods` and `logs --previous`.',
  },
  {
    alertname: 'RequestsFail',
    series: {
      ...TWO_SERVERS,
      [requestsAt(4001, 'failed')]: '0+6x120',
      // Another calendar, of which fewer fail.
      [requestsAt(4100, 'ok', 'festivalen')]: '0+300x120',
      [requestsAt(4100, 'failed', 'festivalen')]: '0+6x120',
    },
    labels: {},
    description:
      '30 requests failed within five minutes, on localhost:4001. The log has a line for each kind, ' +
      'with the error id that the client gets.',
  },
  {
    alertname: 'MostRequestsFail',
    series: { ...TWO_SERVERS, [requestsAt(4001, 'failed')]: '0+90x120' },
    labels: {},
    description:
      '1.8k requests failed, on localhost:4001. The log has a line for each kind, with the error id that the client gets.',
  },
  {
    alertname: 'PublicAddressFails',
    series: {
      ...PUBLIC,
      [probe('success', 'readyz')]: '0x60',
      [probe('http_status_code', 'readyz')]: '502x60',
    },
    labels: {},
    description:
      'Status of the response: 502 from https://kalender.example/readyz. 0 means that there was none: look at DNS, the firewall, ' +
      'nginx and the certificate. 502 to 504: look at the servers. 200: the answer has errors.',
  },
  {
    alertname: 'ServersCrash',
    series: { ...CLUSTER, [startOf('replica')]: '1000+300x100', [startOf('replica', 2)]: '1000+300x100' },
    labels: { calendar: 'almanakk', namespace: 'almanakk' },
    description:
      'Restarted more than four times within an hour: replica-1 replica-2. Look at `kubectl --namespace almanakk get pods` and ' +
      '`logs --previous`. A process that needs more than its memory limit is killed.',
  },
  {
    alertname: 'BuilderRestarts',
    series: { ...CLUSTER, [startOf('builder')]: '1000+300x100' },
    labels: {
      calendar: 'almanakk',
      component: 'builder',
      instance: 'builder-1',
      job: 'almanakk',
      namespace: 'almanakk',
      pod: 'builder-1',
    },
    description:
      'builder-1 has restarted 20 times within an hour, more than four of them unplanned. Look at `kubectl --namespace almanakk describe pod builder-1`. ' +
      'If it says OOMKilled, raise the memory limit.',
  },
];

for (const { alertname, series, labels, description } of DESCRIBED) {
  const rule = rules.find(({ alert }) => alert === alertname);
  const expected = {
    exp_labels: { ...labels, severity: rule?.labels.severity },
    exp_annotations: { ...rule?.annotations, description },
  };
  const saying = { eval_time: '20m', alertname, exp_alerts: [expected] };
  const title = `H12: ${alertname} should say "${description.slice(0, 40)}…"`;
  play(title, { series, at: 20 }, { alert_rule_test: [saying] });
}

const FEED_RULE = rules.find(({ alert }) => alert === 'FeedsFail');
const alertOfFeed = (id: string, spoken: string) => ({
  exp_labels: { feed: id, severity: 'ticket' },
  exp_annotations: {
    ...FEED_RULE?.annotations,
    summary: `The feed ${id} has been failing for six hours.`,
    description:
      `The feed ${id} has failed for ${spoken}. Its last good records are shown, if it has any. ` +
      `\`/status?feeds=${id}\` has the reason.`,
  },
});
const TWO_FEEDS: Series = {
  [feed('kor', 'one')]: '60x500',
  [feed('kor', 'two')]: '60x500',
  [feed('huset', 'one')]: '0x30 1800x500',
  [feed('huset', 'two')]: '0x31 1800x500',
  [feed('museet', 'one')]: '0x500',
};

play(
  'H12: should fire once for each feed, however many servers report it',
  { series: TWO_FEEDS, at: 440 },
  {
    alert_rule_test: [
      {
        eval_time: '440m',
        alertname: 'FeedsFail',
        exp_alerts: [alertOfFeed('kor', '7h 19m 0s'), alertOfFeed('huset', '6h 50m 0s')],
      },
    ],
  },
);

/** The machine that builds answers; the other one and the public address do not. */
const ONE_MACHINE: Series = Object.fromEntries([
  ...MACHINES.map((server) => [
    `up{job="almanakk",instance="${server}"}`,
    server.startsWith('10.0.0.11') ? '1x60' : '1x10 0x50',
  ]),
  [probe('success', 'readyz'), '0x60'],
  [probe('success', 'graphQL'), '0x60'],
]);

play(
  'H12: should find the servers and the public address by the labels of docs/scrape-machines.yml',
  { series: ONE_MACHINE, at: 30 },
  {
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing",severity!="heartbeat"})',
        eval_time: '30m',
        exp_samples: [
          { labels: '{alertname="PublicAddressFails"}', value: 1 },
          { labels: '{alertname="ServerGone"}', value: 2 },
        ],
      },
    ],
  },
);

test.run();

/** H12: which alerts fire, and what they say, in scenes of outages and of quiet days. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments, stringify } from 'yaml';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';
import { DESCRIBED } from './descriptions.ts';
import { alerts, RULES, rules } from './rules.ts';
import { CLUSTERS } from './scenes/cluster.ts';
import { DATA } from './scenes/data.ts';
import { PUBLIC_ADDRESS } from './scenes/public-address.ts';
import { REQUESTS } from './scenes/requests.ts';
import { SERVERS } from './scenes/servers.ts';
import {
  BACKUP_CREATED,
  clusterOf,
  feed,
  MACHINES,
  NO_REPLICA,
  PENDING,
  probe,
  type Scene,
  type Scenes,
  type Series,
  upAt,
  upOf,
} from './series.ts';

const test = when(isExpected('promtool'), 'no promtool (prometheus)', suite('scenes of alerts'));

const SCENES: Scenes = { ...SERVERS, ...REQUESTS, ...DATA, ...CLUSTERS, ...PUBLIC_ADDRESS };

/** Fires in every scene. */
const HEARTBEAT = 'Heartbeat';

test('H12: should have a scene for each rule', () => {
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
  const isInCluster = Object.keys(series).some((name) => name.includes('pod='));
  const scenario = {
    rule_files: [isInCluster ? OPERATORS_RULES : RULES],
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
  play(titleOf(what, scene), scene, { promql_expr_test: [firing, waking] });
}

function titleOf(what: string, { fires = [], isOutage = false }: Scene): string {
  const waking = isOutage ? 'wake somebody' : 'wake nobody';
  const firing = fires.length === 0 ? '' : ` and fire ${fires}`;
  return `H12: should ${waking}${firing} for ${what}`;
}

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

/** Series of metrics as Prometheus stores them, and the scenes that tests make of them. */

/** A value a minute, in promtool's notation; `x1500` is a day and an hour. */
export type Series = Readonly<Record<string, string>>;

/** Labels of the one server of `QUIET`. */
export const OF = 'instance="a",job="almanakk"';

export const requests = (outcome: string) => `almanakk_requests_total{${OF},outcome="${outcome}"}`;
export const failures = (reason: string) => `almanakk_requests_failed_total{${OF},reason="${reason}"}`;
/** A series that begins with the first failure. */
export const failuresOf = (application: string) =>
  `almanakk_request_duration_seconds_count{${OF},outcome="failed",application="${application}"}`;
export const feed = (id: string, instance = 'a') =>
  `almanakk_feed_failing_since_timestamp_seconds{instance="${instance}",job="almanakk",feed="${id}"}`;
export const concern = (name: string) => `almanakk_concern{${OF},name="${name}"}`;

export const UP = `up{${OF}}`;
export const OPEN = `almanakk_snapshot_open{${OF}}`;
export const AGE = `almanakk_snapshot_age_seconds{${OF}}`;
export const UPCOMING = `almanakk_upcoming_events{${OF}}`;
export const FREE = `almanakk_snapshot_free_bytes{${OF}}`;
export const SIZE = `almanakk_snapshot_bytes{${OF}}`;
export const REPLACED = `almanakk_node_replaced{${OF}}`;
export const STARTED = `process_start_time_seconds{${OF}}`;
export const PLANNED = `almanakk_planned_stop_timestamp_seconds{${OF}}`;

/** A server of docs/scrape.yml. */
export const upAt = (port: number, calendar = '') =>
  `up{job="almanakk",instance="localhost:${port}",calendar="${calendar}"}`;
export const openAt = (port: number) => `almanakk_snapshot_open{job="almanakk",instance="localhost:${port}"}`;
export const crashesAt = (port: number) => upAt(port).replace('up{', 'almanakk_builder_crashes{');
export const requestsAt = (port: number, outcome: string, calendar = '') =>
  upAt(port, calendar).replace('up{', `almanakk_requests_total{outcome="${outcome}",`);

/** A pod has the labels that test/kubernetes/targets.test.ts expects. */
export const upOf = (component: string, at = 1) =>
  `up{job="almanakk",${CALENDAR},pod="${component}-${at}",component="${component}",instance="${component}-${at}"}`;
/** Labels of all that belongs to one calendar. */
export const CALENDAR = 'namespace="almanakk",calendar="almanakk"';
export const startOf = (component: string, at = 1) =>
  upOf(component, at).replace('up{', 'process_start_time_seconds{');
export const plannedOf = (component: string) =>
  upOf(component).replace('up{', 'almanakk_planned_stop_timestamp_seconds{');
export const openOf = (component: string, at = 1) =>
  upOf(component, at).replace('up{', 'almanakk_snapshot_open{');
export const requestsOf = (replica: number, outcome: string) =>
  upOf('replica', replica).replace('up{', `almanakk_requests_total{outcome="${outcome}",`);
export const PENDING =
  'kube_deployment_status_replicas_unavailable{namespace="almanakk",deployment="replica"}';

export const probe = (metric: string, path: string) =>
  `probe_${metric}{job="almanakk-public",instance="https://kalender.example/${path}"}`;

export const probeOfMachine = (metric: string, machine: string) =>
  `probe_${metric}{job="almanakk-public",instance="https://${machine}/readyz",machine="${machine}"}`;

/** What almanakk-sync on the replica and almanakk-failover-state on each machine write for node_exporter, and when. */
const OF_BUILDER = 'job="almanakk-machines",calendar="almanakk",instance="10.0.0.11:9100"';
const OF_REPLICA = OF_BUILDER.replace('10.0.0.11', '10.0.0.12');
const writtenTo = (file: string) =>
  `node_textfile_mtime_seconds{${OF_REPLICA},file="/var/lib/prometheus/node-exporter/${file}"}`;
export const KEEPALIVED = `almanakk_failover_keepalived_machines{${OF_REPLICA}}`;
export const BUILDER_HOLDS = `almanakk_failover_holds_address{${OF_BUILDER},address="10.0.0.10"}`;
export const REPLICA_HOLDS = `almanakk_failover_holds_address{${OF_REPLICA},address="10.0.0.10"}`;
export const CHECKED = writtenTo('almanakk.prom');
export const HOLDER_WRITTEN = writtenTo('almanakk-failover.prom');

/** That works, and is checked all the time. */
export const FAILOVER: Series = {
  [KEEPALIVED]: '2x120',
  [BUILDER_HOLDS]: '1x120',
  [REPLICA_HOLDS]: '0x120',
  [CHECKED]: '0+60x120',
  [HOLDER_WRITTEN]: '0+60x120',
};

export const probeOfSite = (host: string) =>
  `probe_success{job="almanakk-sites",calendar="almanakk",instance="https://${host}/?almanakk_hidden=copy"}`;

/** As kube-state-metrics names the job that makes backups. */
const BACKUP = 'namespace="almanakk",cronjob="backup"';
export const POD = upOf('server');
export const BACKED_UP = `kube_cronjob_status_last_successful_time{${BACKUP}}`;
export const BACKUP_CREATED = `kube_cronjob_created{${BACKUP}}`;

/** A day on which all is well and hardly anybody asks. */
export const QUIET: Series = {
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
export const CLUSTER: Series = {
  [upOf('builder')]: '1x120',
  [upOf('replica', 1)]: '1x120',
  [upOf('replica', 2)]: '1x120',
  [upOf('replica', 3)]: '1x120',
  [PENDING]: '0x120',
  [BACKUP_CREATED]: '0x120',
};

/** Two servers of docs/scrape.yml, with thirty requests a minute each. */
export const TWO_SERVERS: Series = {
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
export const PUBLIC: Series = {
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

export const publicOf = (metric: string) =>
  probe(metric, 'graphQL').replace('job=', 'calendar="almanakk",job=');

/** Of a cluster whose replicas all go after ten minutes. */
export const NO_REPLICA: Series = {
  [upOf('replica', 1)]: '1x10 stale',
  [upOf('replica', 2)]: '1x10 stale',
  [upOf('replica', 3)]: '1x10 stale',
  [PENDING]: '0x10 3x120',
};

/** A cluster whose calendar is in a namespace of its own. */
export const clusterOf = (calendar: string, faults: Series = {}): Series =>
  Object.fromEntries(
    Object.entries({ ...CLUSTER, ...faults }).map(([name, values]) => [
      name.replaceAll('"almanakk"', `"${calendar}"`).replace(`job="${calendar}"`, 'job="almanakk"'),
      values,
    ]),
  );

/** The servers of the builder and of the replica in docs/two-machines.md. */
export const MACHINES = ['10.0.0.11:4000', '10.0.0.11:4001', '10.0.0.12:4000', '10.0.0.12:4001'];

export interface Scene {
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

/** By what each is about. */
export type Scenes = Readonly<Record<string, Scene>>;

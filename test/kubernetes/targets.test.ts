/** H12: which targets Prometheus gets from the pods of docs/kubernetes.yaml, and with which labels. docs/alerts.yml needs these labels. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { builder, objectNamed, replica, smallBuilder } from '../helpers/kubernetes.ts';
import { type Discovered, discover } from '../helpers/prometheus.ts';
import { isExpected, when } from '../helpers/when.ts';

const test = suite('targets in Kubernetes');
const withPromtool = when(isExpected('promtool'), 'no promtool (prometheus)', test);

const NAMESPACE: string = objectNamed('Namespace', 'almanakk').metadata.name;
const CONFIGURATION = parse(readFileSync(packagePath('docs/scrape-kubernetes.yml'), 'utf8'));
const OPERATOR = readFileSync(packagePath('docs/prometheus-operator.yaml'), 'utf8');
const objects = parseAllDocuments(OPERATOR).map((document) => document.toJS());
const objectsOf = (kind: string) => objects.filter((object) => object.kind === kind);
const [monitor] = objectsOf('PodMonitor');
const [rules] = objectsOf('PrometheusRule');
const probes = objectsOf('Probe');

const jobNamed = (name: string) =>
  CONFIGURATION.scrape_configs.find((job: Readonly<Record<'job_name', string>>) => job.job_name === name);

interface Relabelling {
  readonly source_labels: readonly string[];
  readonly target_label?: string;
  readonly regex?: string;
  readonly action?: string;
}

type Template = typeof builder.template;
type Port = Readonly<Record<'name', string>>;

const metaOfLabel = (label: string) => `__meta_kubernetes_pod_label_${label.replaceAll(/\W/g, '_')}`;

/** What Prometheus finds in a pod: one target for each port of a container, or one for a container without a port. */
function targetsOf({ metadata, spec }: Template, phase = 'Running') {
  const labels = Object.entries(metadata.labels).map(([label, value]) => [metaOfLabel(label), value]);
  const [{ name, ports = [{ name: '' }] }] = spec.containers;
  const pod = metadata.labels.serves === undefined ? name : `small-${name}`;
  return ports.map((port: Port) => ({
    targets: [`${pod}.${phase.toLowerCase()}.${port.name}:4001`],
    labels: {
      ...Object.fromEntries(labels),
      __meta_kubernetes_namespace: NAMESPACE,
      __meta_kubernetes_pod_name: `${pod}-1`,
      __meta_kubernetes_pod_phase: phase,
      __meta_kubernetes_pod_container_port_name: port.name,
    },
  }));
}

const TARGETS = [
  ...targetsOf(builder.template),
  ...targetsOf(replica.template),
  ...targetsOf(replica.template, 'Pending'),
  ...targetsOf(objectNamed('CronJob', 'backup').spec.jobTemplate.spec.template),
  ...targetsOf(smallBuilder.template),
];

/** The rules that the Prometheus Operator makes of a PodMonitor: first its selection and its labels, then the monitor's own rules. */
function relabellingOfMonitor(): readonly Relabelling[] {
  const { jobLabel, selector, podMetricsEndpoints } = monitor.spec;
  const [{ port, relabelings }] = podMetricsEndpoints;
  const selected = Object.entries<string>(selector.matchLabels);
  return [
    ...selected.map(([label, regex]) => ({ source_labels: [metaOfLabel(label)], regex, action: 'keep' })),
    { source_labels: ['__meta_kubernetes_pod_container_port_name'], regex: port, action: 'keep' },
    { source_labels: ['__meta_kubernetes_namespace'], target_label: 'namespace' },
    { source_labels: ['__meta_kubernetes_pod_name'], target_label: 'pod' },
    { source_labels: [metaOfLabel(jobLabel)], target_label: 'job' },
    ...relabelings.map(({ sourceLabels, targetLabel, ...rest }: Readonly<Record<string, unknown>>) => ({
      ...rest,
      source_labels: sourceLabels,
      target_label: targetLabel,
    })),
  ];
}

/** Debian's promtool cannot ask a cluster for its pods, so it gets their targets from the configuration. */
function discoverPods(job: string, relabelling: readonly Relabelling[]): readonly Discovered[] {
  const path = join(temporaryFolder(), 'scrape.yml');
  const configuration = { job_name: job, static_configs: TARGETS, relabel_configs: relabelling };
  writeFileSync(path, stringify({ scrape_configs: [configuration] }));
  return discover(path, job);
}

/** The labels of the targets that are kept, and that the rules need. */
function keptIn(discovered: readonly Discovered[]) {
  const kept = discovered.filter(({ labels }) => Object.keys(labels ?? {}).length > 0);
  const found = kept.map(({ labels: { job, namespace, calendar, pod, component, instance } }) => ({
    job,
    namespace,
    calendar,
    pod,
    component,
    instance,
  }));
  // promtool has them in any order.
  return found.sort((one, other) => `${one.pod}`.localeCompare(`${other.pod}`));
}

const EXPECTED = [
  { pod: 'builder-1', component: 'builder', instance: 'builder.running.admin:4001' },
  { pod: 'replica-1', component: 'replica', instance: 'replica.running.admin:4001' },
  { pod: 'small-builder-1', component: 'server', instance: 'small-builder.running.admin:4001' },
].map((labels) => ({ job: 'almanakk', namespace: NAMESPACE, calendar: NAMESPACE, ...labels }));

withPromtool('H12: docs/scrape-kubernetes.yml should find running pods, with the labels of the rules', () => {
  const { kubernetes_sd_configs: where, relabel_configs: relabelling } = jobNamed('almanakk');
  assert.equal(where, [{ role: 'pod', namespaces: { names: [NAMESPACE] } }]);
  assert.equal(keptIn(discoverPods('almanakk', relabelling)), EXPECTED);
});

withPromtool('H12: docs/prometheus-operator.yaml should find the same pods, with the same labels', () => {
  assert.equal(keptIn(discoverPods('podMonitor/almanakk/almanakk/0', relabellingOfMonitor())), EXPECTED);
});

test('H12: docs/scrape-kubernetes.yml should keep the namespaces that kube-state-metrics gives', () => {
  const [metrics, ...more] = CONFIGURATION.scrape_configs.filter(
    ({ honor_labels: isHonored = false }: { readonly honor_labels?: boolean }) => isHonored,
  );
  assert.equal([metrics.job_name, more], ['kube-state-metrics', []]);
});

test('H12: docs/prometheus-operator.yaml should have the rules of docs/alerts.yml', () => {
  assert.equal(rules.spec, parse(readFileSync(packagePath('docs/alerts.yml'), 'utf8')));
  for (const { metadata } of objects) assert.is(metadata.namespace, NAMESPACE);
});

test('H12: docs/prometheus-operator.yaml should probe as docs/scrape-kubernetes.yml does', () => {
  const job = jobNamed('almanakk-public');
  const found = probes.map(({ spec }) => ({
    job: spec.jobName,
    interval: spec.interval,
    timeout: spec.scrapeTimeout,
    exporter: spec.prober.url,
    module: spec.module,
    targets: spec.targets.staticConfig.static,
    calendar: calendarOf(spec.targets.staticConfig),
  }));
  const expected = job.static_configs.map(({ targets, labels }: Readonly<Record<string, Labels>>) => ({
    job: job.job_name,
    interval: job.scrape_interval,
    timeout: job.scrape_timeout,
    exporter: job.relabel_configs.at(-1).replacement,
    module: labels?.__param_module,
    targets,
    calendar: labels?.calendar,
  }));
  assert.equal(found, expected);
});

type Labels = Readonly<Record<string, string>>;

/** The operator adds the label `namespace`, which the rule turns into the calendar. */
function calendarOf({ relabelingConfigs }: { readonly relabelingConfigs: readonly unknown[] }): string {
  assert.equal(relabelingConfigs, [{ sourceLabels: ['namespace'], targetLabel: 'calendar' }]);
  return NAMESPACE;
}

test.run();

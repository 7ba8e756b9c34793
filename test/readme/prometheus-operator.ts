/**
 * docs/prometheus-operator.yaml: the rules of docs/alerts.yml, the pods in Kubernetes and the public address, as the Prometheus Operator
 * takes them.
 */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';

const MONITOR = `# For the Prometheus Operator, in place of docs/scrape-kubernetes.yml and docs/alerts.yml. If your Prometheus selects monitors and rules by
# labels, add these labels to all objects. The rules are those of docs/alerts.yml. docs/kustomization.yaml makes links of each runbook_url, and
# sends ALMANAKK_METRICS_TOKEN if the builder has one. Leave out the two Probes if you have no Blackbox Exporter with docs/blackbox.yml.
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: almanakk
  namespace: almanakk
spec:
  # The rules need the job name almanakk, which is the value of this label, and the label \`component\`.
  jobLabel: app.kubernetes.io/name
  selector:
    matchLabels:
      app.kubernetes.io/name: almanakk
  podMetricsEndpoints:
    - port: admin
      interval: 30s
      relabelings:
        - sourceLabels: [__meta_kubernetes_pod_phase]
          regex: Pending
          action: drop
        - sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
          targetLabel: component
        - sourceLabels: [__meta_kubernetes_namespace]
          targetLabel: calendar
        # The builder of docs/kubernetes-small.yaml also answers callers.
        - sourceLabels: [component, __meta_kubernetes_pod_label_serves]
          regex: builder;callers
          targetLabel: component
          replacement: server
${probe('ready', 'readyz')}${probe('answer', 'graphQL')}---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: almanakk
  namespace: almanakk
spec:
`;

/** `module`: of docs/blackbox.yml. `path`: as in docs/scrape.yml. */
function probe(module: string, path: string): string {
  return `---
apiVersion: monitoring.coreos.com/v1
kind: Probe
metadata:
  name: almanakk-${module}
  namespace: almanakk
spec:
  jobName: almanakk-public
  interval: 1m
  scrapeTimeout: 20s
  module: almanakk_${module}
  prober:
    url: blackbox-exporter.monitoring:9115
  targets:
    staticConfig:
      static:
        - https://kalender.example/${path}
      relabelingConfigs:
        # The operator adds this label, with the namespace of the Probe.
        - sourceLabels: [namespace]
          targetLabel: calendar
`;
}

export function prometheusOperatorFile(): string {
  const rules = readFileSync(packagePath('docs/alerts.yml'), 'utf8').replace(/^#.*\n/gm, '');
  return MONITOR + rules.replaceAll(/^(?=.)/gm, '  ');
}

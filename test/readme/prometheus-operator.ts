/** docs/prometheus-operator.yaml: the rules of docs/alerts.yml, and the pods in Kubernetes, as the Prometheus Operator takes them. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';

const MONITOR = `# For the Prometheus Operator, in place of docs/scrape-kubernetes.yml and docs/alerts.yml. If your Prometheus selects monitors and rules by
# labels, add these labels to both objects. The rules are those of docs/alerts.yml. docs/kustomization.yaml makes links of each runbook_url, and
# sends ALMANAKK_ADMIN_TOKEN if the builder has one.
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
        # The builder of docs/kubernetes-small.yaml also answers callers.
        - sourceLabels: [component, __meta_kubernetes_pod_label_serves]
          regex: builder;callers
          targetLabel: component
          replacement: server
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: almanakk
  namespace: almanakk
spec:
`;

export function prometheusOperatorFile(): string {
  const rules = readFileSync(packagePath('docs/alerts.yml'), 'utf8').replace(/^#.*\n/gm, '');
  return MONITOR + rules.replaceAll(/^(?=.)/gm, '  ');
}

/** The objects of docs/kubernetes.yaml and the smaller files beside it, for tests. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { packagePath } from '../../src/package.ts';

/** The version of each kind. */
export const KINDS = {
  ConfigMap: 'v1',
  CronJob: 'batch/v1',
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Ingress: 'networking.k8s.io/v1',
  Namespace: 'v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PersistentVolumeClaim: 'v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'v1',
} as const;

export type Kind = keyof typeof KINDS;

export interface Named {
  readonly name: string;
}

/** An environment variable of a container: a value, or a reference to a secret. */
interface Variable extends Named {
  readonly value?: string;
  readonly valueFrom?: object;
}

const textOf = (name: string) => readFileSync(packagePath(`docs/${name}.yaml`), 'utf8');
const objectsOf = (name: string) => parseAllDocuments(textOf(name)).map((document) => document.toJS());

export const documents = parseAllDocuments(textOf('kubernetes'));
export const objects = objectsOf('kubernetes');
/** Those of docs/kubernetes-status.yaml, which are optional. */
export const statusObjects = objectsOf('kubernetes-status');
/** Those of docs/kubernetes-egress.yaml, which are optional too. */
export const egressObjects = objectsOf('kubernetes-egress');
/** Those of docs/kubernetes-small.yaml, and of the replicas beside it. */
export const smallObjects = objectsOf('kubernetes-small');
export const copyObjects = objectsOf('kubernetes-replicas');
/** The object of that kind and name. */
export const named = (kind: Kind, name: string, among = objects) =>
  among.find((object) => object.kind === kind && object.metadata.name === name);
/** The specification of the builder's deployment. */
export const builder = named('Deployment', 'builder').spec;
export const replica = named('Deployment', 'replica').spec;
/** The pod that builds and serves. */
export const server = named('Deployment', 'builder', smallObjects).spec;
export const copy = named('Deployment', 'replica', copyObjects).spec;

/** The variables of a pod's first container that have a value, and the same text for each that comes from a secret. */
export function variablesOf({
  containers,
}: {
  readonly containers: readonly { readonly env: readonly Variable[] }[];
}) {
  const [container] = containers;
  return Object.fromEntries(
    (container?.env ?? []).map(({ name, value = 'from-a-secret-of-the-cluster' }) => [name, value]),
  );
}

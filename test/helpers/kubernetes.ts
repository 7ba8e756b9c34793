/** The objects of docs/kubernetes.yaml and the smaller files beside it, for tests. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
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

/** docs/kubernetes.yaml: a builder, and replicas that copy from an object store. */
export const documents = parseAllDocuments(textOf('kubernetes'));
export const objects = documents.map((document) => document.toJS());

/** The object of that kind and name. `among`: by default, those of docs/kubernetes.yaml. */
export const objectNamed = (kind: Kind, name: string, among = objects) =>
  among.find((object) => object.kind === kind && object.metadata.name === name);

/** The specifications of its deployments. */
export const builder = objectNamed('Deployment', 'builder').spec;
export const replica = objectNamed('Deployment', 'replica').spec;

/** docs/kubernetes-small.yaml: one pod, which builds and serves. */
export const smallObjects = objectsOf('kubernetes-small');
export const smallBuilder = objectNamed('Deployment', 'builder', smallObjects).spec;

/** docs/kubernetes-replicas.yaml: replicas that copy from that pod. */
export const smallReplicaObjects = objectsOf('kubernetes-replicas');
export const smallReplica = objectNamed('Deployment', 'replica', smallReplicaObjects).spec;

/** Files that are applied only where they are wanted: docs/kubernetes-status.yaml and docs/kubernetes-egress.yaml. */
export const statusObjects = objectsOf('kubernetes-status');
export const egressObjects = objectsOf('kubernetes-egress');

/** The objects of all files, each once: the files share some. */
export const allObjects = [
  ...objects,
  ...statusObjects,
  ...egressObjects,
  ...smallObjects,
  ...smallReplicaObjects,
].filter((object, at, all) => all.findIndex((other) => isDeepStrictEqual(object, other)) === at);

/** The pods of all deployments. `among`: the objects of their file. */
export const serverPods = [
  { name: 'builder', role: 'builder', pod: builder.template.spec, among: objects },
  { name: 'replica', role: 'replica', pod: replica.template.spec, among: objects },
  { name: 'small builder', role: 'builder', pod: smallBuilder.template.spec, among: smallObjects },
  { name: 'small replica', role: 'replica', pod: smallReplica.template.spec, among: smallObjects },
] as const;

/** The jobs that back up and restore. */
export const jobs = objects.filter(({ kind }) => kind === 'CronJob');

interface Pod {
  readonly containers: readonly { readonly env: readonly Variable[] }[];
}

/** The variables of a pod's first container by name. One that comes from a secret has FROM_SECRET as its value. */
export function variablesOf({ containers: [container] }: Pod): Readonly<Record<string, string>> {
  const variables = container?.env ?? [];
  return Object.fromEntries(variables.map(({ name, value = FROM_SECRET }) => [name, value]));
}

const FROM_SECRET = 'from-a-secret-of-the-cluster';

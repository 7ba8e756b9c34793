/** The objects of docs/kubernetes.yaml, for tests. */
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

export const YAML = readFileSync(packagePath('docs/kubernetes.yaml'), 'utf8');
export const documents = parseAllDocuments(YAML);
export const objects = documents.map((document) => document.toJS());
/** Those of docs/kubernetes-status.yaml, which are optional. */
export const statusObjects = parseAllDocuments(
  readFileSync(packagePath('docs/kubernetes-status.yaml'), 'utf8'),
).map((document) => document.toJS());
/** The object of that kind and name. */
export const named = (kind: Kind, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
/** The specification of the builder's deployment. */
export const builder = named('Deployment', 'builder').spec;
export const replica = named('Deployment', 'replica').spec;

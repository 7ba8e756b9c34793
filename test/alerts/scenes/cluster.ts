/** Pods of docs/kubernetes.yaml. */
import {
  BACKUP_CREATED,
  CALENDAR,
  CLUSTER,
  NO_REPLICA,
  PENDING,
  requestsOf,
  type Scenes,
  upOf,
} from '../series.ts';

export const CLUSTERS: Scenes = {
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
};

/** What alerts say, which names the servers, feeds and pods that they are about. */
import {
  BUILDER_HOLDS,
  CLUSTER,
  clusterOf,
  HOLDER_WRITTEN,
  NO_REPLICA,
  PUBLIC,
  probe,
  REPLICA_HOLDS,
  requestsAt,
  startOf,
  TWO_SERVERS,
  upAt,
  upOf,
} from './series.ts';

const ON_MACHINES = "Look at `systemctl status 'almanakk@*'` and the log.";

/** What an alert says after twenty minutes. */
export const DESCRIBED = [
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
      'Status of the response: 502 from https://kalender.example/readyz. 0 means that there was no response: look at DNS, the firewall, ' +
      'nginx and the certificate. 502 to 504: look at the servers. 200: the answer has errors.',
  },
  {
    alertname: 'PublicAddressFails',
    series: { ...PUBLIC, [probe('success', 'readyz')]: `1${' 0 1'.repeat(20)}` },
    labels: {},
    description:
      'Status of the response: as expected now, but at least four of the last fifteen requests failed. 0 means that there was no response: ' +
      'look at DNS, the firewall, nginx and the certificate. 502 to 504: look at the servers. 200: the answer has errors.',
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
  {
    alertname: 'FloatingAddressFails',
    series: { [BUILDER_HOLDS]: '1x30', [REPLICA_HOLDS]: '1x30' },
    labels: { address: '10.0.0.10', calendar: 'almanakk' },
    description:
      '10.0.0.10 is on 10.0.0.11:9100 10.0.0.12:9100. Look at `systemctl status keepalived nginx` and `ip address` on both, and at the ' +
      'network between them.',
  },
  {
    alertname: 'FailoverUnchecked',
    series: { [HOLDER_WRITTEN]: '-2000x30' },
    labels: {
      calendar: 'almanakk',
      file: '/var/lib/prometheus/node-exporter/almanakk-failover.prom',
      instance: '10.0.0.12:9100',
      job: 'almanakk-machines',
    },
    description:
      '`almanakk-failover-state.timer` on 10.0.0.12:9100 has stopped. Look at `systemctl status almanakk-failover-state.timer` there.',
  },
];

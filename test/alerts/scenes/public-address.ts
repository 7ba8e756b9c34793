/** What the Blackbox Exporter finds at the public address. */
import {
  AGE,
  BUILDER_HOLDS,
  CHECKED,
  FAILOVER,
  HOLDER_WRITTEN,
  KEEPALIVED,
  PUBLIC,
  probe,
  probeOfMachine,
  probeOfSite,
  QUIET,
  REPLICA_HOLDS,
  type Scenes,
} from '../series.ts';

export const PUBLIC_ADDRESS: Scenes = {
  'a public address that answers': { series: { ...QUIET, ...PUBLIC }, at: 20 },
  'a public address that does not answer': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probe('success', 'readyz')]: '1x10 0x110',
      [probe('http_status_code', 'readyz')]: '200x10 0x110',
      [probe('ssl_earliest_cert_expiry', 'readyz')]: '5e6x10 stale',
      [probe('success', 'graphQL')]: '1x10 0x110',
      [probe('http_status_code', 'graphQL')]: '200x10 0x110',
      [probe('ssl_earliest_cert_expiry', 'graphQL')]: '5e6x10 stale',
    },
    at: 20,
    fires: ['PublicAddressFails'],
    isOutage: true,
  },
  'a public address that failed for three minutes': {
    series: { ...QUIET, ...PUBLIC, [probe('success', 'readyz')]: '1x10 0x2 1x110' },
    at: 17,
    isBrief: true,
  },
  // As with two DNS records, one of which leads to a machine that is lost.
  'a public address that fails every other time': {
    series: { ...QUIET, ...PUBLIC, [probe('success', 'readyz')]: `1x10${' 0 1'.repeat(20)}` },
    at: 21,
    isBrief: true,
    fires: ['PublicAddressFails'],
    isOutage: true,
  },
  'an endpoint whose answers have errors': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probe('success', 'graphQL')]: '0x120',
      [probe('failed_due_to_regex', 'graphQL')]: '1x120',
    },
    at: 20,
    fires: ['PublicAddressFails'],
    isOutage: true,
  },
  'an old calendar at the public address': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probe('success', 'readyz')]: '0x120',
      [probe('failed_due_to_regex', 'readyz')]: '1x120',
    },
    at: 20,
    fires: ['PublicCalendarIsOld'],
  },
  'an old calendar at the public address that has been replaced': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probe('success', 'readyz')]: '0x10 1x110',
      [probe('failed_due_to_regex', 'readyz')]: '1x10 0x110',
    },
    at: 20,
  },
  'an old calendar at the public address and on the servers': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [AGE]: '100000+60x120',
      [probe('success', 'readyz')]: '0x120',
      [probe('failed_due_to_regex', 'readyz')]: '1x120',
      [probeOfMachine('success', '10.0.0.12')]: '0x120',
      [probeOfMachine('failed_due_to_regex', '10.0.0.12')]: '1x120',
    },
    at: 20,
    fires: ['CalendarIsOld'],
  },
  'a certificate that was not renewed': {
    series: { ...QUIET, ...PUBLIC, [probe('ssl_earliest_cert_expiry', 'readyz')]: '1.2e6x120' },
    at: 20,
    fires: ['CertificateExpires'],
  },
  'one of two machines whose nginx does not answer': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probeOfMachine('success', '10.0.0.11')]: '1x60',
      [probeOfMachine('success', '10.0.0.12')]: '1x10 0x50',
      [probeOfMachine('failed_due_to_regex', '10.0.0.12')]: '0x60',
    },
    at: 20,
    fires: ['MachineFails'],
  },
  'one of two machines with an old calendar': {
    series: {
      ...QUIET,
      ...PUBLIC,
      [probeOfMachine('success', '10.0.0.12')]: '0x60',
      [probeOfMachine('failed_due_to_regex', '10.0.0.12')]: '1x60',
    },
    at: 20,
    fires: ['MachineFails'],
  },
  'one of two newspapers that cannot read the list of hidden events': {
    series: {
      ...QUIET,
      [probeOfSite('avisen.example')]: '1x120',
      [probeOfSite('blad.example')]: '1x10 0x110',
    },
    at: 20,
    fires: ['HiddenListUnread'],
  },
  'a floating address on both of two machines, whose link is down': {
    series: { ...QUIET, ...FAILOVER, [REPLICA_HOLDS]: '0x10 1x50' },
    at: 30,
    fires: ['FloatingAddressFails'],
  },
  'a floating address on neither of two machines': {
    series: { ...QUIET, ...FAILOVER, [BUILDER_HOLDS]: '1x10 0x50' },
    at: 30,
    fires: ['FloatingAddressFails'],
  },
  'a floating address that has moved from a machine that is lost': {
    series: { ...QUIET, ...FAILOVER, [BUILDER_HOLDS]: '1x10 stale', [REPLICA_HOLDS]: '0x11 1x50' },
    at: 30,
  },
  'a floating address that moved while the machines wrote who has it': {
    series: { ...QUIET, ...FAILOVER, [BUILDER_HOLDS]: '1x10 0x50', [REPLICA_HOLDS]: '0x12 1x50' },
    at: 12,
    isBrief: true,
  },
  'keepalived that has stopped on one of two machines': {
    series: { ...QUIET, ...FAILOVER, [KEEPALIVED]: '2x10 1x50' },
    at: 30,
    fires: ['FailoverFails'],
  },
  'a replica that no longer checks the failover': {
    series: { ...QUIET, ...FAILOVER, [CHECKED]: '0+60x10 600x110' },
    at: 60,
    fires: ['FailoverUnchecked'],
  },
  'a machine that no longer says whether it has the floating address': {
    series: { ...QUIET, ...FAILOVER, [HOLDER_WRITTEN]: '0+60x10 600x110' },
    at: 60,
    fires: ['FailoverUnchecked'],
  },
  'an exporter that does not respond': {
    series: { ...QUIET, 'up{job="almanakk-public",instance="https://kalender.example/readyz"}': '0x120' },
    at: 20,
    fires: ['PublicAddressUnwatched'],
  },
};

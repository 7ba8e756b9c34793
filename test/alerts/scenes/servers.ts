/** Servers that stop, restart or crash, snapshots that are missing, and builds that fail. */
import {
  AGE,
  CLUSTER,
  concern,
  crashesAt,
  OPEN,
  openAt,
  openOf,
  PLANNED,
  PUBLIC,
  plannedOf,
  probe,
  publicOf,
  QUIET,
  requests,
  requestsAt,
  type Scenes,
  type Series,
  STARTED,
  startOf,
  TWO_SERVERS,
  UP,
  upAt,
  upOf,
} from '../series.ts';

/** A restart every five minutes, six times, each with a new start and, with that, a new time of the stop before it. */
const SIX_STARTS = '1000x4 1305x4 1605x4 1905x4 2205x4 2505x4 2805x60';
const SIX_STOPS = '0x4 1300x4 1600x4 1900x4 2200x4 2500x4 2800x60';

/** What the Blackbox Exporter finds at the public address of `CLUSTER`, with its calendar as a label. */
const PUBLIC_OF_CLUSTER: Series = {
  [publicOf('success')]: '1x120',
  [publicOf('failed_due_to_regex')]: '0x120',
};

export const SERVERS: Scenes = {
  'a quiet day': { series: QUIET, at: 1_380 },
  'a night without any request': { series: { ...QUIET, [requests('ok')]: '500x1500' }, at: 1_380 },
  'a process that is gone': {
    series: { ...QUIET, [UP]: '1x20 0x30' },
    at: 40,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'two servers that serve callers, but do not respond to Prometheus': {
    series: { ...PUBLIC, [upAt(4000)]: '1x10 0x50', [upAt(4001)]: '1x10 0x50' },
    at: 30,
    fires: ['ServerGone'],
  },
  'two servers and a public address that do not respond': {
    series: {
      ...PUBLIC,
      [probe('success', 'readyz')]: '1x10 0x110',
      [probe('http_status_code', 'readyz')]: '502x120',
      [upAt(4000)]: '1x10 0x50',
      [upAt(4001)]: '1x10 0x50',
    },
    at: 30,
    fires: ['MostServersGone', 'PublicAddressFails'],
    isOutage: true,
  },
  'a target that was never there': { series: {}, at: 30, fires: ['MostServersGone'], isOutage: true },
  'one of two servers that does not respond': {
    series: {
      ...TWO_SERVERS,
      [upAt(4001)]: '1x10 0x50',
      [openAt(4001)]: '1x10 stale',
      [requestsAt(4001, 'ok')]: '0+30x10 stale',
      [requestsAt(4001, 'failed')]: '0x10 stale',
    },
    at: 30,
    fires: ['ServerGone'],
  },
  'two servers that do not respond': {
    series: { [upAt(4000)]: '1x10 0x50', [upAt(4001)]: '1x10 0x50' },
    at: 30,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'both servers of one of two calendars': {
    series: {
      [upAt(4000, 'byen')]: '1x60',
      [upAt(4001, 'byen')]: '1x60',
      [upAt(4100, 'festivalen')]: '1x10 0x50',
      [upAt(4101, 'festivalen')]: '1x10 0x50',
    },
    at: 30,
    fires: ['MostServersGone'],
    isOutage: true,
  },
  'a restart of a minute': {
    series: { ...QUIET, [UP]: '1x30 0 1x60', [STARTED]: '1000x30 7000x60' },
    at: 36,
    isBrief: true,
  },
  'a process that dies again and again': {
    series: { ...QUIET, [STARTED]: '1000+300x100' },
    at: 60,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'six restarts within half an hour, for changed settings and an upgrade': {
    series: { ...QUIET, [STARTED]: SIX_STARTS, [PLANNED]: SIX_STOPS },
    at: 60,
  },
  'six planned restarts, and a version that then dies again and again': {
    series: {
      ...QUIET,
      [STARTED]: `${SIX_STARTS.replace('x60', 'x4')} 3700+300x40`,
      [PLANNED]: SIX_STOPS,
    },
    at: 60,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'a builder that is restarted six times for changed settings': {
    series: { ...CLUSTER, [startOf('builder')]: SIX_STARTS, [plannedOf('builder')]: SIX_STOPS },
    at: 60,
  },
  'a server of an earlier version, which does not note planned stops, and dies again and again': {
    series: { ...TWO_SERVERS, [STARTED]: '1000+300x100' },
    at: 60,
    fires: ['ServerRestarts'],
  },
  'a replica that dies again and again': {
    series: { ...CLUSTER, [startOf('replica')]: '1000+300x100' },
    at: 60,
    fires: ['ServerRestarts'],
  },
  'two of three replicas that die again and again': {
    series: { ...CLUSTER, [startOf('replica')]: '1000+300x100', [startOf('replica', 2)]: '1000+300x100' },
    at: 60,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'a replica that dies again and again while some requests to the public address fail': {
    series: {
      ...CLUSTER,
      ...PUBLIC_OF_CLUSTER,
      [startOf('replica')]: '1000+300x100',
      [publicOf('success')]: '1x50 0x2 1x100',
    },
    at: 61,
    fires: ['ServersCrash'],
    isOutage: true,
  },
  'a replica that dies again and again while the public address answers': {
    series: { ...CLUSTER, ...PUBLIC_OF_CLUSTER, [startOf('replica')]: '1000+300x100' },
    at: 61,
    fires: ['ServerRestarts'],
  },
  'a builder that is killed again and again for its memory': {
    series: { ...CLUSTER, [upOf('builder')]: '1 1 0 1 1x116', [startOf('builder')]: '1000+300x100' },
    at: 60,
    fires: ['BuilderRestarts'],
  },
  'a builder that crashes in its third build in a row, on a machine where only the servers have metrics': {
    series: {
      ...TWO_SERVERS,
      [crashesAt(4000)]: '0x10 1x4 2x4 3x100',
      [crashesAt(4001)]: '0x10 1x4 2x4 3x100',
    },
    at: 30,
    fires: ['BuilderCrashes'],
  },
  'a builder that crashed in two builds, and ended the third': {
    series: {
      ...TWO_SERVERS,
      [crashesAt(4000)]: '0x10 1x4 2x4 0x100',
      [crashesAt(4001)]: '0x10 1x4 2x4 0x100',
    },
    at: 30,
  },
  'one of two servers without a snapshot': {
    series: {
      ...TWO_SERVERS,
      [openAt(4001)]: '1x10 0x110',
      [requestsAt(4001, 'ok')]: '0+30x10 300x110',
      [requestsAt(4001, 'failed')]: '0x10 0+15x110',
    },
    at: 60,
    fires: ['ServerWithoutCalendar'],
  },
  'a server that has just got its first snapshot': {
    series: {
      ...QUIET,
      [OPEN]: '0x20 1x100',
      [requests('ok')]: '0x20 0+1x100',
      [requests('failed')]: '0+10x20 200x100',
    },
    at: 24,
  },
  'two servers without a snapshot': {
    series: { [UP]: '1x60', [openAt(4000)]: '1x10 0x50', [openAt(4001)]: '1x10 0x50' },
    at: 30,
    fires: ['NoCalendar'],
    isOutage: true,
  },
  'a builder whose first build takes long': {
    series: { ...CLUSTER, [openOf('builder')]: '0x120', [openOf('replica')]: '1x120' },
    at: 60,
  },
  'no snapshot for ten minutes': {
    series: { ...QUIET, [OPEN]: '0x100' },
    at: 10,
    fires: ['NoCalendar'],
    isOutage: true,
  },
  'a calendar that nobody builds': {
    series: { ...QUIET, [UP]: '1x2000', [OPEN]: '1x2000', [AGE]: '60+60x2000' },
    at: 1_680,
    fires: ['CalendarIsOld'],
  },
  'builds that fail for an hour': {
    series: { ...QUIET, [concern('build failed')]: '0x20 1x100' },
    at: 80,
    fires: ['BuildsFail'],
  },
  'a builder that is silent': {
    series: { ...QUIET, [concern('builder silent')]: '0x20 1x100' },
    at: 40,
    fires: ['BuilderSilent'],
  },
  'a machine that wakes from a long sleep': {
    series: { ...QUIET, [concern('builder silent')]: '0x20 1x2 0x100' },
    at: 24,
  },
  'one build that failed, and the next that did not': {
    series: { ...QUIET, [concern('build failed')]: '0x20 1x15 0x100' },
    at: 36,
  },
};

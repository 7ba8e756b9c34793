/** The settings of the core: what a build, its snapshot and its servers need without any annex. */
import {
  hostName,
  httpUrl,
  oneOf,
  orNone,
  path,
  type SettingsOf,
  type SettingsTable,
  wholeNumber,
  yesOrNo,
} from './kinds.ts';

export type CoreSettings = SettingsOf<typeof CORE_SETTINGS>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const LOG_FORMATS = ['text', 'json'] as const;

/** The core's settings by their variables; null or empty if one is not set and has no default. */
export const CORE_SETTINGS = {
  port: {
    name: 'PORT',
    fallback: '4000',
    description: 'Port to listen on; 0 for any free port.',
    ...wholeNumber(0, 65_535),
  },
  host: {
    name: 'HOST',
    description: 'Address to listen on; without it, every address of the machine.',
    ...orNone(hostName()),
  },
  source: {
    name: 'ALMANAKK_SOURCE',
    fallback: 'data/sample',
    description: 'Folder of the records that a build reads.',
    ...path(),
  },
  snapshots: {
    name: 'ALMANAKK_SNAPSHOTS',
    fallback: 'data/snapshots',
    description: 'Folder that builds publish into and servers read from.',
    ...path(),
  },
  publicFile: {
    name: 'ALMANAKK_PUBLIC_FILE',
    fallback: 'false',
    description:
      'Whether each build also makes the public edition, an SQLite file of what is public, and the server offers it as `/calendar.sqlite`.',
    ...yesOrNo(),
  },
  horizonMonths: {
    name: 'ALMANAKK_HORIZON_MONTHS',
    fallback: '18',
    description: 'How many months ahead repeat rules are expanded.',
    ...wholeNumber(1, 120),
  },
  maxAge: {
    name: 'ALMANAKK_MAX_AGE',
    fallback: '60',
    description: 'Longest time in seconds that clients and proxies may cache an answer.',
    ...wholeNumber(0, 86_400),
  },
  pollSeconds: {
    name: 'ALMANAKK_POLL_SECONDS',
    fallback: '5',
    description: 'Seconds between two checks of the snapshot folder, or of the origin.',
    ...wholeNumber(1, 3_600),
  },
  logLevel: {
    name: 'ALMANAKK_LOG_LEVEL',
    fallback: 'info',
    description: `Least serious lines to log: ${LOG_LEVELS.join(', ')}.`,
    ...oneOf(LOG_LEVELS),
  },
  memoryMegabytes: {
    name: 'ALMANAKK_MEMORY_MB',
    fallback: '512',
    description:
      'Memory that a serving process may take, resident, in MB: answers, caches, bodies, downloads and connections are shares of it.',
    ...wholeNumber(192, 1_048_576),
  },
  maxConnections: {
    name: 'ALMANAKK_MAX_CONNECTIONS',
    description:
      'Connections of each serving process at a time; without it, as many as its memory has room for.',
    ...orNone(wholeNumber(10, 1_000_000)),
  },
  cacheMegabytes: {
    name: 'ALMANAKK_CACHE_MB',
    description:
      'Size of the response cache in MB, at most a quarter of the memory that requests share; 0 caches none. Without it, an eighth, at most 16.',
    ...orNone(wholeNumber(0, 16_384)),
  },
  workers: {
    name: 'ALMANAKK_WORKERS',
    fallback: '1',
    description: 'Serving processes on this machine.',
    ...wholeNumber(1, 256),
  },
  buildTimeoutSeconds: {
    name: 'ALMANAKK_BUILD_TIMEOUT',
    fallback: '900',
    description: 'Seconds after which a scheduled build is ended.',
    ...wholeNumber(1, 86_400),
  },
  /** Null: 7 for builds, 0 for copies. */
  keepDays: {
    name: 'ALMANAKK_KEEP_DAYS',
    description:
      'Days of which the snapshot folder keeps the last file of each, besides the last three files; 0 for none. Without it, 7 where it is built and 0 where it is copied.',
    ...orNone(wholeNumber(0, 366)),
  },
  logFormat: {
    name: 'ALMANAKK_LOG_FORMAT',
    fallback: 'text',
    description: 'Log lines as text for people, or as one JSON object a line for log collectors.',
    ...oneOf(LOG_FORMATS),
  },
  stopDelaySeconds: {
    name: 'ALMANAKK_STOP_DELAY',
    fallback: '0',
    description:
      'Seconds for which connections are still accepted after a signal to stop, so that load balancers notice first.',
    ...wholeNumber(0, 5),
  },
  /** Ends in a slash; null if unknown. */
  publicUrl: {
    name: 'ALMANAKK_PUBLIC_URL',
    description:
      'Public URL of this server, for examples on its pages and the notice of a licence without a portal.',
    ...orNone(httpUrl()),
  },
  notice: {
    name: 'ALMANAKK_NOTICE',
    fallback:
      'No valid key was sent. Calls are welcome without one; with one we can tell you of changes: {portal}',
    description:
      'Notice in answers to calls without a valid key; `{portal}` stands for the address of the page that issues keys.',
    expected: 'a text',
    parse: (text) => text,
  },
} as const satisfies SettingsTable;

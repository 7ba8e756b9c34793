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
    description:
      'Address to listen on; by default, only this machine can connect. `::` is every address of the machine.',
    ...orNone(hostName()),
  },
  source: {
    name: 'ALMANAKK_SOURCE',
    fallback: 'data/sample',
    description: 'Folder with the records that a build reads.',
    ...path(),
  },
  snapshots: {
    name: 'ALMANAKK_SNAPSHOTS',
    fallback: 'data/snapshots',
    description: 'Folder to which builds publish snapshots, and from which servers read them.',
    ...path(),
  },
  publicFile: {
    name: 'ALMANAKK_PUBLIC_FILE',
    fallback: 'false',
    description:
      'Whether each build also creates the public edition, an SQLite file with everything that is public. The server offers it as `/calendar.sqlite`.',
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
    description: 'Maximum time in seconds for which clients and proxies may cache a response.',
    ...wholeNumber(0, 86_400),
  },
  pollSeconds: {
    name: 'ALMANAKK_POLL_SECONDS',
    fallback: '5',
    description: 'Seconds between checks of the snapshot folder, or of the origin.',
    ...wholeNumber(1, 3_600),
  },
  logLevel: {
    name: 'ALMANAKK_LOG_LEVEL',
    fallback: 'info',
    description: `Minimum log level: ${LOG_LEVELS.join(', ')}.`,
    ...oneOf(LOG_LEVELS),
  },
  memoryMegabytes: {
    name: 'ALMANAKK_MEMORY_MB',
    fallback: '512',
    description:
      'Resident memory of a serving process in MB. Responses, caches, request bodies, downloads and connections share it.',
    ...wholeNumber(192, 1_048_576),
  },
  maxConnections: {
    name: 'ALMANAKK_MAX_CONNECTIONS',
    description:
      'Maximum number of concurrent connections to each serving process; by default, as many as its memory allows.',
    ...orNone(wholeNumber(10, 1_000_000)),
  },
  cacheMegabytes: {
    name: 'ALMANAKK_CACHE_MB',
    description:
      'Size of the response cache in MB, at most a quarter of the memory that requests share; 0 disables it. By default, an eighth of that memory, but at most 16 MB.',
    ...orNone(wholeNumber(0, 16_384)),
  },
  workers: {
    name: 'ALMANAKK_WORKERS',
    fallback: '1',
    description: 'Number of serving processes on this machine.',
    ...wholeNumber(1, 256),
  },
  buildTimeoutSeconds: {
    name: 'ALMANAKK_BUILD_TIMEOUT',
    fallback: '900',
    description: 'Seconds after which a scheduled build is killed.',
    ...wholeNumber(1, 86_400),
  },
  /** Null: 7 for builds, 0 for copies. */
  keepDays: {
    name: 'ALMANAKK_KEEP_DAYS',
    description:
      'Days for which the snapshot folder keeps one file a day, besides the last three files; 0 for none. By default 7 on a builder and 0 on a replica.',
    ...orNone(wholeNumber(0, 366)),
  },
  logFormat: {
    name: 'ALMANAKK_LOG_FORMAT',
    fallback: 'text',
    description: 'Log format: `text` for people, or `json` for log collectors, with one object per line.',
    ...oneOf(LOG_FORMATS),
  },
  stopDelaySeconds: {
    name: 'ALMANAKK_STOP_DELAY',
    fallback: '0',
    description:
      'Seconds for which a stopping server still accepts connections, so that load balancers notice first; 0 to 5. They are part of the ten seconds within which it exits.',
    ...wholeNumber(0, 5),
  },
  /** Ends in a slash; null if unknown. */
  publicUrl: {
    name: 'ALMANAKK_PUBLIC_URL',
    description: 'Public URL of this server. Links, examples and notices use it.',
    ...orNone(httpUrl()),
  },
  notice: {
    name: 'ALMANAKK_NOTICE',
    fallback:
      'No valid key was sent. Keys are optional, but if you send one, we can tell you about changes: {portal}',
    description:
      'Notice in responses to requests without a valid key; `{portal}` is replaced with the address of the page that issues keys.',
    expected: 'a text',
    parse: (text) => text,
  },
} as const satisfies SettingsTable;

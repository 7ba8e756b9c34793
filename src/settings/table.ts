/** Every setting as the variable that sets it. */
import { hostName, httpUrl, oneOf, path, type Setting, wholeNumber, yesOrNo } from './kinds.ts';

/** Paths are absolute. */
export interface Settings {
  readonly port: number;
  /** Null: every address of the machine. */
  readonly host: string | null;
  readonly source: string;
  readonly snapshots: string;
  readonly cron: string;
  readonly horizonMonths: number;
  readonly keys: string;
  readonly maxAge: number;
  readonly pollSeconds: number;
  readonly logLevel: string;
  readonly cacheMegabytes: number;
  readonly workers: number;
  /** Ends in a slash; null for a machine that builds itself. */
  readonly origin: URL | null;
  readonly serveSnapshots: boolean;
  readonly buildTimeoutSeconds: number;
  readonly allowPrivateFeeds: boolean;
  readonly logFormat: 'text' | 'json';
  readonly stopDelaySeconds: number;
  /** Ends in a slash; null where it is not known. */
  readonly publicUrl: URL | null;
  /** `{portal}` in it stands for the licence's portal. */
  readonly notice: string;
  /** Null: `/status` and `/metrics` stand beside the endpoint. */
  readonly adminPort: number | null;
  /** Null: every address of the machine. */
  readonly adminHost: string | null;
  /** Null: open to everybody who can reach them. */
  readonly adminToken: string | null;
  readonly logQueries: boolean;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const LOG_FORMATS = ['text', 'json'] as const;

export const SETTINGS = {
  port: {
    name: 'PORT',
    fallback: '4000',
    description: 'Port to listen on; 0 takes any that is free.',
    ...wholeNumber(0, 65_535),
  },
  host: {
    name: 'HOST',
    fallback: '',
    description: 'Address to listen on; without one, every address of the machine.',
    ...hostName(),
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
  cron: {
    name: 'ALMANAKK_CRON',
    fallback: '*/15 * * * *',
    description: 'When to build, as a cron expression in UTC.',
    expected: 'a cron expression of five fields',
    parse: (text) => (/^[\d*][\d*,/-]*( +[\dA-Za-z*][\dA-Za-z*,/-]*){4}$/.test(text) ? text : undefined),
  },
  horizonMonths: {
    name: 'ALMANAKK_HORIZON_MONTHS',
    fallback: '18',
    description: 'How many months ahead repeat rules are expanded.',
    ...wholeNumber(1, 120),
  },
  keys: {
    name: 'ALMANAKK_KEYS',
    fallback: 'data/keys.json',
    description: 'File of the application keys.',
    ...path(),
  },
  maxAge: {
    name: 'ALMANAKK_MAX_AGE',
    fallback: '60',
    description: 'Seconds that an answer may be kept by others, at most.',
    ...wholeNumber(0, 86_400),
  },
  pollSeconds: {
    name: 'ALMANAKK_POLL_SECONDS',
    fallback: '5',
    description: 'Seconds between two looks at the snapshot folder, or at the origin.',
    ...wholeNumber(1, 3_600),
  },
  logLevel: {
    name: 'ALMANAKK_LOG_LEVEL',
    fallback: 'info',
    description: `Least serious lines to log: ${LOG_LEVELS.join(', ')}.`,
    ...oneOf(LOG_LEVELS),
  },
  cacheMegabytes: {
    name: 'ALMANAKK_CACHE_MB',
    fallback: '64',
    description: 'Memory of each serving process for finished answers, in MB; 0 keeps none.',
    ...wholeNumber(0, 16_384),
  },
  workers: {
    name: 'ALMANAKK_WORKERS',
    fallback: '1',
    description: 'Serving processes on this machine.',
    ...wholeNumber(1, 256),
  },
  origin: {
    name: 'ALMANAKK_ORIGIN',
    fallback: '',
    description: 'URL of a snapshot folder to copy from, instead of building from a source.',
    ...httpUrl(),
  },
  serveSnapshots: {
    name: 'ALMANAKK_SERVE_SNAPSHOTS',
    fallback: 'true',
    description: 'Whether to offer the snapshot folder to others under `/snapshots/`.',
    ...yesOrNo(),
  },
  buildTimeoutSeconds: {
    name: 'ALMANAKK_BUILD_TIMEOUT',
    fallback: '900',
    description: 'Seconds after which a scheduled build that hangs is ended.',
    ...wholeNumber(1, 86_400),
  },
  allowPrivateFeeds: {
    name: 'ALMANAKK_ALLOW_PRIVATE_FEEDS',
    fallback: 'false',
    description:
      'Whether feeds may be fetched from private and loopback addresses, and an origin may redirect there.',
    ...yesOrNo(),
  },
  logFormat: {
    name: 'ALMANAKK_LOG_FORMAT',
    fallback: 'text',
    description: 'Lines for people, or one JSON object a line for what collects logs.',
    ...oneOf(LOG_FORMATS),
  },
  stopDelaySeconds: {
    name: 'ALMANAKK_STOP_DELAY',
    fallback: '0',
    description:
      'Seconds to go on accepting connections after a signal to stop, for load balancers that have to notice first.',
    ...wholeNumber(0, 5),
  },
  publicUrl: {
    name: 'ALMANAKK_PUBLIC_URL',
    fallback: '',
    description:
      'Where this server is reached from outside, for examples on its pages and the notice of a licence without a portal.',
    ...httpUrl(),
  },
  notice: {
    name: 'ALMANAKK_NOTICE',
    fallback: 'This call has no valid application key. Get one at {portal}',
    description: 'What calls without a valid key are told; `{portal}` stands for where keys are to be had.',
    expected: 'a text',
    parse: (text) => text,
  },
  adminPort: {
    name: 'ALMANAKK_ADMIN_PORT',
    fallback: '',
    description: 'Port of its own for `/status` and `/metrics`; without one they stand beside the endpoint.',
    expected: wholeNumber(0, 65_535).expected,
    parse: (text) => (text === '' ? null : wholeNumber(0, 65_535).parse(text, '')),
  },
  adminHost: {
    name: 'ALMANAKK_ADMIN_HOST',
    fallback: '127.0.0.1',
    description: 'Address to listen on at that port; `0.0.0.0` for every address of the machine.',
    ...hostName(),
  },
  adminToken: {
    name: 'ALMANAKK_ADMIN_TOKEN',
    fallback: '',
    description:
      'What `/status` and `/metrics` ask for, as Bearer token or as password; without one they are open.',
    expected: '16 or more characters without spaces',
    parse: (text) => (text === '' ? null : /^[!-~]{16,}$/.test(text) ? text : undefined),
    isSecret: true,
  },
  logQueries: {
    name: 'ALMANAKK_LOG_QUERIES',
    fallback: 'false',
    description:
      'Whether the log tells the text and variables of queries that are worked out: people may search for what is nobody’s business.',
    ...yesOrNo(),
  },
} as const satisfies { readonly [Key in keyof Settings]: Setting<Settings[Key]> };

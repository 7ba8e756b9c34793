/**
 * Every setting: an environment variable, read and checked here and nowhere else. Entry points read them and hand on what
 * their parts need. `.env` in the working folder fills in what the environment does not say.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { CalendarError, isMissing, messageOf } from './calendar/errors.ts';
import {
  eitherOf,
  hostName,
  httpUrl,
  type Kind,
  mailbox,
  networks,
  oneOf,
  orNone,
  path,
  paths,
  smtpServer,
  storeUrl,
  token,
  wholeNumber,
  yesOrNo,
} from './settings/kinds.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Paths are absolute. */
export type Settings = Values & {
  /** Null where nothing is in an object store. */
  readonly s3: S3Settings | null;
};

type Values = {
  readonly [Key in keyof typeof SETTINGS]: Exclude<ReturnType<(typeof SETTINGS)[Key]['parse']>, undefined>;
};

/** Where an object store is, and who asks it. */
interface S3Settings {
  /** Null: Amazon's, in that region. */
  readonly endpoint: URL | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export interface SettingsRead {
  readonly settings: Settings;
  /** For the log: names that look like settings and are none. */
  readonly warnings: readonly string[];
}

/** Throws INVALID_SETTING that names every wrong one. `folder` is where `.env` is and where relative paths begin. */
export function readSettings(environment: Environment, folder: string): SettingsRead {
  const given = readEnvironment(environment, folder);
  const read: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const { name, fallback, expected } = setting;
    const text = given[name]?.trim() || fallback;
    read[key] = setting.parse(text, folder);
    if (read[key] === undefined) wrong.push(`${name}: expected ${expected}, found ${foundIn(setting, text)}`);
  }
  if (wrong.length > 0) throw new CalendarError('INVALID_SETTING', wrong.join('\n'));
  // Each is what its own kind has made of it.
  const values = read as Values;
  const isInStore = values.publish !== null || values.origin?.protocol === 's3:';
  const s3 = isInStore ? readS3(given, values.s3Endpoint) : null;
  return { settings: { ...values, s3 }, warnings: unknownNames(given) };
}

function foundIn({ isSecret = false }: Setting<unknown>, text: string): string {
  return isSecret ? `${text.length} characters` : JSON.stringify(text);
}

/** As Amazon's own programs name them. */
function readS3(given: Environment, endpoint: URL | null): S3Settings {
  const wanted = (name: string) => {
    const text = given[name]?.trim();
    if (text !== undefined) return text;
    throw new CalendarError('INVALID_SETTING', `${name}: expected it for s3://, found none`);
  };
  const region = given.AWS_REGION ?? given.AWS_DEFAULT_REGION ?? 'us-east-1';
  if (!/^[\w-]{1,63}$/.test(region)) {
    const found = JSON.stringify(region);
    throw new CalendarError(
      'INVALID_SETTING',
      `AWS_REGION: expected a region such as eu-north-1, found ${found}`,
    );
  }
  return {
    endpoint,
    region,
    accessKeyId: wanted('AWS_ACCESS_KEY_ID'),
    secretAccessKey: wanted('AWS_SECRET_ACCESS_KEY'),
    sessionToken: given.AWS_SESSION_TOKEN ?? null,
  };
}

/** The environment, filled in with what `.env` in the folder says. */
export function readEnvironment(environment: Environment, folder: string): Environment {
  return { ...readEnvFile(join(folder, '.env')), ...withoutBlanks(environment) };
}

const PREFIX = 'ALMANAKK_';
/** Set by the test runner for the tests. */
const TEST_PREFIX = 'ALMANAKK_TEST_';

function unknownNames(given: Environment): readonly string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
  return Object.keys(given)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !known.has(name))
    .map((name) => `${name}: expected one of ${[...known].join(', ')}; it is ignored`);
}

function readEnvFile(file: string): Environment {
  try {
    return withoutBlanks(parseEnv(readFileSync(file, 'utf8')));
  } catch (cause) {
    if (isMissing(cause)) return {};
    throw new CalendarError('INVALID_SETTING', `${file}: ${messageOf(cause)}`, { cause });
  }
}

/** `NAME=` with nothing behind it means the default, and does not hide what `.env` says. */
function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => (text ?? '').trim() !== ''));
}

interface Setting<T> extends Kind<T> {
  readonly name: string;
  /** As it would be written; empty for none. */
  readonly fallback: string;
  readonly description: string;
  /** What is wrong with it is said without saying what it is. */
  readonly isSecret?: boolean;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const LOG_FORMATS = ['text', 'json'] as const;

/** Every setting as the variable that sets it; null or empty for one that is not set and has no default. */
export const SETTINGS = {
  port: {
    name: 'PORT',
    fallback: '4000',
    description: 'Port to listen on; 0 takes any that is free.',
    ...wholeNumber(0, 65_535),
  },
  host: {
    name: 'HOST',
    description: 'Address to listen on; without one, every address of the machine.',
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
    description:
      'Memory of each serving process for answers that are used again, in MB; 0 keeps none. Without it, an eighth of the heap, at most 64.',
    ...orNone(wholeNumber(0, 16_384)),
  },
  workers: {
    name: 'ALMANAKK_WORKERS',
    fallback: '1',
    description: 'Serving processes on this machine.',
    ...wholeNumber(1, 256),
  },
  /** Ends in a slash; null for a machine that builds itself. */
  origin: {
    name: 'ALMANAKK_ORIGIN',
    description:
      'URL of a snapshot folder to copy from, or `s3://bucket/prefix`, instead of building from a source.',
    ...orNone(eitherOf(httpUrl(), storeUrl())),
  },
  /** Ends in a slash; null for a builder that keeps its snapshots to itself. */
  publish: {
    name: 'ALMANAKK_PUBLISH',
    description: 'Where to copy each snapshot after its build: `s3://bucket/prefix`.',
    ...orNone(storeUrl()),
  },
  s3Endpoint: {
    name: 'ALMANAKK_S3_ENDPOINT',
    description: 'URL of the object store; without one, Amazon’s. `AWS_*` variables say who asks.',
    ...orNone(httpUrl()),
  },
  signingKey: {
    name: 'ALMANAKK_SIGNING_KEY',
    description: 'File of the private key that a builder signs its manifests with.',
    ...orNone(path()),
  },
  trust: {
    name: 'ALMANAKK_TRUST',
    description: 'Files of the public keys whose manifests a replica takes, separated by commas.',
    ...paths(),
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
  /** Ends in a slash; null where it is not known. */
  publicUrl: {
    name: 'ALMANAKK_PUBLIC_URL',
    description:
      'Where this server is reached from outside, for examples on its pages and the notice of a licence without a portal.',
    ...orNone(httpUrl()),
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
    description: 'Port of its own for `/status` and `/metrics`; without one they stand beside the endpoint.',
    ...orNone(wholeNumber(0, 65_535)),
  },
  adminHost: {
    name: 'ALMANAKK_ADMIN_HOST',
    description: 'Address to listen on at that port; `0.0.0.0` for every address of the machine.',
    ...orNone(hostName()),
    fallback: '127.0.0.1',
  },
  adminToken: {
    name: 'ALMANAKK_ADMIN_TOKEN',
    description:
      'What `/status` and `/metrics` ask for, as Bearer token or as password; without one they are open.',
    ...orNone(token()),
    isSecret: true,
  },
  logQueries: {
    name: 'ALMANAKK_LOG_QUERIES',
    fallback: 'false',
    description:
      'Whether the log tells the text and variables of queries that are worked out: people may search for what is nobody’s business.',
    ...yesOrNo(),
  },
  smtpUrl: {
    name: 'ALMANAKK_SMTP_URL',
    description:
      'Mail server through which `npm run announce` sends, such as `smtp://name:password@mail.example:587` or `smtps://…`.',
    ...orNone(smtpServer()),
    isSecret: true,
  },
  mailFrom: {
    name: 'ALMANAKK_MAIL_FROM',
    description: 'Sender of its mails, who also gets the answers: an address, or `Name <address>`.',
    ...orNone(mailbox()),
  },
  quota: {
    name: 'ALMANAKK_QUOTA',
    description:
      'Requests a minute that one address may send without a valid key; without it, as many as it likes.',
    ...orNone(wholeNumber(1, 999_999)),
  },
  quotaKeyed: {
    name: 'ALMANAKK_QUOTA_KEYED',
    description:
      'Requests a minute that one application may send with its keys; without it, as many as it likes.',
    ...orNone(wholeNumber(1, 999_999)),
  },
  /** Addresses, and networks as an address, a slash and a number of bits. */
  trustProxy: {
    name: 'ALMANAKK_TRUST_PROXY',
    description:
      'Proxies in front that say in `X-Forwarded-For` who calls: addresses or CIDR ranges, separated by commas.',
    ...networks(),
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

/** `npm run keys`: issues, lists and revokes application keys, and creates the key pair that signs manifests (`signing-keys.ts`). */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import {
  hashKey,
  isEmail,
  KEY_ENTROPY,
  type KeyEntry,
  lastSeen,
  makeKey,
  readKeyFile,
} from '../../../src/annexes/common/keys.ts';
import type { CalendarError } from '../../../src/calendar/errors.ts';
import { commandLine } from '../../../src/package.ts';
import type { CommandContext } from '../../annex.ts';
import { parseArguments } from '../../arguments.ts';
import { changeKeyFile, invalid } from './key-file.ts';
import { writeSigningKeys } from './signing-keys.ts';

interface KeysContext {
  /** The key file. */
  readonly path: string;
  readonly now: Date;
  /** KEY_ENTROPY bytes fit for secrets. */
  readonly random: Uint8Array;
}

const USAGE = `Usage: ${commandLine('keys', 'COMMAND')}
  issue --app NAME [--email ADDRESS]   create a key for an application, and show it once
  contact KEY-ID --email ADDRESS       set the address for emails about changes; --no-email removes it
  revoke KEY-ID                        treat requests with this key as anonymous from now on
  list                                 list all keys: id, issued, last seen, application, address; never the keys themselves
  signing --out FILE                   create a key pair for manifests: FILE (0600) and FILE.pub
  --help                               print this help`;

/** The command with new random bytes. Returns the exit code. Throws INVALID_SETTING and DISK_FULL. */
export async function run(
  args: readonly string[],
  { settings, now, print }: CommandContext<{ readonly keys: string }>,
): Promise<number> {
  const context = { path: settings.keys, now, random: randomBytes(KEY_ENTROPY) };
  for (const line of await runKeysCommand(args, context)) print(line);
  return 0;
}

/** Returns the lines to print. Throws INVALID_SETTING for invalid arguments or an invalid file, and DISK_FULL. */
export async function runKeysCommand(
  args: readonly string[],
  context: KeysContext,
): Promise<readonly string[]> {
  const [name = '', ...rest] = args;
  if (args.includes('--help')) return [USAGE];
  const command = COMMANDS.get(name);
  if (command === undefined) throw wrong('a command', `"${name}"`);
  return command(rest, context);
}

type Command = (args: readonly string[], context: KeysContext) => Promise<readonly string[]>;

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({ issue, contact, revoke, list, signing }),
);

async function issue(
  args: readonly string[],
  { path, now, random }: KeysContext,
): Promise<readonly string[]> {
  const { values, ids } = parse(args, { app: TEXT, email: TEXT });
  const { app, email } = values;
  if (app === undefined || !APP_NAME.test(app.trim()) || ids.length > 0) {
    throw wrong('--app NAME, of 100 characters at most', `"${args.join(' ')}"`);
  }
  const key = makeKey(random);
  const hash = hashKey(key);
  const id = hash.slice(0, ID_LENGTH);
  const contactFields = email === undefined ? {} : { email: addressOf(email) };
  const entry = { id, app: app.trim(), hash, ...contactFields, created: now.toISOString(), revoked: null };
  await changeKeyFile(path, now, (keys) => {
    if (keys.some((other) => other.id === id)) throw invalid(`key id ${id} is taken: run the command again`);
    return [...keys, entry];
  });
  return [key, `id ${id}, for ${entry.app}. This is the only time that the key is shown.`];
}

/** One line without control characters: the name appears in logs, pages and mails. */
const APP_NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;

/** Hex digits: enough to be unique, few enough to type. */
const ID_LENGTH = 10;

async function contact(args: readonly string[], context: KeysContext): Promise<readonly string[]> {
  const { values, ids } = parse(args, { email: TEXT, 'no-email': SWITCH });
  const { email, 'no-email': removesEmail = false } = values;
  const isEither = (email !== undefined) !== removesEmail;
  if (!isEither) throw wrong('--email ADDRESS or --no-email', `"${args.join(' ')}"`);
  const address = email === undefined ? undefined : addressOf(email);
  const { id, app } = await changeKey(context, ids, ({ email: _, ...entry }) =>
    address === undefined ? entry : { ...entry, email: address },
  );
  return [`${id} (${app}) ${address === undefined ? 'has no address now' : `is reached at ${address}`}`];
}

async function revoke(args: readonly string[], context: KeysContext): Promise<readonly string[]> {
  const { ids } = parse(args, {});
  const { id, app, revoked } = await changeKey(context, ids, (entry) => ({
    ...entry,
    revoked: entry.revoked ?? context.now.toISOString(),
  }));
  return [`${id} (${app}) was revoked at ${revoked}`];
}

async function list(args: readonly string[], { path }: KeysContext): Promise<readonly string[]> {
  if (args.length > 0) throw wrong('no arguments after list', `"${args.join(' ')}"`);
  const keys = await readKeyFile(path);
  if (keys.length === 0) return [`no keys in ${path}`];
  return Promise.all(keys.map(async (entry) => describe(entry, await lastSeen(path, entry.id))));
}

function describe({ id, app, email, created, revoked }: KeyEntry, seen: string | null): string {
  return [
    id,
    created,
    revoked === null ? 'valid' : `revoked ${revoked}`,
    seen === null ? 'never seen' : `seen ${seen}`,
    app,
    email === undefined ? 'no address' : `<${email}>`,
  ].join('  ');
}

const TEXT = { type: 'string' } as const;
const SWITCH = { type: 'boolean' } as const;

/** `options`: those that the command has. Throws INVALID_SETTING for any other, so that none is ignored. */
function parse<const Options extends Record<string, typeof TEXT | typeof SWITCH>>(
  args: readonly string[],
  options: Options,
) {
  const { values, positionals } = parseArguments({ args: [...args], options, allowPositionals: true }, USAGE);
  return { values, ids: positionals };
}

/** Changes the key with the only one of these ids. Throws INVALID_SETTING if there is no such key. */
async function changeKey(
  { path, now }: KeysContext,
  ids: readonly string[],
  change: (entry: KeyEntry) => KeyEntry,
): Promise<KeyEntry> {
  const [id, more] = ids;
  if (id === undefined || more !== undefined) throw wrong('one KEY-ID', `"${ids.join(' ')}"`);
  const unknown = () => invalid(`expected the id of a key in ${path}, found "${id}"`);
  const keys = await changeKeyFile(path, now, (before) => {
    // Before anything is written.
    if (before.every((entry) => entry.id !== id)) throw unknown();
    return before.map((entry) => (entry.id === id ? change(entry) : entry));
  });
  const entry = keys.find((entry) => entry.id === id);
  if (entry === undefined) throw unknown();
  return entry;
}

/** With the ASCII form of the domain: `post@blåbær.example` is `post@xn--blbr-roah.example` for every mail server. */
function addressOf(text: string): string {
  const written = text.trim();
  const at = written.lastIndexOf('@');
  const address = `${written.slice(0, at)}@${domainToASCII(written.slice(at + 1))}`;
  if (at === -1 || !isEmail(address)) throw wrong('an address such as post@avis.example', `"${text}"`);
  return address;
}

function wrong(expected: string, found: string): CalendarError {
  return invalid(`expected ${expected}, found ${found}\n${USAGE}`);
}

/** J3: the key pair with which a builder signs, and by which replicas recognise it. */
async function signing(args: readonly string[]): Promise<readonly string[]> {
  const { out } = parseArguments({ args: [...args], options: { out: TEXT } }, USAGE).values;
  if (out === undefined || out.trim() === '') throw wrong('--out FILE', 'none');
  return writeSigningKeys(resolve(out));
}

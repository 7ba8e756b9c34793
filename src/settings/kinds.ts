/** What the text of a setting may be. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';

interface Kind<T> {
  /** Completes "expected …". */
  readonly expected: string;
  /** Undefined when the text is not what is expected. `folder` is where relative paths begin. */
  readonly parse: (text: string, folder: string) => T | undefined;
}

export interface Setting<T> extends Kind<T> {
  /** The environment variable. */
  readonly name: string;
  /** As it would be written; empty for none. */
  readonly fallback: string;
  readonly description: string;
  /** What is wrong with it is said without saying what it is. */
  readonly isSecret?: boolean;
}

/** Settings by the names that the code has for them. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table's settings. */
export type SettingsOf<Table extends SettingsTable> = {
  readonly [Key in keyof Table]: Exclude<ReturnType<Table[Key]['parse']>, undefined>;
};

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    expected: `a whole number from ${least} to ${most}`,
    parse(text) {
      const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** What need not be set. */
interface Optional<T> extends Kind<T> {
  readonly fallback: '';
}

/** Null for none. */
export function orNone<T>({ expected, parse }: Kind<T>): Optional<T | null> {
  return { expected, fallback: '', parse: (text, folder) => (text === '' ? null : parse(text, folder)) };
}

export function path(): Kind<string> {
  return {
    expected: 'a path',
    parse: (text, folder) => (text.includes('\0') ? undefined : resolve(folder, text)),
  };
}

/** Empty for none. */
export function paths(): Optional<readonly string[]> {
  return {
    expected: 'paths, separated by commas',
    fallback: '',
    parse(text, folder) {
      const parts = text.split(',').map((part) => part.trim());
      return text.includes('\0')
        ? undefined
        : parts.filter((part) => part !== '').map((part) => resolve(folder, part));
    },
  };
}

export function oneOf<T extends string>(choices: readonly T[]): Kind<T> {
  return {
    expected: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

export function yesOrNo(): Kind<boolean> {
  return {
    expected: 'true or false',
    parse: (text) => YES_OR_NO.get(text),
  };
}

const YES_OR_NO: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Ends in a slash, so that names can be resolved against it. */
export function httpUrl(): Kind<URL> {
  return {
    expected: 'an http or https URL',
    parse(text) {
      if (!URL.canParse(text)) return undefined;
      const url = new URL(text);
      if (!url.pathname.endsWith('/')) url.pathname += '/';
      return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
    },
  };
}

/** Empty for none. */
export function networks(): Optional<readonly string[]> {
  return {
    fallback: '',
    expected: 'addresses or CIDR ranges such as 127.0.0.1, 10.0.0.0/8, 2001:db8::/32',
    parse(text) {
      const list = text === '' ? [] : text.split(',').map((network) => network.trim());
      return list.every(isNetwork) ? list : undefined;
    },
  };
}

function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

export function smtpServer(): Kind<URL> {
  return {
    expected: 'an smtp or smtps URL',
    parse(text) {
      if (!URL.canParse(text)) return undefined;
      const url = new URL(text);
      const isSmtp = url.protocol === 'smtp:' || url.protocol === 'smtps:';
      return isSmtp && url.hostname !== '' && isEscaped(url) ? url : undefined;
    },
  };
}

/** A bare `%` in a password would fail where it is decoded. */
function isEscaped({ username, password }: URL): boolean {
  return !/%(?![\da-f]{2})/i.test(username + password);
}

/** The name is empty where only an address is given. */
export function mailbox(): Kind<{ readonly name: string; readonly address: string }> {
  return {
    expected: 'an address such as kalender@by.example, or a name and an address in angle brackets',
    parse(text) {
      const [, name = '', inBrackets, bare] = MAILBOX.exec(text) ?? [];
      const address = inBrackets ?? bare;
      return address === undefined ? undefined : { name: name.replace(/^"(.*)"$/, '$1').trim(), address };
    },
  };
}

/** Separated by commas; none unless given. */
export function httpUrls(): Optional<readonly URL[]> {
  return {
    fallback: '',
    expected: 'http or https URLs, separated by commas',
    parse(text) {
      const parts = text === '' ? [] : text.split(',').map((part) => part.trim());
      const isOne = (part: string) => URL.canParse(part) && /^https?:$/.test(new URL(part).protocol);
      return parts.every(isOne) ? parts.map((part) => new URL(part)) : undefined;
    },
  };
}

/** Separated by commas; none unless given. */
export function mailboxes(): Optional<readonly { readonly name: string; readonly address: string }[]> {
  const one = mailbox();
  return {
    fallback: '',
    expected: 'addresses such as drift@by.example, separated by commas',
    parse(text) {
      const found = text === '' ? [] : text.split(',').map((part) => one.parse(part.trim(), ''));
      const boxes = found.filter((box) => box !== undefined);
      return boxes.length === found.length ? boxes : undefined;
    },
  };
}

const MAILBOX = /^(?:([^<>\p{C}]*?)\s*<([\w.+-]+@[\w.-]+)>|([\w.+-]+@[\w.-]+))$/u;

/** Ends in a slash. Names that mean the same in a URL as they are written: nothing in them is ever escaped. */
export function storeUrl(): Kind<URL> {
  return {
    expected: 's3://bucket/prefix, of letters, digits, dots, underscores and hyphens',
    parse(text) {
      if (!STORE_URL.test(text)) return undefined;
      return new URL(text.endsWith('/') ? text : `${text}/`);
    },
  };
}

const STORE_URL = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/(?!\.{1,2}(\/|$))[\w.-]+)*\/?$/;

export function eitherOf<T>(one: Kind<T>, other: Kind<T>): Kind<T> {
  return {
    expected: `${one.expected}, or ${other.expected}`,
    parse: (text, folder) => one.parse(text, folder) ?? other.parse(text, folder),
  };
}

export function hostName(): Kind<string> {
  return {
    expected: 'an address or a host name',
    parse: (text) => (/^[\w.:%-]+$/.test(text) ? text : undefined),
  };
}

export function token(): Kind<string> {
  return {
    expected: '16 or more characters without spaces',
    parse: (text) => (/^[!-~]{16,}$/.test(text) ? text : undefined),
  };
}

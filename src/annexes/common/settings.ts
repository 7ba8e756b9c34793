/** Settings that several annexes share, and kinds of values that only settings of annexes have. */
import { parsedUrl } from '../../calendar/urls.ts';
import {
  canDecode,
  type Optional,
  orNone,
  PERCENT_NOTE,
  path,
  type SettingKind,
  type SettingsTable,
  yesOrNo,
} from '../../settings/kinds.ts';
import type { Mailbox } from './mail.ts';

/** For annexes that offer a snapshot folder, and for those that copy it. */
export const SNAPSHOTS_TOKEN = {
  snapshotsToken: {
    name: 'ALMANAKK_SNAPSHOTS_TOKEN',
    description:
      'Bearer token that `/snapshots/` requires, and that a replica sends to its origin; without one, the folder is open to everyone.',
    ...orNone(token()),
    isSecret: true,
  },
} as const satisfies SettingsTable;

/** For annexes that read the key file, or keep a file beside it. */
export const KEYS = {
  keys: {
    name: 'ALMANAKK_KEYS',
    fallback: 'data/keys.json',
    description: 'File with the application keys.',
    ...path(),
  },
} as const satisfies SettingsTable;

/** For annexes that send mails. */
export const MAIL = {
  smtpUrl: {
    name: 'ALMANAKK_SMTP_URL',
    description:
      'Mail server for `announce` and alerts, such as `smtp://name:password@mail.example:587` or `smtps://…`.',
    ...orNone(smtpServer()),
    isSecret: true,
  },
  mailFrom: {
    name: 'ALMANAKK_MAIL_FROM',
    description: 'Sender of emails, which also receives replies: an address, or `Name <address>`.',
    ...orNone(mailbox()),
  },
} as const satisfies SettingsTable;

export const ALERT_TO = {
  alertTo: {
    name: 'ALMANAKK_ALERT_TO',
    description:
      'Addresses that get an email when a problem begins and when it is resolved, separated by commas.',
    ...mailboxes(),
  },
} as const satisfies SettingsTable;

/** For annexes that fetch addresses from configuration or sources. */
export const PRIVATE_FEEDS = {
  allowPrivateFeeds: {
    name: 'ALMANAKK_ALLOW_PRIVATE_FEEDS',
    fallback: 'false',
    description:
      'Whether feeds may be fetched from private and loopback addresses, and an origin may redirect there.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;

function smtpServer(): SettingKind<URL> {
  return {
    expected: `an smtp or smtps URL${PERCENT_NOTE}`,
    parse(text) {
      const url = parsedUrl(text);
      if (url === null) return undefined;
      const isSmtp = url.protocol === 'smtp:' || url.protocol === 'smtps:';
      return isSmtp && url.hostname !== '' && canDecode(url) ? url : undefined;
    },
  };
}

/** The name is empty if only an address is given. */
function mailbox(): SettingKind<Mailbox> {
  return {
    expected: 'an address such as kalender@by.example, or a name and an address in angle brackets',
    parse(text) {
      const [, name = '', inBrackets, alone] = MAILBOX.exec(text) ?? [];
      const address = inBrackets ?? alone;
      if (address === undefined) return undefined;
      const unquoted = name.trim().replace(/^"(.*)"$/, '$1');
      return { name: unquoted.trim(), address };
    },
  };
}

/** Separated by commas; none by default. */
export function severalOf<T>(expected: string, parse: SettingKind<T>['parse']): Optional<readonly T[]> {
  return {
    fallback: '',
    expected: `${expected}, separated by commas`,
    parse(text, folder) {
      const parts = text.split(',').map((part) => part.trim());
      const found = parts.filter((part) => part !== '').map((part) => parse(part, folder));
      const valid = found.filter((value) => value !== undefined);
      return valid.length === found.length ? valid : undefined;
    },
  };
}

export function paths(): Optional<readonly string[]> {
  return severalOf('paths', path().parse);
}

export function httpUrls(): Optional<readonly URL[]> {
  return severalOf('http or https URLs', (text) => {
    const url = parsedUrl(text);
    const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
    return isHttp && url !== null ? url : undefined;
  });
}

function mailboxes(): Optional<readonly Mailbox[]> {
  return severalOf('addresses such as drift@by.example', mailbox().parse);
}

const MAILBOX = /^(?:([^<>\p{C}]*)<([\w.+-]+@[\w.-]+)>|([\w.+-]+@[\w.-]+))$/u;

/** Ends in a slash. Only characters that a URL never escapes. */
export function storeUrl(): SettingKind<URL> {
  return {
    expected: 's3://bucket/prefix, of letters, digits, dots, underscores and hyphens',
    parse(text) {
      if (!STORE_URL.test(text)) return undefined;
      return new URL(text.endsWith('/') ? text : `${text}/`);
    },
  };
}

/** `file:///srv/kalender`: a folder of this machine, as a URL that ends in a slash. */
export function folderUrl(): SettingKind<URL> {
  return {
    expected: 'file:///folder, an absolute path',
    parse(text) {
      if (!/^file:\/\/\/[^?#]+$/.test(text)) return undefined;
      return parsedUrl(text.endsWith('/') ? text : `${text}/`) ?? undefined;
    },
  };
}

const STORE_URL = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/(?!\.{1,2}(\/|$))[\w.-]+)*\/?$/;

export function eitherOf<T>(one: SettingKind<T>, other: SettingKind<T>): SettingKind<T> {
  return {
    expected: `${one.expected}, or ${other.expected}`,
    parse: (text, folder) => one.parse(text, folder) ?? other.parse(text, folder),
  };
}

function matching(expected: string, pattern: RegExp): SettingKind<string> {
  return { expected, parse: (text) => (pattern.test(text) ? text : undefined) };
}

/** A secret that is sent in a header, which carries no other characters unchanged. */
export function token(): SettingKind<string> {
  return matching('16 or more characters of printable ASCII without spaces', /^[!-~]{16,}$/);
}

/** A key that never travels: its UTF-8 bytes count, whatever they are. */
export function secret(): SettingKind<string> {
  return matching('16 or more characters', /^.{16,}$/su);
}

import { parsedUrl } from '../../calendar/urls.ts';
import {
  hostName,
  orNone,
  path,
  type SettingKind,
  type SettingsOf,
  type SettingsTable,
  wholeNumber,
} from '../../settings/kinds.ts';
import { ALERT_TO, KEYS, MAIL, token } from '../common/settings.ts';
import { editorTokens } from './editors.ts';

export const SETTINGS = {
  adminPort: {
    name: 'ALMANAKK_ADMIN_PORT',
    description:
      'Separate port for `/status` and `/metrics`; without one, they share the port of the endpoint.',
    ...orNone(wholeNumber(0, 65_535)),
  },
  adminHost: {
    name: 'ALMANAKK_ADMIN_HOST',
    description: 'Address to listen on for that port; `0.0.0.0` for every address of the machine.',
    fallback: '127.0.0.1',
    ...hostName(),
  },
  statusUrl: {
    name: 'ALMANAKK_STATUS_URL',
    description:
      'Address of `/status` in emails, if the server cannot know it, for example behind an ingress: `https://kalender.example/status`.',
    ...orNone(pageUrl()),
  },
  adminToken: {
    name: 'ALMANAKK_ADMIN_TOKEN',
    description:
      'Token that `/status` and `/metrics` require, as a Bearer token or as a password; without one, they are open to everyone.',
    ...orNone(token()),
    isSecret: true,
  },
  metricsToken: {
    name: 'ALMANAKK_METRICS_TOKEN',
    description:
      'Token of Prometheus, which opens `/metrics` but nothing else that the operator’s token opens. Needs `ALMANAKK_ADMIN_TOKEN`.',
    ...orNone(token()),
    isSecret: true,
  },
  editorTokens: {
    name: 'ALMANAKK_EDITOR_TOKENS',
    description:
      'Tokens of editors, who may read `/status` but nothing else that the operator’s token opens: `NAME:TOKEN`, separated by commas or line breaks. `NAME@FEED+FEED:TOKEN` shows only these feeds.',
    ...editorTokens(),
    isSecret: true,
  },
  ...KEYS,
  ...MAIL,
  ...ALERT_TO,
  backupMark: {
    name: 'ALMANAKK_BACKUP_MARK',
    description:
      'File that each backup touches; if it is missing or older than 26 hours, `/status` and emails say so.',
    ...orNone(path()),
  },
} as const satisfies SettingsTable;

export type OperatorSettings = SettingsOf<typeof SETTINGS>;

/** Emails show it, so it must not contain a secret. */
function pageUrl(): SettingKind<URL> {
  return {
    expected: 'an http or https URL without a user name',
    parse(text) {
      const url = parsedUrl(text);
      if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
      return url.username === '' && url.password === '' ? url : undefined;
    },
  };
}

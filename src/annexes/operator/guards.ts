/** Who may read `/status` and `/metrics`: the operator both, editors the first (H15), and Prometheus the second (H8). */
import { invalidSetting } from '../../calendar/errors.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { CoreSettings } from '../../settings/core.ts';
import { isLoopback } from '../common/loopback.ts';
import { createGuard, type Guard } from '../guard/token.ts';
import type { OperatorSettings } from './settings.ts';

/** Null: open to everyone. */
export interface Guards {
  readonly status: Guard | null;
  readonly metrics: Guard | null;
}

/** Throws INVALID_SETTING. `more`: options of the guards. */
export function guardsOf(
  { settings, log }: Pick<ServeContext<OperatorSettings>, 'settings' | 'log'>,
  more: Pick<Parameters<typeof createGuard>[0], 'pause'> = {},
): Guards {
  checkTokens(settings);
  const { adminToken, metricsToken, editorTokens } = settings;
  if (adminToken === null) return { status: null, metrics: null };
  const guardFor = (tokens: readonly string[], owner: string) =>
    createGuard({ tokens: [adminToken, ...tokens], owner, log, ...more });
  const operators = guardFor([], 'the operator’s');
  const ofEditors = editorTokens.map(({ token }) => token);
  return {
    status: editorTokens.length === 0 ? operators : guardFor(ofEditors, 'the operator’s or an editor’s'),
    metrics: metricsToken === null ? operators : guardFor([metricsToken], 'the operator’s or Prometheus’s'),
  };
}

/** The warning of a server that other machines reach and whose pages have no token (H8); null if there is nothing to warn about. */
export function warningIfOpen({ adminToken, adminPort, host }: Exposure): string | null {
  const isReachable = host !== null && !isLoopback(host);
  if (adminToken !== null || adminPort !== null || !isReachable) return null;
  return `ALMANAKK_ADMIN_TOKEN: expected a token, because HOST=${host} lets other machines connect, found none; everyone who can connect can open /status and /metrics`;
}

type Exposure = Pick<OperatorSettings, 'adminToken' | 'adminPort'> & Pick<CoreSettings, 'host'>;

type Tokens = Pick<OperatorSettings, 'adminToken' | 'metricsToken' | 'editorTokens'>;

/** Throws INVALID_SETTING for tokens that would open more than their own page, or protect nothing. */
function checkTokens({ adminToken, metricsToken, editorTokens: editors }: Tokens): void {
  const isOfEditor = (wanted: string | null) => editors.some(({ token }) => token === wanted);
  if (editors.length > 0) {
    if (adminToken === null) throw invalidSetting('ALMANAKK_EDITOR_TOKENS', ...UNPROTECTED);
    if (isOfEditor(adminToken))
      throw invalidSetting(
        'ALMANAKK_EDITOR_TOKENS',
        'tokens of their own',
        'that of ALMANAKK_ADMIN_TOKEN among them',
      );
  }
  if (metricsToken === null) return;
  if (adminToken === null) throw invalidSetting('ALMANAKK_METRICS_TOKEN', ...UNPROTECTED);
  const isShared = metricsToken === adminToken || isOfEditor(metricsToken);
  if (!isShared) return;
  const owner = metricsToken === adminToken ? 'ALMANAKK_ADMIN_TOKEN' : 'an editor';
  throw invalidSetting('ALMANAKK_METRICS_TOKEN', 'a token of its own', `that of ${owner}`);
}

const UNPROTECTED = [
  'ALMANAKK_ADMIN_TOKEN to be set, too',
  'it unset: /status would be open to everyone',
] as const;

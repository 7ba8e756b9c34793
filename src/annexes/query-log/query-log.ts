import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Execute } from '../../serve/graphql/execute.ts';
import type { SentOperation } from '../../serve/graphql/operation.ts';
import type { QueryLogSettings } from './settings.ts';

export function create({ settings, log }: ServeContext<QueryLogSettings>): ServePart {
  return settings.logQueries ? { wrapExecute: (execute) => withQueryLog(execute, log) } : {};
}

/**
 * Logs the text and variables of executed queries (ALMANAKK_LOG_QUERIES). A caller's position is never logged (B13): a query with
 * `near` loses all its numbers.
 */
export function withQueryLog(execute: Execute, log: Pick<ServeContext['log'], 'info'>): Execute {
  return async (operation, basis) => {
    const started = performance.now();
    const answer = await execute(operation, basis);
    const { query, variables } = withoutPosition(operation.sent);
    const ms = Math.round((performance.now() - started) * 1_000) / 1_000;
    log.info({ query: query.slice(0, LONGEST_QUERY), variables, ms, failed: answer.failed }, 'query');
    return answer;
  };
}

type Sent = Pick<SentOperation, 'query' | 'variables'>;

/** Names in GraphQL have no escapes; names in variables have none left after parsing. */
function withoutPosition({ query, variables }: Sent): Sent {
  const json = JSON.stringify(variables);
  if (!/\bnear\b/.test(query) && !json.includes('"near":')) return { query, variables };
  return {
    query: query.replaceAll(/\d+/g, '0'),
    variables: JSON.parse(json, (_, value) => (typeof value === 'number' ? 0 : value)),
  };
}

/** Longest query text in the log, in characters. */
const LONGEST_QUERY = 4_000;

/** The log of queries, for an operator who looks for the one that is slow, refused or wrong. */
import { beginningOf } from '../../calendar/display-text.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Execute } from '../../serve/graphql/answer.ts';
import type { SentOperation } from '../../serve/graphql/selection.ts';

interface Settings {
  readonly logQueries: boolean;
}

export function create({ settings, log }: ServeContext<Settings>): ServePart {
  return settings.logQueries ? { wrapExecute: (execute) => withQueryLog(execute, log) } : {};
}

/**
 * Logs the text and variables of executed queries (ALMANAKK_LOG_QUERIES). A caller's position is never logged (B13): a query
 * with `near` loses all its numbers.
 */
export function withQueryLog(execute: Execute, log: Pick<ServeContext['log'], 'info'>): Execute {
  return async (operation, basis) => {
    const started = performance.now();
    // It stays so if the query is too complex, or the server has no room for it.
    let failed = true;
    try {
      const answer = await execute(operation, basis);
      failed = answer.hasErrors;
      return answer;
    } finally {
      const ms = Math.round((performance.now() - started) * 1_000) / 1_000;
      const { query, variables } = withoutPosition(operation.sent);
      log.info({ query: beginningOf(query, LONGEST), variables, ms, failed }, 'query');
    }
  };
}

interface LoggedQuery {
  readonly query: string;
  /** The beginning of their JSON where they are long. */
  readonly variables: unknown;
}

/** Looks for `near` as it is: GraphQL has no escapes in names, and the variables, which are parsed, are written without any. */
function withoutPosition({ query, variables }: Pick<SentOperation, 'query' | 'variables'>): LoggedQuery {
  const json = JSON.stringify(variables);
  const hasPosition = /\bnear\b/.test(query) || json.includes('"near":');
  const withoutNumbers = () =>
    JSON.stringify(variables, (_, value) => (typeof value === 'number' ? 0 : value));
  const shown = hasPosition ? withoutNumbers() : json;
  return {
    query: hasPosition ? query.replaceAll(/\d+/g, '0') : query,
    variables: shown.length > LONGEST ? beginningOf(shown, LONGEST) : JSON.parse(shown),
  };
}

/** Characters of the query, and of its variables, in the log. */
const LONGEST = 4_000;

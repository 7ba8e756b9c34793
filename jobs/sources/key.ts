import type { Feed } from '../feeds/config.ts';
import type { FeedWorld } from '../feeds/importer.ts';
import { FeedProblem } from '../feeds/problem.ts';

/** `X-Api-Key`, when the feed names a variable that holds one. */
export function keyHeader({ apiKeyEnv }: Feed, { variable }: FeedWorld): Readonly<Record<string, string>> {
  if (apiKeyEnv === null) return {};
  const key = variable(apiKeyEnv)?.trim() ?? '';
  if (key === '')
    throw new FeedProblem('missing key', `expected a key in the variable ${apiKeyEnv}, found none`);
  return { 'x-api-key': key };
}

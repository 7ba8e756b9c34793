/** Whose call a request is: reads the interface's headers and the `key` parameter (section 5). */
import type { Attribute, Attribution } from '../identity/attribution.ts';
import { type HttpRequest, headerOf } from './message.ts';

export interface Caller {
  readonly caller: Attribution;
  readonly hasKeyInUrl: boolean;
}

export function callerOf(
  { headers, search }: Pick<HttpRequest, 'headers' | 'search'>,
  attribute: Attribute,
): Caller {
  const keyParameter = keyParameterOf(search);
  const caller = attribute({
    keyHeader: headerOf(headers, 'x-api-key'),
    keyParameter,
    clientId: headerOf(headers, 'x-client-id'),
    pageUrl: headerOf(headers, 'x-page-url'),
  });
  return { caller, hasKeyInUrl: keyParameter !== undefined };
}

function keyParameterOf(search: string): string | undefined {
  return KEY.test(search) ? (new URLSearchParams(search).get('key') ?? undefined) : undefined;
}

/** The name in any spelling, and some that are not it: taking a whole query apart costs more than all else that is done. */
const KEY = /(?:^|&)(?:k|%6b)(?:e|%65)(?:y|%79)(?:=|&|$)/i;

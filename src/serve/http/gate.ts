/** What the headers alone refuse: forgeable requests, and bodies that are not JSON. */
import { type Refusal, refuse } from '../graphql/refusal.ts';
import { isJson } from './media.ts';
import { type HttpRequest, headerOf } from './message.ts';

export const PREFLIGHT_HEADER = 'Gateway-Require-Preflight';

/**
 * A page can make a browser send a GET to anywhere. It cannot make it send this header, or JSON, without a preflight that
 * is answered first.
 */
export function refusalByHeaders(request: Pick<HttpRequest, 'method' | 'headers'>): Refusal | undefined {
  if (request.method !== 'POST') return hasPreflightHeader(request) ? undefined : FORGEABLE;
  if (!isJson(request.headers['content-type'])) return NOT_JSON;
  const coding = request.headers['content-encoding'];
  return coding === undefined || coding === 'identity' ? undefined : CODED;
}

export function hasPreflightHeader({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headerOf(headers, PREFLIGHT_NAME)?.trim().toLowerCase() === 'true';
}

const PREFLIGHT_NAME = PREFLIGHT_HEADER.toLowerCase();

const FORGEABLE = refuse(
  'BAD_REQUEST',
  `Blocked as a possible cross-site request forgery (CSRF): a GET needs the header ${PREFLIGHT_HEADER}: true. A POST of JSON needs none.`,
);
const NOT_JSON = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: Content-Type: application/json.');
const CODED = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must not have a Content-Encoding.');

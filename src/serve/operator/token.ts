/** Closes a route to everybody who does not have the token: as `Bearer`, or as the password that a browser asks for. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Handle } from '../http/koa.ts';
import { jsonReply } from '../http/replies.ts';

export function guarded(handle: Handle, token: string | null): Handle {
  if (token === null) return handle;
  const expected = digestOf(token);
  return (request) => {
    const given = tokenIn(request.headers.authorization ?? '');
    return given !== undefined && timingSafeEqual(digestOf(given), expected) ? handle(request) : UNAUTHORIZED;
  };
}

/** Of equal length, whatever was given, so that comparing takes the same time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function tokenIn(authorization: string): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  // Whatever the user is called.
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined;
}

const REFUSED = jsonReply(401, {
  errors: [{ message: 'This needs the operator’s token.', extensions: { code: 'UNAUTHORIZED' } }],
});

const UNAUTHORIZED = {
  ...REFUSED,
  headers: [...REFUSED.headers, 'WWW-Authenticate', 'Basic realm="almanakk", charset="UTF-8"'],
};

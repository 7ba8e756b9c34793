/**
 * I17: the addresses at which the picture server (docs/debian/etc/nginx/almanakk-pictures.conf) has resized copies of pictures. Each is
 * signed, so that nobody else can make that server fetch or resize anything.
 */
import { createHash } from 'node:crypto';
import { parsedUrl } from '../../calendar/urls.ts';
import type { ResizedPicture } from '../facts/facts.ts';

/** `server`: the calendar's own address, without a slash at its end. */
export function resizedWith(secret: string): ResizedPicture {
  return (original, width, server) => {
    // F3: such a picture is small, and this server has it.
    if (original.startsWith(`${server}/pictures/`)) return original;
    const place = placeOf(original);
    return place && `${server}/pictures/${width}/${signatureOf(`${width} ${place}`, secret)}/${place}`;
  };
}

/**
 * The host, path and query, as browsers send them. The picture server asks by https alone. Null for what it would refuse: a user, a port,
 * a host that is no public name, such as an IP address, or a format that it cannot read.
 */
function placeOf(original: string): string | null {
  const url = parsedUrl(original);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const { hostname, port, username, password, pathname, search } = url;
  const isPlain = port === '' && username === '' && password === '';
  const canBeRead = !UNREADABLE.test(pathname);
  return isPlain && canBeRead && PUBLIC_NAME.test(hostname) ? hostname + pathname + search : null;
}

/** Names with a dot, whose last part begins with a letter. */
const PUBLIC_NAME = /^[a-z0-9][a-z0-9.-]*\.[a-z][a-z0-9-]*$/;

const UNREADABLE = /\.(?:svgz?|avif|heic|heif|jxl|tiff?|bmp|pdf)$/i;

/**
 * nginx knows only MD5. The secret stands on both sides: what follows a known text could otherwise be signed without it, and in front, nobody
 * can search for two pictures with one signature.
 */
function signatureOf(text: string, secret: string): string {
  return createHash('md5').update(`${secret} ${text} ${secret}`).digest('base64url');
}

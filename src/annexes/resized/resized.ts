/**
 * I17: the addresses at which the picture server (docs/debian/etc/nginx/almanakk-pictures.conf) has resized copies of pictures. Each is
 * signed, so that nobody else can make that server fetch or resize anything.
 */
import { createHash } from 'node:crypto';
import { invalidSetting } from '../../calendar/errors.ts';
import { parsedUrl } from '../../calendar/urls.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { CopiesOf, PictureCopy } from '../../serve/graphql/output.ts';
import type { PictureWidth, ResizedPicture } from '../facts/facts.ts';

interface Settings {
  readonly pictureSecret: string | null;
}

/** Throws INVALID_SETTING for a secret without the address that copies begin with. */
export function create({ settings }: ServeContext<Settings>): ServePart {
  const { pictureSecret, publicUrl } = settings;
  if (pictureSecret === null) return {};
  if (publicUrl === null) {
    throw invalidSetting('ALMANAKK_PUBLIC_URL', 'a value, because ALMANAKK_PICTURE_SECRET is set', 'none');
  }
  const resizedPicture = resizedWith(pictureSecret);
  return { resizedPicture, copiesOf: copiesWith(resizedPicture, publicUrl) };
}

/** `server`: the calendar's own address, without a slash at its end. */
export function resizedWith(secret: string): ResizedPicture {
  return (original, width, server) => {
    // F3: such a picture is small, and this server has it.
    if (original.startsWith(`${server}/pictures/`)) return original;
    const place = withoutScheme(original);
    return place && `${server}/pictures/${width}/${signatureOf(`${width} ${place}`, secret)}/${place}`;
  };
}

/** For the API: the copies in all widths, at addresses that begin with the calendar's own. */
function copiesWith(resizedPicture: ResizedPicture, publicUrl: URL): CopiesOf {
  const server = publicUrl.href.replace(/\/$/, '');
  return (original) => {
    const copies: PictureCopy[] = [];
    for (const width of WIDTHS) {
      const url = resizedPicture(original, width, server);
      // F3: such a picture has no copies.
      if (url === original) return null;
      if (url !== null) copies.push({ url, width });
    }
    return copies;
  };
}

const WIDTHS = [320, 640, 1280] as const satisfies readonly PictureWidth[];

/**
 * The host, path and query, as all browsers send them. The picture server asks by https alone. Null for what it would refuse: a user, a port, a
 * host that is no public name, such as an IP address, a format that it cannot read, or an address that nginx cannot.
 */
function withoutScheme(original: string): string | null {
  const url = parsedUrl(original);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const { hostname, port, username, password, pathname, search } = url;
  const isPublicHost = PUBLIC_NAME.test(hostname) && port === '' && username === '' && password === '';
  const canBeRead = !UNREADABLE.test(pathname) && !UNDECODABLE.test(pathname);
  const place = (hostname + pathname + search).replace(NOT_ALIKE, encodeURIComponent);
  return isPublicHost && canBeRead && place.length <= LONGEST ? place : null;
}

/** Some browsers encode `^` in a path, others do not. `srcset` takes a comma at the end of an address for its end. */
const NOT_ALIKE = /\^|,$/g;

/** nginx decodes paths, and answers 400. */
const UNDECODABLE = /%(?![\da-f]{2})|%00/i;

/** nginx reads 8 KiB of a request's first line. */
const LONGEST = 8_000;

/** Names with a dot, whose last part begins with a letter. */
const PUBLIC_NAME = /^[a-z0-9][a-z0-9.-]*\.[a-z][a-z0-9-]*$/;

/** Formats that the picture server cannot read, by the ends of their names. */
const UNREADABLE = /\.(?:svgz?|avif|heic|heif|jxl|tiff?|bmp|pdf)$/i;

/**
 * nginx knows only MD5. The secret stands on both sides: what follows a known text could otherwise be signed without it, and in front, nobody
 * can search for two pictures with one signature.
 */
function signatureOf(text: string, secret: string): string {
  return createHash('md5').update(`${secret} ${text} ${secret}`).digest('base64url');
}

/** G8: addresses in untrusted texts. */
import { parsedUrl } from '../../src/calendar/urls.ts';

/** An absolute http or https URL, with invalid characters percent-encoded; else null. */
export function webAddress(text: string): string | null {
  return addressOf(text, WEB);
}

/** As `webAddress`; also an email address or a telephone number as a URL. */
export function linkAddress(text: string): string | null {
  return addressOf(text, LINK);
}

function addressOf(text: string, schemes: RegExp): string | null {
  const trimmed = text.trim();
  const url = parsedUrl(trimmed);
  if (url === null) return null;
  if (PLAIN_ADDRESS.test(trimmed)) return trimmed;
  // Browsers repair a scheme without slashes, such as `https:example.org`; authors never intend it.
  if (!schemes.test(trimmed)) return null;
  // The URL standard allows quotation marks in a host, and encodes them nowhere there; angle brackets remain in `mailto:`.
  return /["'`{}]/.test(url.host) ? null : url.href.replace(/['<>]/g, encodeReserved);
}

function encodeReserved(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const PLAIN_ADDRESS = /^https?:\/\/[^\s"'<>\\^`{|}\p{Cc}\p{Cf}]+$/iu;
const WEB = /^https?:\/\//i;
const LINK = /^(?:https?:\/\/|mailto:|tel:)/i;

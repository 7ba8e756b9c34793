/** URLs in texts, and their parameters. */

/**
 * Parses an absolute URL, or one relative to `base`; null if it is neither. `URL.canParse` is not used: once V8 has optimised its
 * caller, Node 20 reads a Latin-1 string there as if it were UTF-8, and refuses `https://blåbær.example/`.
 */
export function parsedUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** A part of a URL as text; as it is if it is not validly encoded. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a parameter of a URL says only how its reader came there: mail programs and social networks add it to links that people share. */
export function isTracking(parameter: string): boolean {
  return TRACKING.test(parameter);
}

const TRACKING = /^(?:utm_.*|fbclid|gclid|msclkid|mc_cid|mc_eid|igshid|_ga|_gl)$/;

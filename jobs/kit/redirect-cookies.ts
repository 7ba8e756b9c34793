/** The cookies of one request and its redirects. Some servers, such as SharePoint's, let only those past a redirect who return its cookie. */

interface Cookies {
  /** Keeps those that this reply sets. */
  readonly note: (url: URL, setCookie: readonly string[] | undefined) => void;
  /** The `Cookie` header for this hop; empty without any. */
  readonly headerFor: (url: URL) => { readonly cookie?: string };
}

/** Characters of all cookies of a host: more than servers accept. */
const MOST_CHARACTERS = 8 * 1024;

/** Each cookie goes back only to the origin that set it, whatever domain it names. */
export function createCookies(): Cookies {
  const byOrigin = new Map<string, Map<string, string>>();

  function note({ origin }: URL, setCookie: readonly string[] = []): void {
    const cookies = byOrigin.get(origin) ?? new Map<string, string>();
    byOrigin.set(origin, cookies);
    for (const written of setCookie) {
      const [pair = ''] = written.split(';', 1);
      const [beginning = '', ...rest] = pair.split('=');
      const name = beginning.trim();
      const value = rest.join('=').trim();
      if (name === '' || rest.length === 0) continue;
      // Servers remove a cookie by an empty value with a date in the past.
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
  }

  function headerFor({ origin }: URL): { readonly cookie?: string } {
    const cookie = [...(byOrigin.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    return cookie === '' || cookie.length > MOST_CHARACTERS ? {} : { cookie };
  }

  return { note, headerFor };
}

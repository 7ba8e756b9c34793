/**
 * G8: tags in square brackets that WordPress replaces when it shows a page (`[vc_row]`, `[caption id="x"]`). Exports of a site leave them in
 * its texts. What an editor writes in brackets remains: `[avlyst]`, `[18+]`.
 */
import { KNOWN_SHORTCODE, type Taken, take } from './removed-parts.ts';

/** Whether a text may have such a tag: most have none. */
export const MAY_HAVE_SHORTCODE = /\[\/?[a-z][\w-]+[\s/\]]/;

/** Removes the tags from a text without elements, and keeps what is between them. Changes nothing the second time. */
export function withoutShortcodes(text: string, taken: Taken): string {
  if (!MAY_HAVE_SHORTCODE.test(text)) return text;
  /** The end of a bracket that may become a tag if the one in it is removed, such as `[caption` in `[caption[vc_row]]`. */
  let unfinishedAt = -1;
  let removedAt = 0;
  const kept = text.replace(BRACKETS, (bracket, inner: string | undefined, at: number) => {
    const end = at + bracket.length;
    if (inner === undefined) unfinishedAt = end;
    const name = TAGS.exec(inner ?? '')?.[1];
    if (inner === undefined || name === undefined || at === unfinishedAt) return bracket;
    const isTag = KNOWN_SHORTCODE.test(name) ? !isSentence(inner) : isSurelyTag(inner);
    if (!isTag) return bracket;
    take(taken, `[${name}]`);
    const isAfterBlank = at === removedAt || /\s/.test(text.charAt(at - 1));
    removedAt = end;
    return isAfterBlank ? '' : ' ';
  });
  return /\S/.test(kept) ? kept : '';
}

/** A bracket within which another one begins, or one with its end. */
const BRACKETS = /\[[^[\]]*(?=\[)|\[([^[\]]{1,2000})\]/g;

/** The beginning of a tag, with its name. */
const TAGS = /^\/?([a-z][\w-]{2,})(?=$|\s|\/)/;

/** `[caption by Ola]`: words after a known name, without a value. */
function isSentence(inner: string): boolean {
  return /^\S+\s+[^\s/]/.test(inner) && !inner.includes('=');
}

/** Any other name needs a value in quotes, which may be printers' quotes, or is that of a closing tag. */
function isSurelyTag(inner: string): boolean {
  return inner.startsWith('/') || /^[\w-]+\s+[\w-]+=["'\u2018-\u201e\u2032\u2033\u00ab\u00bb]/.test(inner);
}

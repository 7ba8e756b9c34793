/** H15: editors, who may read `/status`. Each has a token of their own, so that it can be revoked alone. */
import { listOfFeed } from '../../calendar/feed-ids.ts';
import type { Optional } from '../../settings/kinds.ts';

interface EditorToken {
  /** Only says whose the token is. */
  readonly name: string;
  /** Ids of the only feeds that the token shows; null for all. */
  readonly feeds: readonly string[] | null;
  readonly token: string;
}

/** No name and no token may appear twice: a revoked token would still open the page for the other name. */
export function editorTokens(): Optional<readonly EditorToken[]> {
  return {
    fallback: '',
    expected:
      'NAME:TOKEN or NAME@FEED+FEED:TOKEN, separated by commas or line breaks, with ids of feeds, each name and each token once, and tokens of 16 or more characters of printable ASCII without spaces and commas',
    parse(text) {
      const parts = text.split(/[,\r\n]/).map((part) => part.trim());
      const editors = parts.filter((part) => part !== '').map(editorIn);
      const valid = editors.filter((editor) => editor !== undefined);
      const names = new Set(valid.map(({ name }) => name));
      const tokens = new Set(valid.map(({ token }) => token));
      const isDistinct = names.size === editors.length && tokens.size === editors.length;
      return isDistinct ? valid : undefined;
    },
  };
}

function editorIn(entry: string): EditorToken | undefined {
  const [, name, feeds, token] = ENTRY.exec(entry) ?? [];
  if (name === undefined || token === undefined) return undefined;
  return { name, feeds: feeds?.split('+') ?? null, token };
}

/**
 * A browser sends name and token in one header, with a colon between them. Feeds are part of the name, because a token may contain any
 * separator that could follow it.
 */
const ENTRY = /^([\p{L}\p{N}._-]{1,40})(?:@([a-z\d._-]+(?:\+[a-z\d._-]+)*))?:([!-~]{16,})$/u;

/** Whether these feeds include this one, also as a feed of a list (F18). Null includes all. */
export function includesFeed(feeds: readonly string[] | null, id: string): boolean {
  return feeds === null || feeds.includes(id) || feeds.includes(listOfFeed(id));
}

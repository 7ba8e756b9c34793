/** H15: editors, who may read `/status`. Each has a token of their own, so that it can be revoked alone. */
import type { Optional } from '../../settings/kinds.ts';

interface EditorToken {
  /** Only says whose the token is. */
  readonly name: string;
  readonly token: string;
}

/** No name and no token may appear twice: a revoked token would still open the page for the other name. */
export function editorTokens(): Optional<readonly EditorToken[]> {
  return {
    fallback: '',
    expected:
      'NAME:TOKEN pairs, separated by commas or line breaks, each name and each token once, and tokens of 16 or more characters of printable ASCII without spaces and commas',
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

function editorIn(pair: string): EditorToken | undefined {
  const [, name, token] = PAIR.exec(pair) ?? [];
  return name === undefined || token === undefined ? undefined : { name, token };
}

/** A browser sends name and token in one header, with a colon between them. */
const PAIR = /^([\p{L}\p{N}._-]{1,40}):([!-~]{16,})$/u;

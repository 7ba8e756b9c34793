/** A tool (I14), and how its answer is kept small: as many of its first entries as fit into 8 KB, words and structure together. */
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import type { ToolArguments, ValuesOf } from './arguments.ts';

export interface Tool<Of extends ToolArguments = ToolArguments> {
  readonly title: string;
  /** For the program that chooses among tools. */
  readonly about: string;
  readonly takes: Of;
  /** JSON Schema of its structured answer. */
  readonly gives: object;
  readonly answer: (values: ValuesOf<Of>, basis: AnswerBasis) => Promise<Draft | Faults>;
}

/** The tool as one of a table of tools with other arguments. */
export const tool = <Of extends ToolArguments>(one: Tool<Of>): Tool => one as unknown as Tool;

/** What the program asked wrongly. */
interface Faults {
  readonly faults: readonly string[];
}

interface Draft {
  /** Entries that it could show. */
  readonly most: number;
  /** The answer with this number of entries; `isBrief` omits long texts, if they alone are too much. */
  readonly write: (shown: number, isBrief: boolean) => Answer;
}

interface Answer {
  readonly words: string;
  readonly structure: object;
}

/** Bytes of a result. */
const MOST_BYTES = 8 * 1_024;

/** The result of a call, as JSON. */
export function resultOf(draft: Draft | Faults): string {
  if ('faults' in draft) return contentOf(draft.faults.join('\n'), { isError: true });
  const isBrief = bytesOf(draft.write(Math.min(1, draft.most), false)) > MOST_BYTES;
  const write = (shown: number) => writtenOf(draft.write(shown, isBrief));
  const whole = write(draft.most);
  if (Buffer.byteLength(whole) <= MOST_BYTES) return whole;
  // Between a number that fits and one that does not.
  let [fits, tooMany] = [0, draft.most];
  while (tooMany - fits > 1) {
    const shown = Math.floor((fits + tooMany) / 2);
    if (Buffer.byteLength(write(shown)) <= MOST_BYTES) fits = shown;
    else tooMany = shown;
  }
  return write(fits);
}

const bytesOf = (answer: Answer): number => Buffer.byteLength(writtenOf(answer));

const writtenOf = ({ words, structure }: Answer): string =>
  contentOf(words, { structuredContent: structure });

const contentOf = (words: string, more: object): string =>
  JSON.stringify({ content: [{ type: 'text', text: words }], ...more });

/** JSON Schema of an object that has all of these properties. */
export const objectOf = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const TEXT = { type: 'string' };
export const TEXT_OR_NULL = { type: ['string', 'null'] };
export const WHOLE = { type: 'integer' };
export const described = (about: string, schema: object = TEXT) => ({ ...schema, description: about });
export const listOf = (items: object) => ({ type: 'array', items });

/** In each tool's answer. */
export const NEXT = described('The `from` that asks for the rest; null if nothing was cut.', TEXT_OR_NULL);

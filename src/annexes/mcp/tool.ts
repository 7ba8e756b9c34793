/** A tool (I14), and how its answer is kept small: as many of its first entries as fit into 8 KB, words and structure together. */
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import type { ToolArguments, ValuesOf } from './arguments.ts';

export interface Tool<Of extends ToolArguments = ToolArguments> {
  readonly title: string;
  /** For the program that chooses among tools. */
  readonly about: string;
  readonly parameters: Of;
  /** JSON Schema of its structured answer. */
  readonly outputSchema: object;
  readonly answer: (values: ValuesOf<Of>, basis: AnswerBasis) => Promise<Draft | Faults>;
}

/** The tool as one of a table: `answer` gets the values of its own arguments alone, which a table's type cannot say. */
export const tool = <Of extends ToolArguments>(one: Tool<Of>): Tool => one as unknown as Tool;

/** Faults of the program's call, which it can correct. */
interface Faults {
  readonly faults: readonly string[];
}

interface Draft {
  /** Entries that it could show. */
  readonly most: number;
  /** The answer with this number of entries, and with or without its long texts. */
  readonly write: (shown: number, texts: Texts) => Answer;
}

/** `short` omits the long ones: they alone may be too much. */
export type Texts = 'all' | 'short';

interface Answer {
  readonly words: string;
  readonly structure: object;
}

/** Bytes of a result. */
const MOST_BYTES = 8 * 1_024;

/** The result of a call. */
export interface CallResult {
  readonly json: string;
  /** Whether it says what is wrong with the call. */
  readonly isError: boolean;
}

export function resultOf(draft: Draft | Faults): CallResult {
  if ('faults' in draft)
    return { json: contentOf(draft.faults.join('\n'), { isError: true }), isError: true };
  return { json: fittingResult(draft), isError: false };
}

function fittingResult(draft: Draft): string {
  const isFitting = (result: string) => Buffer.byteLength(result) <= MOST_BYTES;
  const least = written(draft.write(Math.min(1, draft.most), 'all'));
  const texts = isFitting(least) ? 'all' : 'short';
  const write = (shown: number) => written(draft.write(shown, texts));
  const whole = write(draft.most);
  if (isFitting(whole)) return whole;
  return write(largestFitting(draft.most, (shown) => isFitting(write(shown))));
}

/** The largest number of entries that fits, if this many do not. */
function largestFitting(most: number, isFitting: (shown: number) => boolean): number {
  let fits = 0;
  let tooMany = most;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (isFitting(middle)) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

const written = ({ words, structure }: Answer): string => contentOf(words, { structuredContent: structure });

const contentOf = (words: string, more: object): string =>
  JSON.stringify({ content: [{ type: 'text', text: words }], ...more });

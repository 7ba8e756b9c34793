/** The JSON in scripts of pages, with common mistakes of programs corrected. */
import { decodeHTML } from 'entities';
import { DEEPEST_JSON, measureJson, parsedJson } from '../../../../src/calendar/json.ts';
import { jsonFaultIn } from '../../../../src/calendar/json-fault.ts';

/** A value, with the mistakes that were corrected; or the reason why there is none. */
type ScriptJson =
  | { readonly value: unknown; readonly mistakes: readonly string[] }
  | { readonly problem: string };

/** Parses the content of a script. It is corrected only if it is not valid JSON as it stands. */
export function readScriptJson(script: string): ScriptJson {
  const written = withoutComments(script);
  const isEncoded = HAS_ENCODED_QUOTES.test(written);
  const json = isEncoded ? decodeHTML(written) : written;
  // Quotation marks decide what is text, so an encoded script has another depth than the JSON in it.
  if (measureJson(Buffer.from(json)).depth > DEEPEST_JSON)
    return { problem: `a value nested deeper than ${DEEPEST_JSON} levels` };
  const value = parsedJson(json);
  if (value !== undefined) return { value, mistakes: isEncoded ? [ENCODED_QUOTES] : [] };
  const corrected = correct(json);
  const correctedValue = parsedJson(corrected.text);
  if (correctedValue === undefined)
    return { problem: written.trim() === '' ? 'nothing' : `other text: ${jsonFaultIn(written)?.cause}` };
  const mistakes = isEncoded ? [ENCODED_QUOTES, ...corrected.mistakes] : corrected.mistakes;
  return { value: correctedValue, mistakes };
}

/** The first quotation mark of the JSON is written as HTML. No valid JSON begins like that. */
const HAS_ENCODED_QUOTES = /^[[{\s]*&(?:quot|#34);/;
const ENCODED_QUOTES = 'quotes written as HTML';

/** Some programs write comments around the JSON, for old browsers. */
function withoutComments(json: string): string {
  return json
    .replace(/^\s*(?:\/\/\s*)?(?:<!\[CDATA\[|<!--)/, '')
    .replace(/(?:\/\/\s*)?(?:\]\]>|-->)\s*$/, '');
}

interface Corrected {
  readonly text: string;
  /** Each kind of mistake once. */
  readonly mistakes: readonly string[];
}

/** A text in quotes, which may be the last and not end; or a trailing comma. */
const TEXT_OR_TRAILING_COMMA = /"(?:[^"\\]|\\[\s\S])*(?:"|$)|,(?=\s*[\]}])/g;
const INVALID_ESCAPE = /\\(?:u(?![\da-f]{4})|[^"\\/bfnrtu])/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTERS = /[\0-\x1f]/g;

/** In JSON, line ends may stand between values, but not within a text. */
function correct(json: string): Corrected {
  const mistakes = new Set<string>();

  function correctText(token: string): string {
    const withValidEscapes = token.replace(INVALID_ESCAPE, (written) => {
      mistakes.add(`${written.slice(0, 2)} within its texts`);
      return written.slice(1);
    });
    return withValidEscapes.replace(CONTROL_CHARACTERS, () => {
      mistakes.add('line ends within its texts');
      return ' ';
    });
  }

  const text = json.replace(TEXT_OR_TRAILING_COMMA, (token) => {
    if (token !== ',') return correctText(token);
    mistakes.add('a trailing comma');
    return '';
  });
  return { text, mistakes: [...mistakes] };
}

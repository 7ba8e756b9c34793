/** Words, values and tables of `/status` for a reader of one language. */
import { type Content, type Html, html } from '../page/html.ts';
import { langOf, momentOf, pairs, table } from '../page/parts.ts';
import { capitalized, type InEach, type Language, writeNumber } from '../page/reader.ts';
import { plainly } from './reasons.ts';
import { termOf } from './words.ts';

type Mark = 'good' | 'bad';

/** How words, figures and moments are written for a reader of one language. */
export interface Words {
  readonly language: Language;
  /** The text in this language. */
  readonly say: (nb: string, en: string, nn: string) => string;
  /** A word that reports and states use, translated (`termOf`). */
  readonly term: (word: string, mark?: Mark) => Html;
  /** A term that stands alone or begins a line. */
  readonly heading: (word: string, mark?: Mark) => Html;
  /** A text without a Norwegian translation is in English, and marked. */
  readonly either: (text: InEach<string>) => Html;
  /** The reason for a failure, in plain words. */
  readonly reason: (text: string) => Html;
  readonly number: (value: number) => string;
  readonly moment: (iso: string, style?: 'brief') => Html;
}

export function wordsIn(language: Language): Words {
  const say: Words['say'] = (nb, en, nn) => ({ nb, en, nn })[language];
  const marked = (text: string, mark?: Mark): Html => {
    const name = mark !== undefined ? html` class="${mark}"` : null;
    return html`<span${name}>${text}</span>`;
  };
  const term: Words['term'] = (word, mark) => marked(termOf(word)[language], mark);
  const heading: Words['heading'] = (word, mark) => marked(capitalized(termOf(word)[language]), mark);
  const either: Words['either'] = (text) => {
    const own = text.nb === text.en ? 'en' : language;
    return html`<span${langOf({ language: own }, language)}>${text[language]}</span>`;
  };
  return {
    language,
    say,
    term,
    heading,
    either,
    reason: (text) => either(plainly(text)),
    number: (value) => writeNumber(value, language),
    moment: (iso, style) => momentOf(iso, language, style),
  };
}

export const code = (text: string): Html => html`<code>${text}</code>`;

/** A value's name in each language, and how it is shown; null omits it. */
export type Shown<Value> = readonly [
  nb: string,
  en: string,
  nn: string,
  show: (value: Value, words: Words) => Content,
];

export function pairsOf<Value>(all: readonly Shown<Value>[], value: Value, words: Words): Html {
  return pairs(all.map(([nb, en, nn, show]) => [words.say(nb, en, nn), written(show(value, words), words)]));
}

const written = (content: Content, { number }: Words): Content =>
  typeof content === 'number' ? number(content) : (content ?? null);

export interface Table<Row> {
  readonly caption: readonly [nb: string, en: string, nn: string];
  readonly columns: readonly Shown<Row>[];
}

/** Null without rows. */
export function tableOf<Row>(
  { caption, columns }: Table<Row>,
  all: readonly Row[],
  words: Words,
): Html | null {
  const [first] = all;
  if (first === undefined) return null;
  // A column is one of figures if its first cell is a number.
  const areFigures = columns.map(([, , , show]) => typeof show(first, words) === 'number');
  return table({
    isCards: true,
    caption: words.say(...caption),
    columns: columns.map(([nb, en, nn]) => words.say(nb, en, nn)),
    figures: [...columns.keys()].filter((column) => areFigures[column]),
    rows: all.map((row) => columns.map(([, , , show]) => written(show(row, words), words))),
  });
}

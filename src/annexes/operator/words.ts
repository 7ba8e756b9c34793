/** Words, figures and moments for a reader of one language. */
import { plainly } from '../facts/concerns.ts';
import { type Html, html } from '../page/html.ts';
import { momentOf } from '../page/page.ts';
import { type Language, writeBytes, writeNumber, writeSpan } from '../page/reader.ts';

export type InBoth = readonly [nb: string, en: string];

export type Words = ReturnType<typeof wordsIn>;

export function wordsIn(language: Language) {
  const say = (nb: string, en: string): string => (language === 'nb' ? nb : en);
  const number = (value: number): string => writeNumber(value, language);
  return {
    language,
    say,
    number,
    bytes: (value: number): string => writeBytes(value, language),
    span: (seconds: number): string => writeSpan(seconds, language),
    moment: (iso: string | null, style?: 'brief'): Html =>
      iso === null ? html`${say('aldri', 'never')}` : momentOf(iso, language, style),
    /** Cached answers take hundredths of a millisecond. */
    milliseconds: (value: number): string =>
      value >= 1 || value === 0 ? number(value) : value.toFixed(2).replace('.', say(',', '.')),
    /** A reason that has no words here is in English. */
    reason: (text: string): Html => {
      const { nb, en } = plainly(text);
      return html`<span${nb === en && html` lang="en"`}>${say(nb, en)}</span>`;
    },
  };
}

/** Amounts of money in texts: where they are, and which digits are none. */

/** A number that may be an amount, or a word for none, such as `gratis`. */
export interface Amount {
  /** Where it begins and ends in the text, with the signs of its currency. */
  readonly from: number;
  readonly to: number;
  /** Digits as written; `0` for a word for none. */
  readonly digits: string;
  /** Whether it is marked as an amount, as `kr` and `,-` do. */
  readonly isMarked: boolean;
}

/** In the order of the text. */
export function amountsIn(text: string): readonly Amount[] {
  const masked = text.replace(OTHER_NUMBERS, (found) => found.replace(/\d/g, '_'));
  return [...masked.matchAll(AMOUNT)].map(({ 0: found, index, groups }) => {
    const { kr, number = '0', tail, kroner, free } = groups ?? {};
    const isMarked = [kr, tail, kroner, free].some((mark) => mark !== undefined);
    return { from: index, to: index + found.length, digits: number, isMarked };
  });
}

/**
 * The number that people mean: `1 200`, `1.200` and `1,200.50` have a thousands separator; `149,50` and `133.3333` have a fraction. Null for
 * digits that may mean several numbers, such as `100,200,50`.
 */
export function amountOfText(digits: string): number | null {
  const { whole, fraction = '0' } = (THOUSANDS_APART.exec(digits) ?? UNGROUPED.exec(digits))?.groups ?? {};
  return whole === undefined ? null : Number(`${whole.replace(/\D/g, '')}.${fraction}`);
}

/** A sign separates either thousands or the fraction. As in F7, `0.375` has no thousands. */
const THOUSANDS_APART =
  /^(?<whole>[1-9]\d{0,2}(?<sign>[ .,'])\d{3}(?:\k<sign>\d{3}){0,2})(?:(?!\k<sign>)[.,](?<fraction>\d{1,2}))?$/;
const UNGROUPED = /^(?<whole>\d{1,12})(?:[.,](?<fraction>\d+))?$/;

/** Whether a text names another currency than NOK, the only one of the interface. */
export function namesForeignCurrency(text: string): boolean {
  return /[$€£]|(?<!\p{L})(?:eur|euros?|usd|gbp|sek|dkk)(?!\p{L})/iu.test(text);
}

/** Whether a text says that an amount is in NOK. */
export function namesKroner(text: string): boolean {
  return /(?<!\p{L})(?:kr|kroner|nok)(?!\p{L})|\d ?,-/iu.test(text);
}

const CLOCK = '\\d{1,2}(?:[.:]\\d\\d)?';
const UNITS =
  'år|åring(?:[ea]r)?|years?|yrs?|%|prosent|percent|timer?|timar|hours?|min|minutt(?:er)?|minutes|stk|pers|person[ea]r|persons|people|plass[ea]r|dag[ea]r|days|uker|veker|weeks|ganger|gonger|kveld[ea]r|rett[ea]rs?|th';
/** No amount follows: neither further digits nor a sign of the currency. */
const NO_PRICE_AFTER = '(?!\\d|[.,:]\\d|,[-–]| ?(?:kr|nok))';
const MONTHS = 'jan|feb|mar|apr|mai|jun|jul|aug|sep|okt|nov|des';

/** Digits that are not amounts. */
const OTHER_NUMBERS = new RegExp(
  [
    // Times of day.
    `(?<!\\p{L})(?:kl|klokka|klokken)\\.? ?${CLOCK}(?: ?[-–] ?${CLOCK})?`,
    '(?<!\\d)\\d{1,2}:\\d\\d(?!\\d)',
    // Ages, lengths, percentages and numbers of people.
    `(?<!\\d)(?:\\d{1,3} ?(?:[-–]|til|to) ?)?\\d{1,3} ?(?:${UNITS})(?!\\p{L})`,
    `(?<!\\p{L})(?:under|over|below|above|fylt|ages?|alder) \\d{1,2}(?:[-–]\\d{1,2})?${NO_PRICE_AFTER}`,
    `(?<!\\p{L})(?:plass(?:[ea]r)? til|room for|maks|max|inntil|minst|up to) \\d{1,4}${NO_PRICE_AFTER}`,
    '(?<!\\d)\\d{1,2} (?:billett(?:[ea]r)?|tickets?)(?!\\p{L})',
    '(?<!\\d)\\d{1,2}\\+',
    // Days.
    '(?<!\\d)\\d{1,2}\\.(?:0?[1-9]|1[0-2])\\.(?:\\d{4}|\\d{2})?(?!\\d)',
    `(?<!\\d)\\d{1,2}\\. ?(?:${MONTHS})`,
    // Telephone numbers.
    '(?:tlf|tel|telefon|phone|vipps|sms)[.:]? ?(?:til )?#?(?:\\d{5,}|\\d{2,3}(?: \\d{2,3}){2,3})',
  ].join('|'),
  'giu',
);

/** All adjacent digits, so that no part of a number is read as an amount. */
const NUMBER = "\\d+(?:[ ']\\d{3}(?!\\d)|[.,]\\d+)*";
/** `,-` and `:-` after an amount. */
const TAIL = '(?<tail> ?(?:[,.:] ?[-–=]|-(?! ?[\\d_])))?';
const KR_BEFORE = '(?<kr>(?:kr\\.?|nok)[ :]*)?';
const KR_AFTER = '(?<kroner> ?(?:kroner|kr|nok)(?!\\p{L})\\.?)?';
const PRICED = `(?<![\\p{L}\\d_.,]|\\d-)${KR_BEFORE}(?<number>${NUMBER})(?![\\d_]|[.,]\\d)${TAIL}${KR_AFTER}`;

const FREE_WORDS =
  'gratis|free|kostnadsfritt?|vederlagsfritt?|fri(?:tt)? (?:entr[eé]|inngang|adgang)|no charge';
/** Free coffee and parking do not count. */
const EXTRAS = 'parkering|parking|kaffe|kaffi|coffee|mat|food|drikke|drinks?|servering|pizza';
const ENTRY_AFTER = '(?: (?:entr[eé]|inngang|adgang|entry|admission|entrance))?';
const FREE = `(?<![\\p{L}-]|ikke |ikkje |not )(?<free>(?:${FREE_WORDS})(?!\\p{L}|[- ](?:${EXTRAS}))${ENTRY_AFTER})`;

const AMOUNT = new RegExp(`${PRICED}|${FREE}`, 'giu');

/** Offers of linked data as tickets: their prices, and when they are sold. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import type { DateValues } from '../event-assembly.ts';
import { instantAt, writtenAt } from '../native-dates.ts';
import { type FeedPrice, MOST_TICKETS, readPrices, ticketsOf } from '../prices.ts';
import { momentOf, type Note } from './dates.ts';
import { isTrue, listOf, schemaNames, textOf, textOrNumberOf, titleOf } from './linked-data.ts';
import { type Node, thingsOf } from './nodes.ts';

interface OfferContext {
  readonly language: 'nb' | 'en';
  readonly note: Note;
}

/** Offers within an aggregate count separately. */
export function offersOf(node: Node): readonly JsonObject[] {
  const offers = thingsOf(node, node.value.offers)
    .filter(isObject)
    .flatMap((offer) => {
      const inner = thingsOf(node, offer.offers).filter(isObject);
      return inner.length > 0 ? inner : [offer];
    });
  return offers.slice(0, MOST_TICKETS);
}

/** Null if there are no prices. L2: a price of 0 is free. */
export function ticketsIn(
  { value }: Node,
  offers: readonly JsonObject[],
  context: OfferContext,
): DateValues['tickets'] {
  const prices = offers.flatMap((offer) => pricesOfOffer(offer, context));
  if (prices.length > 0) return ticketsOf(prices);
  return isTrue(value.isAccessibleForFree) ? { ticketsInformation: 'free', prices: [] } : null;
}

function pricesOfOffer(offer: JsonObject, { language, note }: OfferContext): readonly FeedPrice[] {
  const { amounts, label, type, currency } = writtenPrices(offer);
  const isForeign = currency.toUpperCase() !== 'NOK';
  return amounts.flatMap((amount) => {
    const { prices, unread } = readPrices(amount, language, { label, type, currency });
    // One finding for each part of the price that is kept as words: the report counts them.
    for (const found of unread) {
      if (isForeign) note('changed value', 'offers.priceCurrency', A_CURRENCY, currency);
      else note('changed value', 'offers.price', A_PRICE, found);
    }
    return prices;
  });
}

interface WrittenPrices {
  /** A price, or the lowest and the highest; each once. */
  readonly amounts: readonly (string | number)[];
  /** The name of the offer; empty without one. */
  readonly label: string;
  readonly type: string | undefined;
  readonly currency: string;
}

/** The prices of an offer, or of its specification. */
function writtenPrices(offer: JsonObject): WrittenPrices {
  const [specification = {}] = listOf(offer.priceSpecification).filter(isObject);
  const values = [offer.price ?? specification.price ?? offer.lowPrice, offer.highPrice];
  const amounts = values.map(textOrNumberOf).filter((amount) => amount !== null);
  const [type] = schemaNames(offer.category);
  return {
    amounts: [...new Map(amounts.map((amount) => [String(amount), amount])).values()],
    label: titleOf(textOf(offer.name) ?? ''),
    type,
    currency: textOf(offer.priceCurrency ?? specification.priceCurrency) ?? 'NOK',
  };
}

const A_CURRENCY = 'NOK (the price is kept as words)';
const A_PRICE = 'a price such as 150 or kr 149,50 (the text is kept)';

/** When sales of the first ticket begin. */
export function salesOf(node: Node): string | null {
  const moments = offersOf(node).flatMap(({ validFrom }) => {
    const moment = momentOf(validFrom, 'offers.validFrom', null);
    return moment === null ? [] : writtenAt({ ...moment, time: moment.time ?? '00:00' });
  });
  return moments.sort((left, right) => instantAt(left) - instantAt(right))[0] ?? null;
}

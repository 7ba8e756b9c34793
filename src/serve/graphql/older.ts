/** Fields that the interface no longer describes and older clients still ask for (E). */
import { OLDER_DATE_FIELDS, OLDER_EVENT_FIELDS } from '../../calendar/model.ts';
import { ABSENT } from '../../snapshot/columns.ts';
import { EVENT_SCALARS } from '../../snapshot/fragments.ts';
import type { EventNode, RepetitionNode } from '../query/node.ts';
import { PRICE, partsOf } from './entities.ts';
import type { Shape } from './project.ts';

const PARTS = partsOf(OLDER_EVENT_FIELDS);

/** The last three are worked out of what took their place. */
export const OLDER_EVENT_LEAVES: Shape<EventNode>['leaves'] = {
  ...Object.fromEntries(
    Object.entries(PARTS).map(([name, leaf]) => [name, ({ fragment }: EventNode) => leaf(fragment.older)]),
  ),
  priceOption: ({ fragment }) => PRICE_OPTIONS[fragment.scalars[TICKETS_LINE] ?? ''] ?? 'null',
  regularPrice: ({ fragment }) => priceOf(fragment.prices, '"REGULAR"'),
  reducedPrice: ({ fragment }) => priceOf(fragment.prices, '"REDUCED"'),
};

const TICKETS_LINE = EVENT_SCALARS.indexOf('ticketsInformation');

const PRICE_OPTIONS: Readonly<Record<string, string>> = {
  '"ticketsInfo"': '"non-gratis"',
  '"free"': '"gratis"',
};

/** Of the first price of a type; all of it is JSON. */
function priceOf(prices: EventNode['fragment']['prices'], type: string): string {
  const found = prices.find((price) => PRICE.leaves.type?.(price) === type);
  const amount = (found && PRICE.leaves.price?.(found)) ?? 'null';
  return amount === 'null' ? 'null' : `"${amount}"`;
}

export const CONTACT_CUSTOM: Shape<readonly string[]> = { name: 'ContactCustom', leaves: PARTS, links: {} };

/** Null without either of the two. */
export function contactOf({ fragment }: EventNode): readonly string[] | null {
  const has = (name: string) => (PARTS[name]?.(fragment.older) ?? 'null') !== 'null';
  return has('email') || has('phone') ? fragment.older : null;
}

export const OLDER_DATE_LEAVES: Shape<RepetitionNode>['leaves'] = Object.fromEntries(
  OLDER_DATE_FIELDS.map((name, part) => [
    name,
    ({ view, row, fragment }: RepetitionNode) => {
      const place = view.columns.olderTexts[row] ?? ABSENT;
      return place === ABSENT ? 'null' : (fragment.olderTexts[place]?.[part] ?? 'null');
    },
  ]),
);

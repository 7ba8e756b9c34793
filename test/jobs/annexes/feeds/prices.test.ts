/** Prices as people write them in tables and on pages. F7, the stricter rule, is for native records only. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPrices, ticketsOf } from '../../../../jobs/annexes/feeds/prices.ts';
import { tableOf } from '../../../helpers/tables.ts';

const test = suite('prices of feeds');

/** Prices as `TYPE amount "label"`, and the texts that could not be read. */
function readAs(written: string, offer = {}): string {
  const { prices, unread } = readPrices(written, 'nb', offer);
  const each = prices.map(({ type, price, name_nb }) =>
    [type, price ?? 'null', ...(name_nb === undefined ? [] : [`"${name_nb}"`])].join(' '),
  );
  const rest = unread.length === 0 ? [] : [`unread: ${unread.join(' + ')}`];
  return [...each, ...rest].join(', ');
}

/** Prices and how they are read. Ages, hours and days are no prices; ambiguous ones and those in another currency are kept as words. */
const PRICES = tableOf(
  ['written', 'read'],
  `
  150 → REGULAR 150
  kr 150 → REGULAR 150
  kr.150,- → REGULAR 150
  150,- kr → REGULAR 150
  150.- → REGULAR 150
  149,50 kr → REGULAR 149.5
  NOK 1 200,- → REGULAR 1200
  1.250,00 → REGULAR 1250
  1,200.50 → REGULAR 1200.5
  1,200,300 → REGULAR 1200300
  1,200,50 → REGULAR null "1,200,50", unread: 1,200,50
  100,200,50 → REGULAR null "100,200,50", unread: 100,200,50
  kr 1.200,300 → REGULAR null "kr 1.200,300", unread: kr 1.200,300
  Voksen/barn 100,200,50/100 → REGULAR null "Voksen/barn 100,200,50", REGULAR 100, unread: Voksen/barn 100,200,50
  0.375 → REGULAR 0.375
  25.000000 → REGULAR 25
  133.333333333333 → REGULAR 133.333333333333
  66,6666666666667 → REGULAR 66.6666666666667
  150* → REGULAR 150 "*"
  Gratis → REGULAR 0
  Fri entré → REGULAR 0
  Free! → REGULAR 0
  0,- → REGULAR 0
  Fra 100 → REGULAR 100 "Fra"
  100 kr pr. person → REGULAR 100 "pr. person"
  Billett: 150 kr + avgift → REGULAR 150 "Billett + avgift"
  forsalg 200 / dør 250 → FORSALG 200 "forsalg", DOR 250 "dør"
  100 kr, billetter i døra hele kvelden → REGULAR 100 "billetter i døra hele kvelden"
  Kjøp billetter i døra, 100 kr → REGULAR 100 "Kjøp billetter i døra"
  Student/honnør 100 → STUDENT 100 "Student/honnør"
  Voksenbillett → REGULAR null "Voksenbillett", unread: Voksenbillett
  ikke-medlem 100 → REGULAR 100 "ikke-medlem"
  ikke medlemmer: 100 → REGULAR 100 "ikke medlemmer"
  Ikkemedlem 100 → REGULAR 100 "Ikkemedlem"
  non-members 100 → REGULAR 100 "non-members"
  Medlem 100, ikke-medlem 150 → MEMBERS 100 "Medlem", REGULAR 150 "ikke-medlem"
  Medlemspris 100 → MEMBERS 100 "Medlemspris"
  Barn 50 / voksen 100 → CHILD 50 "Barn", REGULAR 100 "voksen"
  Barn 50 kr voksen 100 kr → CHILD null "Barn 50 kr voksen 100 kr", unread: Barn 50 kr voksen 100 kr
  ikkje-medlem 100 → REGULAR 100 "ikkje-medlem"
  Vaksne 200 / born 100 → REGULAR 200 "Vaksne", CHILD 100 "born"
  Barnebillettar 50, pensjonistar 80 → CHILD 50 "Barnebillettar", SENIOR 80 "pensjonistar"
  Frå 6 år 100 → REGULAR 100 "Frå 6 år"
  150 kr, 2 timar → REGULAR 150 "2 timar"
  Ikkje gratis → REGULAR null "Ikkje gratis", unread: Ikkje gratis
  Voksen kr 200,- barn kr 100,- → REGULAR 200 "Voksen", CHILD 100 "barn"
  200,- per person → REGULAR 200 "per person"
  Voksen/barn 200/100 → REGULAR 200 "Voksen", CHILD 100 "barn"
  50/100 (medlem/ikke medlem) → MEMBERS 50 "medlem", REGULAR 100 "ikke medlem"
  100,-/50,- → REGULAR 100, REGULAR 50
  150 kr (gratis for barn) → REGULAR 150, CHILD 0 "barn"
  Kr 100,-. Barn gratis → REGULAR 100, CHILD 0 "Barn"
  Gratis for medlemmer, 100 kr for andre → MEMBERS 0 "medlemmer", REGULAR 100 "andre"
  Voksen 250 / barn 100 / ukjent → REGULAR 250 "Voksen", CHILD 100 "barn", REGULAR null "ukjent", unread: ukjent
  Barn under 12 år 50 → CHILD 50 "Barn under 12 år"
  Barn (0-12 år) 50, voksen 100 → CHILD 50 "Barn (0-12 år)", REGULAR 100 "voksen"
  Gratis for barn under 12, ellers 100 → CHILD 0 "barn under 12", REGULAR 100 "ellers"
  Voksen (over 18) 150 → REGULAR 150 "Voksen (over 18)"
  20 % rabatt → REGULAR null "20 % rabatt", unread: 20 % rabatt
  10:00 → REGULAR null "10:00", unread: 10:00
  150 kr, plass til 40 → REGULAR 150 "plass til 40"
  1 billett 100 → REGULAR 100 "1 billett"
  150 inkl. mat → REGULAR 150 "inkl. mat"
  Ta med 2 kopper → REGULAR null "Ta med 2 kopper", unread: Ta med 2 kopper
  12.12.2027 → REGULAR null "12.12.2027", unread: 12.12.2027
  150–250 kr → REGULAR null "150–250 kr", unread: 150–250 kr
  100 til 300 kr → REGULAR null "100 til 300 kr", unread: 100 til 300 kr
  $25 → REGULAR null "$25", unread: $25
  £15.00, approx 2 hrs → REGULAR null "£15.00, approx 2 hrs", unread: £15.00, approx 2 hrs
  kr 150 / €15 → REGULAR 150, REGULAR null "€15", unread: €15
  Se nettsiden → REGULAR null "Se nettsiden", unread: Se nettsiden
  Ikke gratis → REGULAR null "Ikke gratis", unread: Ikke gratis
  Gratis kaffe → REGULAR null "Gratis kaffe", unread: Gratis kaffe
`,
);

for (const { written, read } of PRICES)
  test(`L1: should read the price ${written}`, () => assert.is(readAs(written), read));

test('L1: should read no price from an empty cell', () =>
  assert.equal([readAs(''), readAs(' - ')], ['', '']));

test('L1: should read a number as the amount, because its point is never one for thousands', () => {
  const read = [112.375, 1.2, 0, -5].map((number) => readPrices(number, 'nb'));
  assert.equal(
    read.map(({ prices }) => prices.map(({ price }) => price)),
    [[112.375], [1.2], [0], [null]],
  );
  assert.equal(
    read.map(({ unread }) => unread),
    [[], [], [], ['-5']],
  );
});

test('L2: should read an offer by its name, its type and its currency', () => {
  assert.is(readAs('kr 150', { label: 'Kveld' }), 'KVELD 150 "Kveld"');
  assert.is(readAs('150', { label: 'Kveld', type: 'STUDENT' }), 'STUDENT 150 "Kveld"');
  assert.is(readAs('25', { label: 'Kveld', currency: 'EUR' }), 'REGULAR null "Kveld 25 EUR", unread: 25 EUR');
  assert.is(readAs('0', { currency: 'EUR' }), 'REGULAR 0');
});

test('L2: should call an event free when all of its prices are 0', () => {
  const informationOf = (written: string) => ticketsOf(readPrices(written, 'nb').prices).ticketsInformation;
  assert.equal(['gratis', 'gratis / 100', 'se her'].map(informationOf), [
    'free',
    'ticketsInfo',
    'ticketsInfo',
  ]);
});

test.run();

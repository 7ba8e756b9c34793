/** E2: where an event was taken from. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startBuilt } from '../../../helpers/running.ts';

const test = suite('sources of events');

const NOW = Date.parse('2031-06-01T08:00:00Z') / 1_000;
const table = (...titles: readonly string[]) =>
  ['Id;Tittel;Start', ...titles.map((title) => `${title};${title};20.06.2031 19.30`), ''].join('\r\n');

const SOURCES = [
  {
    id: 'kirka',
    kind: 'csv',
    file: 'kirka.csv',
    name: 'Lillevik kirke',
    link: 'https://kirka.example/',
    licence: 'CC BY 4.0',
  },
  { id: 'laget', kind: 'csv', file: 'laget.csv', link: 'https://laget.example/' },
  { id: 'skjult', kind: 'csv', file: 'skjult.csv', licence: 'CC0' },
];

test('E2, G9: should name the source of each event', async () => {
  const source = sourceFolder({
    'events.json': [{ id: 'egen', title_nb: 'Egen', dates: [{ start: '2031-06-20 19:30' }] }],
    'sources.json': SOURCES,
    'kirka.csv': table('Gudstjeneste', 'Orgel'),
    'laget.csv': table('Orgel', 'Dugnad'),
    'skjult.csv': table('Skjult'),
    'duplicates.json': { same: [['kirka:Orgel', 'laget:Orgel']] },
  });
  const running = await startBuilt(source, NOW);
  const { text } = await running.post('{ events { data { id source { id name url licence } } } }');
  await running.close();
  const { data }: { readonly data: readonly { readonly id: string; readonly source: unknown }[] } =
    JSON.parse(text).data.events;
  const kirka = { id: 'kirka', name: 'Lillevik kirke', url: 'https://kirka.example/', licence: 'CC BY 4.0' };
  const laget = { id: 'laget', name: null, url: 'https://laget.example/', licence: null };
  const found = data.map((event) => [event.id, event.source] as const);
  assert.equal(found.sort(), [
    ['egen', null],
    ['kirka:Gudstjeneste', kirka],
    ['kirka:Orgel', kirka],
    ['laget:Dugnad', laget],
    ['skjult:Skjult', null],
  ]);
});

test.run();

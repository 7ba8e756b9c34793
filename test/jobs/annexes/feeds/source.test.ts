/** E2: the source of an event, with its name, link and licence. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startBuilt } from '../../../helpers/running.ts';

const NOW = Date.parse('2031-06-01T08:00:00Z') / 1_000;
/** A table of events whose ids are their titles. */
const tableOf = (...titles: readonly string[]) =>
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

interface Context {
  /** The source of each event at the endpoint, by the event's id. */
  sources: ReadonlyMap<string, unknown>;
}

const test = suite<Context>('sources of events');

test.before(async (context) => {
  const source = sourceFolder({
    'events.json': [{ id: 'egen', title_nb: 'Egen', dates: [{ start: '2031-06-20 19:30' }] }],
    'sources.json': SOURCES,
    'kirka.csv': tableOf('Gudstjeneste', 'Orgel'),
    'laget.csv': tableOf('Orgel', 'Dugnad'),
    'skjult.csv': tableOf('Skjult'),
    'duplicates.json': { same: [['kirka:Orgel', 'laget:Orgel']] },
  });
  const running = await startBuilt(source, NOW);
  try {
    const { text } = await running.post('{ events { data { id source { id name url licence } } } }');
    const { data }: { readonly data: readonly { readonly id: string; readonly source: unknown }[] } =
      JSON.parse(text).data.events;
    context.sources = new Map(data.map((event) => [event.id, event.source]));
  } finally {
    await running.close();
  }
});

const KIRKA = { id: 'kirka', name: 'Lillevik kirke', url: 'https://kirka.example/', licence: 'CC BY 4.0' };

test('E2: should give an event the name, link and licence of its feed', ({ sources }) => {
  assert.equal(sources.get('kirka:Gudstjeneste'), KIRKA);
});

test('E2: should give an event a source without a name and licence if its feed has only a link', ({
  sources,
}) => {
  assert.equal(sources.get('laget:Dugnad'), {
    id: 'laget',
    name: null,
    url: 'https://laget.example/',
    licence: null,
  });
});

test('E2: should give no source to an event of the folder, or of a feed without name and link', ({
  sources,
}) => {
  assert.equal([sources.get('egen'), sources.get('skjult:Skjult')], [null, null]);
});

test('E2, G9: should give a merged event the source of its first record', ({ sources }) => {
  assert.equal(sources.get('kirka:Orgel'), KIRKA);
  assert.is(sources.has('laget:Orgel'), false, 'expected no event laget:Orgel');
});

test.run();

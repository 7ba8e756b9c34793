/** F13, F15: correction sheets that are limited to feeds or municipalities, and events with several records. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ofDeskSheet } from '../../../../helpers/corrections.ts';
import { type Files, LICENCE } from '../../../../helpers/native-source.ts';
import { editionRows } from '../../../../helpers/snapshot-rows.ts';
import { CHOIR, DESK, FEEDS, FEST, shownWithSheet, VENUES } from './town.ts';

const test = suite('F15: limits of correction sheets');

test('F15: should limit a sheet to the records of its feeds', async () => {
  const sheet = ['Id;Tittel', 'fest:quiz;A', 'kino:film;B', 'kor;C'].join('\n');
  const { event, lines } = await shownWithSheet(sheet, {}, { feeds: ['fest'] });
  const titles = ['fest:quiz', 'kino:film', 'kor'].map((id) => event(id).title_nb);
  assert.equal(titles, ['A', 'Film', 'Korøvelse']);
  assert.equal(ofDeskSheet(lines), [
    'feed desk:3 Id: left out, expected an event of fest, found one of kino',
    "feed desk:4 Id: left out, expected an event of fest, found one of the folder's own records",
  ]);
});

test('F15: should set the municipality of a place, unless a limited sheet shares it with other feeds', async () => {
  const sheet = [
    'Id;Dato;Kommune',
    'fest:quiz;;trondheim',
    'fest:tog;;Trondheim',
    'fest:dans;06.02.2026;Trondhiem',
  ].join('\n');
  const kino = 'Id,Tittel,Start,Sted\nfilm,Film,2026-02-09 18:00,Torget\n';
  const register = '7013\tTRONDHEIM\t5001\tTRONDHEIM\tG\n7170\tLILLEVIK\t5058\tÅFJORD\tG';
  const files = { 'kino.csv': kino, 'postal-codes.tsv': register };
  const { lines, target } = await shownWithSheet(sheet, files, { feeds: ['fest'] });
  assert.equal(ofDeskSheet(lines), [
    'feed desk:4 Kommune: dropped value, expected the name or number of a municipality that postal-codes.tsv lists; the nearest is "Trondheim", found "Trondhiem"',
    'feed desk:3 Kommune: dropped value, expected a place where only feeds of this sheet have events, found events of others',
  ]);
  const places =
    "select name || ' ' || coalesce(municipality, '-') as text from venue order by name, municipality";
  assert.equal(await editionRows(target, places), [
    'Kroa Trondheim',
    'Lillevik kirke Åfjord',
    'Møterommet -',
    'Møterommet Åfjord',
    'Storsalen Åfjord',
    'Torget -',
  ]);
});

/** Events in two towns, in both and in neither. The cinema has its town from `defaults`, the other places from the register. */
const COUNTY: Files = {
  'postal-codes.tsv': '7013\tTRONDHEIM\t5001\tTRONDHEIM\tG\n7170\tLILLEVIK\t5058\tÅFJORD\tG',
  'fest.csv': `${FEST}rom,Møte,2026-02-14 18:00,,Kroa,"Torget 5, 7170 Lillevik"\nrom,Møte,2026-02-15 18:00,,Torget,\n`,
  'central.csv': 'Id;Sted\nfest:dans;Olavshallen\n',
  'kino.csv': [
    'Id,Tittel,Start,Sted,Adresse',
    'film,Film,2026-02-09 18:00,Kinoen,',
    'revy,Revy,2026-02-10 18:00,Olavshallen,"Kjøpmannsgata 44, 7013 Trondheim"',
    'gjest,Gjestespill,2026-02-11 18:00,Olavshallen,"Kjøpmannsgata 44, 7013 Trondheim"',
    'tur,Turné,2026-02-12 18:00,Kroa,"Torget 5, 7170 Lillevik"',
    'tur,Turné,2026-02-13 18:00,Olavshallen,"Kjøpmannsgata 44, 7013 Trondheim"',
  ].join('\n'),
};
const [FEST_FEED, KINO_FEED] = FEEDS;
/** The county's feeds. The sheet of the central desk, which moves an event to the other town, comes before the town's. */
const county = (settings: object) => [
  FEST_FEED,
  { ...KINO_FEED, defaults: { municipality: 'Åfjord' } },
  { ...DESK, id: 'central', file: 'central.csv' },
  { ...DESK, ...settings },
];

test('F15: should limit a sheet to events and dates in its municipalities', async () => {
  const rows = [
    'fest:quiz;;A;',
    'kino:film;;B;',
    'kino:revy;;C;',
    'kino:tur;;D;',
    'kino:tur;12.02.2026;;19.30',
    'kino:tur;13.02.2026;;19.30',
    'fest:tog;;E;',
    'kino:revy;10.02.2026;;19.30',
    'fest:rom;;F;',
    'fest:dans;;G;',
  ];
  const { event, dates, lines } = await shownWithSheet(['Id;Dato;Tittel;Start', ...rows].join('\n'), {
    ...COUNTY,
    'sources.json': county({ municipalities: ['åfjord', 'Trondhiem'] }),
  });
  const corrected = ['fest:quiz', 'kino:film', 'kino:revy', 'kino:tur', 'fest:tog', 'fest:rom', 'fest:dans'];
  assert.equal(
    corrected.map((id) => event(id).title_nb),
    ['A', 'B', 'Revy', 'Turné', 'Fakkeltog', 'Møte', 'G'],
  );
  assert.equal(dates('kino:tur'), ['02-12 19:30 Kroa', '02-13 18:00 Olavshallen']);
  assert.equal(ofDeskSheet(lines), [
    'feed desk municipalities[1]: dropped value, expected the name or number of a municipality that postal-codes.tsv lists; the nearest is "Trondheim", found "Trondhiem"',
    'feed desk:4 Id: left out, expected an event in Åfjord, found one in Trondheim',
    'feed desk:5 Id: left out, expected an event in Åfjord, found one that is also in Trondheim',
    'feed desk:7 Id: left out, expected an event of this build with id "kino:tur" and that date in Åfjord, found none',
    'feed desk:8 Id: left out, expected an event in Åfjord, found one without a municipality',
    'feed desk:9 Id: left out, expected an event in Åfjord, found one in Trondheim',
    'feed desk:10 Id: left out, expected an event in Åfjord, found one that is also in a place without a municipality',
  ]);
});

test('F15: should limit decisions and changes of places to the municipalities and the feeds of a sheet', async () => {
  const rows = [
    'kino:revy;kino:gjest;;;',
    'kino:gjest;fest:dans;;;',
    'kino:film;fest:quiz;;;',
    'kino:gjest;;;;Oslo kommune',
    'kino:gjest;;;Storsalen;Trondheim',
    'fest:dans;;A;;',
    'messe;;B;;',
  ];
  const { ids, lines, target } = await shownWithSheet(
    ['Id;Samme som;Tittel;Sted;Kommune', ...rows].join('\n'),
    {
      ...COUNTY,
      'venues.json': [...VENUES, { id: 'dome', name: 'Domen', address: 'Bispegata 11, 7013 Trondheim' }],
      'events.json': [CHOIR, { ...CHOIR, id: 'messe', title_nb: 'Messe', venue: 'dome' }],
      'sources.json': county({ feeds: ['fest', 'kino'], municipalities: ['5001'] }),
    },
  );
  assert.equal(ids, [
    'fest:dans',
    'fest:quiz',
    'fest:rom',
    'fest:tog',
    'kino:film',
    'kino:revy',
    'kino:tur',
    'kor',
    'messe',
  ]);
  assert.equal(ofDeskSheet(lines).sort(), [
    'feed desk:3 "kino:gjest" Samme som: left out, expected an event in Trondheim, found one in Åfjord',
    'feed desk:4 Id: left out, expected an event in Trondheim, found one in Åfjord',
    'feed desk:5 Kommune: dropped value, expected the name or number of a municipality that postal-codes.tsv lists, found "Oslo kommune"',
    'feed desk:6 Kommune: dropped value, expected a place in Trondheim, found one in Åfjord',
    'feed desk:7 Id: left out, expected an event in Trondheim, found one in Åfjord',
    "feed desk:8 Id: left out, expected an event of fest or kino, found one of the folder's own records",
  ]);
  const place = "select coalesce(municipality, '-') as text from venue where name = 'Storsalen'";
  assert.equal(await editionRows(target, place), ['Åfjord']);
});

const KROA = 'Kroa,"Torget 5, 7170 Lillevik"';

/** A quiz of two feeds, whose records are merged. `place`: the place in the second. */
const quizAt = (place: string, pictures: readonly [fest: string, kino: string] = ['', '']): Files => {
  const row = (id: string, at: string, picture: string) =>
    `Id,Tittel,Start,Sted,Adresse,Bilde\n${id},Quiz,2026-02-05 19:00,${at},${picture}\n`;
  return {
    'licence.json': { ...LICENCE, duplicates: 'merge' },
    'postal-codes.tsv': '7170\tLILLEVIK\t5058\tÅFJORD\tG',
    'fest.csv': row('quiz', KROA, pictures[0]),
    'kino.csv': row('q', place, pictures[1]),
  };
};

test('F15: should hide a merged event, unless another record is outside the limit of the sheet', async () => {
  const shown = async (settings: object, id: string, place = KROA) => {
    const { ids, lines } = await shownWithSheet(`Id;Skjul\n${id};ja`, quizAt(place), settings);
    return [...ids.filter((one) => /:q/.test(one)), ...ofDeskSheet(lines)];
  };
  const left = (other: string) =>
    `feed desk:2 "${other === 'kino:q' ? 'fest:quiz' : 'kino:q'}" Skjul: dropped value, expected an event with no records outside the limit of the sheet, found "${other}"`;
  assert.equal((await shown({}, 'fest:x'))[0], 'fest:quiz', 'nothing hidden');
  assert.equal(await shown({}, 'fest:quiz'), [], 'without a limit');
  assert.equal(await shown({ feeds: ['fest', 'kino'] }, 'kino:q'), [], 'limited to both');
  const ofFest = await shown({ feeds: ['fest'] }, 'fest:quiz');
  assert.equal(ofFest, ['kino:q', left('kino:q')], 'limited to the first');
  const town = { municipalities: ['Åfjord'] };
  assert.equal(await shown(town, 'fest:quiz'), [], 'limited to the town');
  assert.equal(await shown(town, 'kino:q'), [], 'limited to the town');
  const stays = ['kino:q', left('kino:q')];
  // Only the first feed says where Kroa is, and anyone may have written that.
  assert.equal(await shown(town, 'fest:quiz', 'Kroa,'), stays, 'a place that its own feed does not locate');
  assert.equal(await shown(town, 'fest:quiz', ','), stays, 'without a place');
  assert.equal(await shown({ ...town, feeds: ['fest'] }, 'fest:quiz'), stays, 'limited to a town and a feed');
});

test('F13, F15: should leave a merged event without the pictures that a correction removes', async () => {
  const [festPicture, kinoPicture] = ['https://fest.example/quiz.jpg', 'https://kino.example/quiz.jpg'];
  const picturesAfter = async (picture: string, settings: object = {}, place = KROA) => {
    const files = quizAt(place, [festPicture, kinoPicture]);
    const { event } = await shownWithSheet(`Id;Bilde\nfest:quiz;${picture}`, files, settings);
    return event('fest:quiz').images;
  };
  assert.equal(await picturesAfter(''), [{ urlLarge: festPicture }]);
  assert.equal(await picturesAfter('ingen'), []);
  const ofOther = [{ urlLarge: kinoPicture }];
  assert.equal(await picturesAfter('ingen', { feeds: ['fest'] }), ofOther, 'limited to one feed');
  const town = { municipalities: ['Åfjord'] };
  assert.equal(await picturesAfter('ingen', town), [], 'limited to the town');
  assert.equal(await picturesAfter('ingen', town, ','), ofOther, 'limited to the town, without a place');
});

test.run();

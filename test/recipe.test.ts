/** The recipe "Add a field" of docs/contributing.md, followed in a copy of the tree. */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { temporaryFolder } from './helpers/folder.ts';

const recipe = suite('recipe');

/** By the table of `src/calendar/fields.ts` that gets them. */
const ENTRIES = {
  EVENT: `doorsTime: { kind: 'line', en: 'When doors open.', nb: 'Når dørene åpner.', source: 'when doors open',
    schemaOrg: 'doorTime', csv: { about: 'when doors open', names: 'dorene apner' } },`,
  VENUE: `phone: { kind: 'line', en: 'Telephone.', nb: 'Telefon.', source: 'a telephone number',
    schemaOrg: 'telephone', csv: { about: 'the telephone of the place', names: 'stedets telefon' } },`,
};

const TABLE =
  'Tittel;Start;Sted;Dørene åpner;Stedets telefon\nVise;20.06.2031 19.30;Kroa;18.45;73 00 00 02\n';

/** Writes the JSON Schemas anew, serves a small source, and prints what it says of the fields. */
const SCRIPT = `
import { writeFileSync } from 'node:fs';
import { norwegianOf } from './src/calendar/fields.ts';
import { EVENT, VENUE } from './jobs/annexes/feeds/mirror/schema.ts';
import { nativeSchemas } from './test/readme/native-schema.ts';
import { sourceFolder } from './test/helpers/native-source.ts';
import { startBuilt } from './test/helpers/running.ts';
for (const [name, text] of Object.entries(nativeSchemas())) writeFileSync('docs/' + name, text);
const dates = [{ start: '2031-06-20 19:30' }];
const source = sourceFolder({
  'venues.json': [{ id: 'v', name: 'Huset', phone: '73 00 <b>00 01' }],
  'events.json': [{ id: 'e', title_nb: 'Kor', venue: 'v', doorsTime: '18:30', dates }],
  'sources.json': [{ id: 'a', kind: 'csv', file: 'a.csv' }],
  'a.csv': ${JSON.stringify(TABLE)},
});
const running = await startBuilt(source, Date.parse('2031-06-01T08:00:00Z') / 1000);
const asked = await fetch(running.url + '/graphQL', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ query: '{ events { data { doorsTime venue { phone } } venues { phone } } }' }),
});
const { data } = await asked.json();
const feed = await (await fetch(running.url + '/events.jsonld')).json();
const page = await (await fetch(running.url + '/', { headers: { Accept: 'text/html', 'Accept-Language': 'nb' } })).text();
await running.close();
const [{ doorTime, location }] = feed['@graph'];
console.log(JSON.stringify({
  data, doorTime, telephone: location.telephone, onPage: page.includes('Når dørene åpner.'),
  norwegian: norwegianOf('Venue', 'phone'), mirror: [EVENT.doorsTime, VENUE.phone],
}));
`;

recipe('should bring a field from each source to answers, feeds and schemas by one entry', async () => {
  const copy = temporaryFolder();
  for (const path of ['src', 'jobs', 'docs', 'data/sample', 'package.json', 'tsconfig.json'])
    cpSync(packagePath(path), join(copy, path), { recursive: true });
  for (const path of ['helpers', 'readme', 'serve', 'bench'])
    cpSync(packagePath(`test/${path}`), join(copy, 'test', path), { recursive: true });
  symlinkSync(packagePath('node_modules'), join(copy, 'node_modules'));
  const fields = 'src/calendar/fields.ts';
  let table = readFileSync(packagePath(fields), 'utf8');
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const start = table.indexOf(`export const ${name} = {`);
    const end = table.indexOf('} as const', start);
    table = `${table.slice(0, end)}${entry}\n${table.slice(end)}`;
  }
  writeFileSync(join(copy, fields), table);
  writeFileSync(join(copy, 'script.mts'), SCRIPT);
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'script.mts'], {
    cwd: copy,
  });
  assert.equal(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), {
    data: {
      events: {
        data: [
          { doorsTime: '18.45', venue: { phone: '73 00 00 02' } },
          { doorsTime: '18:30', venue: { phone: '73 00 00 01' } },
        ],
        venues: [{ phone: '73 00 00 01' }, { phone: '73 00 00 02' }],
      },
    },
    doorTime: '18.45',
    telephone: '73 00 00 02',
    onPage: true,
    norwegian: 'Telefon.',
    mirror: ['text', 'text'],
  });
  const differs = (path: string) =>
    readFileSync(join(copy, path), 'utf8') !== readFileSync(packagePath(path), 'utf8');
  const schemas = ['events', 'venues', 'organizers', 'licence', 'notices', 'sources'];
  // What is made from the table, and for both fields together; CHANGELOG.md and test/interface.test.ts are by hand.
  assert.equal(
    schemas.filter((name) => differs(`docs/${name}.schema.json`)),
    ['events', 'venues', 'sources'],
  );
  assert.not(differs('src/serve/graphql/schema.graphql'));
});

recipe.run();

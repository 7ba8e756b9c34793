/** Builds a source with the product's own build and asks the product's own endpoint over HTTP, clock injected. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, sourceFolder } from '../helpers/native-source.ts';
import { startBuilt } from '../helpers/running.ts';
import { answerOf, type Question, requestOf } from './questions.ts';
import type { Json, Source } from './records.ts';

export type Served = Awaited<ReturnType<typeof serveProduct>>;

/** Both forms of a source folder, in turn. */
let served = 0;

/** Builds a source at an instant (in seconds) and serves it. `ask` gives what `answerOf` makes of the response to the question at `now`. */
export async function serveProduct(source: Source, builtAt: number) {
  served += 1;
  let clock = builtAt * 1000;
  let asked = 0;
  const folder = sourceFolder(filesOf(source, served % 2 === 0 ? 'json' : 'ndjson'));
  const running = await startBuilt(folder, builtAt, { clock: () => clock });
  return {
    ask: async (question: Question, now: number): Promise<Json> => {
      clock = now * 1000;
      asked += 1;
      const { query, ...more } = requestOf(question, asked % 3 === 0 ? 'literals' : 'variables');
      return answerOf(JSON.parse((await running.post(query, more)).text));
    },
    close: running.close,
  };
}

/** A source as the files that the build reads (F1–F3), in either of the two forms. */
export function filesOf(source: Source, form: 'json' | 'ndjson' = 'json'): Files {
  const { licence, venues, organizers, events, postalCodes } = source;
  const lines = postalCodes.map(({ code, place, number, municipality }) =>
    [code, place, number, municipality, 'B\n'].join('\t'),
  );
  return {
    'licence.json': licence,
    [`venues.${form}`]: venues,
    [`organizers.${form}`]: organizers,
    [`events.${form}`]: events,
    ...(lines.length > 0 && { 'postal-codes.tsv': lines.join('') }),
  };
}

/** The sample, whose lists are JSON. */
export function readSample(): Source {
  const read = (name: string) => readFileSync(join('data/sample', name), 'utf8');
  const list = (name: string) => JSON.parse(read(`${name}.json`));
  return {
    licence: list('licence'),
    venues: list('venues'),
    organizers: list('organizers'),
    events: list('events'),
    postalCodes: read('postal-codes.tsv')
      .trim()
      .split('\n')
      .map((line) => {
        const [code = '', place = '', number = '', municipality = ''] = line.split('\t');
        return { code, place, number, municipality };
      }),
  };
}

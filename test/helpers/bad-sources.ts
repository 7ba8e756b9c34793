/** Sources that stop a build of what `generations.ts` makes, and what is said of them. */
import type { Files } from './native-source.ts';

const events = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `e${at}`,
    title_nb: `Hendelse ${at}`,
    repeats: [{ rule: 'FREQ=WEEKLY', start: '2026-01-05 19:00' }],
  }));

/** What is wrong with a source, and what a person is told about it. */
export const BAD_SOURCES: Readonly<Record<string, readonly [files: Files, said: RegExp]>> = {
  'has no events': [
    { 'events.json': undefined },
    /expected events\.json or events\.ndjson in the source folder .*, found none; look at the source in \/.*, then build again/,
  ],
  'has no licence': [{ 'licence.json': undefined }, /expected licence\.json in .*; look at the source in/],
  'is half written': [
    { 'events.json': JSON.stringify(events(40)).slice(0, 2_000) },
    /events\.json:1: expected JSON, found .*; look at the source in/,
  ],
  'is half written, line by line': [
    {
      'events.json': undefined,
      'events.ndjson': events(10)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join('')
        .slice(0, -20),
    },
    /events\.ndjson:10: expected a last line that is whole, found one that is cut off/,
  ],
  'is a page that says why it is not there': [
    { 'events.json': '<!doctype html><title>502 Bad Gateway</title>' },
    /events\.json: expected JSON, found unexpected token .*; look at the source in/,
  ],
  'is an empty file': [
    { 'events.json': '' },
    /events\.json:1: expected JSON, found unexpected end of JSON input; look at the source/,
  ],
  'was emptied': [{ 'events.json': [] }, /at least one valid event, found none among 0: look at the source/],
  'lost most of its events': [
    { 'events.json': events(5) },
    /at most half of the upcoming events .* to be gone.*build again with --force/,
  ],
};

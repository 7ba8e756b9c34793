/** F14: files that `sources.json` may name: those of the source folder, and of folders that the settings allow. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceWithFeed, TWO_EVENTS } from '../../../helpers/feed-files.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const test = suite('files of sources');

/** Events of the source folder itself, and of the calendar `GOOD`. */
const FOLDER_EVENTS = 3;
const CALENDAR_EVENTS = 2;

/** A folder beside the source with a calendar, which nobody may publish. */
function elsewhere(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'secret.ics'), TWO_EVENTS);
  return folder;
}

type Make = (source: string, outside: string) => string;

/** Values of `file` that are outside of the source, or no file. */
const REFUSED: Readonly<Record<string, Make>> = {
  'an absolute path': (_, outside) => join(outside, 'secret.ics'),
  'a path that climbs': (source, outside) =>
    `${'../'.repeat(source.split('/').length)}${join(outside, 'secret.ics').slice(1)}`,
  'a link to a file': (source, outside) => {
    symlinkSync(join(outside, 'secret.ics'), join(source, 'link.ics'));
    return 'link.ics';
  },
  'a folder that is a link': (source, outside) => {
    symlinkSync(outside, join(source, 'folder'));
    return 'folder/secret.ics';
  },
  'a link to the environment of the builder': (source) => {
    symlinkSync('/proc/self/environ', join(source, 'environ.csv'));
    return 'environ.csv';
  },
  'a folder whose name begins like that of the source': (source) => {
    const similar = `${source}-2`;
    mkdirSync(similar);
    process.once('exit', () => rmSync(similar, { recursive: true }));
    writeFileSync(join(similar, 'secret.ics'), TWO_EVENTS);
    return `${similar}/secret.ics`;
  },
  'a file that is not there, outside': (_, outside) => join(outside, 'nothing.ics'),
  'a pipe': (source) => {
    execFileSync('mkfifo', [join(source, 'pipe.ics')]);
    return 'pipe.ics';
  },
  'the source folder': () => '.',
  'a folder': (source) => {
    mkdirSync(join(source, 'calendars.ics'));
    return 'calendars.ics';
  },
};

for (const [what, make] of Object.entries(REFUSED)) {
  test(`F14: should not read ${what}`, async () => {
    const source = sourceWithFeed({ file: 'later' });
    const file = make(source, elsewhere());
    writeFileSync(join(source, 'sources.json'), JSON.stringify([{ id: 'hall', kind: 'ical', file }]));
    const { report, result } = await builtWithFeeds(source, temporaryFolder());
    const found =
      'expected a regular file in the source folder, or in a folder of ALMANAKK_SOURCE_FILES, found something else';
    assert.equal(
      [report.feeds[0]?.state, report.feeds[0]?.reason, report.feeds[0]?.why, result.counts.events],
      ['failed', 'file', `${file}: ${found}`, FOLDER_EVENTS],
    );
  });
}

test('F14: should read a file of the source folder, by whatever path the folder is named', async () => {
  const source = sourceWithFeed({ file: './calendars/../hall.ics' }, { 'hall.ics': TWO_EVENTS });
  mkdirSync(join(source, 'calendars'));
  const link = join(temporaryFolder(), 'source');
  symlinkSync(source, link);
  for (const folder of [source, link]) {
    const { result } = await builtWithFeeds(folder, temporaryFolder());
    assert.is(result.counts.events, FOLDER_EVENTS + CALENDAR_EVENTS);
  }
});

test('F14: should read from folders that the settings name, and through links into them', async () => {
  const outside = elsewhere();
  const source = sourceWithFeed({ file: 'link.ics' });
  symlinkSync(join(outside, 'secret.ics'), join(source, 'link.ics'));
  const byPath = sourceWithFeed({ file: join(outside, 'secret.ics') });
  const feedSettings = { ...FEED_SETTINGS, sourceFiles: [outside] };
  for (const folder of [source, byPath]) {
    const { result } = await builtWithFeeds(folder, temporaryFolder(), { feedSettings });
    assert.is(result.counts.events, FOLDER_EVENTS + CALENDAR_EVENTS);
  }
});

test('F14: should suggest a file with a similar name for one that is missing', async () => {
  const source = sourceWithFeed({ file: 'hal.ics' }, { 'hall.ics': TWO_EVENTS });
  const { report } = await builtWithFeeds(source, temporaryFolder());
  assert.match(report.feeds[0]?.why ?? '', /^hal\.ics: it is not there.*hall\.ics/);
});

test.run();

/** F15: correction sheets that fail, and rows that are deleted, from build to build. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failingLines } from '../../../../../jobs/report/sections.ts';
import { assertIncludes } from '../../../../helpers/assertions.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { always, startFeedServer } from '../../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { sourceFolder } from '../../../../helpers/native-source.ts';
import { editionRows } from '../../../../helpers/snapshot-rows.ts';
import { withSheet } from './town.ts';

const test = suite('F15: failing correction sheets');

interface Failure {
  readonly what: string;
  readonly status?: number;
  readonly body: string;
  readonly why: string;
}

const MANY = Array.from({ length: 11 }, (_, at) => `x${at};;B`).join('\n');
const GOOD = `Id;Skjul;Tittel;Bilde\nfest:quiz;ja;;\nfest:dans;;Dans;ingen\n${MANY}\n`;
const FAILURES: readonly Failure[] = [
  { what: 'unreachable', status: 503, body: '', why: 'expected HTTP 200, found 503' },
  { what: 'a page', body: '<!doctype html><title>Logg inn</title>', why: 'found HTML or XML' },
  { what: 'empty', body: '', why: 'expected a table, found nothing' },
  {
    what: 'a renamed column',
    body: GOOD.replace('Skjul', 'Gjem'),
    why: 'expected the column Skjul, which had values before, found none of this name',
  },
  {
    what: 'a renamed column of pictures',
    body: GOOD.replace('Bilde', 'Fotografi'),
    why: 'expected the column Bilde, which had values before, found none of this name',
  },
  {
    what: 'without ids',
    body: GOOD.replace('Id', 'Nummer'),
    why: 'names the column Id',
  },
  {
    what: 'cleared',
    body: 'Id;Skjul;Tittel;Bilde\n',
    why: 'expected corrections, as before (13), found none',
  },
];

/** The events of the feed that the sheet corrects: it hides `fest:quiz`. */
const OF_FEST = "select id || ' ' || title_nb as text from event where id like 'fest:%' order by id";

test('F15: should keep the previous corrections of a sheet that fails, and take it again', async () => {
  const server = await startFeedServer(always(200, GOOD, { etag: '"1"' }));
  const source = sourceFolder(withSheet('', {}, { file: undefined, url: `${server.url}/desk?output=csv` }));
  const target = temporaryFolder();
  const next = (step: number) => builtWithFeeds(source, target, { now: NOW + step * 900 });
  const first = await next(0);
  assert.equal([first.report.feeds.at(-1)?.state, first.report.hidden], ['ok', 1]);
  for (const [step, { what, status = 200, body, why }] of FAILURES.entries()) {
    server.answer = always(status, body);
    const { report, all } = await next(step + 1);
    const desk = report.feeds.at(-1);
    assert.is(desk?.state, 'stale', what);
    assert.equal(await editionRows(target, OF_FEST), ['fest:dans Dans', 'fest:tog Fakkeltog'], what);
    assertIncludes(desk?.why ?? '', why);
    assertIncludes(
      failingLines(all).join('\n'),
      'feed desk: last good records kept (13 corrections), failing since',
    );
  }
  server.answer = always(200, GOOD.replace('fest:quiz;ja;;', 'fest:quiz;;Q;'));
  const { report } = await next(20).finally(server.close);
  assert.equal([report.feeds.at(-1)?.state, report.hidden], ['ok', 0]);
  assert.is(server.requests[1]?.headers['if-none-match'], '"1"');
});

test('F15: should end the corrections of rows that are deleted, also of the last one', async () => {
  const target = temporaryFolder();
  const hiddenAfter = async (sheet: string) => {
    const { report } = await builtWithFeeds(sourceFolder(withSheet(sheet)), target, { force: false });
    return [report.hidden, report.feeds.at(-1)?.state];
  };
  assert.equal(await hiddenAfter('Id;Skjul;Tittel\nfest:quiz;ja;\nfest:dans;;D'), [1, 'ok']);
  assert.equal(await hiddenAfter('Id;Skjul;Tittel\nfest:dans;;D'), [0, 'ok'], 'one row');
  assert.equal(await hiddenAfter('Id;Tittel\nfest:dans;D'), [0, 'ok'], 'a column without values');
  assert.equal(await hiddenAfter('Id;Tittel\n'), [0, 'ok'], 'the last row');
});

test.run();

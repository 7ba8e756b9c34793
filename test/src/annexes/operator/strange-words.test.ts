/** D12: the words that every plain object seems to have, as names in the report of a build. `/status` shows none of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reportIn } from '../../../../src/annexes/operator/build-sections.ts';
import { disclosed } from '../../../../src/annexes/operator/reports.ts';
import { wordsIn } from '../../../../src/annexes/operator/status-parts.ts';
import type { AnswerBasis } from '../../../../src/serve/graphql/answer.ts';
import { openSnapshotFile } from '../../../../src/snapshot/folder.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { BUILT_AT, sampleFile } from '../../../helpers/sample.ts';

const words = suite('strange words in a report');
const WORDS = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

/** The report as strangers see it. The program does not know its actions, nor do their types. */
function disclosedReport(report: object, snapshot: AnswerBasis['snapshot']) {
  const basis = { snapshot, now: BUILT_AT } as AnswerBasis;
  const { report: shown } = disclosed({ report: report as never, losses: [], feeds: [], changes: [] }, basis);
  assertDefined(shown, 'a report');
  return shown;
}

words('D12: should show the findings of a feed of that name', async () => {
  const snapshot = await openSnapshotFile(await sampleFile());
  const about = { field: null, expected: 'a date', found: 'x', since: null };
  const findings = WORDS.map((word) => ({ ...about, action: word, place: `${word}.1`, id: 'nothing' }));
  const actions = WORDS.map((action) => ({ action, count: 1 }));
  const report = {
    findings,
    findingsLeftOut: 0,
    actions,
    lists: [],
    over: 0,
    dropped: 0,
    withoutMunicipality: null,
  };
  const shown = disclosedReport(report, snapshot);
  assert.equal([...new Set(shown.findings.map(({ found }) => found))], [null]);
  assert.not.match(reportIn(shown, wordsIn('nb')).html, /native code|\[object /);
  await snapshot.close();
});

words.run();

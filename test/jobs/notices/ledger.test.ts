/** G4: the ledger of ids and retirements, which later builds read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EMPTY_LEDGER, type Ledger, nextLedger, readLedger } from '../../../jobs/notices/ledger.ts';
import { rejects } from '../../helpers/errors.ts';

const test = suite('ledger');

const next = (previous: Ledger, current: readonly string[], retired: readonly string[] = []) =>
  nextLedger(previous, { categories: current.map((id) => ({ id })), retired });

test('G4: should keep every id and retirement, also those that a later licence does not have', () => {
  const first = next(EMPTY_LEDGER, ['MUSIC', 'ART'], ['OLD']);
  const second = next(readLedger(JSON.stringify(first)), ['CONCERTS', 'ART'], ['MUSIC']);
  assert.equal(first, { used: ['ART', 'MUSIC', 'OLD'], retired: ['OLD'] });
  assert.equal(second, { used: ['ART', 'CONCERTS', 'MUSIC', 'OLD'], retired: ['MUSIC', 'OLD'] });
  // The same text, whatever the order of the licence.
  assert.is(JSON.stringify(next(second, ['ART', 'CONCERTS'])), JSON.stringify(second));
});

test('G4: should accept an id again that was missing or misspelled in one build', () => {
  const mistyped = next(next(EMPTY_LEDGER, ['MUSIC', 'ART']), ['MUSCI', 'ART']);
  assert.equal(mistyped, { used: ['ART', 'MUSCI', 'MUSIC'], retired: [] });
  assert.equal(next(mistyped, ['MUSIC', 'ART']), mistyped);
});

test('G4: should refuse a retired id that is used again', async () => {
  const listed = next(EMPTY_LEDGER, ['ART'], ['MUSIC']);
  const message =
    /^licence\.json: categories: expected no id that an earlier snapshot has retired, found "MUSIC"; .*new id/;
  for (const previous of [listed, next(listed, ['ART'])])
    await rejects((async () => next(previous, ['ART', 'MUSIC']))(), 'BUILD_REFUSED', message);
});

test('G4: should refuse a malformed ledger', async () => {
  for (const text of ['', 'null', '{"used":["A"]}', '{"used":[1],"retired":[]}'])
    await rejects((async () => readLedger(text))(), 'SNAPSHOT_UNUSABLE', /expected a ledger/);
});

test.run();

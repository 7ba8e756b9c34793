import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  EMPTY_LEDGER,
  type Ledger,
  ledgerText,
  nextLedger,
  readLedger,
} from '../../../jobs/annexes/notices/ledger.ts';
import { isCalendarError } from '../../../src/calendar/errors.ts';

const test = suite('ledger');

function taxonomy(current: readonly string[], retired: readonly string[] = []) {
  return { categories: current.map((id) => ({ id })), retired };
}

function refusal(previous: Ledger, current: readonly string[]): unknown {
  try {
    return nextLedger(previous, taxonomy(current));
  } catch (error) {
    return isCalendarError(error) ? [error.code, error.message] : error;
  }
}

test('G4: should enter every id of the taxonomy and of its retired ones', () => {
  assert.equal(nextLedger(EMPTY_LEDGER, taxonomy(['MUSIC', 'ART'], ['OLD'])), {
    used: ['ART', 'MUSIC', 'OLD'],
    retired: ['OLD'],
  });
});

test('G4: should remember ids and retirements that a later licence no longer mentions', () => {
  const first = nextLedger(EMPTY_LEDGER, taxonomy(['MUSIC', 'ART'], ['OLD']));
  const second = nextLedger(first, taxonomy(['CONCERTS', 'ART'], ['MUSIC']));
  const third = nextLedger(second, taxonomy(['CONCERTS', 'ART']));
  assert.equal(second, { used: ['ART', 'CONCERTS', 'MUSIC', 'OLD'], retired: ['MUSIC', 'OLD'] });
  assert.equal(third, second);
});

test('G4: should let an id come back that was only left out, or mistyped for one build', () => {
  const first = nextLedger(EMPTY_LEDGER, taxonomy(['MUSIC', 'ART']));
  const mistyped = nextLedger(first, taxonomy(['MUSCI', 'ART']));
  assert.equal(mistyped, { used: ['ART', 'MUSCI', 'MUSIC'], retired: [] });
  assert.equal(nextLedger(mistyped, taxonomy(['MUSIC', 'ART'])), mistyped);
});

test('G4: MUST refuse a retired id that comes back', () => {
  const listed = nextLedger(EMPTY_LEDGER, taxonomy(['ART'], ['MUSIC']));
  for (const previous of [listed, nextLedger(listed, taxonomy(['ART']))]) {
    assert.equal(refusal(previous, ['ART', 'MUSIC']), [
      'BUILD_REFUSED',
      'licence.json: categories: expected no id that an earlier snapshot has retired, found "MUSIC"; ' +
        'a retired id is never used again: give the category a new id, or take it out again',
    ]);
  }
});

test('should be the same text for the same taxonomy in another order', () => {
  const left = nextLedger(EMPTY_LEDGER, taxonomy(['A', 'Æ', 'B'], ['Z', 'Y']));
  const right = nextLedger(EMPTY_LEDGER, taxonomy(['B', 'A', 'Æ'], ['Y', 'Z']));
  assert.is(ledgerText(left), ledgerText(right));
  assert.equal(readLedger(ledgerText(left)), left);
});

test('should refuse a text that is no ledger', () => {
  for (const text of ['', 'null', '{"used":["A"]}', '{"used":[1],"retired":[]}']) {
    assert.throws(
      () => readLedger(text),
      (error: unknown) => isCalendarError(error) && error.code === 'SNAPSHOT_UNUSABLE',
    );
  }
});

test.run();

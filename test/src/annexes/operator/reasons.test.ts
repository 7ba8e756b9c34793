/** H12: the reasons of failures in plain words of each language. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CORRECTION_LAYOUT } from '../../../../jobs/annexes/feeds/corrections/sheet-columns.ts';
import type { SheetLayout } from '../../../../jobs/annexes/feeds/csv/sheet-layout.ts';
import { VENUE_LAYOUT } from '../../../../jobs/annexes/feeds/venues/sheet-columns.ts';
import { plainly } from '../../../../src/annexes/operator/reasons.ts';
import { messageOf } from '../../../../src/calendar/errors.ts';

const reasons = suite('reasons');

interface Reason {
  readonly reason: string;
  readonly nb: string;
  readonly en: string;
  readonly nn: string;
}

/** Why a sheet without a first row is refused. */
function refusalOf<Field extends string>({ columnsOf }: SheetLayout<Field>): string {
  try {
    columnsOf(undefined, () => undefined);
  } catch (thrown) {
    return messageOf(thrown);
  }
  throw new Error('expected a refusal');
}

const REASONS: readonly Reason[] = [
  {
    reason: 'kor.CSV: it is not there; the nearest is "kor.csv"',
    nb: 'kor.CSV finnes ikke; filen som ligner mest, heter "kor.csv"',
    en: 'kor.CSV does not exist; the nearest file is "kor.csv"',
    nn: 'kor.CSV finst ikkje; fila som liknar mest, heiter "kor.csv"',
  },
  {
    reason: 'kor.csv: it is not there',
    nb: 'kor.csv finnes ikke',
    en: 'kor.csv does not exist',
    nn: 'kor.csv finst ikkje',
  },
  {
    reason: 'time limit.csv: this user may not read it',
    nb: 'programmet har ikke lesetilgang til time limit.csv',
    en: 'the program has no permission to read time limit.csv',
    nn: 'programmet har ikkje lesetilgang til time limit.csv',
  },
  {
    reason: 'certificate.csv: it is a folder',
    nb: 'certificate.csv er en mappe',
    en: 'certificate.csv is a folder',
    nn: 'certificate.csv er ei mappe',
  },
  {
    reason: 'kor.csv/by: a part of its path is not a folder',
    nb: 'kor.csv/by finnes ikke; en del av stien er ikke en mappe',
    en: 'kor.csv/by does not exist; a part of its path is not a folder',
    nn: 'kor.csv/by finst ikkje; ein del av stien er ikkje ei mappe',
  },
  {
    reason: 'kor.csv: its links lead in a circle',
    nb: 'lenken kor.csv går i ring',
    en: 'the symbolic links at kor.csv form a loop',
    nn: 'lenkja kor.csv går i ring',
  },
  {
    reason: 'kor.csv: its name is too long',
    nb: 'navnet på kor.csv er for langt',
    en: 'the name of kor.csv is too long',
    nn: 'namnet på kor.csv er for langt',
  },
  {
    reason: 'kor.csv: too many files are open',
    nb: 'kor.csv kan ikke leses fordi for mange filer er åpne',
    en: 'kor.csv cannot be read because too many files are open',
    nn: 'kor.csv kan ikkje lesast fordi for mange filer er opne',
  },
  {
    reason: 'events.json: expected a readable file, but the disk cannot read it',
    nb: 'disken kan ikke lese events.json',
    en: 'the disk cannot read events.json',
    nn: 'disken kan ikkje lese events.json',
  },
  {
    reason: 'expected a readable source folder at /srv/by, but it is not there',
    nb: '/srv/by finnes ikke',
    en: '/srv/by does not exist',
    nn: '/srv/by finst ikkje',
  },
  {
    reason: 'feed roan:2 Adresse: expected an http or https URL, found "certificate ENOENT"',
    nb: 'rad 2 i kildelisten roan kan ikke brukes; rett "certificate ENOENT" under Adresse',
    en: 'row 2 of the list roan cannot be used; in the column Adresse, expected an http or https URL, found "certificate ENOENT"',
    nn: 'rad 2 i kjeldelista roan kan ikkje brukast; rett "certificate ENOENT" under Adresse',
  },
  {
    reason: 'expected the column Skjul, which had values before, found none of this name',
    nb: 'kolonnen Skjul mangler; har den fått et nytt navn, må den få tilbake det gamle',
    en: 'the column Skjul is missing; if it was renamed, rename it back',
    nn: 'kolonnen Skjul manglar; har han fått eit nytt namn, må han få att det gamle',
  },
  {
    reason: refusalOf(CORRECTION_LAYOUT),
    nb: 'den første raden mangler kolonnen Id, eller en kolonne som sier hva som skal endres',
    en: 'the first row lacks the column Id, or a column that says what to change',
    nn: 'den første rada manglar kolonnen Id, eller ein kolonne som seier kva som skal endrast',
  },
  {
    reason: refusalOf(VENUE_LAYOUT),
    nb: 'den første raden mangler kolonnen Sted',
    en: 'the first row lacks the column Sted',
    nn: 'den første rada manglar kolonnen Stad',
  },
  {
    reason: 'kor.example: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
    nb: 'serverens sertifikat er ikke gyldig',
    en: 'the server’s certificate is not valid',
    nn: 'sertifikatet til serveren er ikkje gyldig',
  },
  {
    reason: 'certificate has expired',
    nb: 'serverens sertifikat er ikke gyldig',
    en: 'the server’s certificate is not valid',
    nn: 'sertifikatet til serveren er ikkje gyldig',
  },
  {
    reason: 'expected all answers together within 1200 s',
    nb: 'svaret kom ikke i tide',
    en: 'the server did not answer in time',
    nn: 'svaret kom ikkje i tide',
  },
  {
    reason: '/srv/by: SQLITE_FULL: database or disk is full',
    nb: 'disken med /srv/by er full',
    en: 'the disk that holds /srv/by is full',
    nn: 'disken med /srv/by er full',
  },
  {
    reason: 'connect ECONNREFUSED [::1]',
    nb: 'ingen server svarer på adressen',
    en: 'no server answers at the address',
    nn: 'ingen server svarar på adressa',
  },
  {
    reason: 'kor.example: expected HTTP 200, found 404',
    nb: 'serveren finner ikke adressen',
    en: 'the server finds nothing at the address',
    nn: 'serveren finn ikkje adressa',
  },
  {
    reason: 'kor.example: expected a byte within 20 s, found none',
    nb: 'svaret kom ikke i tide',
    en: 'the server did not answer in time',
    nn: 'svaret kom ikkje i tide',
  },
  {
    reason: 'expected BEGIN:VCALENDAR, found HTML or XML',
    nb: 'adressen svarer med en nettside i stedet for en kalender; kanskje kreves det innlogging',
    en: 'the address returns a page instead of a calendar; it may require a login',
    nn: 'adressa svarar med ei nettside i staden for ein kalender; kanskje krevst det innlogging',
  },
  {
    reason:
      'expected events, as before (12), found none; if this is intended, set "mayBeEmpty" or build with --force',
    nb: 'kilden er tom, men hadde 12 oppføringer; er det meningen, må driftsansvarlig sette «mayBeEmpty»',
    en: 'the feed is empty, but had 12 entries; if this is intended, set "mayBeEmpty" or build with --force',
    nn: 'kjelda er tom, men hadde 12 oppføringar; er det meininga, må driftsansvarleg setje «mayBeEmpty»',
  },
  {
    reason:
      'expected not more than 100 times what was there before (2 events, 90 bytes), found 900 events, 40000 bytes; if this is intended, build with --force',
    nb: 'kilden er plutselig mye større enn før; er det meningen, må driftsansvarlig bygge kalenderen med --force',
    en: 'the feed is suddenly much larger than before; if this is intended, build with --force',
    nn: 'kjelda er brått mykje større enn før; er det meininga, må driftsansvarleg byggje kalenderen med --force',
  },
  {
    reason:
      'expected at least half of the 210 upcoming events that were there before, found 3; builds use them from 2026-01-03T13:00:00Z, or with --force',
    nb: 'kilden har plutselig bare 3 av 210 kommende arrangementer; kalenderen viser alle 210 i ett døgn; skal de andre bort straks, må driftsansvarlig bygge kalenderen med --force',
    en: 'the feed suddenly has only 3 of 210 upcoming events; the calendar shows all 210 for one day; to remove the others at once, build with --force',
    nn: 'kjelda har brått berre 3 av 210 kommande arrangement; kalenderen viser alle 210 i eitt døgn; skal dei andre bort straks, må driftsansvarleg byggje kalenderen med --force',
  },
  {
    reason: 'kor.example: expected at most 52428800 bytes, found more',
    nb: 'filen er for stor; grensen er 52428800 byte',
    en: 'the file is too large; the limit is 52428800 bytes',
    nn: 'fila er for stor; grensa er 52428800 byte',
  },
  {
    reason: 'kor.example: expected at most 5 redirects, found more',
    nb: 'adressen sender videre for mange ganger; kanskje kreves det innlogging',
    en: 'the address redirects too often; it may require a login',
    nn: 'adressa sender vidare for mange gonger; kanskje krevst det innlogging',
  },
  {
    reason: 'it costs $1 & more',
    nb: 'it costs $1 & more',
    en: 'it costs $1 & more',
    nn: 'it costs $1 & more',
  },
];

for (const { reason, nb, en, nn } of REASONS) {
  reasons(`H12: should say in plain words of each language: ${reason}`, () => {
    assert.equal(plainly(reason, 'kor'), { nb: `kor: ${nb}`, en: `kor: ${en}`, nn: `kor: ${nn}` });
  });
}

reasons.run();

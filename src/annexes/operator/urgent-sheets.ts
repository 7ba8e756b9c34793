/** F19: the part of `/status` about urgent sheets: an editor's receipt for a change, and the failures of checks. */
import type { Html } from '../page/html.ts';
import type { UrgentSheetHealth } from './health.ts';
import { code, type Table, tableOf, type Words } from './status-parts.ts';

/** Null without urgent sheets. */
export function urgentSheetsIn(sheets: readonly UrgentSheetHealth[], words: Words): Html | null {
  return tableOf(URGENT_SHEETS, sheets, words);
}

const URGENT_SHEETS: Table<UrgentSheetHealth> = {
  caption: [
    'Hasteark, som kalenderen sjekker hvert halve minutt («Sist lest» kan være to–tre minutter gammelt)',
    'Urgent sheets, which the calendar checks every half minute (“Last read” can be two to three minutes old)',
    'Hasteark, som kalenderen sjekkar kvart halve minutt («Sist lese» kan vere to–tre minutt gammalt)',
  ],
  columns: [
    ['Hasteark', 'Urgent sheet', 'Hasteark', ({ id }) => code(id)],
    ['Sist lest', 'Last read', 'Sist lese', ({ readAt }, { moment }) => readAt && moment(readAt, 'brief')],
    [
      'Siste endring tatt i bruk',
      'Last change applied',
      'Siste endring teken i bruk',
      ({ appliedAt }, { moment }) => appliedAt && moment(appliedAt, 'brief'),
    ],
    ['Virkning i kalenderen', 'Effect on the calendar', 'Verknad i kalenderen', effectOf],
    [
      'Endring som venter siden',
      'Change waiting since',
      'Endring som ventar sidan',
      ({ waitingSince }, { moment }) => waitingSince && moment(waitingSince, 'brief'),
    ],
    [
      'Har feilet siden',
      'Failing since',
      'Har feila sidan',
      ({ failing }, { moment }) => failing && moment(failing.since, 'brief'),
    ],
    ['Årsak', 'Why', 'Årsak', ({ failing }, { reason }) => failing && reason(failing.reason)],
  ],
};

/** Such as `1 fjernet, 2 endret`. */
function effectOf({ changes }: UrgentSheetHealth, { say, number }: Words): string | null {
  if (changes === null) return null;
  const { removed, changed, added } = changes;
  const parts = [
    [removed, say('fjernet', 'removed', 'fjerna')],
    [changed, say('endret', 'changed', 'endra')],
    [added, added === 1 ? say('nytt', 'added', 'nytt') : say('nye', 'added', 'nye')],
  ] as const;
  const some = parts.filter(([count]) => count > 0).map(([count, word]) => `${number(count)} ${word}`);
  return some.join(', ') || say('ingen nye endringer', 'no further changes', 'ingen nye endringar');
}

/** Concerns about feeds and sheets that builds cannot read, or that nobody keeps up to date. */
import { writeMoment } from '../../page/dates.ts';
import type { InEach } from '../../page/reader.ts';
import type { Health } from '../health.ts';
import { plainly } from '../reasons.ts';
import { type Concerns, type Found, foundIn } from './concern.ts';

/** Those that do most harm first. */
export const OF_FEEDS: Concerns = {
  'urgent sheet unread': {
    what: {
      nb: 'Kalenderen har ikke lest ett eller flere hasteark på over fem minutter. Det som står der, blir ikke tatt i bruk med en gang.',
      en: 'The calendar has not read one or more urgent sheets for more than five minutes. Changes in these sheets are not applied at once.',
      nn: 'Kalenderen har ikkje lese eitt eller fleire hasteark på over fem minutt. Det som står der, blir ikkje teke i bruk med ein gong.',
    },
    advice: {
      nb: 'Åpne adressen til arket i en nettleser, og kontroller at byggeserveren kjører. Haster det å skjule noe, kjører du almanakk-hide på serveren.',
      en: 'Open the address of the sheet in a browser, and check that the builder is running. To hide something at once, run almanakk-hide on the server.',
      nn: 'Opne adressa til arket i ein nettlesar, og kontroller at byggjeserveren køyrer. Hastar det å gøyme noko, køyrer du almanakk-hide på serveren.',
    },
    editorAdvice: {
      nb: 'Kontroller at arket fortsatt er delt. Haster det å skjule noe, gir dere beskjed til driftsansvarlig.',
      en: 'Check that the sheet is still shared. To hide something at once, tell the operator.',
      nn: 'Kontroller at arket framleis er delt. Hastar det å gøyme noko, seier de frå til driftsansvarleg.',
    },
    partsOver: {
      nb: 'Kalenderen leser disse hastearkene igjen',
      en: 'The calendar can read these urgent sheets again',
      nn: 'Kalenderen les desse hastearka igjen',
    },
    isOfFeeds: true,
    find: unreadSheets,
  },
  'feed failing': {
    what: {
      nb: 'En eller flere kilder feiler.',
      en: 'One or more feeds are failing.',
      nn: 'Éi eller fleire kjelder feilar.',
    },
    advice: {
      nb: 'Åpne adressen i en nettleser. Er siden flyttet, retter du adressen i sources.json.',
      en: 'Open the address in a browser. If the page has moved, change the address in sources.json.',
      nn: 'Opne adressa i ein nettlesar. Er sida flytta, rettar du adressa i sources.json.',
    },
    editorAdvice: {
      nb: 'Kontroller at arket eller kalenderen fortsatt er delt, og at kolonnene har de samme navnene som før. Har kilden fått ny adresse, retter dere den i kildelisten, eller sender den til driftsansvarlig.',
      en: 'Check that the sheet or calendar is still shared, and that its columns have the same names as before. If its address has changed, correct it in your list of feeds, or send the new one to the operator.',
      nn: 'Kontroller at arket eller kalenderen framleis er delt, og at kolonnane har dei same namna som før. Har kjelda fått ny adresse, rettar de ho i kjeldelista, eller sender ho til driftsansvarleg.',
    },
    partsOver: {
      nb: 'Kalenderen leser disse kildene igjen',
      en: 'The calendar reads these feeds again',
      nn: 'Kalenderen les desse kjeldene igjen',
    },
    isOfFeeds: true,
    find: failingFeeds,
  },
  'feed unchanged': {
    what: {
      nb: 'En eller flere kilder er ikke endret på lenge.',
      en: 'One or more feeds have not changed for a long time.',
      nn: 'Éi eller fleire kjelder er ikkje endra på lenge.',
    },
    advice: {
      nb: 'Kontroller programmet som legger filen på plass. Er det ikke noe nytt, kan du øke expectChangesWithinDays i sources.json.',
      en: 'Check the program that puts the file in place. If there is nothing new, increase expectChangesWithinDays in sources.json.',
      nn: 'Kontroller programmet som legg fila på plass. Er det ikkje noko nytt, kan du auke expectChangesWithinDays i sources.json.',
    },
    editorAdvice: {
      nb: 'Kontroller at dere redigerer arket eller filen som kalenderen leser. Hvis noe nytt ikke kommer med, gir dere beskjed til driftsansvarlig.',
      en: 'Check that you are editing the sheet or file that the calendar reads. If new events do not appear, tell the operator.',
      nn: 'Kontroller at de redigerer arket eller fila som kalenderen les. Om noko nytt ikkje kjem med, seier de frå til driftsansvarleg.',
    },
    partsOver: {
      nb: 'Disse kildene har fått endringer igjen',
      en: 'These feeds have changed again',
      nn: 'Desse kjeldene har fått endringar igjen',
    },
    isOfFeeds: true,
    find: unchangedFeeds,
  },
};

/**
 * F19: milliseconds. This is longer than ten checks, so neither one failed check nor a restart is a concern. It is also longer than the pause
 * between two reports of the builder.
 */
const UNREAD_MS = 300_000;

/** Urgent sheets that cannot be read, or that a stopped builder no longer checks. */
function unreadSheets({ urgentSheets, at }: Health): Found | null {
  const parts = urgentSheets.flatMap(({ id, readAt, failing }) => {
    const since = readAt ?? failing?.since ?? null;
    if (since === null || Date.parse(at) - Date.parse(since) <= UNREAD_MS) return [];
    const detail = failing === null ? lastRead(id, Date.parse(since) / 1_000) : plainly(failing.reason, id);
    return [{ id, since, detail }];
  });
  return foundIn(parts);
}

const lastRead = (id: string, instant: number): InEach<string> => ({
  nb: `${id}: sist lest ${writeMoment(instant, 'nb')}`,
  en: `${id}: last read on ${writeMoment(instant, 'en')}`,
  nn: `${id}: sist lese ${writeMoment(instant, 'nn')}`,
});

function failingFeeds({ feeds }: Health): Found | null {
  const failing = feeds.filter(({ state }) => state !== 'ok');
  return foundIn(failing.map(({ id, since, why }) => ({ id, since, detail: plainly(why ?? '?', id) })));
}

function unchangedFeeds({ feeds, at }: Health): Found | null {
  const parts = feeds.flatMap(({ id, state, expectedChange }) => {
    // One that fails has a concern of its own.
    if (state !== 'ok' || expectedChange === null) return [];
    const { last, withinDays } = expectedChange;
    const due = Date.parse(last) + withinDays * DAY_MS;
    // False for a datetime that cannot be read, too: `due` is then NaN.
    const isOverdue = due < Date.parse(at);
    if (!isOverdue) return [];
    return [{ id, since: new Date(due).toISOString(), detail: lastChange(id, Date.parse(last) / 1_000) }];
  });
  return foundIn(parts);
}

const DAY_MS = 86_400_000;

const lastChange = (id: string, instant: number): InEach<string> => ({
  nb: `${id}: sist endret ${writeMoment(instant, 'nb')}`,
  en: `${id}: last changed on ${writeMoment(instant, 'en')}`,
  nn: `${id}: sist endra ${writeMoment(instant, 'nn')}`,
});

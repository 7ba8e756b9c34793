/** Concerns about records that the calendar lacks: those that cannot be used, and events that wait for approval. */
import { isDropping } from '../../../calendar/actions.ts';
import { commandLine } from '../../../package.ts';
import type { InEach, Language } from '../../page/reader.ts';
import { type BuildReport, type FileLoss, isDroppedLately, waitingByFeed } from '../build-report.ts';
import type { Health } from '../health.ts';
import { termOf } from '../words.ts';
import { type Concern, type Concerns, earliestOf, type Found, firstOf } from './concern.ts';

const REBUILD = commandLine('rebuild');

export const OF_DROPPED_RECORDS: Concerns = {
  'records dropped': {
    what: {
      nb: 'Noe i kilden kunne ikke brukes og mangler i kalenderen.',
      en: 'Some records in the source could not be used, and are missing from the calendar.',
      nn: 'Noko i kjelda kunne ikkje brukast og manglar i kalenderen.',
    },
    advice: {
      nb: `${REBUILD} viser fil, linje og felt for hver merknad.`,
      en: `${REBUILD} prints the file, line and field of each finding.`,
      nn: `${REBUILD} viser fil, linje og felt for kvar merknad.`,
    },
    editorAdvice: {
      nb: 'Merknadene viser rad og felt. Rett feilene i arkene og filene som dere redigerer, og gi beskjed til driftsansvarlig om resten.',
      en: 'The findings name the row and the field. Fix the errors in the sheets and files that you edit, and tell the operator about the rest.',
      nn: 'Merknadene viser rad og felt. Rett feila i arka og filene som de redigerer, og sei frå til driftsansvarleg om resten.',
    },
    // Records that were dropped a week ago may still be missing.
    partsOver: {
      nb: 'Ingenting nytt mangler lenger fra disse filene og kildene',
      en: 'Nothing new is missing any more from these files and feeds',
      nn: 'Ingenting nytt manglar lenger frå desse filene og kjeldene',
    },
    isOfFeeds: true,
    find: recordsDropped,
  },
};

function recordsDropped({ report, losses, at }: Health): Found | null {
  const now = Date.parse(at);
  if (report === null || !isDroppedLately(report, now)) return null;
  const parts = losses
    .filter((loss) => isDroppedLately(loss, now))
    .map((loss) => ({ id: loss.file, since: loss.lastDroppedAt, detail: lossDetail(loss) }));
  return { ...droppedIn(report), parts };
}

/** The file with the numbers of its actions: `feed kor: record dropped (3), date dropped (1)`. */
function lossDetail({ file, actions }: FileLoss): InEach<string> {
  const counts = actions.map(({ action, count }) => ({ term: termOf(action), count }));
  const listIn = (language: Language) =>
    `${file}: ${counts.map(({ term, count }) => `${term[language]} (${count})`).join(', ')}`;
  return { nb: listIn('nb'), en: listIn('en'), nn: listIn('nn') };
}

/** The places in the source with the actions there: `events.json[4] bad title_nb: record dropped`. */
function droppedIn({ dropped, findings, lastDroppedAt }: BuildReport): Pick<Concern, 'since' | 'details'> {
  const details = findings.filter(isDropping).map(({ place, id, field, action }) => {
    const where = [place, id, field].filter((part) => part !== null).join(' ');
    const { nb, en, nn } = termOf(action);
    return { nb: `${where}: ${nb}`, en: `${where}: ${en}`, nn: `${where}: ${nn}` };
  });
  return { since: lastDroppedAt, details: firstOf(details, { all: dropped }) };
}

const WAITING_ADVICE = {
  nb: 'Kopier radene på /status til rettearket, og skriv ja eller nei i Godkjent.',
  en: 'Copy the rows on /status to the correction sheet, and write yes or no in Approved.',
  nn: 'Kopier radene på /status til rettearket, og skriv ja eller nei i Godkjend.',
};

export const OF_WAITING_EVENTS: Concerns = {
  'events waiting': {
    what: {
      nb: 'Arrangementer venter på godkjenning.',
      en: 'Events are waiting for approval.',
      nn: 'Arrangement ventar på godkjenning.',
    },
    advice: WAITING_ADVICE,
    editorAdvice: WAITING_ADVICE,
    isOfDesks: true,
    isOfFeeds: true,
    find: waitingEvents,
  },
};

/** F17: each arrival is a part, so that a desk also hears of new events while others still wait. */
function waitingEvents({ report }: Health): Found | null {
  const all = report === null ? [] : waitingByFeed(report.waiting);
  if (all.length === 0) return null;
  const details = all.map(({ feed, count }) => countIn(feed, count));
  const parts = all.flatMap(({ feed, arrivals }) =>
    [...arrivals].map(([moment, count]) => ({
      id: `${feed} ${moment}`,
      since: moment,
      detail: countIn(feed, count),
    })),
  );
  return { since: earliestOf(all), details: firstOf(details), parts };
}

function countIn(feed: string, count: number): InEach<string> {
  const [nb, en] = count === 1 ? ['arrangement', 'event'] : ['arrangementer', 'events'];
  return {
    nb: `${feed}: ${count} ${nb}`,
    en: `${feed}: ${count} ${en}`,
    // The same in the singular and in the plural.
    nn: `${feed}: ${count} arrangement`,
  };
}

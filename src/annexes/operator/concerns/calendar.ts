/** Concerns about the calendar itself: whether there is one, and whether builds replace it. */
import { commandLine } from '../../../package.ts';
import type { Health } from '../health.ts';
import { untranslated } from '../words.ts';
import { because, type Concerns, type Found } from './concern.ts';

const REBUILD = commandLine('rebuild');

/** Those that do most harm first. */
export const OF_CALENDAR: Concerns = {
  'no snapshot': {
    what: {
      nb: 'Det finnes ingen kalender å vise ennå.',
      en: 'There is no calendar to serve yet.',
      nn: 'Det finst ingen kalender å vise enno.',
    },
    advice: {
      nb: `Se i loggen hvorfor byggingen ikke ble ferdig, og kjør ${REBUILD}.`,
      en: `Check the log to see why no build has finished, and run ${REBUILD}.`,
      nn: `Sjå i loggen kvifor bygginga ikkje vart ferdig, og køyr ${REBUILD}.`,
    },
    find: ({ snapshot }) => snapshot === null && {},
  },
  'snapshot damaged': {
    what: {
      nb: 'Kalenderfilen på disken er skadet. Serveren bruker nå den nyeste hele filen, hvis det finnes en.',
      en: 'The snapshot file is damaged on disk. The server now uses the newest intact file, if there is one.',
      nn: 'Kalenderfila på disken er skadd. Serveren bruker no den nyaste heile fila, om det finst ei.',
    },
    advice: {
      nb: 'Kontroller disken, og at ingenting annet skriver i mappen. Byggeserveren bygger på nytt automatisk.',
      en: 'Check the disk, and make sure that no other program writes to the folder. The builder builds again automatically.',
      nn: 'Kontroller disken, og at ikkje noko anna skriv i mappa. Byggjeserveren byggjer på nytt automatisk.',
    },
    find: ({ damage }) => damage && because(damage.at, damage.reason),
  },
  'clock wrong': {
    what: {
      nb: 'Ifølge klokken på denne serveren er kalenderen bygget i fremtiden. Kommende arrangementer kan mangle.',
      en: 'The build time of the calendar is in the future, according to this server’s clock. Upcoming events may be missing.',
      nn: 'Ifølgje klokka på denne serveren er kalenderen bygd i framtida. Kommande arrangement kan mangle.',
    },
    advice: {
      nb: `Still klokken på byggeserveren og på denne serveren, og kjør ${REBUILD}.`,
      en: `Set the clock of the builder and of this server, and run ${REBUILD}.`,
      nn: `Still klokka på byggjeserveren og på denne serveren, og køyr ${REBUILD}.`,
    },
    find: ({ at, snapshot }) => snapshot !== null && builtAhead(at, snapshot.builtAt),
  },
  'build failed': {
    what: {
      nb: 'Siste bygging eller kopiering mislyktes. Serveren bruker den forrige kalenderen.',
      en: 'The last build or copy failed. The server uses the previous calendar.',
      nn: 'Siste bygging eller kopiering gjekk gale. Serveren bruker den førre kalenderen.',
    },
    advice: {
      nb: 'Rett feilen som meldingen beskriver. Detaljene står i loggen.',
      en: 'Fix the error that the message describes. The log has the details.',
      nn: 'Rett feilen som meldinga beskriv. Detaljane står i loggen.',
    },
    editorAdvice: {
      nb: 'Gjelder meldingen et ark eller en fil som dere redigerer, retter dere feilen der. Ellers gir dere beskjed til driftsansvarlig.',
      en: 'If the message is about a sheet or file that you edit, fix the error there. Otherwise, tell the operator.',
      nn: 'Gjeld meldinga eit ark eller ei fil som de redigerer, rettar de feilen der. Elles seier de frå til driftsansvarleg.',
    },
    find: failingBuild,
  },
  'builder silent': {
    what: {
      nb: 'Byggeserveren har stoppet, henger eller krasjer gang på gang. Den planlagte byggingen er mer enn en time forsinket.',
      en: 'The builder has stopped, hangs, or keeps crashing. Its scheduled build is more than an hour late.',
      nn: 'Byggjeserveren har stoppa, heng eller krasjar gong på gong. Den planlagde bygginga er meir enn ein time forseinka.',
    },
    advice: {
      nb: 'Kontroller at byggeserveren kjører, les loggen, og start den på nytt. Hvis den er fjernet, sletter du builder.json i mappen med kalenderfilene.',
      en: 'Check whether the builder is running, read its log, and restart it. If you have removed it, delete builder.json in the snapshot folder.',
      nn: 'Kontroller at byggjeserveren køyrer, les loggen, og start han på nytt. Er han fjerna, slettar du builder.json i mappa med kalenderfilene.',
    },
    find: ({ builder }) => builder?.silentSince && { since: builder.silentSince },
  },
  'delivery refused': {
    what: {
      nb: 'En ny kalender ble avvist. Serveren bruker den forrige.',
      en: 'A new calendar was refused. The server uses the previous one.',
      nn: 'Ein ny kalender vart avvist. Serveren bruker den førre.',
    },
    advice: {
      nb: 'Bygg på nytt, og kontroller at byggeserveren og denne serveren har samme versjon.',
      en: 'Build again, and check that the builder and this server have the same version.',
      nn: 'Bygg på nytt, og kontroller at byggjeserveren og denne serveren har same versjon.',
    },
    find: ({ refusal }) => refusal?.isLast && !refusal.isDamage && because(refusal.at, refusal.reason),
  },
};

/** Milliseconds by which the clocks of two machines may differ. */
const MOST_APART_MS = 600_000;

/** Null unless a snapshot was built after the present moment. */
function builtAhead(at: string, builtAt: string): Found | null {
  if (Date.parse(builtAt) - Date.parse(at) <= MOST_APART_MS) return null;
  return { details: [untranslated(`${builtAt} > ${at}`)] };
}

/** Since the first of the builds that failed one after the other. */
function failingBuild({ builds }: Health): Found | null {
  const [latest] = builds;
  if (latest?.outcome !== 'failed') return null;
  const lastGood = builds.findIndex(({ outcome }) => outcome !== 'failed');
  const failed = lastGood === -1 ? builds : builds.slice(0, lastGood);
  return because(failed.at(-1)?.startedAt ?? null, latest.reason ?? '?');
}

/**
 * The problems that an operator should look into, each with its remedy. `/status`, its page, the gauge and mails show the same (H12).
 */
import { commandLine } from '../../package.ts';
import { ANOTHER_CALENDAR } from '../common/upkeep.ts';
import type { InEach } from '../page/reader.ts';
import {
  because,
  builtAhead,
  type Concern,
  type Found,
  failingBuild,
  failingFeeds,
  failingHooks,
  freeIn,
  recordsDropped,
  unchangedFeeds,
  unreadSheets,
  waitingEvents,
} from './concern-facts.ts';
import type { Health } from './health.ts';
import { untranslated } from './words.ts';

/** The present concerns; those that do most harm come first. */
export function concernsIn(health: Health): readonly Concern[] {
  return Object.entries(CONCERNS).flatMap(([name, { find }]) => {
    const found = find(health);
    return found ? [concernOf(name, found)] : [];
  });
}

/** An unlisted concern, such as one of another version, has only its name as text. */
export function concernOf(name: string, { since = null, details = [], parts = [] }: Found = {}): Concern {
  const { what, advice } = CONCERNS[name] ?? { what: untranslated(name), advice: untranslated('') };
  return { name, what, since, details, advice, parts };
}

/** H15: the concern with advice that an editor can follow. */
export function forEditors<Shown extends Omit<Concern, 'parts'>>(concern: Shown): Shown {
  return { ...concern, advice: CONCERNS[concern.name]?.editorAdvice ?? TELL_OPERATOR };
}

/** H15: the concern for an editor of some feeds. A message about the whole calendar, such as that of a build, can name other feeds. */
export function forEditorsOfFeeds<Shown extends Omit<Concern, 'parts'>>(concern: Shown): Shown {
  if (CONCERNS[concern.name]?.isOfFeeds === true) return forEditors(concern);
  return { ...concern, details: [], advice: TELL_OPERATOR };
}

/** What a mail says of the parts of a concern that are over; undefined for a concern about one thing. */
export function overTextOf(name: string): InEach<string> | undefined {
  return CONCERNS[name]?.partsOver;
}

/** H12: whether only the desks of its feeds get mail about it, and only when it begins. */
export function isOfDesks(name: string): boolean {
  return CONCERNS[name]?.isOfDesks === true;
}

/** The results of a check that finds no problem. */
type NotFound = null | false | '' | undefined;

interface Row extends Pick<Concern, 'what' | 'advice'> {
  /** The text about parts that are over, while other parts of the concern may last. */
  readonly partsOver?: InEach<string>;
  /** Whether its details are about the feeds that are reported on alone. */
  readonly isOfFeeds?: true;
  /** Whether it is a desk's daily work: it is mailed to the desks of the feeds alone, and they need no mail that it is done. */
  readonly isOfDesks?: true;
  /** For those who edit sources; absent if only the operator can do something. */
  readonly editorAdvice?: InEach<string>;
  readonly find: (health: Health) => Found | NotFound;
}

const REBUILD = commandLine('rebuild');
const TEST = commandLine('announce', '--test');

const TELL_OPERATOR = {
  nb: 'Gi beskjed til driftsansvarlig.',
  en: 'Tell the operator.',
  nn: 'Sei frå til driftsansvarleg.',
};

const WAITING_ADVICE = {
  nb: 'Kopier radene på /status til rettearket, og skriv ja eller nei i Godkjent.',
  en: 'Copy the rows on /status to the correction sheet, and write yes or no in Approved.',
  nn: 'Kopier radene på /status til rettearket, og skriv ja eller nei i Godkjend.',
};

/** By the name on `/status`, those that do most harm first. */
const CONCERNS: Readonly<Record<string, Row>> = {
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
  'origin out of reach': {
    what: {
      nb: 'Serveren som kalenderen kopieres fra, svarer ikke. Siste kopi er i bruk.',
      en: 'The origin cannot be reached. The server uses the last copy.',
      nn: 'Serveren som kalenderen blir kopiert frå, svarar ikkje. Siste kopi er i bruk.',
    },
    advice: {
      nb: 'Kontroller serveren i ALMANAKK_ORIGIN og nettverksforbindelsen dit.',
      en: 'Check the server in ALMANAKK_ORIGIN, and the network connection to it.',
      nn: 'Kontroller serveren i ALMANAKK_ORIGIN og nettverkssambandet dit.',
    },
    find: ({ replica }) => replica?.outOfReach && because(replica.outOfReachSince, replica.outOfReach),
  },
  'store failing': {
    what: {
      nb: 'Objektlageret har ikke den nyeste kalenderen. Servere som kopierer derfra, har den forrige.',
      en: 'The object store does not have the latest calendar. Replicas that copy from it have the previous one.',
      nn: 'Objektlageret har ikkje den nyaste kalenderen. Serverar som kopierer derifrå, har den førre.',
    },
    advice: {
      nb: 'Kontroller at lageret svarer, og at nøkkelen er gyldig.',
      en: 'Check that the store answers, and that its key is valid.',
      nn: 'Kontroller at lageret svarar, og at nøkkelen er gyldig.',
    },
    find: ({ store }) =>
      store?.failing &&
      store.failing.why !== ANOTHER_CALENDAR &&
      because(store.failing.since, store.failing.reason),
  },
  'another calendar': {
    what: {
      nb: 'Lageret har en annen kalender. Derfor er ikke den nyeste kalenderen herfra publisert dit.',
      en: 'The store contains another calendar, so the latest snapshot of this one has not been published there.',
      nn: 'Lageret har ein annan kalender. Difor er ikkje den nyaste kalenderen herifrå publisert dit.',
    },
    advice: {
      nb: 'Gi hver kalender sitt eget sted i ALMANAKK_PUBLISH og ALMANAKK_PUBLISH_PUBLIC. Har denne kalenderen fått ny id i licence.json, sletter du manifest.json i lageret.',
      en: 'Give each calendar a place of its own in ALMANAKK_PUBLISH and ALMANAKK_PUBLISH_PUBLIC. If this calendar has a new id in licence.json, delete manifest.json there.',
      nn: 'Gi kvar kalender sin eigen stad i ALMANAKK_PUBLISH og ALMANAKK_PUBLISH_PUBLIC. Har denne kalenderen fått ny id i licence.json, slettar du manifest.json i lageret.',
    },
    find: ({ store }) =>
      store?.failing?.why === ANOTHER_CALENDAR && because(store.failing.since, store.failing.reason),
  },
  'another builder': {
    what: {
      nb: 'En annen byggeserver publiserer til samme objektlager.',
      en: 'Another builder publishes to the same object store.',
      nn: 'Ein annan byggjeserver publiserer til same objektlager.',
    },
    advice: {
      nb: 'Fjern ALMANAKK_PUBLISH fra en av dem.',
      en: 'Unset ALMANAKK_PUBLISH on one of them.',
      nn: 'Fjern ALMANAKK_PUBLISH frå ein av dei.',
    },
    find: ({ store }) => store?.rival && because(store.rival.seenAt, store.rival.id),
  },
  'hook failing': {
    what: {
      nb: 'Et varsel om en ny kalender kom ikke frem til mottakeren.',
      en: 'A notification about a new snapshot did not reach its receiver.',
      nn: 'Eit varsel om ein ny kalender kom ikkje fram til mottakaren.',
    },
    advice: {
      nb: 'Kontroller adressen i ALMANAKK_HOOKS.',
      en: 'Check the address in ALMANAKK_HOOKS.',
      nn: 'Kontroller adressa i ALMANAKK_HOOKS.',
    },
    partsOver: {
      nb: 'Disse mottakerne får varsler igjen',
      en: 'These receivers get notifications again',
      nn: 'Desse mottakarane får varsel igjen',
    },
    find: failingHooks,
  },
  'disk nearly full': {
    what: {
      nb: 'Disken med kalenderfilene er nesten full.',
      en: 'The disk with the snapshot folder is nearly full.',
      nn: 'Disken med kalenderfilene er nesten full.',
    },
    advice: {
      nb: 'Frigjør plass. Hvis en bygging ikke får plass, blir ingenting publisert.',
      en: 'Free some space. A build that runs out of space publishes nothing.',
      nn: 'Frigjer plass. Om ei bygging ikkje får plass, blir ingenting publisert.',
    },
    find: ({ disk }) => disk?.isNearlyFull && { details: [freeIn(disk)] },
  },
  'backup old': {
    what: {
      nb: 'Det er mer enn 26 timer siden siste sikkerhetskopi.',
      en: 'The last backup is more than 26 hours old.',
      nn: 'Det er meir enn 26 timar sidan siste tryggingskopi.',
    },
    advice: {
      nb: 'Kontroller at jobben som tar sikkerhetskopi, er slått på, og les loggen dens.',
      en: 'Check that the backup job is enabled, and read its log.',
      nn: 'Kontroller at jobben som tek tryggingskopi, er slått på, og les loggen til jobben.',
    },
    find: ({ backup }) => backup?.isOld && { since: backup.lastAt },
  },
  'mail failing': {
    what: {
      nb: 'Varsler til driften kan ikke sendes på e-post.',
      en: 'Alert emails cannot be sent.',
      nn: 'Varsel til drifta kan ikkje sendast på e-post.',
    },
    advice: {
      nb: `Kontroller at serveren i ALMANAKK_SMTP_URL svarer, og prøv ${TEST} ADRESSE.`,
      en: `Check that the server in ALMANAKK_SMTP_URL answers, and try ${TEST} ADDRESS.`,
      nn: `Kontroller at serveren i ALMANAKK_SMTP_URL svarar, og prøv ${TEST} ADRESSE.`,
    },
    find: ({ mail }) => mail && because(mail.since, mail.reason),
  },
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

export const CONCERN_NAMES: readonly string[] = Object.keys(CONCERNS);

/**
 * The problems that an operator should look into, each with its remedy. `/status`, its page, the gauge and mails show the same (H12).
 */
import { commandLine } from '../../package.ts';
import { ANOTHER_CALENDAR } from '../common/upkeep.ts';
import type { InBoth } from '../page/reader.ts';
import {
  because,
  type Concern,
  type Found,
  failingBuild,
  failingFeeds,
  failingHooks,
  freeIn,
  recordsDropped,
  unchangedFeeds,
  waitingEvents,
} from './concern-facts.ts';
import type { Health } from './health.ts';

/** Those that do most harm first. */
export function concernsIn(health: Health): readonly Concern[] {
  return Object.entries(CONCERNS).flatMap(([name, { find }]) => {
    const found = find(health);
    return found ? [concernOf(name, found)] : [];
  });
}

/** An unlisted concern, such as one of another version, has only its name as text. */
export function concernOf(name: string, { since = null, details = [], parts = [] }: Found = {}): Concern {
  const { what, advice } = CONCERNS[name] ?? { what: { nb: name, en: name }, advice: { nb: '', en: '' } };
  return { name, what, since, details, advice, parts };
}

/** H15: the concern with advice that an editor can follow. */
export function forEditors<Shown extends Omit<Concern, 'parts'>>(concern: Shown): Shown {
  return { ...concern, advice: CONCERNS[concern.name]?.editorAdvice ?? TELL_OPERATOR };
}

/** What a mail says of the parts of a concern that are over; undefined for a concern about one thing. */
export function overTextOf(name: string): InBoth<string> | undefined {
  return CONCERNS[name]?.partsOver;
}

/** H12: whether only the desks of its feeds get mail about it, and only when it begins. */
export function isOfDesks(name: string): boolean {
  return CONCERNS[name]?.isOfDesks === true;
}

/** All is well. */
type NotFound = null | false | '' | undefined;

interface Row extends Pick<Concern, 'what' | 'advice'> {
  /** Of parts that are over, while other parts of the concern may last. */
  readonly partsOver?: InBoth<string>;
  /** Whether it is a desk's daily work: it is mailed to the desks of the feeds alone, and they need no mail that it is done. */
  readonly isOfDesks?: true;
  /** For those who edit sources; absent if only the operator can do something. */
  readonly editorAdvice?: InBoth<string>;
  readonly find: (health: Health) => Found | NotFound;
}

const REBUILD = commandLine('rebuild');
const TEST = commandLine('announce', '--test');

const TELL_OPERATOR = {
  nb: 'Gi beskjed til driftsansvarlig.',
  en: 'Tell the operator.',
};

const WAITING_ADVICE = {
  nb: 'Kopier radene på /status til rettearket, og skriv ja eller nei i Godkjent.',
  en: 'Copy the rows on /status to the correction sheet, and write yes or no into Approved.',
};

/** By the name on `/status`, those that do most harm first. */
const CONCERNS: Readonly<Record<string, Row>> = {
  'no snapshot': {
    what: {
      nb: 'Det finnes ingen kalender å vise ennå.',
      en: 'There is no calendar to serve yet.',
    },
    advice: {
      nb: `Se i loggen hvorfor byggingen ikke ble ferdig, og kjør ${REBUILD}.`,
      en: `Check the log to see why no build has finished, and run ${REBUILD}.`,
    },
    find: ({ snapshot }) => snapshot === null && {},
  },
  'snapshot damaged': {
    what: {
      nb: 'Kalenderfilen på disken er skadet. Serveren bruker nå den nyeste hele filen, hvis det finnes en.',
      en: 'The snapshot file is damaged on disk. The server now uses the newest intact file, if there is one.',
    },
    advice: {
      nb: 'Kontroller disken, og at ingenting annet skriver i mappen. Byggeserveren bygger på nytt automatisk.',
      en: 'Check the disk, and make sure that no other program writes to the folder. The builder builds again automatically.',
    },
    find: ({ refusal }) => refusal?.isDamage && because(refusal.at, refusal.reason),
  },
  'build failed': {
    what: {
      nb: 'Siste bygging eller kopiering mislyktes. Serveren bruker den forrige kalenderen.',
      en: 'The last build or copy failed. The server uses the previous calendar.',
    },
    advice: {
      nb: 'Rett feilen i meldingen. Resten står i loggen.',
      en: 'Fix the error in the message. The log has the details.',
    },
    editorAdvice: {
      nb: 'Gjelder meldingen et ark eller en fil som dere redigerer, retter dere feilen der. Ellers gir dere beskjed til driftsansvarlig.',
      en: 'If the message is about a sheet or file that you edit, fix the error there. Otherwise, tell the operator.',
    },
    find: failingBuild,
  },
  'builder silent': {
    what: {
      nb: 'Byggeserveren har stoppet eller henger. Den planlagte byggingen er mer enn en time forsinket.',
      en: 'The builder has stopped or hangs. Its scheduled build is more than an hour late.',
    },
    advice: {
      nb: 'Kontroller at byggeserveren kjører, og start den på nytt. Hvis den er fjernet, sletter du builder.json i mappen med kalenderfilene.',
      en: 'Check that the builder runs, and restart it. If you have removed it, delete builder.json in the snapshot folder.',
    },
    find: ({ builder }) => builder?.isSilent && { since: builder.aliveAt },
  },
  'delivery refused': {
    what: {
      nb: 'En ny kalender ble avvist. Serveren bruker den forrige.',
      en: 'A new calendar was refused. The server uses the previous one.',
    },
    advice: {
      nb: 'Bygg på nytt, og kontroller at byggeserveren og denne serveren har samme versjon.',
      en: 'Build again, and check that the builder and this server have the same version.',
    },
    find: ({ refusal }) => refusal?.isLast && !refusal.isDamage && because(refusal.at, refusal.reason),
  },
  'records dropped': {
    what: {
      nb: 'Noe i kilden kunne ikke brukes og mangler i kalenderen.',
      en: 'Some records in the source could not be used, and are missing from the calendar.',
    },
    advice: {
      nb: `${REBUILD} viser fil, linje og felt for hver merknad.`,
      en: `${REBUILD} prints the file, line and field of each finding.`,
    },
    editorAdvice: {
      nb: 'Merknadene viser rad og felt. Rett feilene i arkene og filene som dere redigerer, og gi beskjed til driftsansvarlig om resten.',
      en: 'The findings name the row and the field. Fix the errors in the sheets and files that you edit, and tell the operator about the rest.',
    },
    // Records that were dropped a week ago may still be missing.
    partsOver: {
      nb: 'Ikke noe nytt mangler lenger fra disse filene og kildene',
      en: 'Nothing new is missing any more from these files and feeds',
    },
    find: recordsDropped,
  },
  'feed failing': {
    what: {
      nb: 'En eller flere kilder feiler.',
      en: 'One or more feeds are failing.',
    },
    advice: {
      nb: 'Åpne adressen i en nettleser. Er siden flyttet, retter du adressen i sources.json.',
      en: 'Open the address in a browser. If the page has moved, change the address in sources.json.',
    },
    editorAdvice: {
      nb: 'Kontroller at arket eller kalenderen fortsatt er delt, og at kolonnene har de samme navnene som før. Har kilden fått ny adresse, sender dere den til driftsansvarlig.',
      en: 'Check that the sheet or calendar is still shared, and that its columns have the same names as before. If its address has changed, send the new one to the operator.',
    },
    partsOver: {
      nb: 'Disse kildene virker igjen',
      en: 'These feeds work again',
    },
    find: failingFeeds,
  },
  'feed unchanged': {
    what: {
      nb: 'En eller flere kilder er ikke endret på lenge.',
      en: 'One or more feeds have not changed for a long time.',
    },
    advice: {
      nb: 'Kontroller programmet som legger filen på plass. Er det ikke noe nytt, kan du øke expectChangesWithinDays i sources.json.',
      en: 'Check the program that puts the file into place. If there is nothing new, increase expectChangesWithinDays in sources.json.',
    },
    editorAdvice: {
      nb: 'Kontroller at dere redigerer arket eller filen som kalenderen leser. Hvis noe nytt ikke kommer med, gir dere beskjed til driftsansvarlig.',
      en: 'Check that you edit the sheet or file that the calendar reads. If something new does not appear, tell the operator.',
    },
    partsOver: {
      nb: 'Disse kildene er endret igjen',
      en: 'These feeds have changed again',
    },
    find: unchangedFeeds,
  },
  'origin out of reach': {
    what: {
      nb: 'Serveren som kalenderen kopieres fra, svarer ikke. Siste kopi er i bruk.',
      en: 'The origin cannot be reached. The server uses the last copy.',
    },
    advice: {
      nb: 'Kontroller serveren i ALMANAKK_ORIGIN og nettverksforbindelsen dit.',
      en: 'Check the server in ALMANAKK_ORIGIN, and the network connection to it.',
    },
    find: ({ replica }) => replica?.outOfReach && because(replica.outOfReachSince, replica.outOfReach),
  },
  'store failing': {
    what: {
      nb: 'Objektlageret har ikke den nyeste kalenderen. Servere som kopierer derfra, har den forrige.',
      en: 'The object store does not have the latest calendar. Replicas that copy from it have the previous one.',
    },
    advice: {
      nb: 'Kontroller at lageret svarer, og at nøkkelen er gyldig.',
      en: 'Check that the store answers, and that its key is valid.',
    },
    find: ({ store }) =>
      store?.failing &&
      store.failing.why !== ANOTHER_CALENDAR &&
      because(store.failing.since, store.failing.reason),
  },
  'another calendar': {
    what: {
      nb: 'Lageret har en annen kalender. Derfor er ikke den nyeste kalenderen herfra publisert dit.',
      en: 'The store has another calendar. Therefore, the latest snapshot of this one has not been published there.',
    },
    advice: {
      nb: 'Gi hver kalender sitt eget sted i ALMANAKK_PUBLISH og ALMANAKK_PUBLISH_PUBLIC. Har denne kalenderen fått ny id i licence.json, sletter du manifest.json i lageret.',
      en: 'Give each calendar a place of its own in ALMANAKK_PUBLISH and ALMANAKK_PUBLISH_PUBLIC. If this calendar has got a new id in licence.json, delete manifest.json there.',
    },
    find: ({ store }) =>
      store?.failing?.why === ANOTHER_CALENDAR && because(store.failing.since, store.failing.reason),
  },
  'another builder': {
    what: {
      nb: 'En annen byggeserver publiserer til samme objektlager.',
      en: 'Another builder publishes to the same object store.',
    },
    advice: {
      nb: 'Fjern ALMANAKK_PUBLISH fra en av dem.',
      en: 'Unset ALMANAKK_PUBLISH on one of them.',
    },
    find: ({ store }) => store?.rival && because(store.rival.seenAt, store.rival.id),
  },
  'hook failing': {
    what: {
      nb: 'Et varsel om en ny kalender kom ikke frem til mottakeren.',
      en: 'A notification about a new snapshot did not reach its receiver.',
    },
    advice: {
      nb: 'Kontroller adressen i ALMANAKK_HOOKS.',
      en: 'Check the address in ALMANAKK_HOOKS.',
    },
    partsOver: {
      nb: 'Disse mottakerne får varsler igjen',
      en: 'These receivers get notifications again',
    },
    find: failingHooks,
  },
  'disk nearly full': {
    what: {
      nb: 'Disken med kalenderfilene er nesten full.',
      en: 'The disk with the snapshot folder is nearly full.',
    },
    advice: {
      nb: 'Frigjør plass. Hvis en bygging ikke får plass, blir ingenting publisert.',
      en: 'Free some space. A build that runs out of space publishes nothing.',
    },
    find: ({ disk }) => disk?.isNearlyFull && { details: [freeIn(disk)] },
  },
  'backup old': {
    what: {
      nb: 'Det er mer enn 26 timer siden siste sikkerhetskopi.',
      en: 'The last backup is more than 26 hours old.',
    },
    advice: {
      nb: 'Kontroller at jobben som tar sikkerhetskopi, er slått på, og les loggen dens.',
      en: 'Check that the backup job is enabled, and read its log.',
    },
    find: ({ backup }) => backup?.isOld && { since: backup.lastAt },
  },
  'mail failing': {
    what: {
      nb: 'Varsler på e-post til driften kan ikke sendes.',
      en: 'Alert emails cannot be sent.',
    },
    advice: {
      nb: `Kontroller at serveren i ALMANAKK_SMTP_URL svarer, og prøv ${TEST} ADRESSE.`,
      en: `Check that the server in ALMANAKK_SMTP_URL answers, and try ${TEST} ADDRESS.`,
    },
    find: ({ mail }) => mail && because(mail.since, mail.reason),
  },
  'events waiting': {
    what: {
      nb: 'Arrangementer venter på godkjenning.',
      en: 'Events wait for approval.',
    },
    advice: WAITING_ADVICE,
    editorAdvice: WAITING_ADVICE,
    isOfDesks: true,
    find: waitingEvents,
  },
};

export const CONCERN_NAMES: readonly string[] = Object.keys(CONCERNS);

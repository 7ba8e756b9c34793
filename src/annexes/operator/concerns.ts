/**
 * What an operator should look into, and what to do about it: one value, which `/status`, its page, the gauge and mails show (H12, alerts).
 */
import { commandLine } from '../../package.ts';
import type { BuildRecord } from '../../upkeep.ts';
import type { InEach } from '../page/reader.ts';
import type { Health } from './health.ts';
import { plainly } from './reasons.ts';
import { type BuildReport, isDroppedLately } from './reports.ts';
import { isDropping, termOf } from './terms.ts';

export interface Concern {
  readonly name: ConcernName;
  readonly what: InEach<string>;
  /** ISO 8601; null if it is unknown. */
  readonly since: string | null;
  /** What it is about, such as the message of a build. */
  readonly details: readonly InEach<string>[];
  readonly advice: InEach<string>;
  /** Where more stands, relative to `/status`; null for nowhere. */
  readonly link: string | null;
}

/** Those that do most harm first. */
export function concernsIn(health: Health): readonly Concern[] {
  return CONCERN_NAMES.flatMap((name) => {
    const [, , , , find] = CONCERNS[name];
    const found = find(health);
    return found ? [concernOf(name, found)] : [];
  });
}

export function concernOf(name: ConcernName, { since = null, details = [] }: Found): Concern {
  const [what, inEnglish, advice, adviceInEnglish, , link = null] = CONCERNS[name];
  return {
    name,
    what: { nb: what, en: inEnglish },
    since,
    details,
    advice: { nb: advice, en: adviceInEnglish },
    link,
  };
}

/** What a concern is called, in words; undefined for one that is not listed, such as one of another version. */
export function nameOf(name: string): InEach<string> | undefined {
  const known = CONCERN_NAMES.find((other) => other === name);
  return known && concernOf(known, {}).what;
}

/** What is known of one concern besides its name. */
type Found = Partial<Pick<Concern, 'since' | 'details'>>;

/** Nothing for what is well. */
type Find = (health: Health) => Found | null | false | '' | undefined;

type Row = readonly [
  what: string,
  inEnglish: string,
  advice: string,
  adviceInEnglish: string,
  find: Find,
  link?: string,
];

const REBUILD = commandLine('rebuild');
const TEST = commandLine('announce', '--test');

/** By the name on `/status`, those that do most harm first. */
const CONCERNS = {
  'no snapshot': [
    'Det er ingen kalender å svare fra ennå.',
    'There is no calendar to answer from yet.',
    `Se i loggen hvorfor byggingen ikke ble ferdig, og kjør ${REBUILD}.`,
    `The log says why no build has ended; run ${REBUILD}.`,
    ({ snapshot }) => snapshot === null && {},
  ],
  'snapshot damaged': [
    'Filen som svarene kom fra, er skadet på disken. Svarene kommer fra den nyeste hele, om det er en.',
    'The file that answers came from is damaged on the disk. Answers come from the newest sound one, if there is one.',
    'Se at disken er frisk, og at ingenting annet skriver i mappen. En bygger bygger på nytt av seg selv.',
    'See that the disk is sound, and that nothing else writes into the folder. A builder builds again by itself.',
    ({ refusal }) => refusal?.isDamage && because(refusal.at, refusal.reason),
  ],
  'build failed': [
    'Siste bygging mislyktes. Svarene kommer fra den forrige.',
    'The last build failed. Answers come from the one before.',
    `Rett opp det meldingen sier; ${REBUILD} viser hele rapporten.`,
    `Mend what the message says; ${REBUILD} prints the whole report.`,
    failingBuild('rebuild'),
    '#builds',
  ],
  'delivery refused': [
    'En ny kalender ble avvist. Svarene kommer fra den forrige.',
    'A new calendar was refused. Answers come from the one before.',
    'Bygg på nytt, og se at bygger og tjener er av samme versjon.',
    'Build again, and see that builder and server are of one version.',
    ({ refusal }) => refusal?.isLast && !refusal.isDamage && because(refusal.at, refusal.reason),
  ],
  'copy failed': [
    'Siste kopiering mislyktes. Svarene kommer fra den forrige.',
    'The last copying failed. Answers come from the copy before.',
    'Se at opphavet har en hel fil, og at det er plass på disken.',
    'See that the origin has a whole file, and that the disk has room.',
    failingBuild('pull'),
    '#builds',
  ],
  'records dropped': [
    'Noe i kilden kunne ikke brukes og mangler i kalenderen.',
    'Something in the source could not be used and is missing.',
    `${REBUILD} viser fil, linje og felt for hvert funn.`,
    `${REBUILD} prints file, line and field of each finding.`,
    ({ report, at }) => report && isDroppedLately(report, Date.parse(at)) && droppedIn(report),
    '#findings',
  ],
  'feed failing': [
    'En eller flere kilder svikter.',
    'One or more feeds are failing.',
    'Åpne adressen i en nettleser. Er den flyttet, rett den i sources.json.',
    'Open the address in a browser. If it has moved, change it in sources.json.',
    failingFeeds,
    '#report',
  ],
  'origin out of reach': [
    'Opphavet kan ikke nås. Svarene kommer fra siste kopi.',
    'The origin is out of reach. Answers come from the last copy.',
    'Se at maskinen og nettet i ALMANAKK_ORIGIN virker.',
    'See that the machine and the network of ALMANAKK_ORIGIN are up.',
    ({ replica }) => replica?.outOfReach && because(replica.outOfReachSince, replica.outOfReach),
  ],
  'store failing': [
    'Objektlageret har ikke det siste. Kopier som henter derfra, har det forrige.',
    'The object store does not have the latest. Replicas that copy from it have the one before.',
    'Se at lageret svarer og at nøkkelen til det gjelder.',
    'See that it answers and that its key is valid.',
    ({ store }) => store?.failing && because(store.failing.since, store.failing.reason),
  ],
  'another builder': [
    'Enda en bygger legger kalendere i samme objektlager.',
    'Another builder publishes to the same object store.',
    'Ta ALMANAKK_PUBLISH bort fra den ene.',
    'Take ALMANAKK_PUBLISH away from one of them.',
    ({ store }) => store?.rival && because(store.rival.seenAt, store.rival.id),
  ],
  'hook failing': [
    'En mottaker av varsler om nye kalendere svarer ikke som den skal.',
    'A receiver of notifications about new snapshots fails.',
    'Se at adressen i ALMANAKK_HOOKS virker.',
    'See that the address in ALMANAKK_HOOKS works.',
    ({ hook }) => hook && because(hook.since, hook.reason, hook.host),
  ],
  'mail failing': [
    'E-post om det som bør ses på, kan ikke sendes.',
    'Mails about what should be looked into cannot be sent.',
    `Se at tjeneren i ALMANAKK_SMTP_URL svarer, og prøv ${TEST} ADRESSE.`,
    `See that the server of ALMANAKK_SMTP_URL answers, and try ${TEST} ADDRESS.`,
    ({ mail }) => mail && because(mail.since, mail.reason),
  ],
} as const satisfies Readonly<Record<string, Row>>;

type ConcernName = keyof typeof CONCERNS;

export const CONCERN_NAMES = Object.keys(CONCERNS) as readonly ConcernName[];

function because(since: string | null, reason: string, about?: string): Found {
  return { since, details: [plainly(reason, about)] };
}

/** Since the first of the builds that failed one after the other. */
function failingBuild(kind: BuildRecord['kind']): Find {
  return ({ builds }) => {
    const [latest] = builds;
    if (latest?.outcome !== 'failed' || latest.kind !== kind) return null;
    const good = builds.findIndex(({ outcome }) => outcome !== 'failed');
    const first = builds.at(good === -1 ? -1 : good - 1);
    return because(first?.startedAt ?? null, latest.reason ?? '?');
  };
}

function failingFeeds({ feeds }: Health): Found | null {
  const failing = feeds.filter(({ state }) => state !== 'ok');
  if (failing.length === 0) return null;
  const [since = null] = failing.flatMap((feed) => feed.since ?? []).toSorted();
  const details = failing.map(({ id, why }) => plainly(why ?? '?', id));
  return { since, details: atMost(details, failing.length) };
}

/** What was done to which place of the source: `events.json[4] bad title_nb: record dropped`. */
function droppedIn({ actions, findings, lastDroppedAt }: BuildReport): Found {
  const count = actions.filter(isDropping).reduce((sum, action) => sum + action.count, 0);
  const details = findings.filter(isDropping).map(({ place, id, field, action }) => {
    const where = [place, id, field].filter((part) => part !== null).join(' ');
    const { nb, en } = termOf(action);
    return { nb: `${where}: ${nb}`, en: `${where}: ${en}` };
  });
  return { since: lastDroppedAt, details: atMost(details, count) };
}

const MOST_DETAILS = 5;

/** The first ones, and how many more there are of all. */
function atMost(details: Concern['details'], all: number): Concern['details'] {
  const first = details.slice(0, MOST_DETAILS);
  const more = all - first.length;
  return more <= 0 ? first : [...first, { nb: `og ${more} til`, en: `and ${more} more` }];
}

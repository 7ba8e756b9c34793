/**
 * What an operator should look into, and what to do about it: one value, which `/status`, its page, the gauge and mails show (H12, alerts).
 */
import { commandLine } from '../../package.ts';
import type { ServePart } from '../../serve/annex.ts';
import type { InEach } from '../page/reader.ts';

export interface Concern {
  readonly name: ConcernName;
  readonly what: InEach<string>;
  /** ISO 8601; null if it is unknown. */
  readonly since: string | null;
  /** What it is about, such as the message of a build. */
  readonly details: readonly string[];
  readonly advice: InEach<string>;
}

/** What is known of one concern besides its name. */
export type Found = Partial<Pick<Concern, 'since' | 'details'>>;

export function concernOf(name: ConcernName, { since = null, details = [] }: Found): Concern {
  const { nb, en, advice_nb, advice_en } = CONCERNS[name];
  return { name, what: { nb, en }, since, details, advice: { nb: advice_nb, en: advice_en } };
}

/** Of all parts of a server, those that do most harm first. */
export async function concernsOf(parts: readonly Pick<ServePart, 'concerns'>[]): Promise<readonly Concern[]> {
  const found = (await Promise.all(parts.map(({ concerns }) => concerns?.() ?? []))).flat();
  return CONCERN_NAMES.flatMap((name) => found.filter((concern) => concern.name === name));
}

interface ConcernTexts {
  readonly nb: string;
  readonly en: string;
  readonly advice_nb: string;
  readonly advice_en: string;
}

const REBUILD = commandLine('rebuild');
const TEST = commandLine('announce', '--test');

/** By the name on `/status`. */
const CONCERNS = {
  'no snapshot': {
    nb: 'Det er ingen kalender å svare fra ennå.',
    en: 'There is no calendar to answer from yet.',
    advice_nb: `Se i loggen hvorfor byggingen ikke ble ferdig, og kjør ${REBUILD}.`,
    advice_en: `The log says why no build has ended; run ${REBUILD}.`,
  },
  'delivery refused': {
    nb: 'En ny kalender ble avvist. Svarene kommer fra den forrige.',
    en: 'A new calendar was refused. Answers come from the one before.',
    advice_nb: 'Bygg på nytt, og se at bygger og tjener er av samme versjon.',
    advice_en: 'Build again, and see that builder and server are of one version.',
  },
  'build failed': {
    nb: 'Siste bygging mislyktes. Svarene kommer fra den forrige.',
    en: 'The last build failed. Answers come from the one before.',
    advice_nb: `Rett opp det meldingen sier; ${REBUILD} viser hele rapporten.`,
    advice_en: `Mend what the message says; ${REBUILD} prints the whole report.`,
  },
  'copy failed': {
    nb: 'Siste kopiering mislyktes. Svarene kommer fra den forrige.',
    en: 'The last copying failed. Answers come from the copy before.',
    advice_nb: 'Se at opphavet har en hel fil, og at det er plass på disken.',
    advice_en: 'See that the origin has a whole file, and that the disk has room.',
  },
  'feed failing': {
    nb: 'En eller flere kilder svikter.',
    en: 'One or more feeds are failing.',
    advice_nb: 'Åpne adressen i en nettleser. Er den flyttet, rett den i sources.json.',
    advice_en: 'Open the address in a browser. If it has moved, change it in sources.json.',
  },
  'records dropped': {
    nb: 'Noe i kilden kunne ikke brukes og mangler i kalenderen. Se merknadene.',
    en: 'Something in the source could not be used and is missing. See the findings.',
    advice_nb: `${REBUILD} viser fil, linje og felt for hvert funn.`,
    advice_en: `${REBUILD} prints file, line and field of each finding.`,
  },
  'origin out of reach': {
    nb: 'Opphavet kan ikke nås. Svarene kommer fra siste kopi.',
    en: 'The origin is out of reach. Answers come from the last copy.',
    advice_nb: 'Se at maskinen og nettet i ALMANAKK_ORIGIN virker.',
    advice_en: 'See that the machine and the network of ALMANAKK_ORIGIN are up.',
  },
  'store failing': {
    nb: 'Objektlageret har ikke det siste. Kopier som henter derfra, har det forrige.',
    en: 'The object store does not have the latest. Replicas that copy from it have the one before.',
    advice_nb: 'Se at lageret svarer og at nøkkelen til det gjelder.',
    advice_en: 'See that it answers and that its key is valid.',
  },
  'another builder': {
    nb: 'Enda en bygger legger kalendere i samme objektlager.',
    en: 'Another builder publishes to the same object store.',
    advice_nb: 'Ta ALMANAKK_PUBLISH bort fra den ene.',
    advice_en: 'Take ALMANAKK_PUBLISH away from one of them.',
  },
  'hook failing': {
    nb: 'En mottaker av varsler om nye kalendere svarer ikke som den skal.',
    en: 'A receiver of notifications about new snapshots fails.',
    advice_nb: 'Se at adressen i ALMANAKK_HOOKS virker.',
    advice_en: 'See that the address in ALMANAKK_HOOKS works.',
  },
  'mail failing': {
    nb: 'E-post om det som bør ses på, kan ikke sendes.',
    en: 'Mails about what should be looked into cannot be sent.',
    advice_nb: `Se at tjeneren i ALMANAKK_SMTP_URL svarer, og prøv ${TEST} ADRESSE.`,
    advice_en: `See that the server of ALMANAKK_SMTP_URL answers, and try ${TEST} ADDRESS.`,
  },
} as const satisfies Readonly<Record<string, ConcernTexts>>;

export type ConcernName = keyof typeof CONCERNS;

export const CONCERN_NAMES = Object.keys(CONCERNS) as readonly ConcernName[];

/** Undefined for a concern that is not listed, such as one of another version. */
export function nameOfConcern(name: string): InEach<string> | undefined {
  const known = CONCERN_NAMES.find((other) => other === name);
  return known && concernOf(known, {}).what;
}

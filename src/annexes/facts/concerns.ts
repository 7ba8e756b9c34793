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
  readonly details: readonly InEach<string>[];
  readonly advice: InEach<string>;
  /** Where more stands, relative to `/status`; null for nowhere. */
  readonly link: string | null;
}

/** What is known of one concern besides its name. */
export type Found = Partial<Pick<Concern, 'since' | 'details'>>;

export function concernOf(name: ConcernName, { since = null, details = [] }: Found): Concern {
  const [what, advice, link = null] = CONCERNS[name];
  return { name, what: inBoth(what), since, details, advice: inBoth(advice), link };
}

/** Of all parts of a server, those that do most harm first. */
export async function concernsOf(parts: readonly Pick<ServePart, 'concerns'>[]): Promise<readonly Concern[]> {
  const found = (await Promise.all(parts.map(({ concerns }) => concerns?.() ?? []))).flat();
  return CONCERN_NAMES.flatMap((name) => found.filter((concern) => concern.name === name));
}

/** What a concern is called, in words; undefined for one that is not listed, such as one of another version. */
export function wordsOf(name: string): InEach<string> | undefined {
  const known = CONCERN_NAMES.find((other) => other === name);
  return known && inBoth(CONCERNS[known][0]);
}

const inBoth = ([nb, en]: Both): InEach<string> => ({ nb, en });

type Both = readonly [nb: string, en: string];

const REBUILD = commandLine('rebuild');
const TEST = commandLine('announce', '--test');

/** By the name on `/status`, those that do most harm first: what it is, what to do, and where more stands. */
const CONCERNS = {
  'no snapshot': [
    ['Det er ingen kalender å svare fra ennå.', 'There is no calendar to answer from yet.'],
    [
      `Se i loggen hvorfor byggingen ikke ble ferdig, og kjør ${REBUILD}.`,
      `The log says why no build has ended; run ${REBUILD}.`,
    ],
  ],
  'snapshot damaged': [
    [
      'Filen som svarene kom fra, er skadet på disken. Svarene kommer fra den nyeste hele, om det er en.',
      'The file that answers came from is damaged on the disk. Answers come from the newest sound one, if there is one.',
    ],
    [
      'Se at disken er frisk, og at ingenting annet skriver i mappen. En bygger bygger på nytt av seg selv.',
      'See that the disk is sound, and that nothing else writes into the folder. A builder builds again by itself.',
    ],
  ],
  'build failed': [
    [
      'Siste bygging mislyktes. Svarene kommer fra den forrige.',
      'The last build failed. Answers come from the one before.',
    ],
    [
      `Rett opp det meldingen sier; ${REBUILD} viser hele rapporten.`,
      `Mend what the message says; ${REBUILD} prints the whole report.`,
    ],
    '#builds',
  ],
  'delivery refused': [
    [
      'En ny kalender ble avvist. Svarene kommer fra den forrige.',
      'A new calendar was refused. Answers come from the one before.',
    ],
    [
      'Bygg på nytt, og se at bygger og tjener er av samme versjon.',
      'Build again, and see that builder and server are of one version.',
    ],
  ],
  'copy failed': [
    [
      'Siste kopiering mislyktes. Svarene kommer fra den forrige.',
      'The last copying failed. Answers come from the copy before.',
    ],
    [
      'Se at opphavet har en hel fil, og at det er plass på disken.',
      'See that the origin has a whole file, and that the disk has room.',
    ],
    '#builds',
  ],
  'records dropped': [
    [
      'Noe i kilden kunne ikke brukes og mangler i kalenderen.',
      'Something in the source could not be used and is missing.',
    ],
    [
      `${REBUILD} viser fil, linje og felt for hvert funn.`,
      `${REBUILD} prints file, line and field of each finding.`,
    ],
    '#findings',
  ],
  'feed failing': [
    ['En eller flere kilder svikter.', 'One or more feeds are failing.'],
    [
      'Åpne adressen i en nettleser. Er den flyttet, rett den i sources.json.',
      'Open the address in a browser. If it has moved, change it in sources.json.',
    ],
    '#report',
  ],
  'origin out of reach': [
    [
      'Opphavet kan ikke nås. Svarene kommer fra siste kopi.',
      'The origin is out of reach. Answers come from the last copy.',
    ],
    [
      'Se at maskinen og nettet i ALMANAKK_ORIGIN virker.',
      'See that the machine and the network of ALMANAKK_ORIGIN are up.',
    ],
  ],
  'store failing': [
    [
      'Objektlageret har ikke det siste. Kopier som henter derfra, har det forrige.',
      'The object store does not have the latest. Replicas that copy from it have the one before.',
    ],
    [
      'Se at lageret svarer og at nøkkelen til det gjelder.',
      'See that it answers and that its key is valid.',
    ],
  ],
  'another builder': [
    [
      'Enda en bygger legger kalendere i samme objektlager.',
      'Another builder publishes to the same object store.',
    ],
    ['Ta ALMANAKK_PUBLISH bort fra den ene.', 'Take ALMANAKK_PUBLISH away from one of them.'],
  ],
  'hook failing': [
    [
      'En mottaker av varsler om nye kalendere svarer ikke som den skal.',
      'A receiver of notifications about new snapshots fails.',
    ],
    ['Se at adressen i ALMANAKK_HOOKS virker.', 'See that the address in ALMANAKK_HOOKS works.'],
  ],
  'mail failing': [
    [
      'E-post om det som bør ses på, kan ikke sendes.',
      'Mails about what should be looked into cannot be sent.',
    ],
    [
      `Se at tjeneren i ALMANAKK_SMTP_URL svarer, og prøv ${TEST} ADRESSE.`,
      `See that the server of ALMANAKK_SMTP_URL answers, and try ${TEST} ADDRESS.`,
    ],
  ],
} as const satisfies Readonly<Record<string, readonly [what: Both, advice: Both, link?: string]>>;

export type ConcernName = keyof typeof CONCERNS;

export const CONCERN_NAMES = Object.keys(CONCERNS) as readonly ConcernName[];

/** A reason in plain words, behind what it is about; one that is not known here stays as the log has it, in English. */
export function plainly(reason: string, about = ''): InEach<string> {
  const before = about === '' ? '' : `${about}: `;
  const known = REASONS.find(([words]) => words.test(reason));
  if (known === undefined) return inBoth([before + reason, before + reason]);
  const [words, nb, en] = known;
  const [found = ''] = words.exec(reason) ?? [];
  return inBoth([before + found.replace(words, nb), before + found.replace(words, en)]);
}

/** Codes of Node, SQLite and HTTP, as messages hold them, and words of this program. `$1` stands for the name within them. */
const REASONS: readonly (readonly [words: RegExp, ...Both])[] = [
  [/\bECONNREFUSED\b/, 'ingen tjener svarer på adressen', 'no server answers at the address'],
  [
    /\b(?:ENOTFOUND|EAI_AGAIN)\b/,
    'navnet i adressen er ikke å finne',
    'the name in the address cannot be found',
  ],
  [/\b(?:ETIMEDOUT|ESOCKETTIMEDOUT)\b|time limit/, 'det kom ikke noe svar i tide', 'no answer came in time'],
  [/\b(?:ECONNRESET|EPIPE)\b|socket hang up/, 'forbindelsen ble brutt', 'the connection broke off'],
  [/\b(?:EHOSTUNREACH|ENETUNREACH)\b/, 'nettet dit er nede', 'the network to it is down'],
  [
    /certificate|\bCERT_/,
    'sertifikatet til tjeneren gjelder ikke',
    'the certificate of the server is not valid',
  ],
  [/\b(?:ENOSPC|EDQUOT|SQLITE_FULL)\b/, 'disken er full', 'the disk is full'],
  [
    /\b(?:EACCES|EPERM|EROFS|SQLITE_READONLY)\b/,
    'programmet får ikke skrive der',
    'the program may not write there',
  ],
  [
    /\b(?:EIO|SQLITE_IOERR|SQLITE_CORRUPT|SQLITE_NOTADB)\b/,
    'filen eller disken er skadet',
    'the file or the disk is damaged',
  ],
  [
    /([^\s:][^:]{0,200}): it is not there; the nearest is (".{1,200}?")/,
    '$1 er ikke der; den nærmeste filen heter $2',
    '$1 is not there; the nearest file is $2',
  ],
  [/([^\s:][^:]{0,200}): it is not there/, '$1 er ikke der', '$1 is not there'],
  [/\bENOENT\b/, 'filen er ikke der', 'the file is not there'],
  [
    /([^\s:][^:]{0,200}): this user may not read it/,
    'programmet får ikke lese $1',
    'the program may not read $1',
  ],
  [/([^\s:][^:]{0,200}): it is a folder/, '$1 er en mappe', '$1 is a folder'],
  [
    /expected a public address/,
    'adressen er på et lukket nett, som ingenting hentes fra uten ALMANAKK_ALLOW_PRIVATE_FEEDS=true',
    'the address is in a private network, from which nothing is fetched without ALMANAKK_ALLOW_PRIVATE_FEEDS=true',
  ],
  [/\b(?:EMFILE|ENFILE)\b/, 'for mange filer er åpne', 'too many files are open'],
  [
    /\bstatus (?:401|403)\b/,
    'tjeneren slipper ikke inn uten rett nøkkel',
    'the server lets nobody in without the right key',
  ],
  [/\bstatus (?:404|410)\b/, 'tjeneren har ingenting på adressen', 'the server has nothing at the address'],
  [/\bstatus 429\b/, 'tjeneren vil spørres sjeldnere', 'the server wants to be asked less often'],
  [/\bstatus 5\d\d\b/, 'tjeneren der svikter', 'the server there fails'],
];

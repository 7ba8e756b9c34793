/** What an operator should look into, in the words of `/status` and of mails (H12, alerts), and what to do about it. */
interface ConcernTexts {
  readonly nb: string;
  readonly en: string;
  readonly advice_nb: string;
  readonly advice_en: string;
}

/** By the name on `/status`. */
export const CONCERNS = {
  'no snapshot': {
    nb: 'Det er ingen kalender å svare fra ennå.',
    en: 'There is no calendar to answer from yet.',
    advice_nb: 'Se i loggen hvorfor byggingen ikke ble ferdig, og kjør npm run rebuild.',
    advice_en: 'The log says why no build has ended; run npm run rebuild.',
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
    advice_nb: 'Rett opp det meldingen sier; npm run rebuild viser hele rapporten.',
    advice_en: 'Mend what the message says; npm run rebuild prints the whole report.',
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
    advice_nb: 'npm run rebuild viser fil, linje og felt for hvert funn.',
    advice_en: 'npm run rebuild prints file, line and field of each finding.',
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
} as const satisfies Readonly<Record<string, ConcernTexts>>;

export type ConcernName = keyof typeof CONCERNS;

/** Undefined for a concern that is not listed. */
export function textsOf(concern: string): ConcernTexts | undefined {
  return Object.entries<ConcernTexts>(CONCERNS).find(([name]) => name === concern)?.[1];
}

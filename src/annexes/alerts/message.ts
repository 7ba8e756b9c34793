/** The text of one mail about concerns, in Norwegian and English: which began, which last, which are over, and what to do. */
import type { Lasting, News } from './state.ts';

export interface AlertContent {
  /** The calendar's name. */
  readonly calendar: string;
  readonly news: News;
  /** The known detail of a concern, such as a build's message; null for none. */
  readonly detailOf: (name: string) => string | null;
  /** The address of `/status`; null if unknown. */
  readonly statusUrl: string | null;
}

type Language = 'nb' | 'en';

export function subjectOf({ calendar, news }: AlertContent): string {
  const { begun, lasting } = news;
  const open = begun.length + lasting.length;
  if (open === 0) return `${calendar}: alt er i orden igjen / all is well again`;
  return `${calendar}: ${open} ting å se på / ${open === 1 ? '1 thing' : `${open} things`} to look into`;
}

export function alertText(content: AlertContent): string {
  return `${(['nb', 'en'] as const).map((language) => textIn(language, content)).join(`\n\n${'-'.repeat(40)}\n\n`)}\n`;
}

function textIn(language: Language, { calendar, news, detailOf, statusUrl }: AlertContent): string {
  const texts = TEXTS[language];
  const section = (heading: string, concerns: readonly Lasting[], isOver = false) =>
    concerns.length === 0
      ? []
      : [
          heading,
          ...concerns.map(({ name, since }) => {
            const { what, todo } = ADVICE[name]?.[language] ?? { what: name, todo: null };
            const detail = isOver ? null : detailOf(name);
            const lines = [`- ${what} (${texts.since} ${moment(since, language)})`];
            if (detail !== null) lines.push(`  ${oneLine(detail)}`);
            if (!isOver && todo !== null) lines.push(`  ${todo}`);
            return lines.join('\n');
          }),
        ];
  return [
    texts.about(calendar),
    ...section(texts.begun, news.begun),
    ...section(texts.lasting, news.lasting),
    ...section(texts.over, news.over, true),
    statusUrl === null ? texts.status : `${texts.status} ${statusUrl}`,
  ].join('\n\n');
}

const LOCALES = { nb: 'nb-NO', en: 'en-GB' } as const;

function moment(milliseconds: number, language: Language): string {
  const style = { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/Oslo' } as const;
  return new Intl.DateTimeFormat(LOCALES[language], style).format(milliseconds);
}

/** Characters: a message may repeat text of another server. */
const LONGEST_DETAIL = 500;

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').slice(0, LONGEST_DETAIL);
}

const TEXTS = {
  nb: {
    about: (calendar: string) => `Dette gjelder kalenderen ${calendar}. (English below.)`,
    begun: 'Nytt:',
    lasting: 'Varer ved:',
    over: 'Over:',
    since: 'siden',
    status: 'Mer står på /status.',
  },
  en: {
    about: (calendar: string) => `This is about the calendar ${calendar}.`,
    begun: 'New:',
    lasting: 'Still there:',
    over: 'Over:',
    since: 'since',
    status: '/status says more.',
  },
};

interface Advice {
  readonly what: string;
  readonly todo: string | null;
}

/** By the concern's name on `/status`. A concern without an entry is mailed under that name. */
const ADVICE: Readonly<Record<string, Readonly<Record<Language, Advice>>>> = {
  'no snapshot': {
    nb: {
      what: 'Det er ingen kalender å svare fra',
      todo: 'Se i loggen hvorfor byggingen ikke ble ferdig, og kjør npm run rebuild.',
    },
    en: {
      what: 'There is no calendar to answer from',
      todo: 'The log says why no build has ended; run npm run rebuild.',
    },
  },
  'delivery refused': {
    nb: {
      what: 'En ny kalenderfil ble avvist; svarene kommer fra den forrige',
      todo: 'Bygg på nytt, og se at bygger og tjener er av samme versjon.',
    },
    en: {
      what: 'A new snapshot was refused; answers come from the one before',
      todo: 'Build again, and see that builder and server are of one version.',
    },
  },
  'build failed': {
    nb: {
      what: 'Siste bygging mislyktes; svarene kommer fra den forrige',
      todo: 'Rett opp det meldingen sier; npm run rebuild viser hele rapporten.',
    },
    en: {
      what: 'The last build failed; answers come from the one before',
      todo: 'Mend what the message says; npm run rebuild prints the whole report.',
    },
  },
  'copy failed': {
    nb: {
      what: 'Siste kopiering mislyktes; svarene kommer fra den forrige',
      todo: 'Se at opphavet har en hel fil, og at det er plass på disken.',
    },
    en: {
      what: 'The last copying failed; answers come from the copy before',
      todo: 'See that the origin has a whole file, and that the disk has room.',
    },
  },
  'feed failing': {
    nb: {
      what: 'En eller flere kilder svikter; det siste gode fra dem vises',
      todo: 'Åpne adressen i en nettleser. Er den flyttet, rett den i sources.json.',
    },
    en: {
      what: 'One or more feeds are failing; their last good records are shown',
      todo: 'Open the address in a browser. If it has moved, change it in sources.json.',
    },
  },
  'records dropped': {
    nb: {
      what: 'Noe i kilden kunne ikke brukes og mangler i kalenderen',
      todo: 'npm run rebuild viser fil, linje og felt for hvert funn.',
    },
    en: {
      what: 'Something in the source could not be used and is missing',
      todo: 'npm run rebuild prints file, line and field of each finding.',
    },
  },
  'origin out of reach': {
    nb: {
      what: 'Opphavet kan ikke nås; svarene kommer fra siste kopi',
      todo: 'Se at maskinen og nettet i ALMANAKK_ORIGIN virker.',
    },
    en: {
      what: 'The origin is out of reach; answers come from the last copy',
      todo: 'See that the machine and the network of ALMANAKK_ORIGIN are up.',
    },
  },
  'store failing': {
    nb: {
      what: 'Objektlageret har ikke den siste kalenderen',
      todo: 'Se at lageret svarer og at nøkkelen til det gjelder.',
    },
    en: {
      what: 'The object store does not have the latest snapshot',
      todo: 'See that it answers and that its key is valid.',
    },
  },
  'another builder': {
    nb: {
      what: 'Enda en bygger legger kalendere i samme objektlager',
      todo: 'Ta ALMANAKK_PUBLISH bort fra den ene.',
    },
    en: {
      what: 'Another builder publishes to the same object store',
      todo: 'Take ALMANAKK_PUBLISH away from one of them.',
    },
  },
  'hook failing': {
    nb: {
      what: 'En mottaker av varsler om nye kalendere svarer ikke',
      todo: 'Se at adressen i ALMANAKK_HOOKS virker.',
    },
    en: {
      what: 'A receiver of notifications about new snapshots does not answer',
      todo: 'See that the address in ALMANAKK_HOOKS works.',
    },
  },
};
